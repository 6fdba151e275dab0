# SPDX-License-Identifier: MIT
# Goal of this test: ALTER EXTENSION frazil UPDATE makes of each older version what CREATE EXTENSION makes, and so does a
# dump that is restored.  An older version is a file frazil--VERSION.sql that stays when a newer one comes.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = frazil_node('upgrade', worker => 'fixed:7');

# The members of the extension with all that a CREATE or a GRANT can say, and what depends on what.
my $members = q{
    SELECT d.deptype, pg_describe_object(d.classid, d.objid, 0) AS member, pg_get_functiondef(p.oid), p.proacl,
           o.oprcode, o.oprrest, o.oprjoin, o.oprcom::regoperator, o.oprnegate::regoperator, obj_description(d.objid, c.relname)
    FROM pg_depend d
    JOIN pg_class c ON c.oid = d.classid
    LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    LEFT JOIN pg_operator o ON d.classid = 'pg_operator'::regclass AND o.oid = d.objid
    WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'frazil')
    ORDER BY member};
my $needs = q{
    SELECT pg_describe_object(d.classid, d.objid, 0) AS member, d.deptype, pg_describe_object(d.refclassid, d.refobjid, 0) AS needed
    FROM pg_depend d
    JOIN pg_depend e ON e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e' AND e.refclassid = 'pg_extension'::regclass
    JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'frazil'
    ORDER BY 1, 3};

# Rights as they were when the extension was made: pg_dump leaves these out.
my $rights = q{
    SELECT pg_describe_object(i.classoid, i.objoid, 0) AS member, i.privtype, i.initprivs
    FROM pg_init_privs i
    JOIN pg_depend e ON e.classid = i.classoid AND e.objid = i.objoid AND e.deptype = 'e'
    JOIN pg_extension x ON x.oid = e.refobjid AND x.extname = 'frazil' AND e.refclassid = 'pg_extension'::regclass
    ORDER BY 1};

sub objects {
    my ($database) = @_;
    return join "\n", map { $node->safe_psql($database, $_) }
        $members, $needs, $rights, '\dx+ frazil', 'SELECT extversion, extrelocatable FROM pg_extension WHERE extname = \'frazil\'';
}

# updated FROM TO: what the extension is after an update, in a database of its own with a table that uses it.
sub updated {
    my ($from, $to) = @_;
    my $database = "from_$from" =~ s/\W/_/gr;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, qq{
        CREATE EXTENSION frazil VERSION '$from';
        CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next());
        INSERT INTO orders DEFAULT VALUES;
        ALTER EXTENSION frazil UPDATE TO '$to';
        INSERT INTO orders DEFAULT VALUES});
    return objects($database);
}

my $newest = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'frazil'});
$node->safe_psql('postgres', 'CREATE EXTENSION frazil');
my $fresh = objects('postgres');
my $scripts = `pg_config --sharedir`;
chomp $scripts;
$scripts .= '/extension/frazil--';
my $now = slurp_file("$scripts$newest.sql");
# From 18 on the types of a view are members, too.
is(scalar(() = $fresh =~ /^e\|(?!type )/mg), scalar(() = $now =~ /^CREATE /mg), 'the objects of the extension are all found');

# Each version that there is a script for has a way to the newest, and there it is the same.
my @older = split /\n/, $node->safe_psql('postgres', qq{
    SELECT version FROM pg_available_extension_versions WHERE name = 'frazil' AND version <> '$newest' ORDER BY 1});
is(updated($_, $newest), $fresh, "version $_ becomes $newest") for @older;

# So does a version made up here, and an update that forgets a right is noticed.  The older version lacks a function and
# lets everybody run another.
my ($adopt) = $now =~ /(^CREATE FUNCTION frazil_adopt\(\).*?;\n.*?^COMMENT[^\n]*\n)/ms;
ok(defined $adopt, 'frazil_adopt is found');
my $old = $now =~ s/\Q$adopt\E//r =~ s/, frazil_adopt\(\)//r =~ s/frazil_stats\(name\), //r;
my $revoke = 'REVOKE ALL ON FUNCTION frazil_stats(name), frazil_adopt() FROM PUBLIC;';
my %script = (
    '0.0.1' => $old,
    "0.0.1--$newest" => "$adopt$revoke\n",
    '0.0.2' => $old,
    "0.0.2--$newest" => $adopt,
);
append_to_file("$scripts$_.sql", $script{$_}) for sort keys %script;
is(updated('0.0.1', $newest), $fresh, 'an older version is updated to what is created');
isnt(updated('0.0.2', $newest), $fresh, 'an update that forgets a right is noticed');
unlink map { "$scripts$_.sql" } keys %script;

# A dump, restored: the objects, rights of the extension and those that somebody gave.
$node->safe_psql('postgres', q{
    CREATE ROLE operator;
    GRANT EXECUTE ON FUNCTION frazil_stats(name) TO operator;
    CREATE DATABASE restored});
my $granted = objects('postgres');
isnt($granted, $fresh, 'a grant shows');
my $dump = $node->data_dir . '/../dump.custom';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('postgres') ], 'pg_dump');
$node->command_ok([ 'pg_restore', '-e', '-d', $node->connstr('restored'), $dump ], 'pg_restore');
is(objects('restored'), $granted, 'a dump that is restored has the same objects and rights');
$node->stop;
done_testing();
