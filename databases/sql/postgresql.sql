-- SPDX-License-Identifier: MIT
-- The fields of frazil's ids in PostgreSQL 12 or later, for servers that take no extension: functions with the names and
-- answers of the extension frazil, without a generator.  Run it once in each database.

-- The layouts by name: where their fields lie.
CREATE FUNCTION frazil_layout(layout text, OUT epoch bigint, OUT tick bigint, OUT time_shift integer,
                              OUT worker_shift integer, OUT worker_bits integer,
                              OUT sequence_shift integer, OUT sequence_bits integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    SELECT l.epoch, l.tick, l.time_shift, l.worker_shift, l.worker_bits, l.sequence_shift, l.sequence_bits
    INTO STRICT epoch, tick, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits
    FROM (VALUES
        ('frazil', 1767225600000, 1, 22, 12, 10, 0, 12),
        ('konayuki', 1767225600000, 1, 22, 12, 10, 0, 12),
        ('sfid', 1766361600000, 1, 22, 12, 10, 0, 12),
        ('post', 0, 1, 22, 12, 10, 0, 12),
        ('flake', 0, 1, 22, 12, 10, 0, 12),
        ('twitter', 1288834974657, 1, 22, 12, 10, 0, 12),
        ('discord', 1420070400000, 1, 22, 12, 10, 0, 12),
        ('instagram', 1314220021721, 1, 23, 10, 13, 0, 10),
        ('mastodon', 0, 1, 16, 16, 0, 0, 16),
        ('sonyflake', 1409529600000, 10, 24, 0, 16, 16, 8),
        ('js53', 1767225600000, 1, 12, 7, 5, 0, 7)
    ) AS l (name, epoch, tick, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits)
    WHERE l.name = frazil_layout.layout;
EXCEPTION WHEN no_data_found THEN
    RAISE 'there is no layout "%"', layout
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Its fields can be added to frazil_layout: "frazil layout" prints them.';
END
$$;

CREATE FUNCTION frazil_time(id bigint, layout text DEFAULT 'frazil') RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT timestamptz ''1970-01-01 00:00:00Z'' + (($1 >> time_shift) * tick + epoch) * interval ''1 millisecond'' FROM frazil_layout($2)';

CREATE FUNCTION frazil_worker(id bigint, layout text DEFAULT 'frazil') RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT ($1 >> worker_shift) & ((1::bigint << worker_bits) - 1) FROM frazil_layout($2)';

CREATE FUNCTION frazil_sequence(id bigint, layout text DEFAULT 'frazil') RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS 'SELECT ($1 >> sequence_shift) & ((1::bigint << sequence_bits) - 1) FROM frazil_layout($2)';

-- The smallest id of that time or later; 0 before the epoch, and the largest bigint where there is none.
CREATE FUNCTION frazil_first(at timestamptz, layout text DEFAULT 'frazil') RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    l record := frazil_layout(layout);
    ticks numeric;
BEGIN
    IF at = 'infinity' THEN
        RETURN 9223372036854775807;
    ELSIF at = '-infinity' THEN
        RETURN 0;
    END IF;
    ticks := ceil((extract(epoch FROM at)::numeric * 1000 - l.epoch) / l.tick);
    RETURN least(greatest(ticks, 0) * (1::bigint << l.time_shift), 9223372036854775807);
END
$$;

-- Whether from <= time of the id < to.  It is neither STRICT nor does it set anything, so the planner puts it into the
-- query, and an index on the id is used.
CREATE FUNCTION frazil_within(id bigint, "from" timestamptz, "to" timestamptz, layout text DEFAULT 'frazil') RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT $1 >= frazil_first($2, $4) AND $1 < frazil_first($3, $4)';
