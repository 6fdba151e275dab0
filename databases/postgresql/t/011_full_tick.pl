# SPDX-License-Identifier: MIT
# Goal of this test: a statement that waits for a full tick can be cancelled, ends by statement_timeout and by
# frazil.max_wait, and does so although the clock is set meanwhile.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# Ten minutes past an hour: no tick of an hour turns while this test runs.
my $past = (3600 - time % 3600 + 600) * 1000;
my ($preloaded, $clock_is_off) = frazil_clock($past);
my $node;
{
    local $ENV{LD_PRELOAD} = $preloaded;
    $node = frazil_node('full', worker => 'fixed:7', generators => 'main: layout=frazil; slow: layout=30/4/1 tick=1h epoch=2026-01-01; short: layout=40/4/1 tick=10s epoch=2026-01-01');
}
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');

# A tick that is full: the statement waits, and statement_timeout, a cancel and frazil.max_wait reach it.
my $slow = q{SELECT frazil_next('slow') FROM generate_series(1, 100)};
$node->psql('postgres', "SET frazil.max_wait = 0; $slow");
my ($code, undef, $stderr) = $node->psql('postgres', "SET frazil.max_wait = '1h'; SET statement_timeout = '300ms'; $slow");
isnt($code, 0, 'a tick is full: the statement waits');
like($stderr, qr/statement timeout/, 'and statement_timeout ends it');
($code, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET frazil.max_wait = '10ms'; $slow");
like($stderr, qr/ERROR:  53000: /, 'after frazil.max_wait it fails with a code that says: later');

# waiting MAX_WAIT GENERATOR: starts a statement that waits, and gives it with its errors.
sub waiting {
    my ($max_wait, $generator) = @_;
    my ($out, $err) = ('', '');
    my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET frazil.max_wait = '$max_wait'", '-c', $slow =~ s/slow/$generator/r ],
        '>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'Extension' AND backend_type = 'client backend'}), 'a statement waits');
    return ($run, \$err);
}

my ($waiting, $err) = waiting('1h', 'slow');
is($node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT frazil_next(''slow'')%' AND state = 'active'}), 't', 'it is cancelled');
eval { $waiting->finish };
is($@, '', 'the wait ends');
like($$err, qr/canceling statement due to user request/, 'by the cancel');

# A tick of this layout takes 10 seconds.  Meanwhile the clock steps back: frazil.max_wait is not made longer.
($waiting, $err) = waiting('15s', 'short');
$clock_is_off->($past - 3600 * 1000);
eval { $waiting->finish };
is($@, '', 'the wait ends, though the clock stepped back an hour');
like($$err, qr/ERROR:  frazil: /, 'with an error');
$clock_is_off->($past);

# Ids that come later than frazil.max_wait allows: nothing waits.  The next tick of "slow" begins in 50 minutes.
for my $take (q{SELECT frazil_next('slow') FROM generate_series(1, 100)}, q{SELECT frazil_next_n(100, 'slow')}) {
    my $out = '';
    my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', q{SET frazil.max_wait = '20min'}, '-c', $take ],
        '>', \$out, '2>', $err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    eval { $run->finish };
    is($@, '', 'an id in 50 minutes, and 20 to wait: the statement ends');
    like($$err, qr/ERROR:  frazil: .*\nHINT:  Run the statement again/, 'at once, with an error');
}
$node->stop;
done_testing();
