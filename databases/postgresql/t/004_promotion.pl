# SPDX-License-Identifier: MIT
# Goal of this test: a standby that is promoted while its primary runs makes none of the primary's ids.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

# fixed: the standby is refused until it takes the number over.
my $primary = frazil_node('primary', worker => 'fixed:7', streaming => 1, host => frazil_host('a'));
$primary->safe_psql('postgres', 'CREATE EXTENSION frazil; SELECT frazil_next()');
$primary->backup('base');
my $standby = frazil_copy($primary, 'standby', worker => 'fixed:7', streaming => 1, host => frazil_host('b'));
makes_none($standby, 'a standby', qr/a standby makes no ids/);
$standby->promote;
makes_none($standby, 'promoted while its primary runs', qr/this data directory is a copy, or was moved/, qr/frazil_adopt\(\)/);

# The primary is gone for good: the way out works, and the ids go on above.
my $highest = $primary->safe_psql('postgres', 'SELECT max(id) FROM frazil_next_n(1000) AS id');
$primary->stop('immediate');
$standby->safe_psql('postgres', 'SELECT frazil_adopt()');
cmp_ok($standby->safe_psql('postgres', 'SELECT frazil_next()'), '>', $highest, 'adopted: its ids go on above');

# The old one comes back with a number of its own, as the hint says.
$primary->append_conf('postgresql.conf', "frazil.worker = 'fixed:8'");
$primary->start;
is($primary->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '8', 'the old primary goes on with another number');
$_->stop for $primary, $standby;

# timeline: a promotion begins another timeline, and with it another number.
my $first = frazil_node('first', worker => 'timeline:40/4', streaming => 1, host => frazil_host('c'));
$first->safe_psql('postgres', 'CREATE EXTENSION frazil');
my @before = split /\n/, $first->safe_psql('postgres', 'SELECT frazil_next_n(10000)');
$first->backup('base');
is($first->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '41', 'timeline 1 has the number 41');
my $second = frazil_copy($first, 'second', worker => 'timeline:40/4', streaming => 1, host => frazil_host('d'));
$first->wait_for_catchup($second);
$second->promote;
is($second->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '42', 'promoted: timeline 2 has the number 42');
my @after = map { [ split /\n/, $_->safe_psql('postgres', 'SELECT frazil_next_n(100000)') ] } $first, $second;
is(same_ids(\@before, @after), 0, 'a promoted copy beside its running primary: 200,000 ids, no two the same');
$_->stop for $first, $second;
done_testing();
