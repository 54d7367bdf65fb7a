-- The database's clock as the sweep saw it last, and since when it has run without a jump. One row, or none before the first
-- sweep.

CREATE TABLE clock (
    one        BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    looked     BIGINT  NOT NULL,
    since      BIGINT,
    -- Until then, a backup copies files, and the sweep removes none.
    held_until BIGINT  NOT NULL DEFAULT 0
);
