# SPDX-License-Identifier: MIT
# Goal of this test: settings that cannot be right are refused before the first id, with what would be right.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('settings');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');

# refused LINES WORDS: with these settings frazil_next fails with these words.
sub refused {
    my ($lines, $words) = @_;
    $node->append_conf('postgresql.conf', $lines);
    $node->restart;
    makes_none($node, $lines, $words);
}

refused('', qr/frazil\.worker is not set/);
refused("frazil.worker = 'timeline:40'", qr/Write timeline:BASE\/COUNT/);
refused("frazil.worker = 'timeline:40/1'", qr/Write timeline:BASE\/COUNT/);
refused("frazil.worker = 'file-lock'", qr/none of fixed:N, timeline:BASE\/COUNT, env:NAME, ordinal and the URL/);
refused("frazil.worker = 'nonsense://user:tellnobody\@h/n'", qr/holds no lease.*HINT:  Its lines in the server's log say why/s);
my $log = slurp_file($node->logfile);
like($log, qr/LOG:  frazil: generator "main": .*nonsense/, 'and so they do');
unlike($log, qr/tellnobody/, 'a secret is not shown');
refused("frazil.worker = 'fixed:1024'", qr/must be from 0 to 1023/);
refused("frazil.worker = 'fixed:1'\nfrazil.generators = 'main: run_dir=/tmp'", qr/"run_dir" of generator "main" is not one of its keys/);
refused("frazil.generators = 'main: max batch=10'", qr/"max" of generator "main" is not one of its keys/);
refused("frazil.generators = 'main: redis://me:hunter2\@h/n x'", qr/"\.\.\." of generator "main" is not one of its keys/);
refused("frazil.generators = 'main: max\\\\batch=10'", qr/"\.\.\." of generator "main" is not one of its keys/);
refused("frazil.generators = 'main: layout=a b c'", qr/"b" of generator "main" is not one of its keys/);
refused("frazil.generators = 'audit: layout=twitter'", qr/there is no generator "main"/);
refused("frazil.generators = 'main layout=frazil'", qr/there is no generator "main"\nHINT:  .*before a colon, as in "main: layout=frazil"/);
refused("frazil.generators = 'main: layout=nonsense'", qr/there is no layout 'nonsense'/);

refused("frazil.generators = 'main: layout=sno'", qr/a sno is not a bigint\nHINT:  Choose a layout of 64-bit ids/);
refused("frazil.generators = 'main: layout=frazil; main: layout=twitter'", qr/has the generator "main" twice/);
refused("frazil.generators = 'main: layout=frazil'\nfrazil.worker = 'timeline:1020/8'", qr/must be from 0 to 1023\nHINT:  A later timeline has that number/);

# Generators that would make the same ids, however their layouts are called, and whatever else differs.
my $same = qr/the generators "main" and "audit" would make the same ids: .*\nHINT:  In frazil\.generators, drop one of them/;
refused("frazil.worker = 'fixed:1'\nfrazil.generators = 'main: layout=frazil; audit: layout=konayuki'", $same);
refused("frazil.generators = 'main: layout=frazil; audit: layout=frazil'", $same);
refused("frazil.generators = 'main: layout=twitter; audit: namespace=other layout=40/10/12 epoch=1288834974657'", $same);
refused("frazil.generators = 'main: layout=frazil seq_max=2047; audit: layout=konayuki seq_min=2047'", $same);
refused("frazil.worker = 'timeline:40/4'", $same);
isnt($node->psql('postgres', q{SELECT frazil_next('audit')}), 0, 'nor does the other one');
like(slurp_file($node->logfile), qr/WARNING:  frazil makes no ids: the generators "main" and "audit" would/, 'the start warns of it');
for my $apart ('main: layout=frazil seq_max=2047; audit: layout=konayuki seq_min=2048', 'main: layout=frazil; audit: layout=twitter') {
    $node->append_conf('postgresql.conf', "frazil.generators = '$apart'");
    $node->restart;
    like($node->safe_psql('postgres', q{SELECT frazil_next(), frazil_next('audit')}), qr/^\d+\|\d+$/, "$apart: both make ids");
}

# No setting of that prefix can be made up; PostgreSQL 14 does not keep a prefix for an extension.
SKIP: {
    skip 'PostgreSQL 15 reserves a prefix', 1 if $node->safe_psql('postgres', 'SHOW server_version_num') < 150000;
    my (undef, undef, $stderr) = $node->psql('postgres', q{LOAD 'frazil'; SET frazil.nonsense = 1});
    like($stderr, qr/"frazil" is a reserved prefix/, 'the prefix is reserved');
}

# postgresql.auto.conf is copied with the data directory.
$node->safe_psql('postgres', q{ALTER SYSTEM SET frazil.worker = 'fixed:1'});
$node->restart;
my (undef, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_next()');
like($stderr, qr/WARNING:.*postgresql\.auto\.conf/, 'a worker number in postgresql.auto.conf is warned of');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET frazil.worker');

# Without preloading a backend would read settings that its connection's options hide, and make another one's ids.
$node->append_conf('postgresql.conf', "frazil.generators = 'main: layout=frazil'\nshared_preload_libraries = ''");
$node->restart;
$ENV{PGOPTIONS} = '-c frazil.run_dir=/elsewhere -c frazil.state_dir=/elsewhere';
makes_none($node, 'without shared_preload_libraries', qr/ERROR:  the server makes no ids without frazil in shared_preload_libraries/, qr/HINT:  Add frazil to shared_preload_libraries, and restart/);
is($node->safe_psql('postgres', q{SELECT frazil_sequence(frazil_first(now(), 'frazil'), 'frazil')}), '0', 'and takes ids of a layout that is named apart');
for my $call ('frazil_time(1)', 'frazil_first(now())', q{1 <@ tstzrange('2026-05-01', now())}) {
    my (undef, undef, $stderr) = $node->psql('postgres', "SELECT $call");
    like($stderr, qr/no layout is named, and the server has no generator.*\nHINT:  Name the layout/, "$call: of no layout, no answer");
}
$node->stop;
done_testing();
