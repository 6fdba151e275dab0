-- Signatures, volatility, errors, plans and conversion.
CREATE EXTENSION frazil;
SELECT p.oid::regprocedure AS function, p.provolatile, p.proisstrict, p.proparallel, p.prorettype::regtype
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid JOIN pg_extension e ON e.oid = d.refobjid
WHERE e.extname = 'frazil' AND d.classid = 'pg_proc'::regclass ORDER BY p.oid::regprocedure::text COLLATE "C";

-- ids
SELECT count(DISTINCT id), min(id) < max(id) AS several FROM frazil_next_n(10000) AS id;
SELECT bool_and(id > before) AS increasing FROM (SELECT id, lag(id, 1, 0::bigint) OVER () AS before FROM frazil_next_n(1000) AS id) AS s;
SELECT frazil_worker(frazil_next()), frazil_worker(frazil_next('audit')), abs(extract(epoch FROM now() - frazil_time(frazil_next()))) < 3600 AS now;
SELECT count(*) FROM frazil_next_n(0);
SELECT frazil_next_n(-1);
SELECT frazil_next('unknown');
SELECT frazil_next(NULL);
EXPLAIN (COSTS ON) SELECT * FROM frazil_next_n(12345);

-- equal arguments: PostgreSQL could keep what a function in FROM returned, and return it again
CREATE TABLE boxes AS SELECT 1 + i % 2 AS n FROM generate_series(1, 1000) AS i;
ANALYZE boxes;
SELECT count(id), count(DISTINCT id) FROM boxes, frazil_next_n(n) AS id;
SELECT count(id), count(DISTINCT id) FROM (SELECT frazil_next() AS id FROM boxes, generate_series(1, n)) AS made;
SELECT count(id), count(DISTINCT id) FROM (SELECT frazil_next_n(n) AS id FROM boxes) AS made;
DROP TABLE boxes;

-- fields
SET TimeZone = 'UTC';
SELECT * FROM frazil_parts(1541815603606036480, 'twitter');
SELECT frazil_time(43667737804828674), frazil_worker(43667737804828674), frazil_sequence(43667737804828674);
SELECT frazil_layout(), frazil_layout('audit') = frazil_layout() AS same, frazil_time(43667737804828674, frazil_layout('audit'));
SELECT frazil_layout('unknown');
SELECT frazil_text(43667737804828673, 'base58'), frazil_id('6SZcqCEQPK', 'base58'), frazil_id('43667737804828673');
SELECT frazil_first('2026-05-01Z'), frazil_first('-infinity'), frazil_first('infinity'), frazil_first('2020-01-01Z');
SELECT frazil_time(-1);
SELECT frazil_time(1, 'sno');
SELECT frazil_id('18446744073709551615');
SELECT frazil_id('12x');
SELECT frazil_time(9223372036854775807, '20/5/5');
-- the list of names that follows is the library's
DO $$
DECLARE
  question text;
BEGIN
  FOREACH question IN ARRAY ARRAY['frazil_time(1, ''nonsense'')', 'frazil_text(1, ''base99'')'] LOOP
    BEGIN
      EXECUTE 'SELECT ' || question;
    EXCEPTION WHEN OTHERS THEN
      RAISE NOTICE '%', substring(SQLERRM FROM '^frazil: [^:]*');
    END;
  END LOOP;
END $$;

-- a tick of more than a millisecond: the first id of a time within it is that of the next tick
SELECT frazil_time(frazil_first('2026-05-01 00:00:00.005Z', '39/16/8 tick=10ms epoch=2026-01-01'), '39/16/8 tick=10ms epoch=2026-01-01');
SELECT frazil_time(frazil_first('2026-05-01 00:00:00.0005Z'));

-- ranges agree with the times of ids
SELECT r AS range, 43667737804828673 <@ r AS contained, frazil_time(43667737804828673) <@ r AS expected
FROM unnest(ARRAY['[2026-05-01 12:00:00Z,2026-05-01 12:00:01Z)', '(2026-05-01 12:00:00Z,2026-05-01 12:00:01Z)',
                  '[2026-05-01 11:00:00Z,2026-05-01 12:00:00Z)', '[2026-05-01 11:00:00Z,2026-05-01 12:00:00Z]',
                  '(,)', '[2026-05-01 12:00:00Z,)', '(,2026-05-01 12:00:00Z)', 'empty',
                  '[-infinity,infinity)', '[infinity,)']::tstzrange[]) AS r;

-- each operator and function says the same as the times of ids do, whatever the planner makes of it
CREATE TABLE several AS SELECT n, frazil_first('2026-05-01Z'::timestamptz + n * interval '1 minute') AS id FROM generate_series(0, 3000) AS n;
INSERT INTO several SELECT n, NULL FROM generate_series(1, 3) AS n;
CREATE INDEX ON several (id);
CREATE TABLE during AS SELECT tstzrange(a, b, k) AS r, tstzmultirange(tstzrange(a, b, k), tstzrange(b + interval '3h', b + interval '4h')) AS m
FROM unnest(ARRAY['2026-05-01 01:00Z', '-infinity', NULL, '2026-05-03Z']::timestamptz[]) AS a,
     unnest(ARRAY['2026-05-01 05:00Z', '2026-05-04Z']::timestamptz[]) AS b, unnest(ARRAY['[)', '(]', '()']) AS k WHERE a < b OR a IS NULL;
INSERT INTO during VALUES ('empty', '{}'), (NULL, NULL), ('[infinity,)', '{[infinity,)}');
CREATE FUNCTION counts() RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT count(*) FROM several s JOIN during d ON frazil_time(s.id) <@ d.r
    UNION ALL SELECT count(*) FROM several s JOIN during d ON s.id <@ d.r
    UNION ALL SELECT count(*) FROM several s JOIN during d ON d.r @> s.id
    UNION ALL SELECT count(*) FROM several s JOIN during d ON frazil_contained(s.id, d.r)
    UNION ALL SELECT sum((SELECT count(*) FROM several s WHERE s.id <@ (SELECT d.r))) FROM during d
    UNION ALL SELECT count(*) FROM several s JOIN during d ON frazil_time(s.id) <@ d.m
    UNION ALL SELECT count(*) FROM several s JOIN during d ON s.id <@ d.m
    UNION ALL SELECT count(*) FROM several s JOIN during d ON d.m @> s.id
    UNION ALL SELECT sum((SELECT count(*) FROM several s WHERE (SELECT d.m) @> s.id)) FROM during d $$;
SELECT counts();
SET enable_seqscan = off;
SELECT counts();
RESET enable_seqscan;

-- operators of another schema do not count
CREATE SCHEMA other;
CREATE FUNCTION other.always(bigint, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR other.>= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = other.always);
CREATE OPERATOR other.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = other.always);
SET search_path = other, pg_catalog, public;
SELECT frazil_within(0, '2026-05-01Z', '2026-05-02Z'), 0::bigint <@ tstzrange('2026-05-01Z', '2026-05-02Z');
RESET search_path;

-- plans: index, BRIN and partitions
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT frazil_next(), note text);
INSERT INTO orders (note) SELECT 'x' FROM generate_series(1, 1000);
ANALYZE orders;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT FROM orders WHERE frazil_within(id, '2026-05-01Z', '2026-05-02Z');
EXPLAIN (COSTS OFF) SELECT FROM orders WHERE id <@ tstzrange('2026-05-01Z', '2026-05-02Z');
EXPLAIN (COSTS OFF) SELECT FROM orders WHERE frazil_time(id) BETWEEN '2026-05-01Z' AND '2026-05-02Z';
CREATE TABLE log (id bigint DEFAULT frazil_next());
SET enable_bitmapscan = on;
CREATE INDEX log_brin ON log USING brin (id);
EXPLAIN (COSTS OFF) SELECT FROM log WHERE frazil_within(id, '2026-05-01Z', '2026-05-02Z');
EXPLAIN (COSTS OFF) SELECT FROM log WHERE id <@ tstzrange('2026-05-01Z', '2026-05-02Z');
SET enable_bitmapscan = off;
CREATE TABLE events (id bigint PRIMARY KEY DEFAULT frazil_next()) PARTITION BY RANGE (id);
CREATE TABLE events_may PARTITION OF events FOR VALUES FROM (43486543872000000) TO (54720764313600000);
CREATE TABLE events_later PARTITION OF events FOR VALUES FROM (54720764313600000) TO (MAXVALUE);
EXPLAIN (COSTS OFF) SELECT FROM events WHERE frazil_within(id, '2026-05-01Z', '2026-05-02Z');
EXPLAIN (COSTS OFF) SELECT FROM events WHERE id <@ tstzrange('2026-05-01Z', '2026-05-02Z');
-- whatever the range is; t/030_ranges.pl has subqueries, whose plans look different in each version
EXPLAIN (COSTS OFF) SELECT FROM orders WHERE tstzrange('2026-05-01Z', '2026-05-02Z') @> id;
EXPLAIN (COSTS OFF) SELECT FROM orders WHERE id <@ '{[2026-05-01Z,2026-05-02Z),[2026-06-01Z,2026-06-02Z)}'::tstzmultirange;
EXPLAIN (COSTS OFF) SELECT FROM events WHERE id <@ tstzrange('2026-05-01Z', now());
PREPARE of_range(tstzrange) AS SELECT FROM events WHERE id <@ $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_range('[2026-05-01Z,2026-05-02Z)');
RESET plan_cache_mode;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- in an index, which needs an immutable function
CREATE INDEX ON orders (frazil_worker(id));
CREATE INDEX ON orders (frazil_worker(id, 'frazil'));
CREATE INDEX ON orders (note) WHERE id <@ tstzrange('2026-05-01Z', '2026-05-02Z');
CREATE INDEX ON orders (note) WHERE id >= frazil_first('2026-05-01Z');

-- conversion
CREATE TABLE customer (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text);
CREATE TABLE invoice (id serial PRIMARY KEY, customer integer REFERENCES customer (id));
INSERT INTO customer (name) VALUES ('first');
INSERT INTO invoice (customer) VALUES (1);
SELECT * FROM frazil_convert_plan('customer', 'id');
SELECT frazil_convert('customer', 'id');
SELECT frazil_convert('invoice', 'id');
INSERT INTO customer (name) VALUES ('second');
INSERT INTO invoice (customer) SELECT max(id) FROM customer;
SELECT count(*), count(*) FILTER (WHERE i.id > 1000000 AND c.id > 1000000) AS new FROM invoice i JOIN customer c ON c.id = i.customer;
SELECT frazil_convert('customer', 'name');
SELECT frazil_convert('customer', 'nothing');
SELECT frazil_convert('events_may', 'id');
-- keys of keys, in a circle, and keys to a column that is bigint already
CREATE TABLE region (id integer PRIMARY KEY);
CREATE TABLE shop (region integer PRIMARY KEY REFERENCES region (id));
CREATE TABLE till (shop smallint PRIMARY KEY REFERENCES shop (region), beside integer);
ALTER TABLE region ADD FOREIGN KEY (id) REFERENCES till (shop) DEFERRABLE;
SELECT * FROM frazil_convert_plan('region', 'id');
SELECT frazil_convert('region', 'id');
CREATE TABLE wide (id bigint PRIMARY KEY);
CREATE TABLE narrow (wide integer REFERENCES wide (id));
SELECT * FROM frazil_convert_plan('wide', 'id');
-- keys of a partition and to a child
CREATE TABLE stock (id integer, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE stock_all PARTITION OF stock DEFAULT;
CREATE TABLE sale (stock integer, day date) PARTITION BY RANGE (day);
CREATE TABLE sale_all PARTITION OF sale DEFAULT;
ALTER TABLE sale_all ADD FOREIGN KEY (stock, day) REFERENCES stock (id, day);
SELECT * FROM frazil_convert_plan('stock', 'id');
SELECT frazil_convert('stock', 'id');
CREATE TABLE person (id integer PRIMARY KEY);
CREATE TABLE driver (UNIQUE (id)) INHERITS (person); -- PostgreSQL 18 cannot change the type where both have a primary key
CREATE TABLE trip (driver integer REFERENCES driver (id));
SELECT * FROM frazil_convert_plan('person', 'id');
SELECT frazil_convert('person', 'id');
INSERT INTO driver DEFAULT VALUES;
INSERT INTO trip SELECT id FROM driver;
CREATE TABLE ahead (id bigint);
INSERT INTO ahead VALUES (9223372036854775807);
SELECT frazil_convert('ahead', 'id');

-- a whole schema: its primary keys that a sequence numbers, and the way back
CREATE SCHEMA shop;
SET search_path = shop, public;
CREATE TABLE maker (id serial PRIMARY KEY, revision serial);
CREATE TABLE "odd Name" ("Id" smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, maker integer REFERENCES maker);
CREATE TABLE part (id bigserial, day date, owner integer REFERENCES maker, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE part_all PARTITION OF part DEFAULT;
CREATE TABLE code (id integer PRIMARY KEY);
INSERT INTO maker SELECT FROM generate_series(1, 3);
INSERT INTO "odd Name" (maker) VALUES (1);
RESET search_path;
SELECT * FROM frazil_convert_plan('shop');
SELECT frazil_convert('shop');
INSERT INTO shop.maker DEFAULT VALUES RETURNING frazil_worker(id), revision;
INSERT INTO shop.part (day, owner) SELECT '2026-05-01', id FROM shop.maker RETURNING frazil_worker(id);
SELECT * FROM frazil_convert_plan('shop');
SELECT frazil_convert('shop');
CREATE TABLE shop.largest AS SELECT (SELECT max(id) FROM shop.maker) AS maker, (SELECT max(id) FROM shop.part) AS part;
DELETE FROM shop.part; -- no largest id
DELETE FROM shop.maker WHERE id = (SELECT maker FROM shop.largest); -- not the largest one
SELECT regexp_replace(plan, '\d{9,}', 'N') AS plan FROM frazil_revert_plan('shop') AS plan;
SET client_min_messages = warning;
SELECT frazil_revert('shop');
RESET client_min_messages;
INSERT INTO shop.maker DEFAULT VALUES RETURNING id > (SELECT maker FROM shop.largest) AS above;
INSERT INTO shop.part (day) VALUES ('2026-05-01') RETURNING id > (SELECT part FROM shop.largest) AS above;
SELECT * FROM frazil_revert_plan('shop');
SELECT frazil_revert('shop.maker', 'id');
SELECT frazil_revert('shop.maker', 'none');
SET client_min_messages = warning;
SELECT frazil_convert('shop');
RESET client_min_messages;
INSERT INTO shop.maker DEFAULT VALUES RETURNING frazil_worker(id);
-- nothing has changed if one of them cannot be converted
SET client_min_messages = warning;
SELECT frazil_revert('shop');
RESET client_min_messages;
INSERT INTO shop.part VALUES (9223372036854775806, '2026-05-01');
SELECT frazil_convert('shop');
SELECT count(*) FROM frazil_keys('shop', true);
-- a snapshot that is older than the lock may miss rows
CREATE TABLE audited (id bigint PRIMARY KEY);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT frazil_convert('audited', 'id');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT frazil_revert('audited', 'id');
ROLLBACK;

-- settings that nobody may change here
SET frazil.worker = 'fixed:1';
SELECT name FROM frazil_stats() WHERE name = 'issued' AND value > 0;
SELECT * FROM frazil_info('audit') WHERE name IN ('layout', 'worker', 'fields', 'serving');
