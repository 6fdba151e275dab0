# SPDX-License-Identifier: MIT
# Goal of this test: whatever way the worker number comes from, a copy that begins no timeline makes no id with the one of
# its original, also if it was made before the original's first id, or before the original knew frazil at all.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $copied = qr/this data directory is a copy, or was moved: the worker number \d+ belongs to another one/;
my $nobodys = qr/this server began as a copy, and its original may have the worker number \d+/;
$ENV{LD_PRELOAD} = frazil_preloaded('host');
$ENV{TEST_HOST} = 'orders-23';
$ENV{TEST_WORKER} = '12';

# Each way, in a base backup that is started without a signal file, from before and after the first id.
for my $way (qw(fixed:7 timeline:40/4 env:TEST_WORKER ordinal)) {
    my $name = $way =~ s/\W.*//r;
    my $original = frazil_node("original-$name", worker => $way, streaming => 1, host => frazil_host("$name-a"));
    $original->safe_psql('postgres', 'CREATE EXTENSION frazil');
    for my $when ('before', 'after') {
        $original->backup($when);
        my $copy = PostgreSQL::Test::Cluster->new("$name-$when");
        $copy->init_from_backup($original, $when);
        $copy->append_conf('postgresql.conf', frazil_conf(worker => $way, host => frazil_host("$name-b")));
        $copy->start;
        makes_none($copy, "$way, copied $when the first id", $copied, qr/frazil_adopt\(\)/);
        $copy->stop;
        $original->safe_psql('postgres', 'SELECT frazil_next()');
    }
    $original->stop;
}

# A primary without frazil, and a standby and a base backup of that time.  The standby gets the settings first.
my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->start;
$primary->backup('base');
my @settings = map { frazil_conf(worker => 'fixed:7', host => frazil_host($_)) } 'c', 'd';
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', $settings[1]);
$standby->start;
like(slurp_file($standby->logfile), qr/WARNING:  this server begins as a copy, .* the worker number 7\n.*HINT:  If no other server has it/, 'a standby of before warns at its first start');
my $backup = PostgreSQL::Test::Cluster->new('backup');
$backup->init_from_backup($primary, 'base');
$backup->append_conf('postgresql.conf', $settings[1]);
$backup->start;
$backup->safe_psql('postgres', 'CREATE EXTENSION frazil');
makes_none($backup, 'a base backup of before, without a signal file', $nobodys, qr/frazil_adopt\(\)/);
$backup->stop;
$primary->append_conf('postgresql.conf', $settings[0]);
$primary->restart;
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$primary->wait_for_catchup($standby);

# Promoted, it says so at once, and for as long as it has the number.
my $offset = -s $standby->logfile;
$standby->promote;
ok($standby->wait_for_log(qr/ERROR:  $nobodys.*\n.*\n.*HINT:  .*run SELECT frazil_adopt\(\)/, $offset), 'the promotion stands in the log, with what to do')
  if $standby->can('wait_for_log');
makes_none($standby, 'promoted beside its primary', $nobodys, qr/frazil_adopt\(\)/);
$standby->restart;
makes_none($standby, 'and started again', $nobodys);

# A standby of before with a number that is known to be its own: that can be said before it is promoted.
my $second = PostgreSQL::Test::Cluster->new('second');
$second->init_from_backup($primary, 'base', has_streaming => 1);
$second->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:8', host => frazil_host('e')));
$second->start;
$primary->wait_for_catchup($second);
$second->safe_psql('postgres', 'SELECT frazil_adopt()');
$second->promote;
is($second->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '8', 'adopted as a standby: it makes ids once it is promoted');
$second->stop;

# The primary is dead: the operator adopts.
my $highest = $primary->safe_psql('postgres', 'SELECT max(id) FROM frazil_next_n(1000) AS id');
$primary->stop('immediate');
$standby->safe_psql('postgres', 'SELECT frazil_adopt()');
cmp_ok($standby->safe_psql('postgres', 'SELECT frazil_next()'), '>', $highest, 'adopted: its ids go on above');
$standby->restart;
is($standby->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', 'and so after a start');
$standby->stop;
done_testing();
