-- No claim uses these any more. Their removal locks the table for a moment, so it does not wait for the new indices.

DROP INDEX events_lanes;
DROP INDEX events_sending;
