# SPDX-License-Identifier: MIT
# Goal of this test: a range of times that a subquery gives uses an index and runs once, on either side of the operator; so
# does one of several ranges, and one of another table.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('ranges', worker => 'fixed:7');
$node->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE TABLE orders AS SELECT frazil_first('2026-05-01Z'::timestamptz + n * interval '1 minute') AS id FROM generate_series(0, 99999) AS n;
    CREATE INDEX orders_tree ON orders (id);
    CREATE TABLE log AS TABLE orders;
    CREATE INDEX log_brin ON log USING brin (id) WITH (pages_per_range = 4);
    CREATE TABLE during AS SELECT tstzrange('2026-05-02Z', '2026-05-02 00:10Z') AS r;
    CREATE FUNCTION slow_range() RETURNS tstzrange LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE NOTICE 'asked'; RETURN (SELECT r FROM during); END $$;
    ANALYZE});

# found TABLE CONDITION ROWS INDEX: it finds so many rows by that index.
sub found {
    my ($table, $condition, $rows, $index) = @_;
    is($node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE $condition"), $rows, "$table: $condition");
    my $plan = $node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT FROM $table WHERE $condition");
    like($plan, qr/$index.*\n\s+Index Cond: .*id >= .*id < /, 'by its index') or diag $plan;
}

for my $range ('(SELECT r FROM during)', '(SELECT slow_range())', q{(SELECT tstzmultirange(r) FROM during)}, q{(SELECT range_agg(r) FROM during)}) {
    found('orders', "id <@ $range", 10, 'orders_tree');
    found('orders', "$range @> id", 10, 'orders_tree');
    found('log', "id <@ $range", 10, 'log_brin');
}
found('orders', "id <@ '{[2026-05-02Z,2026-05-03Z),[2026-05-05Z,2026-05-06Z)}'::tstzmultirange", 2880, 'orders_tree');
is($node->safe_psql('postgres', 'SELECT count(*) FROM during d JOIN orders o ON o.id <@ d.r'), '10', 'a range of another table');
my $plan = $node->safe_psql('postgres', 'EXPLAIN (COSTS OFF) SELECT FROM during d JOIN orders o ON o.id <@ d.r');
like($plan, qr/orders_tree/, 'by the index') or diag $plan;

my (undef, undef, $asked) = $node->psql('postgres', 'SELECT count(*) FROM orders WHERE id <@ (SELECT slow_range())');
is(scalar(() = $asked =~ /NOTICE:  asked/g), 1, 'a subquery runs once');
(undef, undef, $asked) = $node->psql('postgres', 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
    SELECT count(*) FROM orders WHERE id <@ (SELECT slow_range())');
is(scalar(() = $asked =~ /NOTICE:  asked/g), 1, 'also without an index');
$node->stop;
done_testing();
