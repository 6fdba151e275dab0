# SPDX-License-Identifier: MIT
# Goal of this test: the SQL of the README runs, in its order.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @blocks = slurp_file("$FindBin::RealBin/../README.md") =~ /^```sql\n(.*?)^```$/msg;
cmp_ok(scalar @blocks, '>=', 4, 'the README has SQL');
my $node = frazil_node('readme', worker => 'fixed:7');
for my $block (@blocks) {
    my ($code, undef, $stderr) = $node->psql('postgres', $block, extra_params => [ '-v', 'ON_ERROR_STOP=1' ]);
    is($code, 0, $block) or diag $stderr;
}
$node->stop;
done_testing();
