-- What tasks count for their key: `keys usage` adds up the tasks that are there and those that have been removed.

-- How long engines have worked on the task, in milliseconds; NULL: unknown.
ALTER TABLE tasks ADD COLUMN engine_time INTEGER;

-- What removed tasks count on a UTC day. `untimed` of the ended tasks have an unknown engine time.
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
