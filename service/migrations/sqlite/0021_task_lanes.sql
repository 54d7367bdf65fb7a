-- The queue, one lane for each need and API key. A process passes over lanes whose engines it lacks, and a lane of quick work
-- does not wait behind slow work.

-- The families whose engines the task needs, joined by `+`; empty if unknown.
ALTER TABLE tasks ADD COLUMN families TEXT NOT NULL DEFAULT '';
-- The binary logarithm of the milliseconds that it is expected to take, rounded up. The default is not quick.
ALTER TABLE tasks ADD COLUMN size INTEGER NOT NULL DEFAULT 32767;

DROP INDEX tasks_waiting;

CREATE INDEX tasks_lanes ON tasks (families, size, key_id, seq, due_at) WHERE status < 2;
