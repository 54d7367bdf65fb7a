-- The outbox, one lane for each host and API key: events that hang at a host delay no other key's events to it.

DROP INDEX events_pending;
DROP INDEX events_leased;

CREATE INDEX events_lanes ON events (host, key_id, due_at, seq) WHERE state = 0;
CREATE INDEX events_sending ON events (due_at, host, key_id) WHERE state = 0 AND lease IS NOT NULL;
