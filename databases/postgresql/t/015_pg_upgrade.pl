# SPDX-License-Identifier: MIT
# Goal of this test: pg_upgrade brings the extension and the defaults along, but not the settings: a new server makes no id
# before it has them, and then its ids go on above.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = frazil_node('old', worker => 'fixed:7');
$old->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next(), worker int GENERATED ALWAYS AS (frazil_worker(id, 'frazil')) STORED);
    CREATE INDEX ON orders (frazil_time(id, 'frazil'));
    INSERT INTO orders SELECT FROM generate_series(1, 1000)});
my $highest = $old->safe_psql('postgres', 'SELECT max(id) FROM orders');
$old->stop;

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
my $bin = `pg_config --bindir`;
chomp $bin;
# PostgreSQL 14 has no --no-sync.
my @quick = `pg_upgrade --help` =~ /--no-sync/ ? ('--no-sync') : ();
command_ok([ 'pg_upgrade', @quick, '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin,
        '-s', $new->host, '-p', $old->port, '-P', $new->port ], 'pg_upgrade');
$new->start;
is($new->safe_psql('postgres', 'SELECT count(*), max(id) FROM orders'), "1000|$highest", 'the rows are there');
my ($code, undef, $stderr) = $new->psql('postgres', 'INSERT INTO orders DEFAULT VALUES');
isnt($code, 0, 'without settings the new server makes no id');
like($stderr, qr/without frazil in shared_preload_libraries/, 'and says why');

$new->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:7'));
$new->restart;
$new->safe_psql('postgres', 'INSERT INTO orders SELECT FROM generate_series(1, 1000)');
is($new->safe_psql('postgres', "SELECT count(DISTINCT id), count(*) FILTER (WHERE id > $highest), min(worker), max(worker) FROM orders"),
    '2000|1000|7|7', 'with them the default, the column and the number are as before, and ids go on above');
ok(-f $new->data_dir . '/frazil.owner', 'the new data directory is an owner');
$new->stop;
done_testing();
