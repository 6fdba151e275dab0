#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Goal of this test: where a ZooKeeper cannot be used, frazil doctor says why.
# shellcheck disable=SC2154 # bats sets output

load helpers
load servers
load reasons

setup() {
    begin_reasons
    has zookeeper || skip "the part for ZooKeeper is not installed"
}

@test "without a quorum" {
    serve zookeeper-minority
    says coordinator.silent "the server closed the connection, as it does without a quorum" "zookeeper://u:s3cret@127.0.0.1:$port/orders?timeout=60s"
}

@test "without user and password, or with others" {
    serve zookeeper
    local end="@127.0.0.1:$port/orders?timeout=60s"
    frazil lease init --never-used "zookeeper://joe:another$end"
    says coordinator.refused "permissions of .* do not allow this: give the user and password of its creator" "zookeeper://127.0.0.1:$port/orders?timeout=60s"
    says coordinator.refused "permissions of .* do not allow this: give the user and password of its creator" "zookeeper://joe:s3cret$end"
}
