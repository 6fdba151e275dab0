# SPDX-License-Identifier: MIT
# Goal of this test: while the coordinator is away for longer than its horizon backends fail with the SQLSTATE and the hint
# of an ended lease; they go on when it is back.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my ($redis, $url) = frazil_redis(orders => '3s', short => '100ms');
my $node = frazil_node('node', worker => "$url/orders");
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
frazil_workers($node);
my $open = $node->background_psql('postgres', on_error_stop => 0);
$open->query(q{CREATE TEMP TABLE seen (id bigint)});
my $take = q{SET frazil.max_wait = '60s'; INSERT INTO seen SELECT frazil_next_n(1000)};
$open->query($take);

# logs WORDS, N: waits until the server's log has them N times.
sub logs {
    my ($words, $n) = @_;
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
        my @found = slurp_file($node->logfile) =~ /LOG:  frazil: generator .$words/g;
        return 1 if @found >= $n;
        select undef, undef, undef, 0.1;
    }
    return 0;
}

# It is stopped, so that connections stand and nothing answers.
my $fails = q{DO $$ BEGIN PERFORM frazil_next(); EXCEPTION WHEN object_not_in_prerequisite_state THEN RAISE NOTICE 'ended'; END $$};
kill 'STOP', $redis;
my $ended = 0;
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    my (undef, undef, $stderr) = $node->psql('postgres', "SET frazil.max_wait = 0; $fails");
    last if $ended = $stderr =~ /NOTICE:  ended/;
    select undef, undef, undef, 0.1;
}
ok($ended, 'the lease has ended');
my (undef, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET frazil.max_wait = '10ms'; SELECT frazil_next()");
like($stderr, qr/ERROR:  55000: the background worker of frazil holds no lease.*^HINT:  Its lines in the server's log say why/ms, 'a new backend: SQLSTATE and hint');
$open->query(q{SET frazil.max_wait = '10ms'});
$open->query(q{\set VERBOSITY verbose});
$open->{stderr} = '';
$open->query('SELECT frazil_next()');
like($open->{stderr}, qr/ERROR:  55000: frazil: the grant of the worker id has ended.*^HINT:  .*wait until the grant is extended/ms, 'a backend of before: the same');

ok(logs('main.: ', 1), 'the log says why');

kill 'CONT', $redis;
$open->query($take);
is($open->query('SELECT count(*), count(DISTINCT id) FROM seen'), '2000|2000', 'Redis is back: that backend goes on');
like($node->safe_psql('postgres', q{SET frazil.max_wait = '60s'; SELECT frazil_next()}), qr/^\d+$/, 'and so does a new one');
ok(logs('main. has the worker number', 2), 'and the log says so');
$open->quit;

# One backend loses its lease, and opens it anew, more often than PostgreSQL has room for callbacks at a process's end.
$node->append_conf('postgresql.conf', "frazil.worker = '$url/short'");
$node->restart;
$open = $node->background_psql('postgres');
$open->query(q{SET frazil.max_wait = 0});
my $until = sub {
    my ($works, $fails) = @_;
    $open->query("DO \$\$ BEGIN LOOP BEGIN PERFORM frazil_next(); $works; EXCEPTION WHEN object_not_in_prerequisite_state THEN $fails; END; END LOOP; END \$\$");
};
my $backend = $open->query('SELECT pg_backend_pid()');
for (1 .. 25) {
    $until->('EXIT', 'PERFORM pg_sleep(0.01)');
    kill 'STOP', $redis;
    $until->('PERFORM pg_sleep(0.01)', 'EXIT');
    kill 'CONT', $redis;
}
$until->('EXIT', 'PERFORM pg_sleep(0.01)');
is($open->query('SELECT pg_backend_pid()'), $backend, 'a backend outlives 25 leases');
$open->quit;
$node->stop;
done_testing();
