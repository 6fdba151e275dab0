# SPDX-License-Identifier: MIT
# Goal of this test: 100 backends at the same time make no id twice, and an id writes no WAL.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

is(same_ids([ 1, 2, 3 ], [ 4, 2 ], [ 3 ]), 2, 'ids that come twice are found');
my $node = frazil_node('hundred', worker => 'fixed:7');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint, backend int)');
my @backends = map { $node->background_psql('postgres') } 1 .. 100;
for my $round (1 .. 2) {
    for my $backend (@backends) {
        $backend->{stdin} .= "INSERT INTO ids SELECT frazil_next(), pg_backend_pid() FROM generate_series(1, 200);\n";
        $backend->{run}->pump_nb;
    }
}
$_->query('SELECT 1') for @backends;
$_->quit for @backends;
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT backend) FROM ids'),
    '40000|40000|100', '100 backends made 40,000 ids, no two the same');

# WAL of the background writer and of checkpoints may fall between, and is the same without ids.
my $wal = sub { $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; EXPLAIN (ANALYZE, WAL, COSTS OFF, TIMING OFF, SUMMARY OFF) $_[0]") };
unlike($wal->('SELECT count(frazil_next()) FROM generate_series(1, 100000)'), qr/WAL:/, '100,000 ids write no WAL');
like($wal->('INSERT INTO ids VALUES (1, 1)'), qr/WAL: records=[1-9]/, 'and WAL would show');
$node->stop;
done_testing();
