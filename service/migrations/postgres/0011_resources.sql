-- Resources are found in memory (src/catalogue/index): what is kept is the records alone, in the order in which they were
-- changed. A record that is changed gets a new `seq`.

ALTER TABLE resources
    DROP COLUMN author,
    DROP COLUMN series,
    DROP COLUMN popular,
    DROP COLUMN recent,
    DROP COLUMN tokens;
