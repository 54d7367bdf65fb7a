//! A standby of PostgreSQL takes over while tasks are created.

use std::sync::Arc;
use std::time::{Duration, Instant};

use asset_service::store::postgres::Postgres;
use asset_service::store::{Identity as _, SharedStore};
use sqlx::{Connection as _, Executor as _};

use super::cluster::Cluster;
use super::fixture::task;
use super::recovery::woken;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_promoted_standby_has_everything_and_is_found() {
    let Some(primary) = Cluster::start() else { return };
    let mut operator = primary.connected().await;
    let url = primary.database().await;
    let standby = primary.standby();
    // Without synchronous replication, the last commits may be lost with the primary.
    operator.execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.unwrap();
    operator.execute("SELECT pg_reload_conf()").await.unwrap();
    let (database, _) = url.split_once('?').unwrap();
    let (of_primary, of_standby) = (primary.folder().display(), standby.folder().display());
    // The standby comes first, and is left for the primary.
    let url = format!("{database}?host={of_standby},{of_primary}&target_session_attrs=read-write");
    let mut standing_by = standby.connected().await;
    let refused =
        Postgres::connect(&database.replace("localhost", &of_standby.to_string().replace('/', "%2F"))).await;
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("the server is a standby"), "{refused}");
    let store: SharedStore = Arc::new(Postgres::connect(&url).await.unwrap());
    let other: SharedStore = Arc::new(Postgres::connect(&url).await.unwrap());

    let creating = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            let (mut accepted, mut failed_at, mut back_at) = (Vec::new(), None, None);
            while back_at.is_none_or(|back: Instant| back.elapsed() < Duration::from_secs(1)) {
                let new = task("A");
                match store.create_task(&new).await {
                    Ok(_) => {
                        accepted.push(new.task.id);
                        back_at = back_at.or(failed_at.map(|_: Instant| Instant::now()));
                    }
                    Err(error) => {
                        assert!(error.is_temporary(), "{error}");
                        failed_at = failed_at.or(Some(Instant::now()));
                    }
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            (accepted, back_at.unwrap() - failed_at.unwrap())
        }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    primary.halt();
    standing_by.execute("SELECT pg_promote()").await.unwrap();
    // The promoted server has no standby of its own.
    standing_by.execute("ALTER SYSTEM RESET synchronous_standby_names").await.unwrap();
    standing_by.execute("SELECT pg_reload_conf()").await.unwrap();
    let (accepted, away) = tokio::time::timeout(Duration::from_secs(60), creating).await.unwrap().unwrap();
    eprintln!("{} tasks, back after {away:?}", accepted.len());
    assert!(away < Duration::from_secs(30), "{away:?}");
    for id in accepted {
        assert!(store.any_task(id).await.unwrap().is_some(), "{id} is lost");
    }
    woken(store, &other).await;
    standing_by.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_another_database_is_never_used() {
    let (Some(own), Some(other)) = (Cluster::start(), Cluster::start()) else { return };
    let url = own.database().await;
    let (database, _) = url.split_once('?').unwrap();
    let (_, name) = database.rsplit_once('/').unwrap();
    let create = sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")));
    create.execute(&mut other.connected().await).await.unwrap();
    let (of_own, of_other) = (own.folder().display(), other.folder().display());
    let foreign = Postgres::connect(&format!("{database}?host={of_other}")).await.unwrap();
    foreign.files_id(Some("other")).await.unwrap();

    // Both accept writes, so the order decides.
    let store = Postgres::connect(&format!("{database}?host={of_own},{of_other}")).await.unwrap();
    assert_eq!(store.files_id(Some("own")).await.unwrap().as_deref(), Some("own"));
    // The store notes the id within a second, and looks for another server every second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    own.halt();
    let halted = Instant::now();
    while halted.elapsed() < Duration::from_secs(4) {
        assert_ne!(store.files_id(None).await.ok().flatten().as_deref(), Some("other"));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
