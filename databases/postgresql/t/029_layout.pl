# SPDX-License-Identifier: MIT
# Goal of this test: without a layout, functions and operators take that of the generator main, whatever it is; an id of it has
# the time at which it was made, and ranges find it.  They refuse if another generator has another layout, whose ids they would
# misread.  Nothing that is stored depends on the setting.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my @layouts = ('layout=frazil epoch=2020-01-01', 'layout=38/10/12 tick=10ms epoch=2024-01-01', 'layout=twitter', 'layout=frazil seq_min=9 seq_max=99');
my $node = frazil_node('layout', worker => 'fixed:7', generators => "main: $layouts[0]");
$node->safe_psql('postgres', 'CREATE EXTENSION frazil; CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next())');
for my $layout (@layouts) {
    $node->append_conf('postgresql.conf', "frazil.generators = 'main: $layout'");
    $node->restart;
    $node->safe_psql('postgres', 'TRUNCATE orders; INSERT INTO orders SELECT FROM generate_series(1, 10)');
    is($node->safe_psql('postgres', $_), 't', "$layout: $_") for
        q{SELECT bool_and(abs(extract(epoch FROM now() - frazil_time(id))) < 3600) FROM orders},
        q{SELECT bool_and(frazil_worker(id) = 7 AND (frazil_parts(id)).worker = 7 AND (frazil_parts(id)).sequence = frazil_sequence(id)) FROM orders},
        q{SELECT bool_and(frazil_time(frazil_first(frazil_time(id))) = frazil_time(id)) FROM orders},
        q{SELECT count(*) = 10 FROM orders WHERE frazil_within(id, now() - interval '1 hour', now() + interval '1 hour')},
        q{SELECT count(*) = 10 FROM orders WHERE id <@ tstzrange(now() - interval '1 hour', now() + interval '1 hour')},
        q{SELECT count(*) = 10 FROM orders WHERE (SELECT tstzmultirange(tstzrange(now() - interval '1 hour', now() + interval '1 hour'))) @> id},
        q{SELECT count(*) = 0 FROM orders WHERE id <@ tstzrange(now() - interval '3 hours', now() - interval '2 hours')};
}

sub with_generators {
    my ($generators) = @_;
    $node->append_conf('postgresql.conf', "frazil.generators = '$generators'");
    $node->restart;
}

# Where two layouts meet, a call names one of them; so does the name of a generator, by frazil_layout.
with_generators('main: layout=frazil; audit: layout=discord');
my $within = q{'2026-05-01Z', '2026-06-01Z'};
for my $call ('frazil_time(1)', 'frazil_worker(1)', 'frazil_sequence(1)', 'frazil_parts(1)', 'frazil_first(now())', q{frazil_first('2026-05-01Z')},
    "frazil_within(1, $within)", "1::bigint <@ tstzrange($within)", "tstzmultirange(tstzrange($within)) @> 1::bigint", 'count(*) FROM orders WHERE id <@ tstzrange(now(), NULL)')
{
    my (undef, $stdout, $stderr) = $node->psql('postgres', "SELECT $call");
    like("$stdout$stderr", qr/^psql:<stdin>:1: ERROR:  without a layout ids are read in that of the generator "main", and those of the generator "audit" are of another one\nHINT:  .*: frazil_layout\('main'\) for ids of main, frazil_layout\('audit'\) for those of audit\./, "two layouts: $call is refused");
}
is($node->safe_psql('postgres', $_), 't', $_) for
    q{SELECT abs(extract(epoch FROM now() - frazil_time(frazil_next(), frazil_layout()))) < 3600},
    q{SELECT abs(extract(epoch FROM now() - frazil_time(frazil_next('audit'), frazil_layout('audit')))) < 3600},
    q{SELECT abs(extract(epoch FROM now() - frazil_time(frazil_next('audit'), 'discord'))) < 3600},
    q{SELECT frazil_worker(frazil_next('audit'), layout) = 7 FROM (SELECT frazil_layout(n) AS layout FROM unnest('{audit}'::name[]) AS n) AS l},
    q{SELECT frazil_layout(NULL) IS NULL};
like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT FROM orders WHERE frazil_within(id, $within, frazil_layout('audit'))"),
    qr/\(id >= '\d+'::bigint\) AND \(id < '\d+'::bigint\)/, 'the planner sees a range of ids');

# Layouts that are equal, those that cannot be right, and snos, which are no bigints, are not in the way.
for my $apart ('main: layout=frazil seq_max=99; audit: layout=konayuki seq_min=100', 'main: layout=frazil; audit: layout=nonsense; sno: layout=sno') {
    with_generators($apart);
    is($node->safe_psql('postgres', 'SELECT frazil_worker(frazil_next())'), '7', "$apart: they are read");
}

# A plan that a backend keeps is one of its server's setting; what is stored is none.
for my $stored (
    'CREATE INDEX ON orders (frazil_worker(id))',
    q{CREATE INDEX ON orders (id) WHERE id >= frazil_first('2026-05-01Z')},
    q{CREATE INDEX ON orders (id) WHERE frazil_within(id, '2026-05-01Z', '2026-06-01Z')},
    q{CREATE INDEX ON orders (id) WHERE id <@ tstzrange('2026-05-01Z', '2026-06-01Z')},
    'CREATE INDEX ON orders (frazil_worker(id, frazil_layout()))',
    'ALTER TABLE orders ADD at timestamptz GENERATED ALWAYS AS (frazil_time(id)) STORED')
{
    my (undef, undef, $stderr) = $node->psql('postgres', $stored);
    like($stderr, qr/(must be marked|is not) (IMMUTABLE|immutable)/, "refused: $stored");
}
$node->safe_psql('postgres', q{CREATE INDEX ON orders (frazil_worker(id, 'twitter')) WHERE frazil_within(id, '2026-05-01Z', '2026-06-01Z', 'twitter')});

$node->append_conf('postgresql.conf', q{frazil.generators = 'main: layout=sno; audit: layout=twitter'});
$node->restart;
my (undef, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_time(1)');
like($stderr, qr/a sno is not a bigint/, 'a generator of snos has no layout for bigint');
$node->append_conf('postgresql.conf', q{frazil.generators = 'audit: layout=twitter'});
$node->restart;
(undef, undef, $stderr) = $node->psql('postgres', 'SELECT frazil_time(1)');
like($stderr, qr/there is no generator "main"/, 'without a generator main: an error');
$node->stop;
done_testing();
