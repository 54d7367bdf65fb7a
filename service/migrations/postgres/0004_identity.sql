-- Which files the rows name: the id that stands in their folder. One row, or none before the first start.

CREATE TABLE identity (
    one      BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    files_id TEXT    NOT NULL
);
