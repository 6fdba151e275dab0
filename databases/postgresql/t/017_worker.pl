# SPDX-License-Identifier: MIT
# Goal of this test: worker numbers from outside make ids with that number, a standby with a number of its own makes ids
# beside its primary.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# set_worker SERVER WORKER: restarts it with that frazil.worker.
sub set_worker {
    my ($node, $worker) = @_;
    $node->append_conf('postgresql.conf', "frazil.worker = '$worker'");
    $node->restart;
}

# env: the number is the variable of the postmaster.
my $node;
{
    local $ENV{TEST_WORKER} = '12';
    $node = frazil_node('outside', worker => 'env:TEST_WORKER');
}
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '12', 'env: makes ids with the number of the variable');
like(slurp_file($node->data_dir . '/frazil.owner'), qr/^worker=12 /, 'and owns it');
$node->restart;
makes_none($node, 'a variable that is not set', qr/TEST_WORKER/);

# ordinal: the number is at the end of the host's name.
$node->append_conf('postgresql.conf', "frazil.worker = 'ordinal'");
{
    local $ENV{LD_PRELOAD} = frazil_preloaded('host');
    local $ENV{TEST_HOST} = 'orders-23';
    $node->restart;
    is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '23', 'ordinal makes ids with the number of the host');
    $ENV{TEST_HOST} = 'orders';
    $node->restart;
    makes_none($node, 'a host without a number', qr/orders/);
}
$node->stop;

# A standby with a number of its own, beside its primary.
my $primary = frazil_node('primary', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$primary->backup('base');
my $standby = frazil_copy($primary, 'standby', worker => 'timeline:40/4', streaming => 1, host => frazil_host('b'), conf => "frazil.allow_in_recovery = on\n");
makes_none($standby, 'a standby with a number of its timeline', qr/a standby has no timeline of its own/);
set_worker($standby, 'fixed:7');
makes_none($standby, "a standby with its primary's number", qr/this data directory is a copy, or was moved/);
set_worker($standby, 'fixed:8');
my @lists = map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ] } $primary, $standby, $primary, $standby;
is(same_ids(@lists), 0, 'a primary and its standby made 200,000 ids, no two the same');
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery(), frazil_worker(frazil_next())'), 't|8', 'those of the standby have its number');
$_->stop for $standby, $primary;
done_testing();
