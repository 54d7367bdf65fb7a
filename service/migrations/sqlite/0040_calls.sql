-- The call of a provider that a task has made, as JSON of the engine domain; NULL: none that could cost money.
ALTER TABLE tasks ADD COLUMN call TEXT;
-- How far the engine has come, as JSON; NULL: it has not told.
ALTER TABLE tasks ADD COLUMN progress TEXT;
