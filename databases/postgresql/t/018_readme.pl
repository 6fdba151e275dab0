# SPDX-License-Identifier: MIT
# Goal of this test: the SQL of the README runs, in its order, on a server with the settings that it shows; that of generators
# with different layouts, and the recipe for partitions, run where there are some.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = slurp_file("$FindBin::RealBin/../README.md");
my ($settings) = $readme =~ /^In `postgresql\.conf`.*?^```\n(.*?)^```$/ms;
my ($divided) = $readme =~ /^(frazil\.generators = '.*; past: .*')$/m;
my @blocks = $readme =~ /^```sql\n(.*?)^```$/msg;
cmp_ok(scalar @blocks, '>=', 4, 'the README has SQL');
my %kinds = map { $_ => 1 } $readme =~ /^```(.*)\n(?:.*\n)*?```$/mg;
is(join(' ', sort keys %kinds), ' js typeorm prisma prisma python django python sqlalchemy ruby rails sql sql layouts sql partman', 'and no block that nothing runs');
my $node = frazil_node('readme');
$node->append_conf('postgresql.conf', "$settings\n$divided\n");
$node->restart;
sub runs {
    for my $block (@_) {
        my ($code, undef, $stderr) = $node->psql('postgres', $block, extra_params => [ '-v', 'ON_ERROR_STOP=1' ]);
        is($code, 0, $block) or diag $stderr;
    }
}
runs(@blocks);

my ($layouts) = $readme =~ /for example `(main: .*; audit: .*?)`/;
$node->append_conf('postgresql.conf', "frazil.generators = '$layouts'");
$node->restart;
runs($readme =~ /^```sql layouts\n(.*?)^```$/msg);

my @events = grep { /CREATE TABLE events / } @blocks;
is(scalar @events, 1, 'the README has a recipe for partitions');
$node->safe_psql('postgres', 'DROP TABLE events');
runs(@events);
$node->stop;
done_testing();
