# SPDX-License-Identifier: MIT
# Goal of this test: a clone by pg_basebackup, or of the files, makes no id with its original's number, on another machine
# or on the same one.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $original = frazil_node('original', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
my $file = $original->data_dir . '/frazil.owner';
my $owner = slurp_file($file);
like($owner, qr/^worker=7 timeline=0 machine=\d+ device=\d+ inode=\d+ born=\d+\n$/, 'the first start makes the data directory the owner of the number');
$original->backup('base');
$original->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
is(slurp_file($file), $owner, 'and the first id finds it so');

# It shares no files with the original, as on another machine; then it does.
my $copied = qr/this data directory is a copy, or was moved/;
my $clone = frazil_copy($original, 'clone', worker => 'fixed:7', host => frazil_host('b'));
$clone->safe_psql('postgres', 'CREATE EXTENSION frazil');
makes_none($clone, 'a clone', $copied, qr/frazil_adopt\(\)/);
$clone->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:7', host => frazil_host('a')));
$clone->restart;
makes_none($clone, 'a clone on the same machine', $copied);

# A number that is wrong, and one of its own, make the clone no owner of the original's.
sub set_worker {
    my ($node, $worker) = @_;
    $node->append_conf('postgresql.conf', "frazil.worker = '$worker'");
    $node->restart;
}
set_worker($clone, 'fixed:9999');
makes_none($clone, 'a number that there is not', qr/must be from 0 to 1023/);
set_worker($clone, 'fixed:7');
makes_none($clone, "the original's number after a wrong one", $copied);
set_worker($clone, 'fixed:8');
is($clone->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '8', 'another number is a choice');
set_worker($clone, 'fixed:7');
makes_none($clone, "the original's number after one of its own", $copied);
$clone->stop;

# In the original all numbers that it had are its own.
for my $worker (7, 9, 7) {
    set_worker($original, "fixed:$worker");
    is($original->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), $worker, "the original with the number $worker");
}
is(scalar(() = slurp_file($file) =~ /^worker=[79] /mg), 2, 'both stand in its file');

# On the original's machine by another way to the same number.
$original->backup('later');
{
    local $ENV{TEST_WORKER} = '9';
    my $later = PostgreSQL::Test::Cluster->new('later');
    $later->init_from_backup($original, 'later');
    $later->append_conf('postgresql.conf', frazil_conf(worker => 'env:TEST_WORKER', host => frazil_host('b')));
    $later->start;
    makes_none($later, 'a clone whose variable says a number that its original had', $copied);
    $ENV{TEST_WORKER} = '10';
    $later->restart;
    is($later->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '10', 'a variable of its own');
    $later->stop;
}

# The server looks at its start; a file does not change under it.
sub write_owner {
    $original->stop;
    unlink $file;
    append_to_file($file, $_[0]);
    $original->start;
}

# The file names another machine, or another directory, as that of a clone does which kept all other numbers.
$owner = slurp_file($file);
for my $name (qw(machine inode born)) {
    my $other = $owner =~ s/$name=(\d+)/"$name=" . ($1 + 1)/ger;
    write_owner($other);
    my ($line) = $other =~ /^(worker=7 .*)$/m;
    makes_none($original, "a clone with another $name", qr/was moved.*\Q$line\E/s);
}
write_owner("worker=7 machine\n");
makes_none($original, 'a file that is damaged', qr/"frazil.owner" is damaged\nHINT:  If no other server .* run SELECT frazil_adopt\(\)/);
$original->safe_psql('postgres', 'SELECT frazil_adopt()');
write_owner($owner);
is($original->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'and with its own file it goes on');

# Its files are restored to where they were: there is no other directory.
$original->stop;
my $place = $original->data_dir;
system_or_bail('cp', '-a', $place, "$place.backup");
system_or_bail('find', $place, '-mindepth', '1', '-delete');
system_or_bail('cp', '-a', "$place.backup/.", $place);
system_or_bail('rm', '-r', "$place.backup");
$original->start;
is($original->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'a data directory that was restored to its place goes on');

# The directory is moved as a copy is: cp -a, and the old one is gone.
my $highest = $original->safe_psql('postgres', 'SELECT max(id) FROM frazil_next_n(1000) AS id');
$original->stop;
my $data = $original->data_dir;
my ($born) = slurp_file($file) =~ /^worker=7 .* born=(\d+)/m;
system_or_bail('cp', '-a', $data, "$data.copy");
system_or_bail('rm', '-rf', $data);
rename "$data.copy", $data or die $!;
$original->start;
makes_none($original, 'a data directory that was restored from a copy of its files', $copied);
$original->safe_psql('postgres', 'SELECT frazil_adopt()');
SKIP: {
    skip 'this file system does not say when a directory was made', 1 if !$born;
    unlike(slurp_file($file), qr/^worker=7 .* born=$born$/m, 'a copy has another time of birth');
}
cmp_ok($original->safe_psql('postgres', 'SELECT frazil_next()'), '>', $highest, 'and adopted it goes on above');
$original->stop;
done_testing();
