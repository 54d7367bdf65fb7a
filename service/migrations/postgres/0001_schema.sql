-- Times are milliseconds since 1970 in UTC, days are UTC days since 1970, and `seq` is the order of insertion.
-- The schema of SQLite has the same tables and columns, but for those that `store/transfer` lists.

-- API keys.
CREATE TABLE keys (
    id             TEXT COLLATE "C" PRIMARY KEY,
    name           TEXT    NOT NULL,
    tier           TEXT    NOT NULL,
    enterprise     BOOLEAN NOT NULL,
    secret_hash    BYTEA   NOT NULL,
    -- The secret that the last rotation replaced, and until when it is accepted.
    replaced_hash  BYTEA,
    replaced_until BIGINT,
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT,
    revoked_at     BIGINT,
    -- What it opens: 0 the API of clients, 1 the administration for reading, 2 the administration.
    role           SMALLINT NOT NULL DEFAULT 0,
    -- To the minute.
    last_used_at   BIGINT
);

-- The secrets that sign the webhooks of a key.
CREATE TABLE webhook_secrets (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id     TEXT COLLATE "C" NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    bytes      BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);

CREATE INDEX webhook_secrets_by_key ON webhook_secrets (key_id, seq);

-- Tasks, which are also the queue. Each change of a row leaves an old version of it. The default settings of autovacuum would
-- let a fifth of the table pile up, and a claim read the versions of its rows.
CREATE TABLE tasks (
    seq                 BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                  UUID     NOT NULL UNIQUE,
    key_id              TEXT COLLATE "C" NOT NULL,
    family              TEXT COLLATE "C" NOT NULL,
    -- Empty: the family has no models.
    model               TEXT COLLATE "C" NOT NULL,
    -- 0 CREATED, 1 IN_PROGRESS, 2 COMPLETED, 3 FAILED
    status              SMALLINT NOT NULL CHECK (status BETWEEN 0 AND 3),
    created_at          BIGINT   NOT NULL,
    updated_at          BIGINT   NOT NULL,

    -- The engines that the next attempt needs: `built-in` or `attached`, and their families.
    demand              TEXT COLLATE "C" NOT NULL,
    -- The binary logarithm of the milliseconds that the next attempt is expected to take, rounded up.
    size                SMALLINT NOT NULL,
    -- How often it was claimed. The number never decreases, so that no two leases are equal.
    attempt             INTEGER  NOT NULL DEFAULT 0,
    -- How many of these claims do not count, and how many of those because of a failure of the service itself (its disk, its
    -- database) or of an engine that was busy or did not work.
    refunded            INTEGER  NOT NULL DEFAULT 0,
    outages             INTEGER  NOT NULL DEFAULT 0,
    refusals            INTEGER  NOT NULL DEFAULT 0,
    -- In how many crashes of a process it was in progress; negative once it has outlived an attempt of its own.
    crashes             INTEGER  NOT NULL DEFAULT 0,
    -- It is not claimed before: the end of its lease, or of its delay.
    due_at              BIGINT   NOT NULL DEFAULT 0,
    lease_owner         TEXT,

    -- The size of its inputs; negative once they no longer count as stored.
    input_bytes         BIGINT   NOT NULL DEFAULT 0,
    result_bytes        BIGINT   NOT NULL DEFAULT 0,
    -- How long engines have worked on it, in milliseconds; NULL: unknown.
    engine_time         BIGINT,

    engine              TEXT     NOT NULL,
    folder              TEXT COLLATE "C" NOT NULL UNIQUE,
    webhook_url         TEXT,
    -- The workflow app that it runs.
    app                 TEXT,
    -- This row also records the `Idempotency-Key`, so that one statement accepts both.
    idempotency_path    TEXT COLLATE "C",
    idempotency_key     TEXT COLLATE "C",
    idempotency_hash    BYTEA,
    idempotency_expires BIGINT,

    -- JSON: the fields of the request that the engine does not read.
    ignored             TEXT,
    -- JSON of the engines: how far the engine has come, and the call of a provider that may cost money.
    progress            TEXT,
    call                TEXT,
    -- JSON
    error               TEXT,
    results             TEXT,
    -- JSON of the engines: what is to be done.
    work                TEXT     NOT NULL,
    -- The W3C trace context in which it was created.
    traceparent         TEXT,
    -- The transaction after which it last waited in the queue in another way: it was created, claimed or returned, or its time
    -- was brought forward. A claim thus finds the changes since an earlier claim, however many old versions of rows a long
    -- transaction keeps.
    changed             XID8     NOT NULL DEFAULT pg_current_xact_id()
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX tasks_by_family ON tasks (key_id, family, model, seq);

CREATE UNIQUE INDEX tasks_by_idempotency_key ON tasks (key_id, idempotency_path, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- The queue has a lane for each demand, size and key. A process does not read lanes whose engines it lacks, and a lane of
-- quick tasks does not wait for slow ones.
-- The conditions of this index and the next are those of no other one, so that a claim can't use another one: PostgreSQL has no
-- statistics about tasks that wait for milliseconds. `attempt >= 0` is true of all rows.
CREATE INDEX tasks_lanes ON tasks (demand, size, key_id, seq, due_at) WHERE status NOT IN (2, 3) AND lease_owner IS NULL;
CREATE INDEX tasks_changed ON tasks (changed) WHERE status NOT IN (2, 3) AND attempt >= 0;

CREATE FUNCTION task_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE TRIGGER task_changed BEFORE UPDATE ON tasks FOR EACH ROW
WHEN (NEW.status < 2 AND (NEW.lease_owner IS NULL OR OLD.lease_owner IS NULL OR NEW.due_at < OLD.due_at))
EXECUTE FUNCTION task_changed();

-- The open tasks of a key, however many others have.
CREATE INDEX tasks_open ON tasks (key_id) WHERE status < 2;

-- The tasks in progress: few rows, however many wait.
CREATE INDEX tasks_begun ON tasks (due_at, key_id) WHERE status = 1;

-- The tasks that are tried one at a time, because one of them may have crashed a process. All of them are in progress. A condition
-- with `status = 1` would let PostgreSQL search `tasks_begun`, with the old versions of all tasks in progress.
CREATE INDEX tasks_quarantined ON tasks (key_id, seq) WHERE crashes > 0 AND status NOT IN (2, 3);

-- The tasks that the sweep removes.
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE status > 1;

-- The rates of keys (`key …`) and of the invalid keys of addresses (`address …`): when a bucket is full, in microseconds
-- since 1970. Buckets and requests in progress are not logged, because a crash may forget them.
CREATE UNLOGGED TABLE rates (
    caller  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    full_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- The requests of a key in progress in a process, which count until then.
CREATE UNLOGGED TABLE requests_in_progress (
    caller   TEXT COLLATE "C" NOT NULL,
    process  TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    until    BIGINT NOT NULL,
    PRIMARY KEY (caller, process)
) WITH (fillfactor = 50);

-- Families whose engines begin no tasks, because an operator has paused them.
CREATE TABLE paused_families (
    family TEXT COLLATE "C" PRIMARY KEY
);

-- The changes by operators: the audit log.
CREATE TABLE audit (
    seq    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     BIGINT NOT NULL,
    who    TEXT   NOT NULL,
    action TEXT   NOT NULL,
    target TEXT   NOT NULL,
    -- NULL: it is in progress, or its process has ended before.
    result TEXT
);

-- Webhook events: the outbox.
CREATE TABLE events (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL UNIQUE,
    task_id    UUID     NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    key_id     TEXT COLLATE "C" NOT NULL,
    -- The host of the URL: one that does not respond delays no other.
    host       TEXT COLLATE "C" NOT NULL,
    -- 0 pending, 1 delivered, 2 given up, 3 gone
    state      SMALLINT NOT NULL CHECK (state BETWEEN 0 AND 3),
    terminal   BOOLEAN  NOT NULL,
    attempts   INTEGER  NOT NULL DEFAULT 0,
    created_at BIGINT   NOT NULL,
    -- It is not claimed before: the next attempt, or the end of the lease.
    due_at     BIGINT   NOT NULL,
    -- Changes with each claim.
    lease      TEXT,
    url        TEXT     NOT NULL,
    payload    TEXT     NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02);

-- A task has at most one event of each kind.
CREATE UNIQUE INDEX events_by_task ON events (task_id, terminal);

-- A claim finds the due events of a key, however many wait: first by time, then by host.
-- All rows fulfil the second condition of each index. A query that does not name it can't use the index: PostgreSQL has no
-- statistics about events that wait for milliseconds, and would read all events of a key to find one of a host.
CREATE INDEX events_due ON events (key_id, due_at, seq) WHERE state = 0 AND seq > 0;
CREATE INDEX events_by_lane ON events (key_id, host, due_at, seq) WHERE state = 0 AND attempts >= 0;

-- The events in delivery, whatever their state: one whose task ends in the meantime counts until its attempt is recorded.
CREATE INDEX events_in_delivery ON events (due_at, host, key_id) WHERE lease IS NOT NULL;

-- The attempts to deliver an event.
CREATE TABLE attempts (
    event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,
    at       BIGINT  NOT NULL,
    duration BIGINT  NOT NULL,
    status   INTEGER,
    error    TEXT,
    -- The first bytes of the response body.
    response TEXT    NOT NULL,
    PRIMARY KEY (event_id, number)
);

-- What a key has used of the quotas of a day: tasks, where their number is limited, and bytes of media.
CREATE TABLE quotas (
    day      BIGINT NOT NULL,
    key_id   TEXT COLLATE "C" NOT NULL,
    used     BIGINT NOT NULL,
    uploaded BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (day, key_id)
);

-- The size of the files of a key: inputs until their task is completed, results, and results that stay after their task.
-- A key has one row for each part, so that transactions on several connections don't wait for each other's commits. A part
-- may be negative. Inserts and updates of tasks count by themselves, once for each batch.
CREATE TABLE stored (
    key_id TEXT COLLATE "C" NOT NULL,
    part   SMALLINT NOT NULL,
    bytes  BIGINT   NOT NULL,
    PRIMARY KEY (key_id, part)
) WITH (fillfactor = 50);

-- Results that stay after their task.
CREATE TABLE retained_results (
    folder TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key_id TEXT COLLATE "C" NOT NULL,
    bytes  BIGINT NOT NULL
);

-- The order of the keys prevents deadlocks.
CREATE FUNCTION stored_removed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (key_id, part, bytes)
    SELECT key_id, pg_backend_pid() % 16, -sum(result_bytes + greatest(input_bytes, 0)) FROM removed
    WHERE result_bytes <> 0 OR input_bytes > 0 GROUP BY key_id ORDER BY key_id
    ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes;
    RETURN NULL;
END $$;

CREATE TRIGGER stored_removed AFTER DELETE ON tasks REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION stored_removed();

-- What the engines of providers have done for a key on a day.
CREATE TABLE spending (
    day      BIGINT NOT NULL,
    key_id   TEXT COLLATE "C" NOT NULL,
    engine   TEXT   NOT NULL,
    family   TEXT   NOT NULL,
    unit     TEXT   NOT NULL,
    -- Empty: the settings declare none.
    price    TEXT   NOT NULL,
    currency TEXT   NOT NULL,
    -- Where the price comes from, as the settings say it; empty if they don't.
    source   TEXT   NOT NULL,
    calls    BIGINT NOT NULL,
    units    DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (day, key_id, engine, family, unit, price, currency)
);

-- What removed tasks count on a day; `untimed` of the ended tasks have an unknown engine time. `keys usage` adds the tasks
-- that are there.
CREATE TABLE past_usage (
    day         BIGINT NOT NULL,
    key_id      TEXT COLLATE "C" NOT NULL,
    created     BIGINT NOT NULL,
    completed   BIGINT NOT NULL,
    failed      BIGINT NOT NULL,
    engine_time BIGINT,
    untimed     BIGINT NOT NULL,
    PRIMARY KEY (day, key_id)
);

CREATE FUNCTION usage_removed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO past_usage (day, key_id, created, completed, failed, engine_time, untimed)
    SELECT day, key_id, sum(created), sum(completed), sum(failed), sum(engine_time), sum(untimed) FROM (
        SELECT created_at / 86400000 AS day, key_id, 1 AS created, 0 AS completed, 0 AS failed,
               NULL::bigint AS engine_time, 0 AS untimed FROM removed
        UNION ALL
        SELECT updated_at / 86400000, key_id, 0, (status = 2)::int, (status = 3)::int, engine_time,
               (engine_time IS NULL AND attempt > 0)::int FROM removed
    ) AS parts GROUP BY day, key_id ORDER BY day, key_id
    ON CONFLICT (day, key_id) DO UPDATE SET
        created = past_usage.created + excluded.created,
        completed = past_usage.completed + excluded.completed,
        failed = past_usage.failed + excluded.failed,
        engine_time = coalesce(past_usage.engine_time + excluded.engine_time, past_usage.engine_time,
                               excluded.engine_time),
        untimed = past_usage.untimed + excluded.untimed;
    RETURN NULL;
END $$;

CREATE TRIGGER usage_removed AFTER DELETE ON tasks REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION usage_removed();

-- The catalogue: whole records as JSON, and what searches need.

CREATE TABLE icons (
    id      BIGINT PRIMARY KEY,
    family  BIGINT NOT NULL,
    author  BIGINT NOT NULL,
    style   BIGINT NOT NULL,
    -- What it shows, and the first word of that.
    concept TEXT   NOT NULL,
    stem    TEXT   NOT NULL,
    record  TEXT   NOT NULL
);

CREATE INDEX icons_by_concept ON icons (concept, family, id);
CREATE INDEX icons_by_style ON icons (family, style, id);
CREATE INDEX icons_by_stem ON icons (family, stem, id);
CREATE INDEX icons_by_author ON icons (author);

-- Searches find resources in memory (src/catalogue/index). A changed record gets a new `seq`; an empty one was removed.
CREATE TABLE resources (
    seq    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id     BIGINT NOT NULL UNIQUE,
    record TEXT   NOT NULL
);

CREATE TABLE audio (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       TEXT     NOT NULL,
    id         BIGINT   NOT NULL,
    title      TEXT     NOT NULL,
    premium    BOOLEAN  NOT NULL,
    popularity DOUBLE PRECISION NOT NULL,
    downloads  BIGINT   NOT NULL,
    created_at BIGINT   NOT NULL,
    seconds    DOUBLE PRECISION NOT NULL,
    bpm        DOUBLE PRECISION NOT NULL,
    tokens     TSVECTOR NOT NULL,
    record     TEXT     NOT NULL,
    UNIQUE (kind, id)
);

CREATE INDEX audio_by_tokens ON audio USING gin (tokens);

-- Files of removed records. The sweep removes those that no other record names.
CREATE TABLE unused_files (
    key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- When a record with this file was last removed.
    since BIGINT NOT NULL
);

-- The files that the rows name: the id in their folder, and the folder in which a process last found them. Another folder
-- with the same id on that machine is a copy. One row, or none before the first start.
CREATE TABLE identity (
    one      BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    files_id TEXT    NOT NULL,
    folder   TEXT
);

-- The database's clock as the sweep last read it. One row, or none before the first sweep.
CREATE TABLE clock (
    one            BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    read_at        BIGINT  NOT NULL,
    -- When it last jumped; NULL: never.
    jumped_at      BIGINT,
    -- Until then, a backup copies files, and the sweep removes none.
    held_until     BIGINT  NOT NULL DEFAULT 0,
    -- Until then, sweeps may remove what they have found, and a backup waits.
    sweeping_until BIGINT  NOT NULL DEFAULT 0
);

-- While it has a row, no process claims tasks, delivers webhooks or removes anything: the database is a restored copy.
CREATE TABLE quiescence (
    one    BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (one),
    since  BIGINT  NOT NULL,
    reason TEXT    NOT NULL
);
