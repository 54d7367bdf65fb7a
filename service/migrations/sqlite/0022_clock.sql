-- The database's clock as the sweep saw it last, and since when it has run without a jump. One row, or none before the first
-- sweep.

CREATE TABLE clock (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    looked     INTEGER NOT NULL,
    since      INTEGER,
    -- Until then, a backup copies files, and the sweep removes none.
    held_until INTEGER NOT NULL DEFAULT 0
) STRICT;
