-- The transaction after which an open task last waited in the queue in another way: it was created, claimed or returned, or its
-- time was brought forward. A claim thus finds what has changed since an earlier claim, however many old versions of rows a
-- long transaction keeps. Existing rows get this transaction.
ALTER TABLE tasks ADD COLUMN changed XID8 NOT NULL DEFAULT pg_current_xact_id();

-- The conditions are those of no other index, so that a claim can't use another one: PostgreSQL has no statistics about tasks that
-- wait for milliseconds. `attempt >= 0` is true of all rows. `tasks_lanes` is for processes of the previous release.
CREATE INDEX tasks_changed ON tasks (changed) WHERE status NOT IN (2, 3) AND attempt >= 0;

CREATE INDEX tasks_waiting ON tasks (demand, size, key_id, seq, due_at) WHERE status NOT IN (2, 3) AND lease_owner IS NULL;

CREATE FUNCTION task_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE TRIGGER task_changed BEFORE UPDATE ON tasks FOR EACH ROW
WHEN (NEW.status < 2 AND (NEW.lease_owner IS NULL OR OLD.lease_owner IS NULL OR NEW.due_at < OLD.due_at))
EXECUTE FUNCTION task_changed();
