# SPDX-License-Identifier: MIT
# Goal of this test: a server whose clock steps back makes no id twice, and a wait ends although the clock is set.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = "$ENV{FRAZIL_TEST_DIR}/clock-$$";
mkdir $dir;
system_or_bail($ENV{CC} // 'cc', '-shared', '-fPIC', '-o', "$dir/clock.so", "$FindBin::RealBin/clock.c");

# The server's wall clock is off by so many milliseconds from now on.  The file stays the same one: it is mapped.
sub clock_is_off {
    my ($ms) = @_;
    open my $file, -e "$dir/offset" ? '+<' : '>', "$dir/offset" or die $!;
    syswrite $file, pack('q', $ms);
    close $file;
}

# Ten minutes past an hour: no tick of an hour turns while this test runs.
my $past = (3600 - time % 3600 + 600) * 1000;
clock_is_off($past);
$ENV{FRAZIL_TEST_CLOCK} = "$dir/offset";
my $node;
{
    local $ENV{LD_PRELOAD} = "$dir/clock.so";
    $node = frazil_node('clock', worker => 'fixed:7', generators => 'main: layout=frazil; slow: layout=30/4/1 tick=1h epoch=2026-01-01');
}
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (step text, backend int, id bigint)');

# Two backends: one has its generator open over all steps, the other opens it after each.
my $open = $node->background_psql('postgres', on_error_stop => 0);
my $take = sub { "INSERT INTO ids SELECT '$_[0]', pg_backend_pid(), frazil_next() FROM generate_series(1, 20000)" };

# goes_on STEP: both make 20,000 ids, all of them above those of before.
sub goes_on {
    my ($step) = @_;
    my $before = $node->safe_psql('postgres', 'SELECT coalesce(max(id), 0) FROM ids');
    $open->query(q{SET frazil.max_wait = '60s'});
    $open->query($take->($step));
    $node->safe_psql('postgres', "SET frazil.max_wait = '60s'; " . $take->($step));
    is($node->safe_psql('postgres', "SELECT count(DISTINCT id), count(DISTINCT backend), min(id) > $before FROM ids WHERE step = '$step'"),
        '40000|2|t', "$step: 40,000 ids of two backends, above those of before");
}

my $shown = $node->safe_psql('postgres', 'SELECT clock_timestamp()');
goes_on('the right time');
clock_is_off($past - 500);
goes_on('half a second back');

clock_is_off($past - 3600 * 1000);
cmp_ok($node->safe_psql('postgres', "SELECT clock_timestamp() < '$shown'"), 'eq', 't', 'the server sees its clock an hour back');
my $count = $node->safe_psql('postgres', 'SELECT count(*) FROM ids');
$open->query('SET frazil.max_wait = 0');
$open->query($take->('never'));
my ($code, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET frazil.max_wait = 0;\n" . $take->('never'));
isnt($code, 0, 'an hour back: a new backend makes no id');
like($stderr, qr/ERROR:  53000: frazil: .*clock/, 'and says why');
is($node->safe_psql('postgres', 'SELECT count(*) FROM ids'), $count, 'nor does the one that has its generator open');

clock_is_off($past);
goes_on('the right time again');
clock_is_off($past + 2000);
goes_on('two seconds ahead');
clock_is_off($past);
goes_on('and back');
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM ids'), '200000|200000', '200,000 ids, no two the same');

# A tick that is full: the statement waits, and statement_timeout, a cancel and frazil.max_wait reach it.
my $slow = q{SELECT frazil_next('slow') FROM generate_series(1, 100)};
$node->psql('postgres', "SET frazil.max_wait = 0; $slow");
($code, undef, $stderr) = $node->psql('postgres', "SET frazil.max_wait = '1h'; SET statement_timeout = '300ms'; $slow");
isnt($code, 0, 'a tick is full: the statement waits');
like($stderr, qr/statement timeout/, 'and statement_timeout ends it');
($code, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET frazil.max_wait = '10ms'; $slow");
like($stderr, qr/ERROR:  53000: /, 'after frazil.max_wait it fails with a code that says: later');

# waiting MAX_WAIT: starts a statement that waits, and gives it with its errors.
sub waiting {
    my ($max_wait) = @_;
    my ($out, $err) = ('', '');
    my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', "SET frazil.max_wait = '$max_wait'", '-c', $slow ],
        '>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
    ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'Extension'}), 'a statement waits');
    return ($run, \$err);
}

my ($waiting, $err) = waiting('1h');
is($node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT frazil_next(''slow'')%' AND state = 'active'}), 't', 'it is cancelled');
eval { $waiting->finish };
is($@, '', 'the wait ends');
like($$err, qr/canceling statement due to user request/, 'by the cancel');

# Meanwhile the clock steps back: frazil.max_wait is not made longer.
($waiting, $err) = waiting('3s');
clock_is_off($past - 3600 * 1000);
eval { $waiting->finish };
is($@, '', 'the wait ends, though the clock stepped back an hour');
like($$err, qr/ERROR:  frazil: /, 'with an error');
clock_is_off($past);
$open->quit;
$node->stop;
done_testing();
