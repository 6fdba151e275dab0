# SPDX-License-Identifier: MIT
# Goal of this test: a clone by pg_basebackup, or of the files, makes no id with its original's number, on another machine
# or on the same one.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $original = frazil_node('original', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
$original->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
my $file = $original->data_dir . '/frazil.owner';
my $owner = slurp_file($file);
like($owner, qr/^fixed:7 machine=\d+ device=\d+ inode=\d+ born=\d+\n$/, 'the first id makes the data directory the owner of the number');
$original->backup('base');

# It shares no files with the original, as on another machine; then it does.
my $copied = qr/this data directory is a copy, or was moved/;
my $clone = frazil_copy($original, 'clone', worker => 'fixed:7', host => frazil_host('b'));
makes_none($clone, 'a clone', $copied, qr/frazil_adopt\(\)/);
$clone->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:7', host => frazil_host('a')));
$clone->restart;
makes_none($clone, 'a clone on the same machine', $copied);
$clone->stop;

sub write_owner {
    unlink $file;
    append_to_file($file, $_[0]);
}

# The owner file names another machine, or another directory, as the file of a clone does that kept all other numbers.
for my $name (qw(machine device inode born)) {
    my $other = $owner =~ s/$name=(\d+)/"$name=" . ($1 + 1)/er;
    write_owner($other);
    chomp $other;
    makes_none($original, "a clone with another $name", qr/was moved.*\Q$other\E/s);
}
write_owner($owner);
is($original->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'and with its own file it goes on');

# The directory is moved as a copy is: cp -a, and the old one is gone.
my $highest = $original->safe_psql('postgres', 'SELECT max(id) FROM frazil_next_n(1000) AS id');
$original->stop;
my $data = $original->data_dir;
my ($born) = slurp_file($file) =~ /born=(\d+)/;
system_or_bail('cp', '-a', $data, "$data.copy");
system_or_bail('rm', '-rf', $data);
rename "$data.copy", $data or die $!;
$original->start;
makes_none($original, 'a data directory that was restored from a copy of its files', $copied);
$original->safe_psql('postgres', 'SELECT frazil_adopt()');
SKIP: {
    skip 'this file system does not say when a directory was made', 1 if !$born;
    unlike(slurp_file($file), qr/born=$born$/, 'a copy has another time of birth');
}
cmp_ok($original->safe_psql('postgres', 'SELECT frazil_next()'), '>', $highest, 'and adopted it goes on above');
$original->stop;
done_testing();
