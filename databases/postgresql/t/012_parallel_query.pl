# SPDX-License-Identifier: MIT
# Goal of this test: the workers of a parallel query make no id twice.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('parallel', worker => 'fixed:7');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE wide AS SELECT generate_series(1, 200000) AS n; ANALYZE wide');
# Without the leader each id is a worker's.
my $plan = $node->safe_psql('postgres', q{
    SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET max_parallel_workers_per_gather = 4; SET parallel_leader_participation = off;
    EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) CREATE TABLE made AS SELECT frazil_next() AS id FROM wide});
like($plan, qr/Workers Launched: [2-4]\b/, 'several workers run') or diag $plan;
like($plan, qr/Parallel Seq Scan on public\.wide.*\n\s+Output: (public\.)?frazil_next\(\)/, 'and each takes ids') or diag $plan;
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM made'), '200000|200000', '200,000 ids, no two the same');
$node->stop;
done_testing();
