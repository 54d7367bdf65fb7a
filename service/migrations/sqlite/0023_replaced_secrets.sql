-- The secrets that rotations replaced, and until when they are still accepted.

CREATE TABLE replaced_secrets (
    key_id TEXT    NOT NULL PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
    hash   BLOB    NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
