# SPDX-License-Identifier: MIT
# Goal of this test: a dump has the extension and the defaults, and restores into a database that makes none of the ids of
# the first.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('dumped', worker => 'fixed:7');
$node->safe_psql('postgres', q{
    CREATE EXTENSION frazil;
    CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next());
    INSERT INTO orders SELECT FROM generate_series(1, 1000);
    CREATE DATABASE restored});
my $dump = $node->data_dir . '/../dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
$node->command_ok([ 'psql', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ], 'restored');
my $rows = 'SELECT id FROM orders';
is($node->safe_psql('restored', $rows), $node->safe_psql('postgres', $rows), 'the ids are those of before');
$node->safe_psql($_, 'INSERT INTO orders SELECT FROM generate_series(1, 1000)') for 'postgres', 'restored';
my %seen = map { $_ => 1 } map { split /\n/, $node->safe_psql($_, $rows) } 'postgres', 'restored';
is(scalar keys %seen, 3000, 'each database has 1,000 more of its own');
$node->stop;
done_testing();
