# SPDX-License-Identifier: MIT
# Goal of this test: kill -9 of a backend inside the call repeats no id.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('killed', worker => 'fixed:7');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');

# PostgreSQL ends all backends then, as it does after any kill -9, and recovers.  All that each of them has sent counts.
my @lists;
for my $round (1 .. 2) {
    my @streams = frazil_streams($node, 3);
    my ($victim, @others) = split /\n/, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT frazil_next()%' AND state = 'active'});
    kill 9, $victim;
    await_end($victim, @others);
    ok($node->poll_query_until('postgres', 'SELECT 1', '1'), "round $round: the server is back after that backend was killed");
    push @lists, read_streams(@streams), [ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(50000)') ];
}
is(same_ids(@lists), 0, 'no id of a killed backend is made again');
$node->stop;
done_testing();
