-- Until then, sweeps may remove what they have looked at, and a backup waits.
ALTER TABLE clock ADD COLUMN sweeping_until BIGINT NOT NULL DEFAULT 0;
