# SPDX-License-Identifier: MIT
# Goal of this test: a server that loses its number for a while, as after a cleaner has removed the claims of the host, does
# not repeat what another one has made with frazil_at meanwhile.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $divided = 'main: layout=frazil seq_max=3071; past: layout=frazil seq_min=3072';
my $host = frazil_host('a');
my $node = frazil_node('node', worker => 'fixed:7', host => $host, generators => $divided);
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');

# Another one of the host, which shares no files with it.
my $other = frazil_node('other', worker => 'fixed:7', host => frazil_host('b'), generators => $divided);
$other->safe_psql('postgres', 'CREATE EXTENSION frazil');
$other->append_conf('postgresql.conf', "frazil.host_dir = '$host/claims'");
$other->stop;

my $clock = q{SELECT clock_timestamp()};
my $await_first = sub { $_[0]->poll_query_until('postgres', 'SELECT clock_timestamp() > frazil_at_first()') };
$await_first->($node);

# The claims are wiped, and the other one makes ids before the first one, whose background worker is stopped, has put its
# own back.  It is there until the first one has noticed: one that comes and goes within the grant is noticed by nobody.
$node->safe_psql('postgres', 'SELECT frazil_at_first()');
my $keeper = frazil_keeper($node);
kill STOP => $keeper;
unlink glob "$host/claims/*";
$other->start;
$await_first->($other);
my $between = $other->safe_psql('postgres', $clock);
my @theirs = map { $other->safe_psql('postgres', "SELECT frazil_at('$between')") } 1 .. 3;
kill CONT => $keeper;
my $stderr = '';
for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    (undef, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_at_first()');
    last if $stderr =~ /in use on this host|the worker id is lost|has ended/;
    select undef, undef, undef, 0.1;
}
like($stderr, qr/in use on this host|the worker id is lost|has ended/, 'the first one has lost the number');
$other->stop;
ok($node->poll_query_until('postgres', 'SELECT frazil_at_first() IS NOT NULL'), 'it has it again');
my @ours = split /\n/, ($node->psql('postgres', "SELECT frazil_at('$between')"))[1] // '';
is(same_ids(\@theirs, \@ours), 0, 'no id is made twice');
is("@ours", '', 'none of the time meanwhile is made');
$await_first->($node);
is($node->safe_psql('postgres', q{SELECT count(frazil_at(frazil_at_first()))}), '1', 'but later ones are');
$node->stop;
done_testing();
