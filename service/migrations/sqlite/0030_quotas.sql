-- How many bytes of media a key has sent in a UTC day.
ALTER TABLE quotas ADD COLUMN uploaded INTEGER NOT NULL DEFAULT 0;

-- The open tasks of a key, however many others have.
CREATE INDEX tasks_open ON tasks (key_id) WHERE status < 2;
