# SPDX-License-Identifier: MIT
# Goal of this test: the run directory is wiped under a running server, as an operator may do it, alone and together with
# the claims of the host, and by a boot; no id is made twice.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $host = frazil_host('only');
my $node = frazil_node('wiped', worker => 'fixed:7', host => $host);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (step text, backend int, id bigint)');

# Without the files in it, ids go on above all that may have been made: after some seconds, for which a statement waits.
my $patient = q{SET frazil.max_wait = '60s'};

# A backend that has its generator open all the time, and a new one, make ids in each step.
my $open = $node->background_psql('postgres', on_error_stop => 0);
my $step = sub {
    my ($name) = @_;
    my $take = "$patient; INSERT INTO ids SELECT '$name', pg_backend_pid(), frazil_next_n(20000)";
    $open->query($take);
    $node->safe_psql('postgres', $take);
    is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT backend) FROM ids WHERE step = '$name'"), '40000|2', "$name: both make ids");
};
my $wipe = sub {
    system_or_bail('rm', '-rf', map { "$host/$_" } @_);
    mkdir "$host/run";
};
$step->('before');

# The claim of a backend that has its generator open is still there: nobody knows whether a new one shares its state.
$wipe->('run');
makes_none($node, 'wiped under a running server', qr/in use on this host by a process with the run directory .*, but not with the files that are found there/, qr/fuser/);
$open->query("$patient; INSERT INTO ids SELECT 'goes on', pg_backend_pid(), frazil_next_n(20000)");
is($node->safe_psql('postgres', q{SELECT count(*) FROM ids WHERE step = 'goes on'}), '20000', 'the one that has its generator open goes on');
$open->quit;
$open = $node->background_psql('postgres', on_error_stop => 0);
$step->('that one has ended');
$wipe->('run', 'claims');
$step->('wiped with the claims');
$wipe->('run', 'claims');
$step->('wiped again');

# A new backend takes the number over in other files, and stays: the one of before goes over to these when its own end.
$wipe->('run', 'claims');
my $new = $node->background_psql('postgres');
my $take = "$patient; INSERT INTO ids SELECT 'taken over', pg_backend_pid(), frazil_next_n(20000)";
$new->query($take);
my $files = '/proc/' . $open->query('SELECT pg_backend_pid()') . '/maps';
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    last if $open->query('SELECT frazil_next()') !~ /^\d+$/ || slurp_file($files) =~ /worker-7\.word$/m;
    select undef, undef, undef, 0.1;
}
like(slurp_file($files), qr/worker-7\.word$/m, 'taken over by a new backend: the one of before goes over to its files');
$_->query($take) for $open, $new;
is($node->safe_psql('postgres', q{SELECT count(*), count(DISTINCT backend) FROM ids WHERE step = 'taken over'}), '60000|2', 'and both make ids');
$_->quit for $new, $open;
$node->stop;
$wipe->('run', 'claims');
$node->start;
$node->safe_psql('postgres', "$patient; INSERT INTO ids SELECT 'booted', 0, frazil_next_n(20000)");
is($node->safe_psql('postgres', "SELECT min(id) > (SELECT max(id) FROM ids WHERE backend <> 0) FROM ids WHERE backend = 0"), 't', 'wiped by a boot: ids go on above');
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM ids'), '0', 'no id is made twice');
$node->stop;
done_testing();
