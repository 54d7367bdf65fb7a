-- Times are milliseconds since 1970 in UTC, days are UTC days since 1970, and `seq` is the order of insertion.
-- The schema of PostgreSQL has the same tables and columns, but for those that `store/transfer` lists.

-- API keys.
CREATE TABLE keys (
    id             TEXT    NOT NULL PRIMARY KEY,
    name           TEXT    NOT NULL,
    tier           TEXT    NOT NULL,
    enterprise     INTEGER NOT NULL,
    secret_hash    BLOB    NOT NULL,
    -- The secret that the last rotation replaced, and until when it is accepted.
    replaced_hash  BLOB,
    replaced_until INTEGER,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    revoked_at     INTEGER,
    -- What it opens: 0 the API of clients, 1 the administration for reading, 2 the administration.
    role           INTEGER NOT NULL DEFAULT 0,
    -- To the minute.
    last_used_at   INTEGER
) STRICT;

-- The secrets that sign the webhooks of a key.
CREATE TABLE webhook_secrets (
    seq        INTEGER NOT NULL PRIMARY KEY,
    key_id     TEXT    NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    bytes      BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;

CREATE INDEX webhook_secrets_by_key ON webhook_secrets (key_id, seq);

-- Tasks, which are also the queue. Long texts come last, so that claims and lists don't read them.
CREATE TABLE tasks (
    seq                 INTEGER NOT NULL PRIMARY KEY,
    id                  BLOB    NOT NULL UNIQUE,
    key_id              TEXT    NOT NULL,
    family              TEXT    NOT NULL,
    -- Empty: the family has no models.
    model               TEXT    NOT NULL,
    -- 0 CREATED, 1 IN_PROGRESS, 2 COMPLETED, 3 FAILED
    status              INTEGER NOT NULL CHECK (status BETWEEN 0 AND 3),
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,

    -- The engines that the next attempt needs: `built-in` or `attached`, and their families.
    demand              TEXT    NOT NULL,
    -- The binary logarithm of the milliseconds that the next attempt is expected to take, rounded up.
    size                INTEGER NOT NULL,
    -- How often it was claimed. The number never decreases, so that no two leases are equal.
    attempt             INTEGER NOT NULL DEFAULT 0,
    -- How many of these claims do not count, and how many of those because of a failure of the service itself (its disk, its
    -- database) or of an engine that was busy or did not work.
    refunded            INTEGER NOT NULL DEFAULT 0,
    outages             INTEGER NOT NULL DEFAULT 0,
    refusals            INTEGER NOT NULL DEFAULT 0,
    -- In how many crashes of a process it was in progress; negative once it has outlived an attempt of its own.
    crashes             INTEGER NOT NULL DEFAULT 0,
    -- It is not claimed before: the end of its lease, or of its delay.
    due_at              INTEGER NOT NULL DEFAULT 0,
    lease_owner         TEXT,

    -- The size of its inputs; negative once they no longer count as stored.
    input_bytes         INTEGER NOT NULL DEFAULT 0,
    result_bytes        INTEGER NOT NULL DEFAULT 0,
    -- How long engines have worked on it, in milliseconds; NULL: unknown.
    engine_time         INTEGER,

    engine              TEXT    NOT NULL,
    folder              TEXT    NOT NULL UNIQUE,
    webhook_url         TEXT,
    -- The workflow app that it runs.
    app                 TEXT,
    -- This row also records the `Idempotency-Key`, so that one statement accepts both.
    idempotency_path    TEXT,
    idempotency_key     TEXT,
    idempotency_hash    BLOB,
    idempotency_expires INTEGER,

    -- JSON: the fields of the request that the engine does not read.
    ignored             TEXT,
    -- JSON of the engines: how far the engine has come, and the call of a provider that may cost money.
    progress            TEXT,
    call                TEXT,
    -- JSON
    error               TEXT,
    results             TEXT,
    -- JSON of the engines: what is to be done.
    work                TEXT    NOT NULL,
    -- The W3C trace context in which it was created.
    traceparent         TEXT
) STRICT;

CREATE INDEX tasks_by_family ON tasks (key_id, family, model, seq);

CREATE UNIQUE INDEX tasks_by_idempotency_key ON tasks (key_id, idempotency_path, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- The queue has a lane for each demand, size and key. A process does not read lanes whose engines it lacks, and a lane of
-- quick tasks does not wait for slow ones.
CREATE INDEX tasks_lanes ON tasks (demand, size, key_id, seq, due_at) WHERE status < 2;

-- The open tasks of a key, however many others have.
CREATE INDEX tasks_open ON tasks (key_id) WHERE status < 2;

-- The tasks in progress: few rows, however many wait.
CREATE INDEX tasks_begun ON tasks (due_at, key_id) WHERE status = 1;

-- The tasks that are tried one at a time, because one of them may have crashed a process.
CREATE INDEX tasks_quarantined ON tasks (key_id, seq) WHERE crashes > 0 AND status NOT IN (2, 3);

-- The tasks that the sweep removes.
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE status > 1;

-- Families whose engines begin no tasks, because an operator has paused them.
CREATE TABLE paused_families (
    family TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The changes by operators: the audit log.
CREATE TABLE audit (
    seq    INTEGER NOT NULL PRIMARY KEY,
    at     INTEGER NOT NULL,
    who    TEXT    NOT NULL,
    action TEXT    NOT NULL,
    target TEXT    NOT NULL,
    -- NULL: it is in progress, or its process has ended before.
    result TEXT
) STRICT;

-- Webhook events: the outbox.
CREATE TABLE events (
    seq        INTEGER NOT NULL PRIMARY KEY,
    id         TEXT    NOT NULL UNIQUE,
    task_id    BLOB    NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    key_id     TEXT    NOT NULL,
    -- The host of the URL: one that does not respond delays no other.
    host       TEXT    NOT NULL,
    -- 0 pending, 1 delivered, 2 given up, 3 gone
    state      INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    terminal   INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    -- It is not claimed before: the next attempt, or the end of the lease.
    due_at     INTEGER NOT NULL,
    -- Changes with each claim.
    lease      TEXT,
    url        TEXT    NOT NULL,
    payload    TEXT    NOT NULL
) STRICT;

-- A task has at most one event of each kind.
CREATE UNIQUE INDEX events_by_task ON events (task_id, terminal);

-- A claim finds the due events of a key, however many wait: first by time, then by host.
CREATE INDEX events_due ON events (key_id, due_at, seq) WHERE state = 0;
CREATE INDEX events_by_lane ON events (key_id, host, due_at, seq) WHERE state = 0;

-- The events in delivery, whatever their state: one whose task ends in the meantime counts until its attempt is recorded.
CREATE INDEX events_in_delivery ON events (due_at, host, key_id) WHERE lease IS NOT NULL;

-- The attempts to deliver an event.
CREATE TABLE attempts (
    event_id TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    duration INTEGER NOT NULL,
    status   INTEGER,
    error    TEXT,
    -- The first bytes of the response body.
    response TEXT    NOT NULL,
    PRIMARY KEY (event_id, number)
) STRICT, WITHOUT ROWID;

-- What a key has used of the quotas of a day: tasks, where their number is limited, and bytes of media.
CREATE TABLE quotas (
    day      INTEGER NOT NULL,
    key_id   TEXT    NOT NULL,
    used     INTEGER NOT NULL,
    uploaded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, key_id)
) STRICT, WITHOUT ROWID;

-- The size of the files of a key: inputs until their task is completed, results, and results that stay after their task.
CREATE TABLE stored (
    key_id TEXT    NOT NULL PRIMARY KEY,
    bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Results that stay after their task.
CREATE TABLE retained_results (
    folder TEXT    NOT NULL PRIMARY KEY,
    key_id TEXT    NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER stored_created AFTER INSERT ON tasks WHEN NEW.input_bytes > 0 BEGIN
    INSERT INTO stored (key_id, bytes) VALUES (NEW.key_id, NEW.input_bytes)
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER stored_changed AFTER UPDATE OF input_bytes, result_bytes ON tasks
WHEN NEW.result_bytes <> OLD.result_bytes OR NEW.input_bytes <> OLD.input_bytes BEGIN
    INSERT INTO stored (key_id, bytes)
    VALUES (NEW.key_id, NEW.result_bytes - OLD.result_bytes + max(NEW.input_bytes, 0) - max(OLD.input_bytes, 0))
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER stored_removed AFTER DELETE ON tasks WHEN OLD.result_bytes <> 0 OR OLD.input_bytes > 0 BEGIN
    UPDATE stored SET bytes = bytes - OLD.result_bytes - max(OLD.input_bytes, 0) WHERE key_id = OLD.key_id;
END;

CREATE TRIGGER retained_added AFTER INSERT ON retained_results BEGIN
    INSERT INTO stored (key_id, bytes) VALUES (NEW.key_id, NEW.bytes)
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER retained_removed AFTER DELETE ON retained_results BEGIN
    UPDATE stored SET bytes = bytes - OLD.bytes WHERE key_id = OLD.key_id;
END;

-- What the engines of providers have done for a key on a day.
CREATE TABLE spending (
    day      INTEGER NOT NULL,
    key_id   TEXT    NOT NULL,
    engine   TEXT    NOT NULL,
    family   TEXT    NOT NULL,
    unit     TEXT    NOT NULL,
    -- Empty: the settings declare none.
    price    TEXT    NOT NULL,
    currency TEXT    NOT NULL,
    -- Where the price comes from, as the settings say it; empty if they don't.
    source   TEXT    NOT NULL,
    calls    INTEGER NOT NULL,
    units    REAL    NOT NULL,
    PRIMARY KEY (day, key_id, engine, family, unit, price, currency)
) STRICT;

-- What removed tasks count on a day; `untimed` of the ended tasks have an unknown engine time. `keys usage` adds the tasks
-- that are there.
CREATE TABLE past_usage (
    day         INTEGER NOT NULL,
    key_id      TEXT    NOT NULL,
    created     INTEGER NOT NULL,
    completed   INTEGER NOT NULL,
    failed      INTEGER NOT NULL,
    engine_time INTEGER,
    untimed     INTEGER NOT NULL,
    PRIMARY KEY (day, key_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER usage_removed AFTER DELETE ON tasks BEGIN
    INSERT INTO past_usage (day, key_id, created, completed, failed, untimed)
    VALUES (OLD.created_at / 86400000, OLD.key_id, 1, 0, 0, 0)
    ON CONFLICT (day, key_id) DO UPDATE SET created = created + 1;
    INSERT INTO past_usage (day, key_id, created, completed, failed, engine_time, untimed)
    VALUES (OLD.updated_at / 86400000, OLD.key_id, 0, OLD.status = 2, OLD.status = 3, OLD.engine_time,
            OLD.engine_time IS NULL AND OLD.attempt > 0)
    ON CONFLICT (day, key_id) DO UPDATE SET
        completed = completed + excluded.completed,
        failed = failed + excluded.failed,
        engine_time = coalesce(engine_time + excluded.engine_time, engine_time, excluded.engine_time),
        untimed = untimed + excluded.untimed;
END;

-- The catalogue: whole records as JSON, and what searches need.

CREATE TABLE icons (
    id      INTEGER NOT NULL PRIMARY KEY,
    family  INTEGER NOT NULL,
    author  INTEGER NOT NULL,
    style   INTEGER NOT NULL,
    -- What it shows, and the first word of that.
    concept TEXT    NOT NULL,
    stem    TEXT    NOT NULL,
    record  TEXT    NOT NULL
) STRICT;

CREATE INDEX icons_by_concept ON icons (concept, family, id);
CREATE INDEX icons_by_style ON icons (family, style, id);
CREATE INDEX icons_by_stem ON icons (family, stem, id);
CREATE INDEX icons_by_author ON icons (author);

-- Searches find resources in memory (src/catalogue/index). A changed record gets a new `seq`; an empty one was removed.
CREATE TABLE resources (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    id     INTEGER NOT NULL UNIQUE,
    record TEXT    NOT NULL
) STRICT;

CREATE TABLE audio (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    id         INTEGER NOT NULL,
    title      TEXT    NOT NULL,
    premium    INTEGER NOT NULL,
    popularity REAL    NOT NULL,
    downloads  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    seconds    REAL    NOT NULL,
    bpm        REAL    NOT NULL,
    record     TEXT    NOT NULL,
    UNIQUE (kind, id)
) STRICT;

CREATE VIRTUAL TABLE audio_tokens USING fts5 (tokens, content = '', contentless_delete = 1, detail = none);

-- Files of removed records. The sweep removes those that no other record names.
CREATE TABLE unused_files (
    key   TEXT    NOT NULL PRIMARY KEY,
    -- When a record with this file was last removed.
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The database's clock as the sweep last read it. One row, or none before the first sweep.
CREATE TABLE clock (
    one            INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    read_at        INTEGER NOT NULL,
    -- When it last jumped; NULL: never.
    jumped_at      INTEGER,
    -- Until then, a backup copies files, and the sweep removes none.
    held_until     INTEGER NOT NULL DEFAULT 0,
    -- Until then, sweeps may remove what they have found, and a backup waits.
    sweeping_until INTEGER NOT NULL DEFAULT 0
) STRICT;

-- While it has a row, no process claims tasks, delivers webhooks or removes anything: the database is a restored copy.
CREATE TABLE quiescence (
    one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    since  INTEGER NOT NULL,
    reason TEXT    NOT NULL
) STRICT;
