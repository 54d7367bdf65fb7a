-- The events in delivery, whatever their state: one that the task's end overtakes takes its share until it is recorded.
-- Older processes use `events_sending`, and its removal would lock the table against all reads while this index is built.
-- A later release removes it.

CREATE INDEX events_in_delivery ON events (due_at, host, key_id) WHERE lease IS NOT NULL;
