-- While it has a row, the process claims no tasks, delivers no webhooks and removes nothing: the database is a restored copy.
CREATE TABLE quiescence (
    one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    since  INTEGER NOT NULL,
    reason TEXT    NOT NULL
) STRICT;
