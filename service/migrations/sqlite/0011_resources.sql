-- Resources are found in memory (src/catalogue/index): what is kept is the records alone, in the order in which they were
-- changed. A record that is changed gets a new `seq`.

DROP TABLE resources_popular;
DROP TABLE resources_recent;

CREATE TABLE records (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    id     INTEGER NOT NULL UNIQUE,
    record TEXT NOT NULL
) STRICT;
INSERT INTO records (seq, id, record) SELECT seq, id, record FROM resources ORDER BY seq;
DROP TABLE resources;
ALTER TABLE records RENAME TO resources;
