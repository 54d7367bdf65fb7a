-- Why attempts were refunded. Each reason has a limit or a delay of its own.
-- Failures of the service itself: its disk, its database.
ALTER TABLE tasks ADD COLUMN outages INTEGER NOT NULL DEFAULT 0;
-- Engines that were busy or did not work.
ALTER TABLE tasks ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
