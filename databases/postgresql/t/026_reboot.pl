# SPDX-License-Identifier: MIT
# Goal of this test: a data directory whose device has another number, as after a boot, is no copy; a time of birth that is
# unknown before or now is none either.  Only where both say nothing else does the device tell a copy.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('booted', worker => 'fixed:7');
my $file = $node->data_dir . '/frazil.owner';
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$node->stop;
my ($device, $inode, $born) = slurp_file($file) =~ /device=(\d+) inode=(\d+) born=(\d+)$/;

# start DEVICE BORN WORKER: starts it on a device whose number is larger by so much.
my $preloaded = frazil_preloaded('stat');
sub start {
    my ($more, $when, $worker) = @_;
    local $ENV{LD_PRELOAD} = $preloaded;
    local $ENV{TEST_DIRECTORY} = $node->data_dir;
    local $ENV{TEST_DEVICE} = $more;
    local $ENV{TEST_BORN} = $when;
    local $ENV{TEST_WORKER} = '8';
    $node->append_conf('postgresql.conf', "frazil.worker = '$worker'");
    $node->start;
}

sub makes_some {
    my ($what) = @_;
    like($node->safe_psql('postgres', 'SELECT frazil_next()'), qr/^\d+$/, $what);
}

sub says {
    my ($words, $what) = @_;
    like(slurp_file($file), $words, $what);
}

SKIP: {
    skip 'this file system does not say when a directory was made', 6 if !$born;
    start(1, 'known', 'fixed:7');
    makes_some('on another device: the same directory');
    my $moved = $device + 1;
    says(qr/device=$moved inode=$inode born=$born$/, 'and the file says the new one');
    $node->stop;
    start(1, 'unknown', 'fixed:7');
    makes_some('a time of birth that is unknown now');
    says(qr/device=$moved inode=$inode born=$born$/, 'and is not forgotten');
    $node->stop;
    unlink $file;
    start(0, 'unknown', 'fixed:7');
    says(qr/device=$device inode=$inode born=0$/, 'a time of birth that was unknown at the first start');
    $node->stop;
    start(0, 'known', 'fixed:7');
    says(qr/device=$device inode=$inode born=$born$/, 'is written down when it is known');
    $node->stop;
}

# Nothing but the device is left to tell.
unlink $file;
start(0, 'unknown', 'fixed:7');
makes_some('no time of birth');
$node->stop;
start(1, 'unknown', 'fixed:7');
makes_none($node, 'no time of birth, and another device', qr/this data directory is a copy, or was moved/);
$node->stop;

# A number from outside goes with its volume.
start(0, 'unknown', 'env:TEST_WORKER');
makes_some('a number from outside');
$node->stop;
start(1, 'unknown', 'env:TEST_WORKER');
makes_some('and on another device');
$node->stop;
done_testing();
