# SPDX-License-Identifier: MIT
# Goal of this test: settings that cannot be right are refused before the first id, with what would be right.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('settings');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');

# refused LINES WORDS: with these settings frazil_next fails with these words.
sub refused {
    my ($lines, $words) = @_;
    $node->append_conf('postgresql.conf', $lines);
    $node->restart;
    my ($code, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
    isnt($code, 0, "$lines makes no id");
    like($stderr, $words, "$lines: says why");
}

refused('', qr/frazil\.worker is not set/);
refused("frazil.worker = 'timeline:40'", qr/Write timeline:BASE\/COUNT/);
refused("frazil.worker = 'timeline:40/1'", qr/Write timeline:BASE\/COUNT/);
refused("frazil.worker = 'file-lock'", qr/none of fixed:N, timeline:BASE\/COUNT, env:NAME and ordinal/);
refused("frazil.worker = 'redis://user:tellnobody\@h/n'", qr/none of fixed:N/);
my ($code, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
unlike($stderr, qr/tellnobody/, 'a secret is not shown');
refused("frazil.worker = 'fixed:1024'", qr/must be from 0 to 1023/);
my $inside = $node->data_dir . '/state';
refused("frazil.worker = 'fixed:1'\nfrazil.state_dir = '$inside'", qr/frazil\.state_dir lies inside the data directory/);
my $host = frazil_host('only');
refused("frazil.state_dir = '$host/state'\nfrazil.generators = 'main: run_dir=/tmp'", qr/"run_dir" of generator "main" is no key/);
refused("frazil.generators = 'audit: layout=twitter'", qr/there is no generator "main"/);
refused("frazil.generators = 'main: layout=nonsense'", qr/there is no layout 'nonsense'/);

# A directory that cannot be written.
mkdir "$host/locked";
chmod 0555, "$host/locked";
refused("frazil.generators = 'main: layout=frazil'\nfrazil.run_dir = '$host/locked'", qr/locked/);
refused("frazil.run_dir = '$host/run'\nfrazil.state_dir = '$host/locked'", qr/locked/);
$node->append_conf('postgresql.conf', "frazil.state_dir = '$host/state'");
$node->restart;
my $before = $node->safe_psql('postgres', 'SELECT frazil_next()');

# The run directory is wiped under a running server, and by a boot.
$node->stop;
system_or_bail('rm', '-rf', "$host/run");
mkdir "$host/run";
$node->start;
cmp_ok($node->safe_psql('postgres', 'SELECT frazil_next()'), '>', $before, 'the run directory was wiped, and ids go on above');

# postgresql.auto.conf is copied with the data directory.
$node->safe_psql('postgres', q{ALTER SYSTEM SET frazil.worker = 'fixed:1'});
$node->restart;
(undef, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
like($stderr, qr/WARNING:.*postgresql\.auto\.conf/, 'a worker number in postgresql.auto.conf is warned of');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET frazil.worker');

# Without preloading it works too.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
cmp_ok($node->safe_psql('postgres', 'SELECT frazil_next()'), '>', $before, 'without shared_preload_libraries');

# A dump has the extension and the default, and restores into a new database.
$node->safe_psql('postgres', 'CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next()); INSERT INTO orders DEFAULT VALUES');
my $dump = $node->data_dir . '/../dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ], 'restored');
$node->safe_psql('restored', 'INSERT INTO orders DEFAULT VALUES');
is($node->safe_psql('restored', 'SELECT count(DISTINCT id) FROM orders'), '2', 'the default works in the restored database');
$node->stop;
done_testing();
