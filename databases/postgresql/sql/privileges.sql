-- What is not for everybody.
CREATE ROLE frazil_visitor;
SET ROLE frazil_visitor;
SELECT frazil_next() > 0 AS allowed;
SELECT frazil_next_at(now());
SELECT frazil_stats();
SELECT frazil_info();
SELECT frazil_adopt();
RESET ROLE;
CREATE TABLE frazil_of_another (id int PRIMARY KEY);
SET ROLE frazil_visitor;
SELECT frazil_convert('frazil_of_another', 'id');
SET frazil.allow_in_recovery = on;
\set VERBOSITY sqlstate
SHOW frazil.state_dir;
\set VERBOSITY default
SET frazil.max_wait = '2s';
SET frazil.worker = 'fixed:1';
SELECT frazil_time(frazil_first('2026-05-01Z')) = '2026-05-01Z' AS allowed;
RESET ROLE;
-- All that PUBLIC may not run.
SELECT p.oid::regprocedure AS not_for_public
FROM pg_depend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'frazil')
    AND NOT has_function_privilege('frazil_visitor', p.oid, 'EXECUTE')
ORDER BY 1;
-- A trusted extension: whom the owner of the database lets create things may create it.
SELECT trusted, superuser FROM pg_available_extension_versions WHERE name = 'frazil' AND installed;
-- Who owns a database may create it, run it, and grant it; and converts tables of one's own, as everybody does.
DROP TABLE frazil_of_another;
CREATE ROLE frazil_tenant;
CREATE DATABASE frazil_of_tenant OWNER frazil_tenant;
\c frazil_of_tenant
SET ROLE frazil_tenant;
CREATE EXTENSION frazil;
SELECT count(*) > 0 AS allowed FROM frazil_stats();
SELECT count(*) > 0 AS allowed FROM frazil_info();
SELECT count(*) > 0 AS allowed FROM frazil_generators WHERE serving;
SELECT frazil_time(frazil_next_at('2026-05-01Z')) = '2026-05-01Z' AS allowed;
SELECT frazil_adopt();
GRANT EXECUTE ON FUNCTION frazil_stats(name) TO frazil_visitor;
RESET ROLE;
GRANT USAGE, CREATE ON SCHEMA public TO frazil_visitor;
SET ROLE frazil_visitor;
SELECT count(*) > 0 AS granted FROM frazil_stats();
SELECT frazil_info();
CREATE TABLE orders (id serial PRIMARY KEY, note text);
SELECT * FROM frazil_convert_plan('orders', 'id');
SELECT frazil_convert('orders', 'id');
INSERT INTO orders (note) VALUES ('first') RETURNING frazil_time(id) > now() - interval '1 hour' AS converted;
-- A policy that hides rows, also from their owner, hides the largest id.
CREATE POLICY few ON orders USING (note = 'second');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT frazil_convert('orders', 'id');
SELECT frazil_revert('orders', 'id');
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY;
SET client_min_messages = warning;
SELECT frazil_revert('orders', 'id');
RESET client_min_messages;
RESET ROLE;
\c contrib_regression
DROP DATABASE frazil_of_tenant;
DROP ROLE frazil_tenant;
DROP ROLE frazil_visitor;
