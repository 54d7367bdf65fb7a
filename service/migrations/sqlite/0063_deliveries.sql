-- The events in delivery, whatever their state: one that the task's end overtakes takes its share until it is recorded.

DROP INDEX events_sending;
CREATE INDEX events_in_delivery ON events (due_at, host, key_id) WHERE lease IS NOT NULL;
