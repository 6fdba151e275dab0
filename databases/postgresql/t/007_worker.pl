# SPDX-License-Identifier: MIT
# Goal of this test: worker numbers from outside make ids with that number, a standby with a number of its own makes ids
# beside its primary, and a data directory that came to another machine is refused.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# fails SERVER WORDS WHAT: it makes no id, and says why.
sub fails {
    my ($node, $words, $what) = @_;
    my ($code, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
    isnt($code, 0, "$what: no id");
    like($stderr, $words, "$what: says why");
}

# set_worker SERVER WORKER: restarts it with that frazil.worker.
sub set_worker {
    my ($node, $worker) = @_;
    $node->append_conf('postgresql.conf', "frazil.worker = '$worker'");
    $node->restart;
}

my $dir = "$ENV{FRAZIL_TEST_DIR}/worker-$$";
mkdir $dir;
system_or_bail($ENV{CC} // 'cc', '-shared', '-fPIC', '-o', "$dir/host.so", "$FindBin::RealBin/host.c");

# env: the number is the variable of the postmaster.
my $node;
{
    local $ENV{FRAZIL_TEST_WORKER} = '12';
    $node = frazil_node('outside', worker => 'env:FRAZIL_TEST_WORKER');
}
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '12', 'env: makes ids with the number of the variable');
ok(!-e $node->data_dir . '/frazil.owner', 'a number from outside has no owner');
$node->restart;
fails($node, qr/FRAZIL_TEST_WORKER/, 'a variable that is not set');

# ordinal: the number is at the end of the host's name.
$node->append_conf('postgresql.conf', "frazil.worker = 'ordinal'");
{
    local $ENV{LD_PRELOAD} = "$dir/host.so";
    local $ENV{FRAZIL_TEST_HOST} = 'orders-23';
    $node->restart;
    is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '23', 'ordinal makes ids with the number of the host');
    $ENV{FRAZIL_TEST_HOST} = 'orders';
    $node->restart;
    fails($node, qr/orders/, 'a host without a number');
}
$node->stop;

# A standby with a number of its own, beside its primary.
my $primary = frazil_node('primary', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
my $owner = slurp_file($primary->data_dir . '/frazil.owner');
like($owner, qr/^fixed:7 machine=\d+ device=\d+ inode=\d+\n$/, 'the owner file says whose the number is');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', frazil_conf(worker => 'timeline:40/4', host => frazil_host('b')) . "frazil.allow_in_recovery = on\n");
$standby->start;
fails($standby, qr/a standby has no timeline of its own/, 'a standby with a number of its timeline');
set_worker($standby, 'fixed:7');
fails($standby, qr/this data directory is a copy, or was moved/, "a standby with its primary's number");
set_worker($standby, 'fixed:8');
my %seen;
$seen{$_}++ for map { split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(50000)') } $primary, $standby, $primary, $standby;
is(keys %seen, 200000, 'a primary and its standby made 200,000 ids, no two the same');
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery(), frazil_worker(frazil_next())'), 't|8', 'those of the standby have its number');
$standby->stop;

sub write_owner {
    unlink $primary->data_dir . '/frazil.owner';
    append_to_file($primary->data_dir . '/frazil.owner', $_[0]);
}

# The owner file names another machine, or another directory, as the file of a clone does that kept all other numbers.
for my $name (qw(machine device inode)) {
    my $other = $owner =~ s/$name=(\d+)/"$name=" . ($1 + 1)/er;
    write_owner($other);
    chomp $other;
    $primary->restart;
    fails($primary, qr/this data directory is a copy, or was moved.*\Q$other\E/s, "a clone with another $name");
}
write_owner($owner);
cmp_ok($primary->safe_psql('postgres', 'SELECT frazil_next()'), '>', (sort { $a <=> $b } keys %seen)[-1], 'and with its own file it goes on');

# The directory is moved as a copy is: cp -a, and the old one is gone.
$primary->stop;
my $data = $primary->data_dir;
system_or_bail('cp', '-a', $data, "$data.copy");
system_or_bail('rm', '-rf', $data);
rename "$data.copy", $data or die $!;
$primary->start;
fails($primary, qr/was moved/, 'a data directory that was restored from a copy of its files');
$primary->safe_psql('postgres', 'SELECT frazil_adopt()');
is($primary->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'and adopted it goes on');
$primary->stop;
done_testing();
