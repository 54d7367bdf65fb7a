-- Where the price comes from, as the settings say it; empty if they don't.
ALTER TABLE spending ADD COLUMN source TEXT NOT NULL DEFAULT '';
