# SPDX-License-Identifier: MIT
# Goal of this test: the background worker holds the lease of every other kind of coordinator as it does that of Redis,
# and no id is made twice when it is killed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my %urls = (
    etcd => 'etcd://127.0.0.1:%d/orders?timeout=60s',
    zookeeper => 'zookeeper://127.0.0.1:%d/orders?timeout=60s',
    postgresql => 'postgres://owner@127.0.0.1:%d/postgres/orders?timeout=60s',
    mysql => 'mysql://app@127.0.0.1:%d/app/orders?timeout=60s',
);

for my $kind (sort keys %urls) {
    my ($in, $out) = ('', '');
    my $server = IPC::Run::start([ $ENV{TEST_SERVE}, $kind ], '<', \$in, '>', \$out);
    $server->pump until $out =~ /\n/;
    like($out, qr/^\d+$/, "$kind: a server");
    my $url = sprintf $urls{$kind}, $out;
    system_or_bail('frazil', 'lease', 'init', '--never-used', "worker=$url horizon=60s");

    my $node = frazil_node($kind, worker => $url, host => frazil_host($kind));
    $node->safe_psql('postgres', 'CREATE EXTENSION frazil');
    my ($worker) = frazil_workers($node);
    my $keeper = await_keeper($node, 0);
    my @streams = frazil_streams($node, 2);
    kill 9, $keeper;
    await_end($keeper);
    ok($node->poll_query_until('postgres', 'SELECT 1', '1') && await_keeper($node, $keeper), "$kind: the background worker is back after it was killed");
    my @after = split /\n/, $node->safe_psql('postgres', q{SET frazil.max_wait = '60s'; SELECT frazil_next_n(20000)});
    is(same_ids(read_streams(@streams), \@after), 0, "$kind: no id is made twice");
    is((frazil_workers($node))[0], $worker, "$kind: all have one worker number");
    $node->stop;
    $server->kill_kill;
}
done_testing();
