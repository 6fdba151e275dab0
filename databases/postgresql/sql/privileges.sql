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
SHOW frazil.state_dir;
SET frazil.max_wait = '2s';
RESET ROLE;
DROP ROLE frazil_visitor;
