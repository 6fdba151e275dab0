# SPDX-License-Identifier: MIT
# Goal of this test: a server that was recovered to a point in time makes none of the ids that were made after it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = frazil_node('node', worker => 'timeline:40/4', streaming => 1, archiving => 1, host => frazil_host('a'));
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE ids (id bigint)');
$node->backup('base');
$node->safe_psql('postgres', q{INSERT INTO ids SELECT frazil_next_n(10000); SELECT pg_create_restore_point('here')});
my @after = split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(10000)');
my $wal = $node->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
$node->poll_query_until('postgres', "SELECT last_archived_wal >= '$wal' FROM pg_stat_archiver") or die 'nothing is archived';
my $restored = PostgreSQL::Test::Cluster->new('restored');
$restored->init_from_backup($node, 'base', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', frazil_conf(worker => 'timeline:40/4', host => frazil_host('b'))
      . "recovery_target_name = 'here'\nrecovery_target_action = 'promote'\n");
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
is($restored->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '42', 'restored: the next timeline, the next number');
my @lists = (\@after, map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ] } $node, $restored);
push @lists, [ split /\n/, $restored->safe_psql('postgres', 'SELECT id FROM ids') ];
is(scalar(@{ $lists[3] }), 10000, 'the rows of before are there');
is(same_ids(@lists), 0, 'no id of after that point is made again');
$_->stop for $node, $restored;
done_testing();
