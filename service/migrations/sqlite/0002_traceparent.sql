-- The W3C trace context in which the task was created; NULL: a process of the previous release created it.
ALTER TABLE tasks ADD COLUMN traceparent TEXT;
