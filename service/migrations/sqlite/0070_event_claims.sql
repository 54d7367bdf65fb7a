-- A claim of events finds what is due by key, whatever waits: first by time, then by host.

DROP INDEX events_lanes;
CREATE INDEX events_by_lane ON events (key_id, host, due_at, seq) WHERE state = 0;
CREATE INDEX events_due ON events (key_id, due_at, seq) WHERE state = 0;
