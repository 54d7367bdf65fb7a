-- API keys, and the secrets that their webhooks are signed with. Times are milliseconds since 1970 in UTC.

CREATE TABLE keys (
    id          TEXT COLLATE "C" PRIMARY KEY,
    name        TEXT    NOT NULL,
    secret_hash BYTEA   NOT NULL,
    enterprise  BOOLEAN NOT NULL,
    tier        TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    expires_at  BIGINT,
    revoked_at  BIGINT
);

CREATE TABLE webhook_secrets (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id     TEXT COLLATE "C" NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    bytes      BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);

CREATE INDEX webhook_secrets_by_key ON webhook_secrets (key_id, seq);
