//! Follows the database to another server: a standby that was promoted.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::pool::Pool;
use super::reach;
use crate::store::Error;
use crate::store::loops::Loops;

/// The time between two checks.
const PAUSE: Duration = Duration::from_secs(1);

/// Searches for the server that accepts writes whenever the connections do not lead to it.
///
/// With a single server, there is nothing to search for.
pub(super) fn follow(pool: &Pool, servers: Vec<PgConnectOptions>, loops: &Loops) -> JoinHandle<()> {
    let pool = pool.clone();
    loops.spawn("failover", async move {
        if servers.len() < 2 {
            return std::future::pending().await;
        }
        let mut files_id = None;
        loop {
            sleep(PAUSE).await;
            if pool.is_writable().await {
                if files_id.is_none() {
                    files_id = reach::files_id_of(&pool).await.ok().flatten();
                }
                continue;
            }
            let found = async {
                let server = reach::primary(&servers, files_id.as_deref()).await?;
                reach::has_sessions(&server).await?;
                Ok::<_, Error>(server)
            };
            match found.await {
                Ok(server) => pool.lead_to(server),
                Err(error) => tracing::warn!(%error, "no server of the database accepts writes"),
            }
        }
    })
}
