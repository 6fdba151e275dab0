-- SPDX-License-Identifier: MIT
-- The fields of frazil's ids in MariaDB 10.5 or later: the functions of the PostgreSQL extension, but for the default of
-- the layout, which is always an argument here.  Times are DATETIME in UTC.  Run it once in each database.

-- The layouts by name: where their fields lie.
CREATE TABLE frazil_layout (
    name VARCHAR(16) CHARACTER SET ascii NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL,
    tick INT NOT NULL,
    time_shift INT NOT NULL,
    worker_shift INT NOT NULL,
    worker_bits INT NOT NULL,
    sequence_shift INT NOT NULL,
    sequence_bits INT NOT NULL
);
INSERT INTO frazil_layout VALUES
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
        ('js53', 1767225600000, 1, 12, 7, 5, 0, 7);

DELIMITER //

CREATE FUNCTION frazil_time(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS DATETIME(3) READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE ms BIGINT;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> time_shift) * tick + epoch INTO ms FROM frazil_layout WHERE name = layout;
    RETURN TIMESTAMPADD(MICROSECOND, ms * 1000, TIMESTAMP'1970-01-01 00:00:00.000');
END//

CREATE FUNCTION frazil_worker(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE worker BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> worker_shift) & ((1 << worker_bits) - 1) INTO worker FROM frazil_layout WHERE name = layout;
    RETURN worker;
END//

CREATE FUNCTION frazil_sequence(id BIGINT UNSIGNED, layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE sequence BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    SELECT (id >> sequence_shift) & ((1 << sequence_bits) - 1) INTO sequence FROM frazil_layout WHERE name = layout;
    RETURN sequence;
END//

-- The smallest id of that time or later; 0 before the epoch.  A range of ids by it uses an index on the id.
CREATE FUNCTION frazil_first(at DATETIME(3), layout VARCHAR(16)) RETURNS BIGINT UNSIGNED READS SQL DATA DETERMINISTIC
BEGIN
    DECLARE first BIGINT UNSIGNED;
    DECLARE EXIT HANDLER FOR NOT FOUND
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'there is no such layout: table frazil_layout has those that there are';
    IF at IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT GREATEST(CEIL((TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00.000', at) DIV 1000 - epoch) / tick), 0) << time_shift
    INTO first FROM frazil_layout WHERE name = layout;
    RETURN first;
END//

-- Whether from_time <= time of the id < to_time.
CREATE FUNCTION frazil_within(id BIGINT UNSIGNED, from_time DATETIME(3), to_time DATETIME(3), layout VARCHAR(16)) RETURNS BOOLEAN READS SQL DATA DETERMINISTIC
    RETURN id >= frazil_first(from_time, layout) AND id < frazil_first(to_time, layout)//

DELIMITER ;
