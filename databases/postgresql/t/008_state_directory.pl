# SPDX-License-Identifier: MIT
# Goal of this test: a server whose directories cannot be written, or lie in the data directory, makes no id and says why.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $host = frazil_host('only');
mkdir "$host/locked";
chmod 0555, "$host/locked";
my $node = frazil_node('directories', worker => 'fixed:1', host => $host);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
symlink $node->data_dir, "$host/link" or die $!;
my @inside = ($node->data_dir . '/state', "$host/link/new/state");

for my $setting ('run_dir', 'state_dir') {
    my $right = $setting =~ s/_dir//r;
    $node->append_conf('postgresql.conf', "frazil.$setting = '$host/locked'");
    $node->restart;
    makes_none($node, "a $setting that cannot be written", qr{frazil: .*\Q$host/locked\E}, qr/HINT:  The user that the server runs as must own/);
    for my $inside (@inside) {
        $node->append_conf('postgresql.conf', "frazil.$setting = '$inside'");
        $node->restart;
        makes_none($node, "a $setting in the data directory", qr/frazil\.$setting lies inside the data directory/);
    }
    $node->append_conf('postgresql.conf', "frazil.$setting = '$host/$right'");
}
# Without the setting it would lie below the home directory.
{
    local $ENV{HOME} = $node->data_dir;
    delete local @ENV{qw(XDG_STATE_HOME STATE_DIRECTORY)};
    $node->append_conf('postgresql.conf', "frazil.state_dir = ''");
    $node->restart;
    makes_none($node, 'a home in the data directory', qr/frazil\.state_dir is not set, and HOME lies inside the data directory/);
    $node->append_conf('postgresql.conf', "frazil.state_dir = '$host/state'");
}
$node->restart;
like($node->safe_psql('postgres', 'SELECT frazil_next()'), qr/^\d+$/, 'and with both it does');
$node->stop;
done_testing();
