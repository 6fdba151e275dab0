# SPDX-License-Identifier: MIT
# What an id costs beside other keys, in one run, as the tables of README.md: `make bench-postgresql`.  Not part of the tests.
# Each round measures every line once, so that a slow minute falls on all of them; the least of the rounds counts.
# BENCH_ROUNDS, BENCH_CALLS, BENCH_ROWS and BENCH_CONNECTIONS make it shorter.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/t";
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{BENCH_ROUNDS} // 5;
my $calls = $ENV{BENCH_CALLS} // 1000000;
my $rows = $ENV{BENCH_ROWS} // 300000;
my $node = frazil_node('bench', worker => 'fixed:7', generators => 'main: layout=40/3/20 epoch=2026-01-01');
# Mastodon's ids are 48 bits of milliseconds, and 16 bits of which a hash of table, salt and time is the start and a sequence the step.
$node->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE SEQUENCE one; CREATE SEQUENCE cached CACHE 32; CREATE SEQUENCE instagram_seq; CREATE SEQUENCE mastodon_seq;
    CREATE FUNCTION instagram() RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN RETURN (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1767225600000) << 23 | (7 << 10) | nextval('instagram_seq') % 1024; END $$;
    CREATE FUNCTION mastodon(name text) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
        ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
        hash bytea := decode(md5(name || 'a salt of 32 characters for tests' || ms), 'hex');
        start int := get_byte(hash, 0) * 256 + get_byte(hash, 1);
    BEGIN RETURN ms << 16 | ((start + nextval('mastodon_seq')) & 65535); END $$});

# From PostgreSQL 18 on the server has uuidv7 itself; before, this is the usual function in SQL.
my $uuidv7 = 'uuidv7()';
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname = 'uuidv7'}) eq '0') {
    $uuidv7 = 'uuidv7_sql()';
    $node->safe_psql('postgres', q{CREATE FUNCTION uuidv7_sql() RETURNS uuid LANGUAGE sql VOLATILE AS $$
        SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
            substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid $$});
}

# The processor time of the backend for a statement, in milliseconds.
sub cpu_ms {
    my ($sql, $statistics) = @_;
    $statistics //= 'log_executor_stats';
    my (undef, undef, $err) = $node->psql('postgres', qq{SET client_min_messages = log; SET $statistics = on; $sql});
    my @seconds = $err =~ /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/g or die "no statistics: $err";
    return 1000 * ($seconds[-2] + $seconds[-1]);
}

# least WHAT...: runs each of them, [name, sub], in turns, and gives the least of each by name.
sub least {
    my %least;
    for (1 .. $rounds) {
        for my $line (@_) {
            my ($name, $measure) = @$line;
            my $ms = $measure->();
            $least{$name} = $ms if !defined $least{$name} || $ms < $least{$name};
        }
    }
    return %least;
}

my @keys = ('frazil_next()', "nextval('cached')", "nextval('one')", 'instagram()', 'gen_random_uuid()', $uuidv7, "mastodon('t')");
my $unit = "nextval('one')";
my %cells; # of the table, by key
my %call = least(map { my $key = $_; [ $key, sub { cpu_ms("SELECT count($key) FROM generate_series(1, $calls) AS n") } ] } @keys, 'n');
my $ns = sub { 1e6 * ($call{$_[0]} - $call{n}) / $calls };
push @{ $cells{$_} }, sprintf('%.0f ns', $ns->($_)), sprintf('%.2f', $ns->($_) / $ns->($unit)) for @keys;
$cells{'the statement'} = [ '', '' ];

# Rows of one width, (id, n).  "the statement" brings n twice: that is what the row and its index cost with a key that costs nothing.
for my $kind ([ 'primary key', '', 'PRIMARY KEY' ], [ 'unlogged', 'UNLOGGED', 'PRIMARY KEY' ], [ 'no index', '', '' ]) {
    my ($table, $logged, $constraint) = @$kind;
    my $insert = sub {
        my ($key) = @_;
        my $type = $key =~ /uuid/ ? 'uuid' : 'bigint';
        my $default = $key eq 'the statement' ? '' : "DEFAULT $key";
        my $what = $default eq '' ? '(id, n) SELECT n, n' : '(n) SELECT n';
        $node->safe_psql('postgres', "DROP TABLE IF EXISTS t; CREATE $logged TABLE t (id $type $constraint $default, n bigint); CHECKPOINT");
        return cpu_ms("INSERT INTO t $what FROM generate_series(1, $rows) AS n");
    };
    my %ms = least(map { my $key = $_; [ $key, sub { $insert->($key) } ] } 'the statement', @keys);
    push @{ $cells{$_} }, sprintf('%.0f ms', $ms{$_}), sprintf('%.2f', $ms{$_} / $ms{$unit}) for 'the statement', @keys;
}
note sprintf '%s; least of %d rounds; %d calls, %d rows', $node->safe_psql('postgres', 'SHOW server_version'), $rounds, $calls, $rows;
note '| | a call | x nextval | with a primary key | x nextval | the same, unlogged | x nextval | without an index | x nextval |';
note '|---|---:|---:|---:|---:|---:|---:|---:|---:|';
note "| $_ | " . join(' | ', @{ $cells{$_} }) . ' |' for 'the statement', @keys;

# COPY of the same rows with a primary key: the ids stand in the file, or come from the default.
my $file = "$ENV{TEST_DIR}/rows-$$";
my %wal;
sub copy {
    my ($default) = @_;
    $node->safe_psql('postgres', "DROP TABLE IF EXISTS t; CREATE TABLE t (id bigint PRIMARY KEY $default, n bigint);
        COPY (SELECT n @{[ $default eq '' ? ', n' : '' ]} FROM generate_series(1, $rows) AS n) TO '$file'; CHECKPOINT");
    my $before = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
    my $ms = cpu_ms('COPY t (' . ($default eq '' ? 'id, n' : 'n') . ") FROM '$file'", 'log_statement_stats'); # the executor does not run a COPY
    $wal{$default} = $node->safe_psql('postgres', "SELECT round((pg_current_wal_insert_lsn() - '$before') / 1e6, 1)");
    return $ms;
}
my @sources = ([ 'the file', '' ], [ 'the default `nextval`', "DEFAULT $unit" ], [ 'the default `frazil_next()`', 'DEFAULT frazil_next()' ]);
my %copy = least(map { my $source = $_; [ $source->[0], sub { copy($source->[1]) } ] } @sources);
note '| the ids come from | WAL | processor time |';
note '|---|---:|---:|';
note sprintf '| %s | %s MB | %.2f s |', $_->[0], $wal{ $_->[1] }, $copy{ $_->[0] } / 1000 for @sources;
my $before = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
$node->safe_psql('postgres', 'SELECT count(frazil_next()) FROM generate_series(1, 100000)');
note 'WAL of 100,000 ids: ' . $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '$before'") . ' bytes';

# The first call in a connection, beside one of another library that the postmaster has loaded, and that does nothing: the
# server looks each function up, and what is left is ours.
my $per_round = $ENV{BENCH_CONNECTIONS} // 20;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'frazil,isn'");
$node->restart;
$node->safe_psql('postgres', 'CREATE EXTENSION isn');

# The processor time that the backend had when it last waited, in microseconds.
sub had_us {
    my ($pid) = @_;
    1 while slurp_file("/proc/$pid/stat") !~ /.*\) S /;
    return (split ' ', slurp_file("/proc/$pid/schedstat"))[0] / 1000;
}

# What each of the statements costs in a new connection.
sub statements_us {
    my @statements = @_;
    my $psql = $node->background_psql('postgres');
    my $pid = $psql->query('SELECT pg_backend_pid()');
    my @had = had_us($pid);
    for my $statement (@statements) {
        $psql->query($statement);
        push @had, had_us($pid);
    }
    $psql->quit;
    return map { $had[$_] - $had[ $_ - 1 ] } 1 .. @statements;
}
my @functions = ('isn_weak()', 'frazil_next()', "nextval('one')", 'gen_random_uuid()');
my $printed = Test::More->builder->output;
Test::More->builder->output(\my $talk); # of the module that speaks to psql
my %first;
for (1 .. $rounds * $per_round) {
    for my $function (@functions) {
        my @us = statements_us(("SELECT $function") x 2);
        for my $i (0, 1) {
            my $least = \$first{$function}[$i];
            $$least = $us[$i] if !defined $$least || $us[$i] < $$least;
        }
    }
}
Test::More->builder->output($printed);
note '| SELECT | the first of a connection | the second |';
note '|---|---:|---:|';
note sprintf '| `%s` | %.0f us | %.0f us |', $_, @{ $first{$_} } for @functions;
$node->stop;
ok(1, 'measured');
done_testing();
