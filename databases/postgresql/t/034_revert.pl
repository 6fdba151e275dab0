# SPDX-License-Identifier: MIT
# Goal of this test: frazil_revert works where frazil makes no ids.  Its sequence then begins above the rows and above the
# sequence from before frazil, and a warning says what it cannot know.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('back', worker => 'fixed:7');
$node->safe_psql('postgres', q{CREATE EXTENSION frazil;
    CREATE TABLE old (id bigserial PRIMARY KEY);
    CREATE TABLE new (id bigint PRIMARY KEY DEFAULT frazil_next());
    INSERT INTO old SELECT FROM generate_series(1, 500);
    DELETE FROM old;
    SELECT frazil_convert('old', 'id');
    INSERT INTO new DEFAULT VALUES});
my $newest = $node->safe_psql('postgres', 'SELECT max(id) FROM new');
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
$node->restart;
my ($code, undef, $stderr) = $node->psql('postgres', q{SELECT frazil_revert('old', 'id'); SELECT frazil_revert('new', 'id')});
is($code, 0, 'it works without the library') or diag $stderr;
is(scalar(() = $stderr =~ /WARNING:  ids of deleted rows may come again, as frazil makes none here: /g), 2, 'and says so of each table') or diag $stderr;
is($node->safe_psql('postgres', 'INSERT INTO old DEFAULT VALUES RETURNING id'), '501', 'above the sequence from before');
is($node->safe_psql('postgres', "INSERT INTO new DEFAULT VALUES RETURNING id - $newest"), '1', 'above the largest row');
$node->stop;
done_testing();
