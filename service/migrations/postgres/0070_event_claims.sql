-- A claim of events finds what is due by key, whatever waits: first by time, then by host.
-- All rows fulfil the second condition of each index. A query that does not name it can't use the index: PostgreSQL has no
-- statistics about events that wait for milliseconds, and would read all events of a key to find one of a host.

CREATE INDEX events_by_lane ON events (key_id, host, due_at, seq) WHERE state = 0 AND attempts >= 0;
CREATE INDEX events_due ON events (key_id, due_at, seq) WHERE state = 0 AND seq > 0;
