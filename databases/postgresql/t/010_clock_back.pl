# SPDX-License-Identifier: MIT
# Goal of this test: a server whose clock steps back makes no id twice.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $past = 1000000;
my ($preloaded, $clock_is_off) = frazil_clock($past);
my $node;
{
    local $ENV{LD_PRELOAD} = $preloaded;
    $node = frazil_node('clock', worker => 'fixed:7');
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
$clock_is_off->($past - 500);
goes_on('half a second back');

$clock_is_off->($past - 3600 * 1000);
cmp_ok($node->safe_psql('postgres', "SELECT clock_timestamp() < '$shown'"), 'eq', 't', 'the server sees its clock an hour back');
my $count = $node->safe_psql('postgres', 'SELECT count(*) FROM ids');
$open->query('SET frazil.max_wait = 0');
$open->query($take->('never'));
my ($code, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSET frazil.max_wait = 0;\n" . $take->('never'));
isnt($code, 0, 'an hour back: a new backend makes no id');
like($stderr, qr/ERROR:  53000: frazil: .*clock/, 'and says why');
is($node->safe_psql('postgres', 'SELECT count(*) FROM ids'), $count, 'nor does the one that has its generator open');

$clock_is_off->($past);
goes_on('the right time again');
$clock_is_off->($past + 2000);
goes_on('two seconds ahead');
$clock_is_off->($past);
goes_on('and back');
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM ids'), '200000|200000', '200,000 ids, no two the same');

$open->quit;
$node->stop;
done_testing();
