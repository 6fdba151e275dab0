# SPDX-License-Identifier: MIT
# Goal of this test: opaque ids and the file of their key.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; bats sets stderr
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    umask 077
    printf '000102030405060708090a0b0c0d0e0f' >hex
    printf '000102030405060708090a0b0c0d0e0f\n' >hex_line
    printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' >raw
}

# Tests of a part that is not there say so.
needs_opaque() {
    frazil version | grep -qx "opaque ids: built" || skip "opaque ids are not built"
}

@test "there and back, by each form of the key" {
    needs_opaque
    local key there
    for key in raw hex hex_line; do
        there=$(frazil opaque --key-file $key 0 1 1541815603606036480)
        [ "$there" = "$(frazil opaque --key-file raw 0 1 1541815603606036480)" ]
        [ "$(frazil opaque --key-file $key --decrypt <<<"$there")" = $'0\n1\n1541815603606036480' ]
    done
    [[ $(frazil opaque -k raw 5) =~ ^[0-9a-f]{32}$ ]]
}

# One AES-128 block of the id and 64 zero bits, by somebody else's AES.
@test "the block is AES's" {
    needs_opaque
    command -v openssl >/dev/null || skip "there is no openssl"
    local expected
    expected=$(printf '\25\145\235\331\57\61\0\0\0\0\0\0\0\0\0\0' |
        openssl enc -aes-128-ecb -nopad -K 000102030405060708090a0b0c0d0e0f | od -An -v -tx1 | tr -d ' \n')
    [ "$(frazil opaque -k raw --form hex 0x15659dd92f310000)" = "$expected" ]
}

@test "--form is for ids" {
    needs_opaque
    fails 2 "--form is for ids" frazil opaque -k raw --form hex --decrypt 00000000000000000000000000000000
    fails 1 "not a decimal number" frazil opaque -k raw null
}

@test "what was not made with the key is refused" {
    needs_opaque
    local there
    there=$(frazil opaque -k raw 5)
    fails 1 "not made with this key" frazil opaque -k raw -d "${there/[0-7]/9}"
    fails 1 "32 hex digits" frazil opaque -k raw -d "${there}0"
    fails 1 "32 hex digits" frazil opaque -k raw -d "g${there:1}"
    fails 1 "" frazil opaque -k raw x!
}

@test "a key that others can read is refused, with the chmod that is right" {
    needs_opaque
    local mode
    if [ "$(id -u)" -eq 0 ]; then
        chmod 640 raw # root's, for a group of its choice
        frazil opaque -k raw 5
        chown 65534 raw
    fi
    for mode in 604 640 620 601; do
        chmod $mode raw
        fails 2 "chmod 600 raw" frazil opaque -k raw 5
    done
    chmod 400 raw
    frazil opaque -k raw 5
}

@test "a key that a container is given read-only is taken, whatever its mode" {
    needs_opaque
    chmod 644 raw
    # shellcheck disable=SC2016 # for the inner shell
    local mount='mount --bind raw raw && mount -o remount,bind,ro raw'
    unshare --user --map-root-user --mount sh -c "$mount" || skip "nothing can be mounted here"
    fails 2 "chmod 600 raw" frazil opaque -k raw 5
    unshare --user --map-root-user --mount sh -c "$mount && '$FRAZIL' opaque -k raw 5"
}

@test "what is no key is refused" {
    needs_opaque
    printf '123456789012345' >short
    printf '000102030405060708090a0b0c0d0e0' >short_hex
    printf '000102030405060708090a0b0c0d0e0f\n\n' >long_hex
    printf '000102030405060708090a0b0c0d0e0f0' >longer_hex
    printf 'g00102030405060708090a0b0c0d0e0f' >no_hex
    local key
    for key in short short_hex long_hex longer_hex no_hex /dev/null; do
        fails 2 "" frazil opaque -k $key 5
    done
    mkfifo -m 600 "$BATS_TEST_TMPDIR/fifo"
    fails 2 "is not a regular file" timeout 300 "$FRAZIL" opaque -k "$BATS_TEST_TMPDIR/fifo" 5
    fails 4 "cannot open the key file nosuch: No such file" frazil opaque -k nosuch 5
    fails 2 "needs --key-file" frazil opaque 5
}

@test "where it is not built, it says so" {
    frazil version | grep -qx "opaque ids: built" && skip "opaque ids are built"
    fails 2 "were not built" frazil opaque -k raw 5
}
