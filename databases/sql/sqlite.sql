-- SPDX-License-Identifier: MIT
-- The fields of frazil's ids in SQLite, for programs that cannot load the extension.  SQLite has no functions in SQL, so
-- this is the table of layouts as a view, and README.md has the queries.  It can be run again.
DROP VIEW IF EXISTS frazil_layout;
CREATE VIEW frazil_layout (name, epoch, tick, time_shift, worker_shift, worker_bits, sequence_shift, sequence_bits) AS
    VALUES
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
