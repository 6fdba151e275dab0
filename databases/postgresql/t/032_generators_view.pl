# SPDX-License-Identifier: MIT
# Goal of this test: frazil_generators has a row for each generator: what it is, until when it has its worker number and who
# extends it, or why it makes no ids.  Who keeps the leases stands in pg_stat_activity, and holds up nobody.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $rows = q{SELECT generator, layout, worker, serving, last_time > now() AS lives, lease_end > now() AS leased, keeper IS NOT NULL AS kept, problem
    FROM frazil_generators};
my $node = frazil_node('plain', worker => 'fixed:7', generators => 'main: layout=frazil;  audit : layout=twitter; wrong: layout=nonsense; long: layout=41/10/12 tick=1s');
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
my $said = $node->safe_psql('postgres', $rows);
like($said, qr/^main\|frazil\|7\|t\|t\|\|f\|\naudit\|twitter\|7\|t\|t\|\|f\|\nwrong\|\|\|f\|\|\|f\|frazil: there is no layout 'nonsense'.*\nlong\|[^|]+\|7\|t\|t\|\|f\|$/, 'fixed: a row for each') or diag $said;
is($node->safe_psql('postgres', q{SELECT extract(year FROM last_time) > 9999 FROM frazil_generators WHERE generator = 'long'}), 't', 'also one that lasts beyond the year 9999');
is($node->safe_psql('postgres', q{SELECT frazil_worker(frazil_next(), 'frazil'), frazil_worker(frazil_next('audit'), 'twitter')}), '7|7', 'and ids are made on');
my (undef, undef, $stderr) = $node->psql('postgres', 'CREATE ROLE visitor; SET ROLE visitor; SELECT * FROM frazil_generators');
like($stderr, qr/permission denied for view frazil_generators/, 'it is not for everybody');
(undef, undef, $stderr) = $node->psql('postgres', 'SET ROLE visitor; SELECT * FROM frazil_generators_rows()');
like($stderr, qr/permission denied for function frazil_info/, 'nor is what it is made of');
is($node->safe_psql('postgres', 'GRANT SELECT ON frazil_generators TO visitor; GRANT EXECUTE ON FUNCTION frazil_info TO visitor;
    SET ROLE visitor; SELECT count(*) FROM frazil_generators'), '4', 'but for whom it is granted to');
$node->append_conf('postgresql.conf', q{frazil.worker = ''});
$node->restart;
like($node->safe_psql('postgres', $rows), qr/^main\|\|\|f\|\|\|f\|frazil\.worker is not set\n/, 'no worker number: it says so');
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
$node->restart;
is($node->safe_psql('postgres', 'SELECT count(*) FROM frazil_generators'), $node->safe_psql('postgres', q{SELECT count(*) FROM frazil_generators WHERE NOT serving}),
    'not preloaded: none serves');
$node->stop;

my (undef, $url) = frazil_redis(orders => '60s');
$node = frazil_node('leased', worker => "$url/orders");
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
frazil_workers($node);
is($node->safe_psql('postgres', "SELECT generator, serving, leased, kept, problem FROM ($rows) AS r"), 'main|t|t|t|', 'leased: until when, and who keeps it');
is($node->safe_psql('postgres', q{SELECT backend_type, datname FROM pg_stat_activity WHERE pid = (SELECT keeper FROM frazil_generators)}), 'frazil keeper|', 'as in pg_stat_activity');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('postgres', 'DROP DATABASE other');
is($node->safe_psql('postgres', 'SELECT frazil_next() > 0'), 't', 'databases come and go beside it');
$node->stop;
done_testing();
