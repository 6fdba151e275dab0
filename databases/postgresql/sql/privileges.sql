-- What is not for everybody.
CREATE ROLE frazil_visitor;
SET ROLE frazil_visitor;
SELECT frazil_next() > 0 AS allowed;
SELECT frazil_next_at(now());
SELECT frazil_stats();
SELECT frazil_info();
SELECT frazil_adopt();
SELECT frazil_convert_plan('pg_class', 'oid');
SELECT frazil_convert('pg_class', 'oid');
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
-- Whom the owner grants one to may run it.
GRANT EXECUTE ON FUNCTION frazil_stats(name) TO frazil_visitor;
SET ROLE frazil_visitor;
SELECT count(*) > 0 AS granted FROM frazil_stats();
RESET ROLE;
REVOKE EXECUTE ON FUNCTION frazil_stats(name) FROM frazil_visitor;
DROP ROLE frazil_visitor;
