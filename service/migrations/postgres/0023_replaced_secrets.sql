-- The secrets that rotations replaced, and until when they are still accepted. The table `keys` keeps its columns, because
-- processes of the previous release read all of them by statements that they have prepared.

CREATE TABLE replaced_secrets (
    key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES keys (id) ON DELETE CASCADE,
    hash   BYTEA            NOT NULL,
    until  BIGINT           NOT NULL
);
