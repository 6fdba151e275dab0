# SPDX-License-Identifier: MIT
# Goal of this test: a copy of a server never makes an id of the original's.  Each pair has one fixed worker number, and
# the copy stands for one on another host: it shares no files with the original.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = frazil_node('primary', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
ok(-f $primary->data_dir . '/frazil.owner', 'the first id makes the data directory the owner of the number');
$primary->backup('base');

# refused SERVER WHAT: it makes no id, says why, and names the way out.
sub refused {
    my ($node, $what) = @_;
    my ($code, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
    isnt($code, 0, "$what makes no id");
    like($stderr, qr/this data directory is a copy, or was moved/, "$what says why");
    like($stderr, qr/frazil_adopt\(\)/, "$what says what to do");
}

sub copy_of_primary {
    my ($name, $host, %is) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init_from_backup($primary, 'base', has_streaming => $is{streaming} // 0);
    $node->append_conf('postgresql.conf', frazil_conf(worker => $is{worker} // 'fixed:7', host => frazil_host($host)));
    $node->start;
    return $node;
}

# A clone that runs beside the original, on another host and on the same one.
my $clone = copy_of_primary('clone', 'b');
refused($clone, 'a clone by pg_basebackup');
$clone->stop;

# A standby makes none; promoted beside its running primary it is refused.
my $standby = copy_of_primary('standby', 'c', streaming => 1);
my ($code, undef, $stderr) = $standby->psql('postgres', 'SELECT frazil_next()');
isnt($code, 0, 'a standby makes no id');
like($stderr, qr/a standby makes no ids/, 'and says why');
$standby->promote;
refused($standby, 'a standby that was promoted while its primary runs');

# The primary is gone for good: the way out works, and the ids go on above.
my $highest = $primary->safe_psql('postgres', 'SELECT max(id) FROM frazil_next_n(1000) AS id');
$primary->stop('immediate');
$standby->safe_psql('postgres', 'SELECT frazil_adopt()');
cmp_ok($standby->safe_psql('postgres', 'SELECT frazil_next()'), '>', $highest, 'adopted: its ids go on above');

# The old one comes back: now it has its own file still, and the standby another; each says which it is.  It runs with
# a number of its own, as the hint says.
$primary->append_conf('postgresql.conf', "frazil.worker = 'fixed:8'");
$primary->start;
is($primary->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '8', 'the old primary goes on with another number');
$primary->stop;
$standby->stop;

# pg_rewind brings the files of the new primary into the old one, the owner's among them.
my $left = frazil_node('left', worker => 'fixed:9', streaming => 1, host => frazil_host('g'));
$left->append_conf('postgresql.conf', "wal_log_hints = on\nwal_keep_size = 64MB");
$left->restart;
$left->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$left->backup('base');
my $right = PostgreSQL::Test::Cluster->new('right');
$right->init_from_backup($left, 'base', has_streaming => 1);
$right->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:10', host => frazil_host('h')));
$right->start;
$left->wait_for_catchup($right);
$right->promote;
is($right->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '10', 'a standby with a number of its own, promoted');
$left->stop;
$right->safe_psql('postgres', 'CHECKPOINT');
my ($rewound, $why) = run_command([ 'pg_rewind', '-D', $left->data_dir, '--source-server', $right->connstr('postgres') ]);
like($why, qr/Done!/, 'pg_rewind');
$left->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:10', host => frazil_host('g')) . 'port = ' . $left->port);
$left->start;
refused($left, 'a server that was rewound, with the number of the other');
$left->append_conf('postgresql.conf', "frazil.worker = 'fixed:9'");
$left->restart;
is($left->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '9', 'and with its own number it goes on');
$_->stop for $left, $right;

# timeline: a promotion begins another timeline, and with it another number; so does a recovery to a point in time.
my $first = frazil_node('first', worker => 'timeline:40/4', streaming => 1, archiving => 1, host => frazil_host('d'));
$first->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint)');
$first->safe_psql('postgres', 'INSERT INTO ids SELECT frazil_next_n(10000)');
$first->backup('base');
is($first->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '41', 'timeline 1 has the number 41');

my $second = PostgreSQL::Test::Cluster->new('second');
$second->init_from_backup($first, 'base', has_streaming => 1);
$second->append_conf('postgresql.conf', frazil_conf(worker => 'timeline:40/4', host => frazil_host('e')));
$second->start;
$first->wait_for_catchup($second);
$second->promote;
is($second->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '42', 'promoted: timeline 2 has the number 42');
$_->safe_psql('postgres', 'INSERT INTO ids SELECT frazil_next_n(100000)') for $first, $second;
my %seen;
my $twice = 0;
for my $node ($first, $second) {
    # Those of before the promotion are in both.
    my $ids = $node->safe_psql('postgres', 'SELECT id FROM ids OFFSET 10000');
    $twice += $seen{$_}++ for split /\n/, $ids;
}
is($twice, 0, 'a promoted copy beside its running primary: 200,000 ids, no two the same');
my $restored_from = $first->safe_psql('postgres', q{SELECT pg_create_restore_point('here')});
$first->safe_psql('postgres', 'INSERT INTO ids SELECT frazil_next_n(1000); SELECT pg_switch_wal()');
my $restored = PostgreSQL::Test::Cluster->new('restored');
$restored->init_from_backup($first, 'base', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', frazil_conf(worker => 'timeline:40/4', host => frazil_host('f'))
      . "recovery_target_name = 'here'\nrecovery_target_action = 'promote'\n");
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
isnt($restored->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '41', 'restored to a point in time: another number');
$_->stop for $first, $second, $restored;
done_testing();
