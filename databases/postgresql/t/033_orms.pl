# SPDX-License-Identifier: MIT
# Goal of this test: the README's lines for ORMs work: each row has an id of frazil, the program knows it, also of many rows
# at once, and what the ORM writes down of the table makes it anew.  Those of npm run where TEST_NODE_MODULES has them.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FrazilTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = slurp_file("$FindBin::RealBin/../README.md");
my $scratch = "$ENV{TEST_DIR}/orms-$$";
mkdir $scratch;
my $node = frazil_node('orms', worker => 'fixed:7');
my $python = '/usr/bin/python3'; # which has Debian's packages
my %needs = (sqlalchemy => [ $python, '-c', 'import sqlalchemy, psycopg2' ], django => [ $python, '-c', 'import django, psycopg2' ],
    rails => [ 'ruby', '-e', 'require "active_record"; require "pg"' ]);
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;

# block NAME: the README's lines.
sub block {
    my ($name) = @_;
    my ($lines) = $readme =~ /^```\w+ $name\n(.*?)^```$/ms;
    return $lines;
}

# runs NAME COMMAND...: it does, in a database of that name.
sub runs {
    my ($name, @command) = @_;
    my ($out, $err) = ('', '');
    my $is_run = IPC::Run::run(\@command, '>', \$out, '2>', \$err, init => sub { chdir $scratch });
    ok($is_run, "$name: @command") or diag $out, $err;
    return $out;
}

# has NAME TABLE ROWS: as many rows of the table have an id of frazil, and the program had printed as many.
sub has {
    my ($name, $table, @printed) = @_;
    is(scalar @printed, 101, "$name: it prints each");
    is($node->safe_psql($name, "SELECT string_agg(id::text, ' ' ORDER BY id) FROM $table WHERE frazil_worker(id) = 7"),
        join(' ', sort { $a <=> $b } @printed), "$name: the program knows each id");
}

my %test = (
    sqlalchemy => sub {
        append_to_file("$scratch/use.py", block('sqlalchemy') . <<'END');
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
engine = create_engine("postgresql+psycopg2:///sqlalchemy?user=" + __import__("getpass").getuser())
Base.metadata.create_all(engine)
with Session(engine) as session:
    rows = [Order(note=str(n)) for n in range(100)]
    session.add(Order(note="one"))
    session.add_all(rows)
    session.commit()
    for row in session.query(Order):
        print(row.id)
    assert all(row.id for row in rows)
END
        has('sqlalchemy', 'orders', split ' ', runs('sqlalchemy', $python, 'use.py'));
    },
    django => sub {
        mkdir $_ for "$scratch/shop", "$scratch/shop/migrations";
        append_to_file("$scratch/shop/$_", '') for '__init__.py', 'migrations/__init__.py';
        append_to_file("$scratch/shop/models.py", <<'END');
from django.db import models
class Order(models.Model):
    note = models.TextField()
class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE)
END
        append_to_file("$scratch/settings.py", <<'END');
import getpass
SECRET_KEY = "none"
INSTALLED_APPS = ["shop"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "django", "USER": getpass.getuser()}}
END
        append_to_file("$scratch/use_django.py", <<'END');
import django
django.setup()
from shop.models import Line, Order
rows = Order.objects.bulk_create([Order(note=str(n)) for n in range(100)])
one = Order.objects.create(note="one")
Line.objects.bulk_create([Line(order=row) for row in rows])
print(one.pk, *[row.pk for row in rows])
END
        local $ENV{DJANGO_SETTINGS_MODULE} = 'settings';
        my @admin = ($python, '-m', 'django');
        runs('django', @admin, 'makemigrations', 'shop');
        append_to_file("$scratch/shop/migrations/0002_ids.py", block('django'));
        runs('django', @admin, 'migrate');
        has('django', 'shop_order', split ' ', runs('django', $python, 'use_django.py'));
        like(runs('django', @admin, 'makemigrations', '--check', '--dry-run'), qr/No changes/, 'django: its models are as before');
        runs('django', @admin, 'migrate', 'shop', '0001');
        my ($largest) = $node->safe_psql('django', 'SELECT max(id) FROM shop_order');
        my $first = (split ' ', runs('django', $python, 'use_django.py'))[1];
        is($first, $node->safe_psql('django', q{SELECT s.seqstart FROM pg_sequence AS s JOIN pg_depend AS d ON d.objid = s.seqrelid
            WHERE d.deptype = 'i' AND d.refobjid = 'shop_order'::regclass}), 'django: the migration is taken back');
        cmp_ok($first, '>', $largest, 'django: the sequence begins above all ids');
    },
    rails => sub {
        append_to_file("$scratch/use.rb", <<'END' . block('rails') . <<'MORE');
require "active_record"
require "active_record/schema_dumper"
ActiveRecord::Base.establish_connection(adapter: "postgresql", database: "rails")
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
END
end
class Order < ActiveRecord::Base; end
ids = [Order.create(note: "one").id] + Order.insert_all((1..100).map { |n| { note: n.to_s } }).rows.flatten
puts ids
File.open("schema.rb", "w") { |file| ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, file) }
MORE
        has('rails', 'orders', split ' ', runs('rails', 'ruby', 'use.rb'));
        like(slurp_file("$scratch/schema.rb"), qr/create_table "orders",.* default: -> \{ "frazil_next\(\)" \}/, 'rails: schema.rb has the default');
        $node->safe_psql('rails', 'DROP TABLE orders');
        runs('rails', 'ruby', '-e', 'require "active_record"; ActiveRecord::Base.establish_connection(adapter: "postgresql", database: "rails"); load "schema.rb"');
        is($node->safe_psql('rails', q{INSERT INTO orders (note) VALUES ('anew') RETURNING frazil_worker(id)}), '7', 'rails: schema.rb makes the table anew');
    });

# With the packages of npm, which Debian does not have: make check-recipes installs them.
if ($ENV{TEST_NODE_MODULES}) {
    symlink $ENV{TEST_NODE_MODULES}, "$scratch/node_modules";
    $needs{$_} = ['true'] for qw(typeorm prisma);
    $test{typeorm} = sub {
        append_to_file("$scratch/typeorm.js", block('typeorm') . <<'END');
const { DataSource } = require('typeorm');
(async () => {
  const url = { host: process.env.PGHOST, port: Number(process.env.PGPORT), database: 'typeorm', username: require('os').userInfo().username };
  const source = await new DataSource({ type: 'postgres', ...url, entities: [orders], synchronize: true }).initialize();
  const rows = await source.getRepository('orders').save(Array.from({ length: 100 }, (_, n) => ({ note: `${n}` })));
  const { identifiers } = await source.getRepository('orders').insert({ note: 'one' });
  console.log([...rows, ...identifiers].map((row) => row.id).join(' '));
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  if (upQueries.length) throw new Error(`the table is another one: ${upQueries[0].query}`);
  await source.destroy();
})();
END
        has('typeorm', 'orders', split ' ', runs('typeorm', 'node', 'typeorm.js'));
    };
    $test{prisma} = sub {
        append_to_file("$scratch/schema.prisma", <<'END' . block('prisma'));
generator client {
  provider = "prisma-client-js"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
END
        append_to_file("$scratch/prisma.js", <<'END');
const { PrismaPg } = require('@prisma/adapter-pg');
const { PrismaClient } = require('./generated');
(async () => {
  const url = { host: process.env.PGHOST, port: Number(process.env.PGPORT), database: 'prisma', user: require('os').userInfo().username };
  const client = new PrismaClient({ adapter: new PrismaPg(url) });
  const one = await client.orders.create({ data: { note: 'one' } });
  const rows = await client.orders.createManyAndReturn({ data: Array.from({ length: 100 }, (_, n) => ({ note: `${n}` })) });
  console.log([one, ...rows].map((row) => row.id).join(' '));
  await client.$disconnect();
})();
END
        # The client alone: the other part, which is no package of npm, is for migrations.
        local $ENV{PRISMA_SCHEMA_ENGINE_BINARY} = '/bin/true';
        local $ENV{CHECKPOINT_DISABLE} = 1;
        runs('prisma', 'node', 'node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma');
        $node->safe_psql('prisma', 'CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next(), note text NOT NULL)');
        has('prisma', 'orders', split ' ', runs('prisma', 'node', 'prisma.js'));
    };
}

for my $name (sort keys %test) {
    SKIP: {
        my $is_there = eval { IPC::Run::run($needs{$name}, '>', \my $out, '2>', \my $err) };
        if (!$is_there && $ENV{TEST_SKIP_NOTHING}) {
            fail("$name is missing; see tools/test-packages");
        }
        skip "$name is missing", 1 if !$is_there;
        $node->safe_psql('postgres', "CREATE DATABASE $name");
        $node->safe_psql($name, 'CREATE EXTENSION frazil');
        $test{$name}->();
    }
}
$node->stop;
done_testing();
