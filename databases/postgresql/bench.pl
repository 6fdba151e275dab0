# SPDX-License-Identifier: MIT
# What an id costs beside other keys, in one run: `sh test.sh TREE BUILD bench.pl`.  Not part of the tests.
# Each round measures every line once, so that a slow minute falls on all of them; the least of the rounds counts.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/t";
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{BENCH_ROUNDS} // 5;
my $calls = $ENV{BENCH_CALLS} // 1000000;
my $rows = 300000;
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

# The processor time of the backend for a statement, in milliseconds.
sub cpu_ms {
    my ($sql) = @_;
    my (undef, undef, $err) = $node->psql('postgres', qq{SET client_min_messages = log; SET log_executor_stats = on; $sql});
    my ($user, $system) = $err =~ /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/ or die "no statistics: $err";
    return 1000 * ($user + $system);
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

my @keys = ("nextval('one')", "nextval('cached')", 'frazil_next()', 'gen_random_uuid()', 'instagram()', "mastodon('t')");
my %call = least(map { my $key = $_; [ $key, sub { cpu_ms("SELECT count($key) FROM generate_series(1, $calls) AS n") } ] } @keys, 'n');
my $ns = sub { 1e6 * ($call{$_[0]} - $call{n}) / $calls };
note sprintf '%-20s %7.1f ns a call, %5.2f x nextval', $_, $ns->($_), $ns->($_) / $ns->($keys[0]) for @keys;

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
    note sprintf '%d inserts, %-11s %-18s %6.0f ms, %5.2f x nextval, %4.0f ns a row above the statement', $rows, $table, $_, $ms{$_},
        $ms{$_} / $ms{$keys[0]}, 1e6 * ($ms{$_} - $ms{'the statement'}) / $rows
        for 'the statement', @keys;
}
my $before = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
$node->safe_psql('postgres', 'SELECT count(frazil_next()) FROM generate_series(1, 100000)');
note 'WAL of 100,000 ids: ' . $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '$before'") . ' bytes';
$node->stop;
ok(1, 'measured');
done_testing();
