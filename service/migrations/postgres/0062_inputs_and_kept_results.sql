-- What a key stores counts its inputs, too, until their task is completed, and results that stay after their task.

-- The size of the task's inputs; negative once they no longer count.
ALTER TABLE tasks ADD COLUMN input_bytes BIGINT NOT NULL DEFAULT 0;

CREATE TABLE kept_results (
    folder TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key_id TEXT COLLATE "C" NOT NULL,
    bytes  BIGINT           NOT NULL
);

CREATE OR REPLACE FUNCTION results_removed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stored (key_id, part, bytes)
    SELECT key_id, pg_backend_pid() % 16, -sum(result_bytes + greatest(input_bytes, 0)) FROM removed
    WHERE result_bytes <> 0 OR input_bytes > 0 GROUP BY key_id ORDER BY key_id
    ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes;
    RETURN NULL;
END $$;
