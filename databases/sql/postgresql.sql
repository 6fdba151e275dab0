-- SPDX-License-Identifier: MIT
-- The fields of frazil's ids in PostgreSQL 12 or later, for servers that take no extension: functions with the names and
-- answers of the extension frazil, without a generator.  Run it in each database, also again.
--
-- The functions find each other in the schema that they are made in, whatever the search path is: a dump is restored, and
-- an index is made, with an empty one.

BEGIN;

-- In one transaction, so that nothing of the extension is replaced.
DO $do$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'frazil') THEN
        RAISE 'this database has the extension frazil, which brings these functions'
            USING ERRCODE = 'duplicate_object', HINT = 'Use the extension, or drop it first.';
    END IF;
    IF current_schema() IS NULL THEN
        RAISE 'no schema has been selected to create in' USING ERRCODE = 'invalid_schema_name', HINT = 'Set search_path.';
    END IF;
    -- The functions keep this path.  "$user" of the default one is another schema for each caller.
    PERFORM set_config('search_path', format('%I', current_schema()), true);
END
$do$;

-- The layouts by name: where their fields lie.
CREATE OR REPLACE FUNCTION frazil_layout(layout text, OUT epoch bigint, OUT tick bigint, OUT bits integer, OUT time_shift integer,
                              OUT worker_shift integer, OUT worker_bits integer,
                              OUT sequence_shift integer, OUT sequence_bits integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    SELECT l.epoch, l.tick, l.bits, l.time_shift, l.worker_shift, l.worker_bits, l.sequence_shift, l.sequence_bits
    INTO epoch, tick, bits, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits
    FROM (VALUES
        ('frazil', 1767225600000, 1, 63, 22, 12, 10, 0, 12),
        ('konayuki', 1767225600000, 1, 63, 22, 12, 10, 0, 12),
        ('sfid', 1766361600000, 1, 63, 22, 12, 10, 0, 12),
        ('post', 0, 1, 63, 22, 12, 10, 0, 12),
        ('flake', 0, 1, 64, 22, 12, 10, 0, 12),
        ('twitter', 1288834974657, 1, 63, 22, 12, 10, 0, 12),
        ('discord', 1420070400000, 1, 64, 22, 12, 10, 0, 12),
        ('instagram', 1314220021721, 1, 64, 23, 10, 13, 0, 10),
        ('mastodon', 0, 1, 64, 16, 16, 0, 0, 16),
        ('sonyflake', 1409529600000, 10, 63, 24, 0, 16, 16, 8),
        ('js53', 1767225600000, 1, 53, 12, 7, 5, 0, 7)
    ) AS l (name, epoch, tick, bits, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits)
    WHERE l.name = frazil_layout.layout;
    IF NOT FOUND THEN -- and no handler of exceptions, which parallel queries refuse
        RAISE 'there is no layout "%"', layout
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Its fields can be added to frazil_layout: "frazil layout" prints them.';
    END IF;
END
$$;

-- The layout of an id, or an error if the id is none of it.
CREATE OR REPLACE FUNCTION frazil_layout_of(id bigint, layout text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    l record := frazil_layout(layout);
BEGIN
    IF id < 0 THEN
        RAISE 'an id is not negative'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'An id from 2^63 on does not fit bigint.';
    ELSIF l.bits < 63 AND id >> l.bits > 0 THEN
        RAISE 'the id % has bits above the fields of the layout %', id, layout
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Name the layout that it was made with.';
    END IF;
    RETURN l;
END
$$;

CREATE OR REPLACE FUNCTION frazil_time(id bigint, layout text DEFAULT 'frazil') RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT
AS $$
DECLARE
    l record := frazil_layout_of(id, layout);
    ms bigint := (id >> l.time_shift) * l.tick + l.epoch;
BEGIN
    -- Intervals are multiplied as doubles: two factors, so that both products are exact.
    RETURN timestamptz '1970-01-01 00:00:00Z' + ms / 3600000 * interval '1 hour' + ms % 3600000 * interval '1 millisecond';
END
$$;

CREATE OR REPLACE FUNCTION frazil_worker(id bigint, layout text DEFAULT 'frazil') RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT
AS $$
DECLARE
    l record := frazil_layout_of(id, layout);
BEGIN
    RETURN (id >> l.worker_shift) & ((1::bigint << l.worker_bits) - 1);
END
$$;

CREATE OR REPLACE FUNCTION frazil_sequence(id bigint, layout text DEFAULT 'frazil') RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT
AS $$
DECLARE
    l record := frazil_layout_of(id, layout);
BEGIN
    RETURN (id >> l.sequence_shift) & ((1::bigint << l.sequence_bits) - 1);
END
$$;

-- The smallest id of that time or later: 0 before the epoch; after the layout's end the number above its largest id, or
-- the largest bigint if there is none.
CREATE OR REPLACE FUNCTION frazil_first(at timestamptz, layout text DEFAULT 'frazil') RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT
AS $$
DECLARE
    l record := frazil_layout(layout);
    whole timestamptz := date_trunc('milliseconds', at); -- extract has doubles before PostgreSQL 14, and not all digits
    ms numeric;
BEGIN
    IF at = 'infinity' THEN
        RETURN 9223372036854775807;
    ELSIF at = '-infinity' THEN
        RETURN 0;
    END IF;
    ms := round(extract(epoch FROM whole)::numeric * 1000) + (at > whole)::integer - l.epoch;
    RETURN least(ceil(greatest(ms, 0) / l.tick) * (1::bigint << l.time_shift), 2::numeric ^ l.bits, 9223372036854775807);
END
$$;

-- Whether from <= time of the id < to.  It is neither STRICT nor does it set anything, so the planner puts it into the
-- query, and an index on the id is used.  So the schema of frazil_first stands in it.
DO $do$
BEGIN
    EXECUTE format($create$
        CREATE OR REPLACE FUNCTION frazil_within(id bigint, "from" timestamptz, "to" timestamptz, layout text DEFAULT 'frazil') RETURNS boolean
            LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS 'SELECT $1 OPERATOR(pg_catalog.>=) %1$I.frazil_first($2, $4) AND $1 OPERATOR(pg_catalog.<) %1$I.frazil_first($3, $4)'
        $create$, current_schema());
END
$do$;

COMMIT;
