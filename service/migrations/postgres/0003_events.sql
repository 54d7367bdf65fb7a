-- Webhook events: the outbox, and the attempts to deliver.

CREATE TABLE events (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL UNIQUE,
    task_id    UUID     NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    key_id     TEXT COLLATE "C" NOT NULL,
    url        TEXT     NOT NULL,
    -- The host of the URL: one that doesn't answer holds up no other.
    host       TEXT COLLATE "C" NOT NULL,
    payload    TEXT     NOT NULL,
    terminal   BOOLEAN  NOT NULL,
    -- 0 pending, 1 delivered, 2 given up, 3 gone
    state      SMALLINT NOT NULL CHECK (state BETWEEN 0 AND 3),
    attempts   INTEGER  NOT NULL DEFAULT 0,
    -- Changes with each claim.
    lease      TEXT,
    -- It is not claimed before: the next attempt, or the end of the lease.
    due_at     BIGINT   NOT NULL,
    created_at BIGINT   NOT NULL
);

-- One event of each kind for a task: one terminal event at most.
CREATE UNIQUE INDEX events_by_task ON events (task_id, terminal);

-- The outbox, one lane for each host.
CREATE INDEX events_pending ON events (host, due_at, seq) WHERE state = 0;

CREATE INDEX events_leased ON events (due_at, host) WHERE state = 0 AND lease IS NOT NULL;

CREATE TABLE attempts (
    event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,
    at       BIGINT  NOT NULL,
    duration BIGINT  NOT NULL,
    status   INTEGER,
    error    TEXT,
    answer   TEXT    NOT NULL,
    PRIMARY KEY (event_id, number)
);
