# SPDX-License-Identifier: MIT
# Goal of this test: pg_rewind brings the owner file of the new primary into the old one, which is refused with that one's
# number and goes on with its own.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $left = frazil_node('left', worker => 'fixed:9', streaming => 1, host => frazil_host('a'));
$left->append_conf('postgresql.conf', 'wal_keep_size = 64MB');
$left->restart;
$left->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$left->backup('base');
my $right = frazil_copy($left, 'right', worker => 'fixed:10', streaming => 1, host => frazil_host('b'));
$left->wait_for_catchup($right);
$right->promote;
is($right->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '10', 'a standby with a number of its own, promoted');
my @ids = map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(10000)') ] } $left, $right;
$left->stop;
$right->safe_psql('postgres', 'CHECKPOINT');
my (undef, $said) = run_command([ 'pg_rewind', '-D', $left->data_dir, '--source-server', $right->connstr('postgres') ]);
like($said, qr/Done!/, 'pg_rewind');
$left->append_conf('postgresql.conf', frazil_conf(worker => 'fixed:10', host => frazil_host('a')) . 'port = ' . $left->port);
$left->start;
makes_none($left, "rewound, with the other's number", qr/this data directory is a copy, or was moved/);
$left->append_conf('postgresql.conf', "frazil.worker = 'fixed:9'");
$left->restart;
push @ids, [ split /\n/, $left->safe_psql('postgres', 'SELECT frazil_next_n(10000)') ];
is(same_ids(@ids), 0, 'rewound, with its own number: it makes ids, none of before');
$_->stop for $left, $right;
done_testing();
