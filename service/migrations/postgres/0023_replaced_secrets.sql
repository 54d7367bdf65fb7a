-- The secret that a rotation replaced, and until when it is still accepted.

ALTER TABLE keys ADD COLUMN replaced_hash BYTEA;
ALTER TABLE keys ADD COLUMN replaced_until BIGINT;
