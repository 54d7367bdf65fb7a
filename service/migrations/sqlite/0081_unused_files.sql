-- Files of catalogue records that were removed. The sweep removes those that no other record names.
CREATE TABLE unused_files (
    key   TEXT    NOT NULL PRIMARY KEY,
    -- When a record with this file was last removed.
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
