-- What tasks count for their key: `keys usage` adds up the tasks that are there and those that have been removed.

-- How long engines have worked on the task, in milliseconds; NULL: unknown.
ALTER TABLE tasks ADD COLUMN engine_time BIGINT;

-- What removed tasks count on a UTC day. `untimed` of the ended tasks have an unknown engine time.
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

-- The order prevents deadlocks.
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
