-- API keys, and the secrets that their webhooks are signed with. Times are milliseconds since 1970 in UTC.

CREATE TABLE keys (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    secret_hash BLOB    NOT NULL,
    enterprise  INTEGER NOT NULL,
    tier        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER
) STRICT;

CREATE TABLE webhook_secrets (
    seq        INTEGER NOT NULL PRIMARY KEY,
    key_id     TEXT    NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    bytes      BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;

CREATE INDEX webhook_secrets_by_key ON webhook_secrets (key_id, seq);
