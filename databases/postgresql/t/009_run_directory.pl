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
    chmod 01777, "$host/claims" if mkdir "$host/claims"; # as /dev/shm, which stays
};
$step->('before');

# All backends have the files from the postmaster, and go on with them.
$wipe->('run');
$step->('wiped under a running server');
$wipe->('run', 'claims');
$step->('wiped with the claims');
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    last if glob("$host/claims/frazil-claim-*");
    select undef, undef, undef, 0.1;
}
ok(scalar(glob("$host/claims/frazil-claim-*")), 'the background worker puts the claim back');

# Another server of the host, which shares no files with this one, gets no id.
my $other = frazil_node('other', worker => 'fixed:7', host => frazil_host('other'));
$other->append_conf('postgresql.conf', "frazil.host_dir = '$host/claims'");
$other->restart;
$other->safe_psql('postgres', 'CREATE EXTENSION frazil');
makes_none($other, 'beside the other one', qr/worker id 7 is in use on this host/);
like(slurp_file($other->logfile), qr/LOG:  frazil: generator "main": .*in use on this host/, 'and its log says so at the start');
$other->stop;
$step->('beside another one');
$open->quit;
$node->stop;
$wipe->('run', 'claims');
$node->start;
$node->safe_psql('postgres', "$patient; INSERT INTO ids SELECT 'booted', 0, frazil_next_n(20000)");
is($node->safe_psql('postgres', "SELECT min(id) > (SELECT max(id) FROM ids WHERE backend <> 0) FROM ids WHERE backend = 0"), 't', 'wiped by a boot: ids go on above');
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM ids'), '0', 'no id is made twice');
$node->stop;
done_testing();
