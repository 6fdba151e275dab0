-- SPDX-License-Identifier: MIT
-- The fields of frazil's ids in MariaDB 10.5 or MySQL 8, or later: the functions of the PostgreSQL extension, but for the
-- default of the layout, which is always an argument here.  Times are DATETIME in UTC.  Run it in each database, also again.
-- MySQL, which cannot replace a function, drops it first: the comments with an exclamation mark are for one of the two.

-- The layouts by name: where their fields lie.
CREATE TABLE IF NOT EXISTS frazil_layout (
    name VARCHAR(16) CHARACTER SET ascii NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL,
    tick INT NOT NULL,
    bits INT NOT NULL,
    time_shift INT NOT NULL,
    worker_shift INT NOT NULL,
    worker_bits INT NOT NULL,
    sequence_shift INT NOT NULL,
    sequence_bits INT NOT NULL
);
REPLACE INTO frazil_layout VALUES
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
        ('js53', 1767225600000, 1, 53, 12, 7, 5, 0, 7);

DELIMITER //

/*!80000 DROP FUNCTION IF EXISTS frazil_time */ //
CREATE /*M! OR REPLACE */ FUNCTION frazil_time(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS DATETIME(3) READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE ms BIGINT;
    DECLARE above BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> time_shift) * tick + epoch, id >> bits INTO ms, above FROM frazil_layout WHERE name = layout;
    IF above > 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the id has bits above the fields of the layout: name the layout that it was made with';
    END IF;
    RETURN TIMESTAMPADD(MICROSECOND, ms * 1000, TIMESTAMP'1970-01-01 00:00:00.000');
END//

/*!80000 DROP FUNCTION IF EXISTS frazil_worker */ //
CREATE /*M! OR REPLACE */ FUNCTION frazil_worker(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE worker, above BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> worker_shift) & ((1 << worker_bits) - 1), id >> bits INTO worker, above FROM frazil_layout WHERE name = layout;
    IF above > 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the id has bits above the fields of the layout: name the layout that it was made with';
    END IF;
    RETURN worker;
END//

/*!80000 DROP FUNCTION IF EXISTS frazil_sequence */ //
CREATE /*M! OR REPLACE */ FUNCTION frazil_sequence(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE sequence, above BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> sequence_shift) & ((1 << sequence_bits) - 1), id >> bits INTO sequence, above FROM frazil_layout WHERE name = layout;
    IF above > 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the id has bits above the fields of the layout: name the layout that it was made with';
    END IF;
    RETURN sequence;
END//

-- The smallest id of that time or later: 0 before the epoch; after the layout's end the number above its largest id, or
-- 2^64 - 1 if there is none.  A range of ids by it uses an index on the id.  An invalid date is an error: as a bound it
-- would match all rows.
/*!80000 DROP FUNCTION IF EXISTS frazil_first */ //
CREATE /*M! OR REPLACE */ FUNCTION frazil_first(at DATETIME(6), layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE first BIGINT UNSIGNED;
    DECLARE us BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00.000', at);
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    IF at IS NULL THEN
        RETURN NULL;
    END IF;
    IF us IS NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the time is no date: the server may have made 0000-00-00 of it, see SHOW WARNINGS';
    END IF;
    SELECT IF(ticks >> (bits - time_shift) = 0, ticks << time_shift, IF(bits < 64, 1 << bits, 18446744073709551615))
    INTO first
    FROM (SELECT (GREATEST(us - epoch * 1000, 0) + tick * 1000 - 1)
                     DIV (tick * 1000) AS ticks,
                 bits, time_shift
          FROM frazil_layout WHERE name = layout) AS l;
    RETURN first;
END//

-- Whether from_time <= time of the id < to_time.
/*!80000 DROP FUNCTION IF EXISTS frazil_within */ //
CREATE /*M! OR REPLACE */ FUNCTION frazil_within(id BIGINT UNSIGNED, from_time DATETIME(6), to_time DATETIME(6), layout VARCHAR(16)) RETURNS BOOLEAN READS SQL DATA DETERMINISTIC
    RETURN id >= frazil_first(from_time, layout) AND id < frazil_first(to_time, layout)//

DELIMITER ;
