-- The outbox, one lane for each host and API key: events that hang at a host delay no other key's events to it.
-- Processes of the previous release claim by `events_pending` and `events_leased`; a later release removes them.

CREATE INDEX events_lanes ON events (host, key_id, due_at, seq) WHERE state = 0;
CREATE INDEX events_sending ON events (due_at, host, key_id) WHERE state = 0 AND lease IS NOT NULL;
