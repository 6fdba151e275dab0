# SPDX-License-Identifier: MIT
# Goal of this test: with timeline: each promotion has its number at once, also when the numbers begin again; a base backup of
# a promoted server, started as a server of its own, has none, whether or not that one had made an id.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $way = 'timeline:40/2';
my $node = frazil_node('one', worker => $way, streaming => 1, host => frazil_host('one'));
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
my @ids = ([ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(10000)') ]);
my $worker = 41;
for my $name ('two', 'three', 'four') {
    $node->backup('base');
    my $next = frazil_copy($node, $name, worker => $way, streaming => 1, host => frazil_host($name));
    $node->wait_for_catchup($next);
    $node->stop;
    $next->promote;
    $node = $next;
    $worker = 81 - $worker;

    # The server itself writes down its number, before anybody asks for an id.
    my $file = $node->data_dir . '/frazil.owner';
    my $timeline = $node->safe_psql('postgres', 'SELECT timeline_id FROM pg_control_checkpoint()');
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
        $timeline = $node->safe_psql('postgres', 'CHECKPOINT; SELECT timeline_id FROM pg_control_checkpoint()');
        last if slurp_file($file) =~ /^worker=$worker timeline=$timeline /m;
        select undef, undef, undef, 0.1;
    }
    like(slurp_file($file), qr/^worker=$worker timeline=$timeline /m, "promoted: $name has the number $worker");
    $node->backup('promoted');
    my $copy = PostgreSQL::Test::Cluster->new("copy-$name");
    $copy->init_from_backup($node, 'promoted');
    $copy->append_conf('postgresql.conf', frazil_conf(worker => $way, host => frazil_host("copy-$name")));
    $copy->start;
    makes_none($copy, "a base backup of $name", qr/this data directory is a copy, or was moved: the worker number $worker/);
    $copy->stop;
    push @ids, [ split /\n/, $node->safe_psql('postgres', 'SELECT frazil_next_n(10000)') ];
    is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), $worker, "and $name makes ids with it");
    $node->restart;
    is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), $worker, 'also after a start');
}
is(same_ids(@ids), 0, 'four servers, one after the other: 40,000 ids, no two the same');
$node->stop;
done_testing();
