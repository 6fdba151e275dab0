# SPDX-License-Identifier: MIT
# Goal of this test: COPY of rows whose ids are in the file writes as little WAL as one without any default; a default that
# makes ids costs more, as PostgreSQL then writes row by row.  The README says so.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use Test::More;

my $node = frazil_node('copy', worker => 'fixed:7');
my $file = "$ENV{TEST_DIR}/rows-$$";
$node->safe_psql('postgres', qq{
    CREATE EXTENSION frazil;
    CREATE SEQUENCE counter;
    COPY (SELECT n FROM generate_series(1, 20000) AS n) TO '$file';
    COPY (SELECT frazil_next(), n FROM generate_series(1, 20000) AS n) TO '$file.ids'});

# wal DEFAULT COLUMNS FILE: the WAL of a COPY, in bytes.
sub wal {
    my ($default, $columns, $from) = @_;
    $node->safe_psql('postgres', "CREATE TABLE rows (id bigint PRIMARY KEY DEFAULT $default, n bigint); CHECKPOINT");
    my $before = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
    $node->safe_psql('postgres', "COPY rows $columns FROM '$from'");
    my $bytes = $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '$before'");
    is($node->safe_psql('postgres', 'SELECT count(*) FROM rows'), '20000', "COPY rows $columns");
    $node->safe_psql('postgres', 'DROP TABLE rows');
    return $bytes;
}

my $in_file = wal('frazil_next()', '(id, n)', "$file.ids");
my $by_default = wal('frazil_next()', '(n)', $file);
my $by_sequence = wal(q{nextval('counter')}, '(n)', $file);
note "WAL: ids in the file $in_file, frazil_next() $by_default, nextval $by_sequence bytes";
cmp_ok($in_file, '<', 1.02 * $by_sequence, 'ids in the file: no more WAL than a sequence');
cmp_ok($by_default, '>', 1.2 * $in_file, 'ids by the default: more');
$node->stop;
done_testing();
