# SPDX-License-Identifier: MIT
# Goal of this test: the README's recipe for pg_partman makes partitions of whole days, which get the ids of their days,
# are made ahead, pruned and dropped, also where another generator has another layout.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @blocks = slurp_file("$FindBin::RealBin/../README.md") =~ /^```sql partman\n(.*?)^```$/msg;
my $node = frazil_node('partman', worker => 'fixed:7', generators => 'main: layout=frazil; audit: layout=twitter');
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_partman'}) eq '0') {
    die 'there is no pg_partman for this server' if $ENV{TEST_SKIP_NOTHING};
    plan skip_all => 'there is no pg_partman for this server';
}
cmp_ok(scalar @blocks, '>=', 2, 'the README has the recipe');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
for my $block (@blocks) {
    my ($code, undef, $stderr) = $node->psql('postgres', $block, extra_params => [ '-v', 'ON_ERROR_STOP=1' ]);
    is($code, 0, $block) or diag $stderr;
}

# partitions: those that have bounds, with the day of the first id and the length in days.
my $partitions = q{
    SELECT oid::regclass AS name, frazil_time(bounds[1]::bigint, 'frazil') AS begins, (bounds[2]::bigint - bounds[1]::bigint)
        / (frazil_first('2026-01-02Z', 'frazil') - frazil_first('2026-01-01Z', 'frazil'))::numeric AS days
    FROM (SELECT oid, regexp_match(pg_get_expr(relpartbound, oid), $$FROM \('(\d+)'\) TO \('(\d+)'\)$$) AS bounds
          FROM pg_class WHERE relispartition AND relkind = 'r') AS p
    WHERE bounds IS NOT NULL};
is($node->safe_psql('postgres', "SELECT count(*) >= 5, min(days) = 1, max(days) = 1, bool_and(begins = date_trunc('day', begins, 'UTC')) FROM ($partitions) AS p"),
    't|t|t|t', 'partitions are whole days of UTC');

# Rows of today, and of each of three days to come.
my $days = join ' UNION ALL ', map { "SELECT frazil_next_at(date_trunc('day', now(), 'UTC') + interval '$_ days 12 hours') AS id" } 0 .. 3;
$node->safe_psql('postgres', "INSERT INTO visits (id) $days");
is($node->safe_psql('postgres', q{SELECT count(*) FROM visits_default}), '0', 'no row is in the partition for the rest');
is($node->safe_psql('postgres', "SELECT count(*) FROM visits v JOIN ($partitions) AS p ON p.name = v.tableoid
    WHERE NOT frazil_within(v.id, p.begins, p.begins + interval '1 day', 'frazil')"), '0', 'each row is in the partition of its day');
my $plan = $node->safe_psql('postgres', q{EXPLAIN (COSTS OFF) SELECT FROM visits
    WHERE frazil_within(id, date_trunc('day', now(), 'UTC'), date_trunc('day', now(), 'UTC') + interval '1 day', 'frazil')});
unlike($plan, qr/never executed|visits_default/, 'a query by time leaves the rest out') or diag $plan;

# Maintenance goes on from the largest id, and drops what the retention says.
my $last = "SELECT max(begins) FROM ($partitions) AS p";
my $before = $node->safe_psql('postgres', $last);
$node->safe_psql('postgres', q{SELECT partman.run_maintenance('public.visits')});
is($node->safe_psql('postgres', "SELECT ($last) > '$before'"), 't', 'partitions are made ahead of the largest id');
$node->safe_psql('postgres', q{UPDATE partman.part_config SET retention = (frazil_first('2026-01-02Z', 'frazil') - frazil_first('2026-01-01Z', 'frazil'))::text;
    SELECT partman.run_maintenance('public.visits')});
is($node->safe_psql('postgres', "SELECT count(*) FROM ($partitions) AS p WHERE begins < date_trunc('day', now(), 'UTC') + interval '1 day'"), '0',
    'those before the retention are dropped');
is($node->safe_psql('postgres', 'SELECT count(*) FROM visits'), '2', 'with their rows');
$node->stop;
done_testing();
