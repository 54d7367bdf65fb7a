-- How many bytes of results a key stores: the sum over its tasks, kept by triggers. Tasks that ended before count nothing.

ALTER TABLE tasks ADD COLUMN result_bytes INTEGER NOT NULL DEFAULT 0;

CREATE TABLE stored (
    key_id TEXT    NOT NULL PRIMARY KEY,
    bytes  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER results_stored AFTER UPDATE OF result_bytes ON tasks WHEN NEW.result_bytes <> OLD.result_bytes BEGIN
    INSERT INTO stored (key_id, bytes) VALUES (NEW.key_id, NEW.result_bytes - OLD.result_bytes)
    ON CONFLICT (key_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER results_removed AFTER DELETE ON tasks WHEN OLD.result_bytes <> 0 BEGIN
    UPDATE stored SET bytes = bytes - OLD.result_bytes WHERE key_id = OLD.key_id;
END;
