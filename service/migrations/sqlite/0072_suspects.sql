-- Tasks that were in progress when a process died. They are tried again one at a time, until the one that kills is known.

-- How many deaths the task has seen; negative once it has outlived a trial.
ALTER TABLE tasks ADD COLUMN suspect INTEGER NOT NULL DEFAULT 0;

CREATE INDEX tasks_suspect ON tasks (key_id, seq) WHERE suspect > 0 AND status = 1;
