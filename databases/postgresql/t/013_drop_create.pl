# SPDX-License-Identifier: MIT
# Goal of this test: DROP EXTENSION and CREATE EXTENSION within a session repeat no id.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('dropped', worker => 'fixed:7');
is($node->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE TEMP TABLE seen (id bigint);
    INSERT INTO seen SELECT frazil_next_n(1000);
    DROP EXTENSION frazil; CREATE EXTENSION frazil;
    INSERT INTO seen SELECT frazil_next_n(1000);
    SELECT count(DISTINCT id) FROM seen}), '2000', 'dropped and created again: 2,000 ids, no two the same');
$node->stop;
done_testing();
