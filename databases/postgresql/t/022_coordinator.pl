# SPDX-License-Identifier: MIT
# Goal of this test: with a coordinator all backends of a server have one worker number, which the background worker holds
# and extends; no id is made twice when that one or the postmaster is killed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my (undef, $url) = frazil_redis(orders => '60s');
my $host = frazil_host('a');
my $node = frazil_node('node', worker => "$url/orders", host => $host);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint, backend int)');
my ($worker) = frazil_workers($node);

# The background worker, which runs on, may make something anew in it.
sub wipe {
    my ($dir) = @_;
    rename $dir, "$dir.wiped" or die "$dir: $!";
    system_or_bail('rm', '-rf', "$dir.wiped");
    mkdir $dir;
}

# 100 connections.
my @backends = map { $node->background_psql('postgres') } 1 .. 100;
for my $backend (@backends) {
    $backend->{stdin} .= "SET frazil.max_wait = '60s'; INSERT INTO ids SELECT frazil_next(), pg_backend_pid() FROM generate_series(1, 200);\n";
    $backend->{run}->pump_nb;
}
$_->query('SELECT 1') for @backends;
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT backend), min(frazil_worker(id)), max(frazil_worker(id)) FROM ids'),
    "20000|20000|100|$worker|$worker", '100 connections share one worker number, and no id is made twice');

# The client of the coordinator.
sub loads {
    my ($pid) = @_;
    return slurp_file("/proc/$pid/maps") =~ /hiredis/ ? 'client' : 'none';
}
my $keeper = await_keeper($node, 0);
is(loads($keeper), 'client', 'the background worker has loaded the client of Redis');
my %loaded = map { loads($_) => 1 } split /\n/, $node->safe_psql('postgres', 'SELECT DISTINCT backend FROM ids');
is(join(' ', keys %loaded), 'none', 'and none of the 100 backends has');
$_->quit for @backends;

# Not for everybody: a URL may have a password.
like(($node->psql('postgres', 'CREATE ROLE visitor; SET ROLE visitor; SHOW frazil.worker'))[2], qr/pg_read_all_settings/, 'who may not see all settings cannot see the URL');

my @lists = [ split /\n/, $node->safe_psql('postgres', 'SELECT id FROM ids') ];
my $take = sub { push @lists, [ split /\n/, $node->safe_psql('postgres', q{SET frazil.max_wait = '60s'; SELECT frazil_next_n(20000)}) ] };

# kill -9 of the background worker, while others make ids: all backends end, and the server recovers.
my @streams = frazil_streams($node, 2);
my @all = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity WHERE backend_type LIKE \'client%\'');
kill 9, $keeper;
await_end($keeper, @all);
ok($node->poll_query_until('postgres', 'SELECT 1', '1'), 'the server recovers');
ok(await_keeper($node, $keeper), 'the background worker is back after it was killed');
push @lists, read_streams(@streams);
$take->();

# kill -9 of the postmaster.
@streams = frazil_streams($node, 2);
my @children = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');
$node->kill9;
push @lists, read_streams(@streams);
await_end(@children);
$node->start;
$take->();

# The run directory is wiped under the server: the background worker takes another lease, for who comes from then on.
wipe("$host/run");
$take->();
is(same_ids(@lists), 0, 'killed and wiped: no id is made twice');

# It is terminated: another one starts.
$keeper = frazil_keeper($node);
kill 'TERM', $keeper;
await_end($keeper);
ok(await_keeper($node, $keeper), 'terminated, the background worker starts again');
$take->();

# The spec of one generator is wrong, and the worker number stands in postgresql.auto.conf: the background worker says each
# once, and keeps the lease of the other generator.  When it has taken another lease it has looked at both more than once.
$node->safe_psql('postgres', "ALTER SYSTEM SET frazil.worker = '$url/orders'");
$node->append_conf('postgresql.conf', q{frazil.generators = 'main: layout=frazil; audit: nonsense=1'});
$node->restart;
$take->();
$keeper = await_keeper($node, 0);
wipe("$host/run");
$take->();
is(frazil_keeper($node), $keeper, 'a generator whose spec is wrong does not end the background worker');
my $log = slurp_file($node->logfile);
is(scalar(() = $log =~ /\[$keeper\] LOG:  frazil: generator "audit": .*"nonsense".* is not one of its keys/g), 1, 'which says it once');
is(scalar(() = $log =~ /\[$keeper\] WARNING:  frazil.worker comes from postgresql\.auto\.conf/g), 1, 'and warns once of postgresql.auto.conf');
is(same_ids(@lists), 0, 'and no id is made twice');
$node->stop;
done_testing();
