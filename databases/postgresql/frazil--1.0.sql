/* SPDX-License-Identifier: MIT */
\echo Use "CREATE EXTENSION frazil" to load this file. \quit

-- ---- ids ----

CREATE FUNCTION frazil_next() RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_next' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION frazil_next() IS 'an id of the generator main';

CREATE FUNCTION frazil_next(generator name) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_next_of' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_next(name) IS 'an id of a generator of frazil.generators';

CREATE FUNCTION frazil_next_n_rows(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'frazil_pg_next_n_rows' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_next_n(n integer, generator name DEFAULT 'main') RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_next_n' LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    SUPPORT frazil_next_n_rows;
COMMENT ON FUNCTION frazil_next_n(integer, name) IS 'n ids, increasing';

CREATE FUNCTION frazil_at(at timestamptz) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_at(timestamptz) IS 'an id for a past time, which no other call gets, of the generator past';

CREATE FUNCTION frazil_at_first() RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'frazil_pg_at_first' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION frazil_at_first() IS 'the earliest time that frazil_at takes now';

-- ---- their fields ----
-- Without a layout it is that of the generator main.  This comes from a setting, so such calls are STABLE.

CREATE FUNCTION frazil_layout_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'frazil_pg_layout_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_layout(generator name DEFAULT 'main') RETURNS text
    AS 'MODULE_PATHNAME', 'frazil_pg_layout' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_layout_support;
COMMENT ON FUNCTION frazil_layout(name) IS 'the layout of a generator, as the functions here take it';

CREATE FUNCTION frazil_time(id bigint) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'frazil_pg_time' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_time(bigint) IS 'when the id was made, in the layout of the generator main';

CREATE FUNCTION frazil_time(id bigint, layout text) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'frazil_pg_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_time(bigint, text) IS 'when the id was made';

CREATE FUNCTION frazil_worker(id bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'frazil_pg_worker_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_worker(bigint) IS 'the worker number of the id, in the layout of the generator main';

CREATE FUNCTION frazil_worker(id bigint, layout text) RETURNS integer
    AS 'MODULE_PATHNAME', 'frazil_pg_worker_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_worker(bigint, text) IS 'the worker number of the id';

CREATE FUNCTION frazil_sequence(id bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'frazil_pg_sequence' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_sequence(bigint) IS 'the sequence number of the id within its tick, in the layout of the generator main';

CREATE FUNCTION frazil_sequence(id bigint, layout text) RETURNS integer
    AS 'MODULE_PATHNAME', 'frazil_pg_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_sequence(bigint, text) IS 'the sequence number of the id within its tick';

CREATE FUNCTION frazil_parts(id bigint, OUT "time" timestamptz, OUT datacenter integer, OUT worker integer, OUT sequence integer)
    AS 'MODULE_PATHNAME', 'frazil_pg_parts' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_parts(bigint) IS 'all fields of the id, in the layout of the generator main';

CREATE FUNCTION frazil_parts(id bigint, layout text, OUT "time" timestamptz, OUT datacenter integer, OUT worker integer, OUT sequence integer)
    AS 'MODULE_PATHNAME', 'frazil_pg_parts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_parts(bigint, text) IS 'all fields of the id';

CREATE FUNCTION frazil_text(id bigint, form text) RETURNS text
    AS 'MODULE_PATHNAME', 'frazil_pg_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_text(bigint, text) IS 'the id in a text form: dec, hex, crockford, base58, base62 and others';

CREATE FUNCTION frazil_id(id text, form text DEFAULT 'dec') RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_id' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_id(text, text) IS 'the id of a text form';

-- ---- ranges of time ----
-- frazil_within is neither STRICT nor does it set anything: otherwise the planner could not inline it, and indexes and
-- partitions would be of no use.

CREATE FUNCTION frazil_first_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'frazil_pg_first_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_first(at timestamptz) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_first' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_first_support;
COMMENT ON FUNCTION frazil_first(timestamptz) IS 'the smallest id of that time or later, in the layout of the generator main';

CREATE FUNCTION frazil_first(at timestamptz, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_first' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frazil_first(timestamptz, text) IS 'the smallest id of that time or later';

CREATE FUNCTION frazil_within_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'frazil_pg_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_within(id bigint, "from" timestamptz, "to" timestamptz) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    SUPPORT frazil_within_support
    AS 'SELECT $1 OPERATOR(pg_catalog.>=) @extschema@.frazil_first($2) AND $1 OPERATOR(pg_catalog.<) @extschema@.frazil_first($3)';
COMMENT ON FUNCTION frazil_within(bigint, timestamptz, timestamptz) IS 'whether from <= time of the id < to, in the layout of the generator main; uses an index on the id';

CREATE FUNCTION frazil_within(id bigint, "from" timestamptz, "to" timestamptz, layout text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT $1 OPERATOR(pg_catalog.>=) @extschema@.frazil_first($2, $4) AND $1 OPERATOR(pg_catalog.<) @extschema@.frazil_first($3, $4)';
COMMENT ON FUNCTION frazil_within(bigint, timestamptz, timestamptz, text) IS 'whether from <= time of the id < to; uses an index on the id';

-- For the operators, which have no place for a layout.  frazil_range_support finds the bounds by their names.  Those with a
-- layout are for frazil_bind.

CREATE FUNCTION frazil_range_first(during tstzrange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_range_first' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_end(during tstzrange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_range_end' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_first(during tstzmultirange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_ranges_first' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_end(during tstzmultirange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_ranges_end' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_range_first(during tstzrange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_range_first' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_end(during tstzrange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_range_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_first(during tstzmultirange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_ranges_first' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION frazil_range_end(during tstzmultirange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_ranges_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_range_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'frazil_pg_range_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION frazil_contained(id bigint, during tstzrange, layout text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_in_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;
CREATE FUNCTION frazil_contained(id bigint, during tstzmultirange, layout text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_in_ranges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;

CREATE FUNCTION frazil_contained(id bigint, during tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_in_range' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;
CREATE FUNCTION frazil_contains(during tstzrange, id bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_range_has' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;
CREATE FUNCTION frazil_contained(id bigint, during tstzmultirange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_in_ranges' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;
CREATE FUNCTION frazil_contains(during tstzmultirange, id bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'frazil_pg_ranges_have' LANGUAGE C STABLE STRICT PARALLEL SAFE
    SUPPORT frazil_range_support;

CREATE OPERATOR <@ (LEFTARG = bigint, RIGHTARG = tstzrange, FUNCTION = frazil_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = bigint, FUNCTION = frazil_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR <@ (LEFTARG = bigint, RIGHTARG = tstzmultirange, FUNCTION = frazil_contained, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzmultirange, RIGHTARG = bigint, FUNCTION = frazil_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (bigint, tstzrange) IS 'whether the time of the id, in the layout of the generator main, lies in the range';
COMMENT ON OPERATOR @> (tstzrange, bigint) IS 'whether the time of the id, in the layout of the generator main, lies in the range';
COMMENT ON OPERATOR <@ (bigint, tstzmultirange) IS 'whether the time of the id, in the layout of the generator main, lies in one of the ranges';
COMMENT ON OPERATOR @> (tstzmultirange, bigint) IS 'whether the time of the id, in the layout of the generator main, lies in one of the ranges';

-- ---- the layout of a column ----
-- A domain over bigint gets functions and operators in a layout of its own.  These are the caller's objects, which a dump
-- has.  They stand in the schema of the extension: whoever finds frazil_time(bigint) finds them, and PostgreSQL prefers
-- them for a value of the domain.  Those that are not STRICT are inlined, so that the planner sees comparisons of the id, or
-- a call that it knows how to make into them; each argument stands there once, as a subquery is not inlined otherwise.

CREATE FUNCTION frazil_bind("domain" regtype, layout text) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    made record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = "domain" AND t.typtype = 'd' AND t.typbasetype = 'int8'::regtype) THEN
        RAISE '% is not a domain over bigint', "domain"
            USING ERRCODE = 'wrong_object_type', HINT = 'Create one, for example: CREATE DOMAIN audit_id AS bigint.';
    END IF;
    PERFORM @extschema@.frazil_first('epoch', layout); -- which says what is wrong with a layout
    FOR made IN SELECT * FROM (VALUES
        ('frazil_time(id %1$s) RETURNS timestamptz', 'STRICT', 'SELECT @extschema@.frazil_time($1::bigint, %2$L)'),
        ('frazil_worker(id %1$s) RETURNS integer', 'STRICT', 'SELECT @extschema@.frazil_worker($1::bigint, %2$L)'),
        ('frazil_sequence(id %1$s) RETURNS integer', 'STRICT', 'SELECT @extschema@.frazil_sequence($1::bigint, %2$L)'),
        ('frazil_parts(id %1$s, OUT "time" timestamptz, OUT datacenter integer, OUT worker integer, OUT sequence integer)', 'STRICT',
            'SELECT * FROM @extschema@.frazil_parts($1::bigint, %2$L)'),
        ('frazil_within(id %1$s, "from" timestamptz, "to" timestamptz) RETURNS boolean', '',
            'SELECT @extschema@.frazil_within($1::bigint, $2, $3, %2$L)'),
        ('frazil_contained(id %1$s, during tstzrange) RETURNS boolean', '', 'SELECT @extschema@.frazil_contained($1::bigint, $2, %2$L)'),
        ('frazil_contained(id %1$s, during tstzmultirange) RETURNS boolean', '', 'SELECT @extschema@.frazil_contained($1::bigint, $2, %2$L)'),
        ('frazil_contains(during tstzrange, id %1$s) RETURNS boolean', '', 'SELECT @extschema@.frazil_contained($2, $1)'),
        ('frazil_contains(during tstzmultirange, id %1$s) RETURNS boolean', '', 'SELECT @extschema@.frazil_contained($2, $1)')
    ) AS v (head, nulls, body) LOOP
        EXECUTE format('CREATE FUNCTION @extschema@.%s LANGUAGE sql IMMUTABLE PARALLEL SAFE %s AS %L',
                       format(made.head, "domain"), made.nulls, format(made.body, "domain", layout));
    END LOOP;
    FOR made IN SELECT * FROM unnest(ARRAY['tstzrange', 'tstzmultirange']) AS during LOOP
        EXECUTE format('CREATE OPERATOR @extschema@.<@ (LEFTARG = %s, RIGHTARG = %s, FUNCTION = @extschema@.frazil_contained,
                            COMMUTATOR = OPERATOR(@extschema@.@>), RESTRICT = contsel, JOIN = contjoinsel)', "domain", made.during);
        EXECUTE format('CREATE OPERATOR @extschema@.@> (LEFTARG = %2$s, RIGHTARG = %1$s, FUNCTION = @extschema@.frazil_contains,
                            COMMUTATOR = OPERATOR(@extschema@.<@), RESTRICT = contsel, JOIN = contjoinsel)', "domain", made.during);
    END LOOP;
END
$$;
COMMENT ON FUNCTION frazil_bind(regtype, text) IS 'gives a domain over bigint the functions and operators of ids in this layout';

-- ---- not for everybody ----

CREATE FUNCTION frazil_next_at(at timestamptz, generator name DEFAULT 'main') RETURNS bigint
    AS 'MODULE_PATHNAME', 'frazil_pg_next_at' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION frazil_next_at(timestamptz, name) IS 'an id for a time of yours, for bringing in old rows';

CREATE FUNCTION frazil_stats(generator name DEFAULT 'main', OUT name text, OUT value bigint) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'frazil_pg_stats' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION frazil_stats(name) IS 'what happened to a generator so far, on this host';

CREATE FUNCTION frazil_info(generator name DEFAULT 'main', OUT name text, OUT value text) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'frazil_pg_info' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION frazil_info(name) IS 'what a generator is';

-- One row for each generator, also where it makes no ids.
CREATE FUNCTION frazil_generators_rows(OUT generator name, OUT layout text, OUT fields text, OUT worker bigint, OUT serving boolean,
                                       OUT last_time timestamptz, OUT lease_end timestamptz, OUT keeper integer, OUT problem text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    said text;
BEGIN
    FOREACH said IN ARRAY string_to_array(coalesce(current_setting('frazil.generators', true), ''), ';') LOOP
        CONTINUE WHEN strpos(said, ':') = 0;
        generator := btrim(split_part(said, ':', 1), E' \t\n\r\v\f');
        BEGIN
            -- RFC 3339 texts of years after 9999 begin with a plus sign, which timestamptz refuses.
            SELECT max(i.value) FILTER (WHERE i.name = 'layout'), max(i.value) FILTER (WHERE i.name = 'fields'),
                   max(i.value) FILTER (WHERE i.name = 'worker'), max(i.value) FILTER (WHERE i.name = 'serving'),
                   ltrim(max(i.value) FILTER (WHERE i.name = 'last_time'), '+'), max(i.value) FILTER (WHERE i.name = 'lease_end'),
                   max(i.value) FILTER (WHERE i.name = 'failure')
            INTO layout, fields, worker, serving, last_time, lease_end, problem FROM @extschema@.frazil_info(generator) AS i;
            SELECT a.pid INTO keeper FROM pg_stat_activity AS a WHERE a.backend_type = 'frazil keeper' AND lease_end IS NOT NULL;
        EXCEPTION WHEN OTHERS THEN
            IF SQLSTATE = '42501' THEN
                RAISE;
            END IF;
            SELECT NULL, NULL, NULL, false, NULL, NULL, NULL, SQLERRM
            INTO layout, fields, worker, serving, last_time, lease_end, keeper, problem;
        END;
        RETURN NEXT;
    END LOOP;
END
$$;

CREATE VIEW frazil_generators AS SELECT * FROM frazil_generators_rows();
COMMENT ON VIEW frazil_generators IS 'the generators of the server: what they are, and until when they have their worker numbers';

CREATE FUNCTION frazil_adopt() RETURNS void
    AS 'MODULE_PATHNAME', 'frazil_pg_adopt_here' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION frazil_adopt() IS 'takes the worker number over from the server whose copy this one is; that one must never run again with it';

-- Each step that makes frazil_next the default of a column, as a statement, in order.
CREATE FUNCTION frazil_convert_plan("table" regclass, "column" name) RETURNS SETOF text
    LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    target pg_attribute;
    child record;
BEGIN
    SELECT * INTO target FROM pg_attribute a WHERE a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped;
    IF NOT FOUND THEN
        RAISE 'there is no column % of %', quote_ident("column"), "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF target.atttypid NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN
        RAISE 'column % of % is %, and ids are whole numbers', quote_ident("column"), "table", format_type(target.atttypid, target.atttypmod)
            USING ERRCODE = 'datatype_mismatch', HINT = 'Choose a column of type integer or bigint.';
    END IF;
    IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table") THEN
        RAISE '% is a partition or a child of another table', "table"
            USING ERRCODE = 'wrong_object_type', HINT = 'Convert the table that it belongs to.';
    END IF;
    -- All keys that refer to the column, and those that refer to these: each has to hold the new ids, too.  A key of a
    -- partition or a child, or to one, is that of all its relatives; the type is changed where the column is not inherited.
    FOR child IN
        WITH RECURSIVE keys (relation, attnum) AS (
            VALUES ("table"::oid, target.attnum)
            UNION
            SELECT other.relation, other.attnum
            FROM keys k
            CROSS JOIN LATERAL (
                SELECT c.conrelid, c.conkey[i]
                FROM pg_constraint c CROSS JOIN LATERAL generate_subscripts(c.confkey, 1) AS i
                WHERE c.contype = 'f' AND c.confrelid = k.relation AND c.confkey[i] = k.attnum
                UNION ALL
                SELECT same.attrelid, same.attnum
                FROM pg_inherits h
                JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.attnum
                JOIN pg_attribute same ON same.attname = a.attname AND NOT same.attisdropped
                    AND same.attrelid = CASE k.relation WHEN h.inhparent THEN h.inhrelid ELSE h.inhparent END
                WHERE k.relation IN (h.inhparent, h.inhrelid)) AS other (relation, attnum))
        SELECT k.relation::regclass, a.attname
        FROM keys k JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.attnum
        WHERE a.atttypid <> 'int8'::regtype AND a.attinhcount = 0
        ORDER BY k.relation = "table" AND k.attnum = target.attnum, k.relation::regclass, k.attnum
    LOOP
        RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I TYPE bigint', child.relation, child.attname);
    END LOOP;
    IF target.attidentity <> '' THEN
        RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', "table", "column");
    END IF;
    RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT @extschema@.frazil_next()', "table", "column");
END
$$;
COMMENT ON FUNCTION frazil_convert_plan(regclass, name) IS 'the statements that frazil_convert would run';

-- Locks a table, so that the next statement of a VOLATILE caller sees all its rows.
CREATE FUNCTION frazil_lock("table" regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- Other levels have one snapshot for the whole transaction, which is older than the lock.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE 'the transaction may not see the newest rows of %', "table"
            USING ERRCODE = 'invalid_transaction_state', HINT = 'Begin it with ISOLATION LEVEL READ COMMITTED.';
    END IF;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', "table");
END
$$;

-- Runs statements, each of which it first prints.
CREATE FUNCTION frazil_run(steps text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    step text;
BEGIN
    FOREACH step IN ARRAY steps LOOP
        RAISE NOTICE '%', step;
    END LOOP;
    FOREACH step IN ARRAY steps LOOP
        EXECUTE step;
    END LOOP;
END
$$;

-- Whether a default, a row of pg_attrdef, calls frazil_next.
CREATE FUNCTION frazil_is_default(definition oid) RETURNS boolean
    LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_attrdef'::regclass AND d.objid = definition AND d.refclassid = 'pg_proc'::regclass
            AND d.refobjid IN ('@extschema@.frazil_next()'::regprocedure, '@extschema@.frazil_next(name)'::regprocedure))
$$;

-- The primary keys of a schema that a sequence numbers, or, if ours, that frazil_next does.
CREATE FUNCTION frazil_keys(schema regnamespace, ours boolean) RETURNS TABLE ("table" regclass, "column" name)
    LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.oid::regclass, a.attname
    FROM pg_class c
    JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey) AND a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
    LEFT JOIN pg_attrdef f ON f.adrelid = c.oid AND f.adnum = a.attnum
    WHERE c.relnamespace = schema
        AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid)
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
        AND CASE WHEN ours THEN @extschema@.frazil_is_default(f.oid)
        ELSE a.attidentity <> '' OR EXISTS (
            SELECT FROM pg_depend d JOIN pg_class s ON s.oid = d.refobjid AND s.relkind = 'S'
            WHERE d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass)
        END
    ORDER BY c.relname COLLATE "C", a.attnum
$$;

-- With row_security off, a policy that would hide rows from max is an error.
CREATE FUNCTION frazil_convert("table" regclass, "column" name) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET row_security = off
AS $$
DECLARE
    sequence text;
    largest bigint;
    last bigint; -- which a row that was deleted may have had
BEGIN
    PERFORM @extschema@.frazil_lock("table");
    PERFORM @extschema@.frazil_convert_plan("table", "column"); -- which says what cannot be
    sequence := pg_get_serial_sequence("table"::text, "column");
    IF sequence IS NOT NULL THEN
        EXECUTE format('SELECT last_value FROM %s WHERE is_called', sequence) INTO last;
    END IF;
    IF last >= @extschema@.frazil_next() THEN
        RAISE 'the number % of the sequence of % lies ahead of new ids', last, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format('Convert the column when the clock has passed frazil_time(%s, frazil_layout(''main'')).', last);
    END IF;
    EXECUTE format('SELECT max(%I) FROM %s', "column", "table") INTO largest;
    IF largest >= @extschema@.frazil_next() THEN
        RAISE 'the id % of % lies ahead of new ids', largest, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Remove it, or choose a layout with an earlier epoch in frazil.generators.';
    END IF;
    PERFORM @extschema@.frazil_run(ARRAY(SELECT * FROM @extschema@.frazil_convert_plan("table", "column")));
END
$$;
COMMENT ON FUNCTION frazil_convert(regclass, name) IS 'makes frazil_next the default of a column: prints the statements of frazil_convert_plan as notices, and runs them';

CREATE FUNCTION frazil_convert_plan(schema regnamespace) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.step
    FROM ROWS FROM (@extschema@.frazil_keys(schema, false)) WITH ORDINALITY AS k ("table", "column", n)
    CROSS JOIN LATERAL ROWS FROM (@extschema@.frazil_convert_plan(k."table", k."column")) WITH ORDINALITY AS p (step, n)
    GROUP BY p.step ORDER BY min(k.n), min(p.n)
$$;
COMMENT ON FUNCTION frazil_convert_plan(regnamespace) IS 'the statements that frazil_convert would run';

CREATE FUNCTION frazil_convert(schema regnamespace) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
BEGIN
    FOR key IN SELECT * FROM @extschema@.frazil_keys(schema, false) LOOP
        PERFORM @extschema@.frazil_convert(key."table", key."column");
    END LOOP;
END
$$;
COMMENT ON FUNCTION frazil_convert(regnamespace) IS 'makes frazil_next the default of all primary keys of the schema that a sequence numbers';

-- An id that is above all that a default has made so far, or NULL if its generator makes none.
CREATE FUNCTION frazil_above(definition text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN @extschema@.frazil_next(coalesce(substring(definition FROM $re$frazil_next\('([^']*)'::name\)$re$), 'main')::name);
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'ids of deleted rows may come again, as frazil makes none here: %', SQLERRM;
    RETURN NULL;
END
$$;

-- The way back: a sequence that goes on above all ids so far, also above those of rows that were deleted or rolled back.
CREATE FUNCTION frazil_revert_plan("table" regclass, "column" name) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET row_security = off
AS $$
DECLARE
    definition text;
    sequence text;
    largest bigint;
    last bigint;
BEGIN
    SELECT pg_get_expr(f.adbin, f.adrelid) INTO definition
    FROM pg_attribute a JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
    WHERE a.attrelid = "table" AND a.attname = "column" AND @extschema@.frazil_is_default(f.oid);
    IF NOT FOUND THEN
        RAISE 'frazil_next is not the default of a column % of %', quote_ident("column"), "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'There is nothing to take back.';
    END IF;
    EXECUTE format('SELECT max(%I) FROM %s', "column", "table") INTO largest;
    sequence := pg_get_serial_sequence("table"::text, "column"); -- frazil_convert leaves that of a serial column
    IF sequence IS NOT NULL THEN
        EXECUTE format('SELECT last_value FROM %s', sequence) INTO last;
    END IF;
    RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT', "table", "column");
    RETURN NEXT format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED BY DEFAULT AS IDENTITY (START WITH %s)', "table", "column",
                       greatest(largest, last, @extschema@.frazil_above(definition), 0) + 1);
END
$$;
COMMENT ON FUNCTION frazil_revert_plan(regclass, name) IS 'the statements that frazil_revert would run';

CREATE FUNCTION frazil_revert("table" regclass, "column" name) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM @extschema@.frazil_lock("table");
    PERFORM @extschema@.frazil_run(ARRAY(SELECT * FROM @extschema@.frazil_revert_plan("table", "column")));
END
$$;
COMMENT ON FUNCTION frazil_revert(regclass, name) IS 'makes a sequence the default of a column in the place of frazil_next; its numbers begin above all ids so far';

CREATE FUNCTION frazil_revert_plan(schema regnamespace) RETURNS SETOF text
    LANGUAGE sql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.step
    FROM ROWS FROM (@extschema@.frazil_keys(schema, true)) WITH ORDINALITY AS k ("table", "column", n)
    CROSS JOIN LATERAL ROWS FROM (@extschema@.frazil_revert_plan(k."table", k."column")) WITH ORDINALITY AS p (step, n)
    ORDER BY k.n, p.n
$$;
COMMENT ON FUNCTION frazil_revert_plan(regnamespace) IS 'the statements that frazil_revert would run';

CREATE FUNCTION frazil_revert(schema regnamespace) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
BEGIN
    FOR key IN SELECT * FROM @extschema@.frazil_keys(schema, true) LOOP
        PERFORM @extschema@.frazil_revert(key."table", key."column");
    END LOOP;
END
$$;
COMMENT ON FUNCTION frazil_revert(regnamespace) IS 'makes sequences the defaults of all primary keys of the schema that frazil_next numbers';

-- frazil_convert and its plan run with the rights of their caller, who must own the tables.  @extowner@ is whoever
-- creates the extension, such as the owner of a database.  frazil_adopt is about the whole server: for superusers.
REVOKE ALL ON FUNCTION frazil_next_at(timestamptz, name), frazil_stats(name), frazil_info(name), frazil_adopt() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION frazil_next_at(timestamptz, name), frazil_stats(name), frazil_info(name) TO @extowner@ WITH GRANT OPTION;
GRANT SELECT ON frazil_generators TO @extowner@ WITH GRANT OPTION;
