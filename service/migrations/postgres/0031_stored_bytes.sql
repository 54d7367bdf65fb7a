-- How many bytes of results a key stores: the sum over its tasks. Tasks that ended before count nothing.

ALTER TABLE tasks ADD COLUMN result_bytes BIGINT NOT NULL DEFAULT 0;

-- A key has one row for each part, so that transactions on several connections don't wait for each other's commits. A part
-- may be negative.
CREATE TABLE stored (
    key_id TEXT COLLATE "C" NOT NULL,
    part   SMALLINT         NOT NULL,
    bytes  BIGINT           NOT NULL,
    PRIMARY KEY (key_id, part)
) WITH (fillfactor = 50);

-- A trigger, because processes of the previous release delete tasks, too. The order prevents deadlocks.
CREATE FUNCTION results_removed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (key_id, part, bytes)
    SELECT key_id, pg_backend_pid() % 16, -sum(result_bytes) FROM removed WHERE result_bytes <> 0
    GROUP BY key_id ORDER BY key_id
    ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes;
    RETURN NULL;
END $$;

CREATE TRIGGER results_removed AFTER DELETE ON tasks REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION results_removed();
