-- The secret that a rotation replaced, and until when it is still accepted.

ALTER TABLE keys ADD COLUMN replaced_hash BLOB;
ALTER TABLE keys ADD COLUMN replaced_until INTEGER;
