# SPDX-License-Identifier: MIT
# Goal of this test: backends that come, go, are cancelled and are killed make no id twice.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('backends', worker => 'fixed:7');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint, backend int)');

# 100 backends at the same time, each of which inserts 400 ids.
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

# A backend that is killed while it takes ids takes the server with it, as any kill -9 does; after the crash recovery
# ids go on above those of before.
my $taking = q{SELECT count(frazil_next()) FROM generate_series(1, 1000000000)};
my $before = $node->safe_psql('postgres', 'SELECT frazil_next()');
my ($out, $err) = ('', '');
my $victim = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', $taking ], '>', \$out, '2>', \$err);
my $who = "SELECT pid FROM pg_stat_activity WHERE query = '$taking' AND state = 'active'";
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($who) AS one"), 'a backend takes ids');
kill 9, $node->safe_psql('postgres', $who);
$victim->finish;
ok($node->poll_query_until('postgres', 'SELECT 1', '1'), 'the server is back after that backend was killed');
cmp_ok($node->safe_psql('postgres', 'SELECT frazil_next()'), '>', $before, 'and its ids are above those of before');

# The postmaster is killed, and the server is started again.
$node->safe_psql('postgres', 'TRUNCATE ids; INSERT INTO ids SELECT frazil_next(), 1 FROM generate_series(1, 5000)');
my $highest = $node->safe_psql('postgres', 'SELECT max(id) FROM ids');
my @children = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');
$node->kill9;
# A new one starts only when the processes of the old one have noticed.
select undef, undef, undef, 0.05 while kill 0, @children;
$node->start;
$node->safe_psql('postgres', 'INSERT INTO ids SELECT frazil_next(), 2 FROM generate_series(1, 5000)');
is($node->safe_psql('postgres', "SELECT count(DISTINCT id), min(id) FILTER (WHERE backend = 2) > $highest FROM ids"),
    '10000|t', 'the postmaster was killed: 10,000 ids of before and after, no two the same');

# A parallel query.
$node->safe_psql('postgres', 'CREATE TABLE wide AS SELECT generate_series(1, 200000) AS n; ANALYZE wide');
is($node->safe_psql('postgres', q{
    SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET max_parallel_workers_per_gather = 4;
    CREATE TABLE made AS SELECT frazil_next() AS id FROM wide;
    SELECT count(*) = count(DISTINCT id) FROM made}), 't', 'a parallel query makes 200,000 ids, no two the same');

# DROP and CREATE in one session.
is($node->safe_psql('postgres', q{
    CREATE TEMP TABLE seen (id bigint);
    INSERT INTO seen SELECT frazil_next_n(1000);
    DROP TABLE made; DROP EXTENSION frazil; CREATE EXTENSION frazil;
    INSERT INTO seen SELECT frazil_next_n(1000);
    SELECT count(DISTINCT id) FROM seen}), '2000', 'dropped and created again: 2,000 ids, no two the same');

$node->stop;
done_testing();
