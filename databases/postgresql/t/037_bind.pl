# SPDX-License-Identifier: MIT
# Goal of this test: a domain that frazil_bind bound to the layout of a second generator decodes its ids by functions and
# operators without a layout, finds them by index and survives a dump.  What is bigint stays refused.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('bound', worker => 'fixed:7', generators => 'main: layout=frazil; audit: layout=discord');

# refused SQL WORDS: it fails with these words.
sub refused {
    my ($sql, $words) = @_;
    my ($code, undef, $stderr) = $node->psql('app', $sql);
    isnt($code, 0, "refused: $sql");
    like($stderr, $words, 'and says why');
}

# Who owns a database may bind, in whatever schemas the extension and the domain are.
$node->safe_psql('postgres', 'CREATE ROLE tenant; CREATE ROLE visitor; CREATE DATABASE app OWNER tenant; CREATE DATABASE restored OWNER tenant');
$node->safe_psql('postgres', qq{ALTER DATABASE $_ SET search_path = "The App", "Ids"; ALTER DATABASE $_ SET TimeZone = 'UTC'}) for 'app', 'restored';
$node->safe_psql('app', q{
    SET ROLE tenant;
    CREATE SCHEMA "Ids"; CREATE SCHEMA "The App";
    CREATE EXTENSION frazil SCHEMA "Ids";
    CREATE DOMAIN "audit's id" AS bigint;
    SELECT frazil_bind('"audit''s id"', frazil_layout('audit'));
    CREATE TABLE audit (id "audit's id" PRIMARY KEY DEFAULT frazil_next('audit'), old boolean);
    INSERT INTO audit (old) SELECT false FROM generate_series(1, 10);
    INSERT INTO audit SELECT frazil_first('2026-05-01Z'::timestamptz + n * interval '1 minute', 'discord'), true FROM generate_series(0, 1999) AS n;
    CREATE INDEX ON audit (frazil_worker(id), old);
    CREATE TABLE during AS SELECT tstzrange('2026-05-01 10:00Z', '2026-05-01 10:10Z') AS r;
    ANALYZE});

# Each operator says what the times of ids do, in plans with an index and in others.
my $hour = q{'[2026-05-01 10:00Z,2026-05-01 11:00Z)'};
my %rows = (
    q{frazil_within(id, '2026-05-01 10:00Z', '2026-05-01 11:00Z')} => 60,
    q{frazil_within(id, '2026-05-01 10:00Z'::timestamptz, '2026-05-01 11:00Z')} => 60,
    q{frazil_within(id, '2026-05-01 10:00Z'::timestamptz, '2026-05-01 11:00Z'::timestamptz)} => 60,
    "id <@ $hour\::tstzrange" => 60,
    "$hour\::tstzrange @> id" => 60,
    q{id <@ tstzrange('2026-05-01 10:00Z', '2026-05-01 11:00Z', '(]')} => 60,
    q{id <@ tstzrange('2026-05-01 10:00Z', '2026-05-01 11:00Z', '[]')} => 61,
    q{id <@ '{[2026-05-01 10:00Z,2026-05-01 11:00Z),[2026-05-01 12:00Z,2026-05-01 12:10Z)}'::tstzmultirange} => 70,
    q{'{[2026-05-01 10:00Z,2026-05-01 11:00Z),[2026-05-01 12:00Z,2026-05-01 12:10Z)}'::tstzmultirange @> id} => 70,
    q{id <@ tstzrange(now() - interval '1 hour', now() + interval '1 hour')} => 10,
    'id <@ (SELECT r FROM during)' => 10,
    '(SELECT r FROM during) @> id' => 10,
    'id <@ (SELECT range_agg(r) FROM during)' => 10,
);
for my $database ('app', 'restored') {
    is($node->safe_psql($database, $_), 't', "$database: $_") for
        q{SELECT count(*) = 10 AND bool_and(abs(extract(epoch FROM now() - frazil_time(id))) < 3600) FROM audit WHERE NOT old},
        q{SELECT bool_and(frazil_worker(id) = 7 AND (frazil_parts(id)).worker = 7 AND (frazil_parts(id)).sequence = frazil_sequence(id)) FROM audit WHERE NOT old},
        q{SELECT frazil_time(max(id)::"audit's id") > now() - interval '1 hour' FROM audit},
        'SELECT bool_and((id <@ r) = (frazil_time(id) <@ r) AND (r @> id) = (frazil_time(id) <@ r)) FROM audit, during',
        'SELECT NULL::"audit\'s id" <@ r IS NULL AND id <@ NULL::tstzrange IS NULL FROM during, audit LIMIT 1',
        q{SELECT count(*) = 0 FROM audit WHERE id <@ 'empty'::tstzrange OR id <@ '{}'::tstzmultirange};
    for my $condition (sort keys %rows) {
        is($node->safe_psql($database, "SELECT count(*) FROM audit WHERE $condition"), $rows{$condition}, "$database: $condition");
        my $plan = $node->safe_psql($database, "SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM audit WHERE $condition");
        like($plan, qr/audit_pkey.*\n\s+Index Cond: .*id\)?(::bigint)? >= .*id\)?(::bigint)? < /, 'by its index') or diag $plan;
    }
    my $joined = $node->safe_psql($database, 'SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM during d JOIN audit a ON a.id <@ d.r');
    like($joined, qr/Index Cond: .*>= .*frazil_range_first\(d\.r, .* < .*frazil_range_end/, "$database: a range of another table, by the index") or diag $joined;
    last if $database eq 'restored';
    my $dump = $node->data_dir . '/../dump.custom';
    $node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('app') ], 'pg_dump');
    $node->command_ok([ 'pg_restore', '-e', '-d', $node->connstr('restored'), $dump ], 'pg_restore');
}

# A bigint has no layout here, also one that is made of such ids.
my $two = qr/without a layout ids are read in that of the generator "main"/;
refused($_, $two) for 'SELECT frazil_time(max(id)) FROM audit', 'SELECT frazil_within(id::bigint, now(), now()) FROM audit', 'SELECT frazil_time(frazil_next())', 'SELECT frazil_next() <@ r FROM during';

# An argument that is no bigint needs its type, or the call a layout.
refused($_, qr/function frazil_\w+\(.*\) is not unique/) for 'SELECT frazil_time(1)', 'PREPARE of AS SELECT frazil_time($1)', 'PREPARE of AS SELECT frazil_within($1, now(), now())';
$node->safe_psql('app', $_) for q{SELECT frazil_time(1, frazil_layout('main'))}, q{PREPARE of AS SELECT frazil_time($1, frazil_layout('main'))}, 'PREPARE of AS SELECT frazil_time($1::bigint)';

refused(q{SELECT frazil_bind('bigint', 'discord')}, qr/bigint is not a domain over bigint\nHINT:  Create one/);
refused(q{CREATE DOMAIN small AS int; SELECT frazil_bind('small', 'discord')}, qr/small is not a domain over bigint/);
refused(q{CREATE DOMAIN big AS bigint; SELECT frazil_bind('big', 'nonsense')}, qr/there is no layout 'nonsense'/);
refused(q{SELECT frazil_bind('"audit''s id"', 'twitter')}, qr/function "frazil_time" already exists/);
refused(q{GRANT USAGE ON SCHEMA "Ids", "The App" TO visitor; SET ROLE visitor; SELECT frazil_bind('big', 'discord')}, qr/permission denied for schema Ids/);

# Where generators have one layout, that of the domain differs, and is taken all the same.
$node->append_conf('postgresql.conf', q{frazil.generators = 'main: layout=frazil'});
$node->restart;
is($node->safe_psql('app', $_), 't', "one layout: $_") for
    q{SELECT count(*) = 60 FROM audit WHERE frazil_within(id, '2026-05-01 10:00Z', '2026-05-01 11:00Z')},
    'SELECT count(*) = 10 FROM audit, during WHERE frazil_within(id, lower(r), upper(r)) AND id <@ r AND frazil_time(id) <@ r';

# The way back, and there again, by a change of the type, which rewrites no table.
my $file = q{SELECT pg_relation_filenode('audit')};
my $before = $node->safe_psql('app', $file);
refused('ALTER TABLE audit ALTER COLUMN id TYPE bigint', qr/functions in index expression must be marked IMMUTABLE/);
$node->safe_psql('app', 'DROP INDEX audit_frazil_worker_old_idx; ALTER TABLE audit ALTER COLUMN id TYPE bigint');
$node->safe_psql('app', q{ALTER TABLE audit ALTER COLUMN id TYPE "audit's id"});
is($node->safe_psql('app', 'SELECT min(frazil_time(id)) FROM audit'), '2026-05-01 00:00:00+00', 'a column becomes one of the domain');
$node->safe_psql('app', q{ALTER TABLE audit ALTER COLUMN id TYPE bigint; DROP DOMAIN "audit's id" CASCADE});
is($node->safe_psql('app', $file), $before, 'without being written anew');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_proc WHERE proname ~ '^frazil_' AND prosrc ~ 'discord|tick='}), '0', 'nothing is left of it');
$node->stop;
done_testing();
