-- What a key stores counts its inputs, too, until their task is completed, and results that stay after their task.

-- The size of the task's inputs; negative once they no longer count.
ALTER TABLE tasks ADD COLUMN input_bytes INTEGER NOT NULL DEFAULT 0;

CREATE TABLE kept_results (
    folder TEXT    NOT NULL PRIMARY KEY,
    key_id TEXT    NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER inputs_stored AFTER INSERT ON tasks WHEN NEW.input_bytes > 0 BEGIN
    INSERT INTO stored (key_id, bytes) VALUES (NEW.key_id, NEW.input_bytes)
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER inputs_done AFTER UPDATE OF input_bytes ON tasks WHEN OLD.input_bytes > 0 AND NEW.input_bytes < 0 BEGIN
    UPDATE stored SET bytes = bytes - OLD.input_bytes WHERE key_id = OLD.key_id;
END;

CREATE TRIGGER inputs_removed AFTER DELETE ON tasks WHEN OLD.input_bytes > 0 BEGIN
    UPDATE stored SET bytes = bytes - OLD.input_bytes WHERE key_id = OLD.key_id;
END;

CREATE TRIGGER results_kept AFTER INSERT ON kept_results BEGIN
    INSERT INTO stored (key_id, bytes) VALUES (NEW.key_id, NEW.bytes)
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER kept_removed AFTER DELETE ON kept_results BEGIN
    UPDATE stored SET bytes = bytes - OLD.bytes WHERE key_id = OLD.key_id;
END;
