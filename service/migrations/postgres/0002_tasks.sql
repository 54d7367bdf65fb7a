-- Tasks, and the queue that they are. `seq` is the order in which they were accepted.

CREATE TABLE tasks (
    seq                  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                   UUID     NOT NULL UNIQUE,
    key_id               TEXT COLLATE "C" NOT NULL,
    scope                TEXT COLLATE "C" NOT NULL,
    -- 0 CREATED, 1 IN_PROGRESS, 2 COMPLETED, 3 FAILED
    status               SMALLINT NOT NULL CHECK (status BETWEEN 0 AND 3),
    -- How often it was claimed. It never goes back, so that no two leases are alike.
    attempt              INTEGER  NOT NULL DEFAULT 0,
    -- How many of those claims do not count.
    refunded             INTEGER  NOT NULL DEFAULT 0,
    lease_owner          TEXT,
    -- It is not claimed before: the end of its lease, or of its pause.
    due_at               BIGINT   NOT NULL DEFAULT 0,
    created_at           BIGINT   NOT NULL,
    updated_at           BIGINT   NOT NULL,
    engine               TEXT     NOT NULL,
    folder               TEXT COLLATE "C" NOT NULL UNIQUE,
    webhook_url          TEXT,
    -- The row is the `Idempotency-Key`'s own row too, so that one statement accepts both.
    idempotency_path     TEXT COLLATE "C",
    idempotency_key      TEXT COLLATE "C",
    idempotency_hash     BYTEA,
    idempotency_expires  BIGINT,
    -- JSON
    error                TEXT,
    results              TEXT,
    work                 TEXT     NOT NULL
);

CREATE INDEX tasks_by_scope ON tasks (key_id, scope, seq);

CREATE UNIQUE INDEX tasks_by_idempotency_key ON tasks (key_id, idempotency_path, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- The queue, one lane for each API key: who waits, in order, whatever the other keys have waiting.
CREATE INDEX tasks_waiting ON tasks (key_id, seq, due_at) WHERE status < 2;

-- What is under way: few rows, whatever waits.
CREATE INDEX tasks_begun ON tasks (due_at, key_id) WHERE status = 1;

-- What the sweep removes.
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE status > 1;

-- How many tasks a key has created in a UTC day (days since 1970), where that is limited.
CREATE TABLE quotas (
    day    BIGINT NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    used   BIGINT NOT NULL,
    PRIMARY KEY (day, key_id)
);
