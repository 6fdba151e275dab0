# SPDX-License-Identifier: MIT
# Goal of this test: backends are born with the generators of the postmaster.  Their first id makes no system call, so it opens
# no file and waits for no disk: the background worker extends the grant, also after it was ended.  Where the postmaster prepared nothing, as on a
# standby that was promoted, backends open the files themselves.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $synced = $ENV{TEST_SYNC} = "$ENV{TEST_DIR}/synced-$$";
append_to_file($synced, '');
$ENV{LD_PRELOAD} = frazil_preloaded('sync');
my $host = frazil_host('a');
my $worker = 'timeline:40/4'; # the first timeline is 1
my $node = frazil_node('primary', worker => $worker, streaming => 1, host => $host, generators => 'main: layout=frazil; audit: layout=twitter');
delete $ENV{LD_PRELOAD};
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint, backend int)');

# first_ids SERVER: how many of some backends waited for a disk for their first id.
my $backends = 20;
sub first_ids {
    my ($on) = @_;
    my $waited = 0;
    for (1 .. $backends) {
        my ($pid) = split /\n/, $on->safe_psql('postgres', 'SELECT pg_backend_pid() FROM frazil_next() WHERE frazil_next(\'audit\') > 0');
        $waited++ if slurp_file($synced) =~ /^$pid$/m;
    }
    return $waited;
}

# One that finds little left of the grant extends it, if the background worker had no turn for seconds.
cmp_ok(first_ids($node), '<', $backends / 2, 'the first ids of backends wait for no disk');
my $new = $node->background_psql('postgres');
my $maps = sub { slurp_file('/proc/' . $_[0]->query('SELECT pg_backend_pid()') . '/maps') };
like($maps->($new), qr/worker-41\.word$/m, 'they have the word before they make an id');
$new->quit;

# calls_of SQL: how many system calls a new backend makes for it, once it has called a function of the extension; undef: it
# cannot be traced.  The least of several, as some also have what is due now and then, such as memory.
my $calls = "$ENV{TEST_DIR}/calls-$$";
system_or_bail($ENV{CC} // 'cc', '-o', $calls, "$FindBin::RealBin/calls.c");

sub calls_of {
    my ($sql) = @_;
    my @counts;
    for (1 .. 5) {
        my $psql = $node->background_psql('postgres');
        $psql->query("SELECT frazil_text(1, 'dec')");
        my $out = '';
        my $pid = $psql->query('SELECT pg_backend_pid()');
        my $counter = IPC::Run::start([ $calls, $pid ], '>', \$out);
        $counter->pump until $out =~ /ready|refused/;
        return if $out =~ /refused/;
        $psql->query($sql);
        $counter->finish;
        push @counts, $out =~ /^(\d+)$/m;
        $psql->quit;
    }
    return (sort { $a <=> $b } @counts)[0];
}

SKIP: {
    my $any = calls_of(q{SELECT frazil_id('1')});
    skip 'no process may be traced here', 2 if !defined $any && !$ENV{TEST_SKIP_NOTHING};
    die 'no process may be traced here' if !defined $any;
    cmp_ok($any, '>', 0, 'the server itself makes system calls for the first call of a function');
    cmp_ok(calls_of('SELECT frazil_next()'), '<=', $any, 'and the first id of a backend makes none beside them');
}

# The background worker extends the grants: with nobody else there, it is the one that waits for a disk.
my $keeper = await_keeper($node, 0);
my $keeps = sub {
    my ($pid) = @_;
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
        return 1 if slurp_file($synced) =~ /^$pid$/m;
        select undef, undef, undef, 0.1;
    }
    return 0;
};
ok($keeps->($keeper), 'the background worker extends the grants');
kill 'TERM', $keeper;
my $next = await_keeper($node, $keeper);
ok(defined $next && $keeps->($next), 'and another one does when it was ended');

# A backend that is killed takes no id along, and the ones after the recovery are born with the generators, too.
my @lists = [ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(20000)') ];
my @streams = frazil_streams($node, 2);
my $victim = $node->safe_psql('postgres', q{SELECT min(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND state = 'active'});
kill 9, $victim;
push @lists, read_streams(@streams);
ok($node->poll_query_until('postgres', 'SELECT 1', '1'), 'the server recovers');
cmp_ok(first_ids($node), '<', $backends / 2, 'and the first ids wait for no disk');
push @lists, [ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(20000)') ];

# A standby has prepared nothing, and is promoted to a number of its own.
$node->backup('base');
my $standby = frazil_copy($node, 'standby', worker => $worker, streaming => 1, host => $host);
$node->wait_for_catchup('standby');
$standby->promote;
ok($standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()'), 'promoted');
is(join(' ', frazil_workers($standby)), '42', 'a standby that was promoted makes ids with the next number');
push @lists, [ split /\n/, $standby->safe_psql('postgres', 'SELECT frazil_next_n(20000)') ];
is(same_ids(@lists), 0, 'no id is made twice');
$_->stop for $standby, $node;
done_testing();
