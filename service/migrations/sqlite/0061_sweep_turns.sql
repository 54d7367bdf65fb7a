-- Until then, sweeps may remove what they have looked at, and a backup waits.
ALTER TABLE clock ADD COLUMN sweeping_until INTEGER NOT NULL DEFAULT 0;
