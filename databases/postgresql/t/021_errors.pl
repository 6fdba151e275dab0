# SPDX-License-Identifier: MIT
# Goal of this test: each class of errors has the SQLSTATE that the README says, and a hint.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $generators = 'main: layout=frazil; few: layout=30/4/1 tick=1h epoch=2026-01-01; ended: layout=20/5/5 epoch=2020-01-01 allow_short_life=yes';
my $host = frazil_host('only');
my $node = frazil_node('errors', worker => 'fixed:7', generators => $generators, host => $host, streaming => 1);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
$node->backup('base');

# fails SERVER SQL SQLSTATE HINT: it fails with that code and hint.
sub fails {
    my ($server, $sql, $sqlstate, $hint) = @_;
    my (undef, undef, $stderr) = $server->psql('postgres', "\\set VERBOSITY verbose\n$sql");
    like($stderr, qr/ERROR:  $sqlstate: .*^HINT:  .*$hint/ms, "$sqlstate: $sql");
}

fails($node, q{SET frazil.max_wait = 0; SELECT frazil_next('few') FROM generate_series(1, 100)}, '53000', qr/Run the statement again/);
fails($node, q{SELECT frazil_next('unknown')}, '42704', qr/Name it in frazil\.generators/);
fails($node, q{SELECT frazil_next_n(-1)}, '22023', qr/Ask for 0 or more/);
fails($node, q{SELECT frazil_time(1, 'nonsense')}, '22023', qr/./);
fails($node, q{SELECT frazil_next('ended')}, '2200H', qr/Give the generator a layout that has time left/);
fails($node, q{SELECT frazil_id('18446744073709551615')}, '22003', qr/./);

my $standby = frazil_copy($node, 'standby', worker => 'fixed:7', streaming => 1, host => frazil_host('b'));
fails($standby, 'SELECT frazil_next()', '25006', qr/Make them on the primary/);
$standby->stop;

# A file of the state directory is damaged.
$node->safe_psql('postgres', 'SELECT frazil_next()');
$node->stop;
my @files = split /\n/, `find $host/state -type f -size +0`;
cmp_ok(scalar @files, '>=', 1, 'there are state files');
for my $file (@files) {
    open my $out, '>', $file or die $!;
    print $out 'nonsense';
    close $out;
}
$node->start;
fails($node, 'SELECT frazil_next()', '58000', qr/run "frazil state init"/);

mkdir "$host/locked";
chmod 0555, "$host/locked";
$node->append_conf('postgresql.conf', "frazil.state_dir = '$host/locked'");
$node->restart;
fails($node, 'SELECT frazil_next()', '58000', qr/must own frazil\.run_dir and frazil\.state_dir/);
$node->append_conf('postgresql.conf', "frazil.worker = ''");
$node->restart;
fails($node, 'SELECT frazil_next()', '55000', qr/Set it in postgresql\.conf/);
$node->stop;
done_testing();
