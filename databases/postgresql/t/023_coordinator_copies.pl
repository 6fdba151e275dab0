# SPDX-License-Identifier: MIT
# Goal of this test: a standby that is promoted while its primary runs, and a clone, have worker numbers of their own from
# the coordinator that their copied settings name.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my (undef, $url) = frazil_redis(orders => '60s');
my $primary = frazil_node('primary', worker => "$url/orders", streaming => 1, host => frazil_host('a'));
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil');
$primary->backup('base');
my $standby = frazil_copy($primary, 'standby', worker => "$url/orders", streaming => 1, host => frazil_host('b'));
my $clone = frazil_copy($primary, 'clone', worker => "$url/orders", host => frazil_host('c'));
$primary->wait_for_catchup($standby);
makes_none($standby, 'a standby', qr/a standby makes no ids/);
is(frazil_keeper($standby), undef, 'and has no background worker that would hold a worker number');
$standby->promote;
my @workers = frazil_workers($primary, $standby, $clone);
my %different = map { $_ => 1 } @workers;
is(scalar keys %different, 3, "a primary, its promoted standby and a clone have the worker numbers @workers");
my @lists = map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ] } $primary, $standby, $clone, $primary;
is(same_ids(@lists), 0, '200,000 ids, no two the same');

# On one host, with one run directory, servers share a lease.
$clone->append_conf('postgresql.conf', frazil_conf(worker => "$url/orders", host => frazil_host('a')));
$clone->restart;
@workers = frazil_workers($primary, $clone);
is($workers[0], $workers[1], 'a clone on the same host shares the worker number');
push @lists, map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ] } $primary, $clone, $primary;
is(same_ids(@lists), 0, '350,000 ids, no two the same');
# A standby that may make ids holds a number from the start.
my $reader = frazil_copy($primary, 'reader', worker => "$url/orders", streaming => 1, host => frazil_host('d'), conf => "frazil.allow_in_recovery = on\n");
@workers = frazil_workers($primary, $reader);
isnt($workers[0], $workers[1], 'a standby that may make ids has a worker number of its own');
$_->stop for $reader, $clone, $standby, $primary;
done_testing();
