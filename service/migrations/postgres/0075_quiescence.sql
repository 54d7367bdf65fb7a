-- While it has a row, no process claims tasks, delivers webhooks or removes anything: the database is a restored copy.
CREATE TABLE quiescence (
    one    BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    since  BIGINT  NOT NULL,
    reason TEXT    NOT NULL
);
