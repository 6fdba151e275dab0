# SPDX-License-Identifier: MIT
# What an id costs beside other keys, in one run: `sh test.sh TREE BUILD bench.pl`.  Not part of the tests.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/t";
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('bench', worker => 'fixed:7', generators => 'main: layout=40/3/20 epoch=2026-01-01');
$node->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE SEQUENCE one; CREATE SEQUENCE cached CACHE 32; CREATE SEQUENCE t_id;
    CREATE FUNCTION in_plpgsql() RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN RETURN (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1767225600000) << 23 | 7 << 10 | nextval('t_id') % 1024; END $$});

# The processor time of the backend for a query, in milliseconds: the least of five runs.
sub cpu_ms {
    my ($sql) = @_;
    my $least;
    for (1 .. 5) {
        my (undef, undef, $err) = $node->psql('postgres', qq{SET client_min_messages = log; SET log_executor_stats = on; $sql});
        my ($user, $system) = $err =~ /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/ or die "no statistics: $err";
        my $ms = 1000 * ($user + $system);
        $least = $ms if !defined $least || $ms < $least;
    }
    return $least;
}

my $calls = 1000000;
my $empty = cpu_ms("SELECT count(n) FROM generate_series(1, $calls) AS n");
my $nextval;
for my $call ("nextval('one')", "nextval('cached')", 'frazil_next()', 'gen_random_uuid()', 'in_plpgsql()') {
    my $ns = 1e6 * (cpu_ms("SELECT count($call) FROM generate_series(1, $calls) AS n") - $empty) / $calls;
    $nextval //= $ns;
    note sprintf "%-20s %7.1f ns a call, %5.2f x nextval", $call, $ns, $ns / $nextval;
}
my $base;
# "0" has no default: the statement brings the numbers, which is the floor of every other line.
for my $default ("nextval('one')", "nextval('cached')", 'frazil_next()', '0', 'gen_random_uuid()', 'in_plpgsql()') {
    my $from = $default eq '0' ? 't (id)' : 't (n)';
    my $type = $default =~ /uuid/ ? 'uuid' : 'bigint';
    my $least;
    for (1 .. 3) {
        $node->safe_psql('postgres', "DROP TABLE IF EXISTS t; CREATE TABLE t (id $type PRIMARY KEY DEFAULT $default, n int); CHECKPOINT");
        my (undef, undef, $err) = $node->psql('postgres', "SET client_min_messages = log; SET log_executor_stats = on; INSERT INTO $from SELECT generate_series(1, 300000)");
        my ($user, $system) = $err =~ /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/ or die "no statistics: $err";
        $least = $user + $system if !defined $least || $user + $system < $least;
    }
    $base //= $least;
    note sprintf "300,000 inserts with %-18s %6.0f ms, %5.2f x nextval", $default, 1000 * $least, $least / $base;
}
my $before = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
$node->safe_psql('postgres', 'SELECT count(frazil_next()) FROM generate_series(1, 100000)');
note 'WAL of 100,000 ids: ' . $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '$before'") . ' bytes';
$node->stop;
ok(1, 'measured');
done_testing();
