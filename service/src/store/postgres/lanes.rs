//! The lanes of the queue from which a claim may take, and where in each lane it begins.
//!
//! While a transaction stays open, PostgreSQL removes no row version that the transaction may still read. A claim that searched
//! the lanes from their first row on would pass the versions of all tasks that have ended since. So the claims of a process have a
//! session of their own (`pool.rs`). It remembers the snapshot of the last claim, its time, the tasks under a lease, and the first
//! task that waited in each lane. The next claim reads only the changes since then:
//!
//! - Tasks that another transaction has created, claimed or returned: `tasks.changed` is a transaction that the snapshot does
//!   not include. The order of their numbers in the queue does not matter, nor the order of their commits.
//! - Tasks that are due since then, and leases that have expired since then.
//!
//! All other tasks are unchanged. A setting of the session stores this, so it ends with the session and is rolled back with
//! the transaction. After a crash of the server, ids of lost transactions can be assigned again, but no session remembers them.

use sqlx::postgres::PgConnection;

use crate::store::Result;
use crate::time::Millis;

/// Finds the lanes and counts the tasks in progress, remembers both, and returns whether leases have expired.
///
/// A session that remembers nothing reads all open tasks. `searched` stays before the end of the first expired lease, so that
/// this statement also finds the tasks that its own transaction has just returned. `own` is that transaction, which claims
/// tasks after its snapshot.
///
/// Each range of `tasks` names the condition of the index that it needs, which no other index has.
const LANES: &str = "
    WITH state (snapshot, own, searched, lanes, held) AS MATERIALIZED (
        SELECT (known ->> 'snapshot')::pg_snapshot, (known ->> 'own')::xid8, (known ->> 'searched')::bigint,
               known -> 'lanes', known -> 'held'
        FROM (SELECT nullif(current_setting('asset_service.queue', TRUE), '')::jsonb AS known) AS setting
    ),
    changes (demand, size, key_id, seq, expired, held) AS MATERIALIZED (
        SELECT demand, size, key_id, min(seq) FILTER (WHERE lease_owner IS NULL AND due_at <= $1),
               min(due_at) FILTER (WHERE lease_owner IS NOT NULL AND due_at <= $1),
               array_agg(seq) FILTER (WHERE lease_owner IS NOT NULL)
        FROM (
            SELECT demand, size, key_id, seq, due_at, lease_owner FROM tasks
            WHERE status NOT IN (2, 3) AND attempt >= 0
            AND changed >= (SELECT coalesce(pg_snapshot_xmax(snapshot), '0') FROM state)
            AND changed <= (SELECT CASE WHEN snapshot IS NULL THEN '18446744073709551615'
                                        ELSE pg_snapshot_xmax(pg_current_snapshot()) END FROM state)
            UNION ALL
            SELECT demand, size, key_id, seq, due_at, lease_owner FROM tasks
            WHERE status NOT IN (2, 3) AND attempt >= 0
            AND changed = ANY (ARRAY(SELECT pg_snapshot_xip(snapshot) FROM state UNION ALL SELECT own FROM state))
            UNION ALL
            SELECT demand, size, key_id, seq, due_at, lease_owner FROM tasks
            WHERE status = 1 AND due_at <= $1 AND due_at > (SELECT coalesce(searched, $1) FROM state)
        ) AS found GROUP BY demand, size, key_id
    ),
    lanes (demand, size, key_id, seq) AS (
        SELECT demand, size, key_id, waiting.seq FROM (
            SELECT demand, size, key_id, min(seq) AS seq FROM (
                SELECT (lane ->> 0) COLLATE \"C\" AS demand, (lane ->> 1)::smallint AS size,
                       (lane ->> 2) COLLATE \"C\" AS key_id, (lane ->> 3)::bigint AS seq
                FROM state, jsonb_array_elements(lanes) AS lane
                UNION ALL SELECT demand, size, key_id, seq FROM changes WHERE seq IS NOT NULL
            ) AS bounds GROUP BY demand, size, key_id
        ) AS bound CROSS JOIN LATERAL (
            SELECT seq FROM tasks
            WHERE demand = bound.demand AND size = bound.size AND key_id = bound.key_id
            AND seq >= bound.seq AND status NOT IN (2, 3) AND due_at <= $1 AND lease_owner IS NULL
            ORDER BY seq LIMIT 1
        ) AS waiting
    ),
    expired (since) AS (SELECT min(expired) FROM changes),
    held (seq, key_id, due_at) AS MATERIALIZED (
        SELECT seq, key_id, due_at FROM tasks WHERE lease_owner IS NOT NULL AND seq = ANY (ARRAY(
            SELECT jsonb_array_elements(held)::bigint FROM state UNION SELECT unnest(held) FROM changes
        ))
    ),
    running (key_id, tasks) AS (SELECT key_id, count(*) FROM held WHERE due_at > $1 GROUP BY key_id)
    SELECT CASE set_config('asset_service.queue', jsonb_build_object(
        'snapshot', pg_current_snapshot()::text, 'own', pg_current_xact_id_if_assigned()::text,
        'searched', least($1, since - 1),
        'held', (SELECT coalesce(jsonb_agg(seq), '[]') FROM held),
        'running', (SELECT coalesce(jsonb_agg(jsonb_build_array(key_id, tasks)), '[]') FROM running),
        'lanes', (SELECT coalesce(jsonb_agg(jsonb_build_array(demand, size, key_id, seq)), '[]') FROM lanes)
    )::text, FALSE) WHEN '' THEN FALSE ELSE since IS NOT NULL END FROM expired";

/// Finds the lanes and counts the tasks in progress, for `lanes!` and `running!`; returns whether leases have expired.
pub(super) async fn find(db: &mut PgConnection, now: Millis) -> Result<bool> {
    Ok(sqlx::query_scalar(LANES).bind(now).fetch_one(db).await?)
}

/// The lanes that this session has found, each with its first task that waits.
macro_rules! lanes {
    () => {
        "SELECT (lane ->> 0) COLLATE \"C\", (lane ->> 1)::smallint, (lane ->> 2) COLLATE \"C\", (lane ->> 3)::bigint
         FROM jsonb_array_elements(current_setting('asset_service.queue')::jsonb -> 'lanes') AS lane"
    };
}
pub(super) use lanes;

/// The keys with tasks in progress, and how many.
macro_rules! running {
    () => {
        "SELECT (key ->> 0) COLLATE \"C\", (key ->> 1)::bigint
         FROM jsonb_array_elements(current_setting('asset_service.queue')::jsonb -> 'running') AS key"
    };
}
pub(super) use running;
