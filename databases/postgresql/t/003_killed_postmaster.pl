# SPDX-License-Identifier: MIT
# Goal of this test: kill -9 of the postmaster repeats no id, also of backends that outlive it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('orphaned', worker => 'fixed:7');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
my @streams = frazil_streams($node, 2);
my @children = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');
$node->kill9;
# The backends send ids until their clients have gone, and a new server starts only after them.
my @lists = read_streams(@streams);
await_end(@children);
$node->start;
push @lists, [ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ];
is(same_ids(@lists), 0, 'no id of before is made again');
$node->stop;
done_testing();
