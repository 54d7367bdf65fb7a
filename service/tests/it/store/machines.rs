//! Several machines on one database: they must share its files and its time.

use std::time::Duration;

use asset_service::files::{Area, Files};
use asset_service::store::postgres::Postgres;
use asset_service::store::{Access, Error, IdentityMismatch, Schema, Tasks as _, agree};
use asset_service::time::Clock;

use super::fixture::{Fixture, NOW, TestDatabase, claim, create, task};

pub async fn a_database_belongs_to_its_files(fixture: Fixture) {
    let store = &fixture.store;
    let folder = tempfile::tempdir().unwrap();
    let files = Files::local(folder.path()).unwrap();
    for _ in 0..2 {
        agree(&**store, &files).await.unwrap();
    }
    let id = files.id().await.unwrap().unwrap();
    files.put(Area::Results, "aa/1-0.png", bytes::Bytes::from_static(b"picture")).await.unwrap();

    // The same folder on another machine is accepted; on PostgreSQL, an empty folder is not.
    let store = fixture.database.open().await;
    agree(&*store, &Files::local(folder.path()).unwrap()).await.unwrap();
    let other = tempfile::tempdir().unwrap();
    let other = Files::local(other.path()).unwrap();
    let agreed = agree(&*store, &other).await;
    if matches!(fixture.database, TestDatabase::Folder(_)) {
        return agreed.unwrap();
    }
    let Err(mismatch @ IdentityMismatch::OtherFolder { .. }) = agreed else { panic!("{agreed:?}") };
    let message = mismatch.to_string();
    assert!(
        message.contains(&other.location()) && message.contains(&id) && message.contains("store-id"),
        "{message}"
    );
    assert_eq!(other.id().await.unwrap(), None);

    // A copy of the folder, as long as the folder is there.
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("store-id"), copy.path().join("store-id")).unwrap();
    let copy = Files::local(copy.path()).unwrap();
    for _ in 0..2 {
        let agreed = agree(&*store, &copy).await;
        assert!(matches!(agreed, Err(IdentityMismatch::Copy { .. })), "{agreed:?}");
        agree(&*store, &files).await.unwrap();
    }
    drop(folder);
    agree(&*store, &copy).await.unwrap();

    // A folder that belongs to another database.
    other.set_id("another").await.unwrap();
    assert!(matches!(agree(&*store, &other).await, Err(IdentityMismatch::OtherFolder { .. })));
}

pub async fn clocks_have_to_agree(fixture: Fixture) {
    let TestDatabase::Url(url) = &fixture.database else { return };
    for (wrong, message) in [(-35_000, "seconds behind the"), (60_000, "seconds ahead of the")] {
        let refused = Postgres::connect_with(url, Clock::wrong(wrong), Schema::Migrate, Access::DEFAULT)
            .await
            .err()
            .unwrap();
        assert!(refused.to_string().contains(message), "{refused}");
    }
    let clock = Clock::wrong(0);
    let machine = Postgres::connect_with(url, clock.clone(), Schema::Migrate, Access::DEFAULT).await.unwrap();
    create(&fixture.store, task("A")).await;
    let payload: asset_service::domain::Payload = std::sync::Arc::new(|_| String::new());
    clock.advance(Duration::from_secs(60));
    assert!(matches!(machine.compare_clocks().await, Err(Error::Clock { .. })));
    let refused = machine.claim_tasks(&claim("me", NOW, 1), &payload).await;
    assert!(matches!(refused, Err(Error::Clock { .. })), "{refused:?}");
    // The operator corrects the clock.
    let Clock::Wrong(by) = &clock else { unreachable!() };
    by.store(0, std::sync::atomic::Ordering::SeqCst);
    machine.compare_clocks().await.unwrap();
    assert_eq!(machine.claim_tasks(&claim("me", NOW, 1), &payload).await.unwrap().len(), 1);
}

pub async fn jumps_of_the_databases_clock_are_recorded(fixture: Fixture) {
    const HOUR: i64 = 3_600_000;
    let (store, now) = (&fixture.store, Clock::System.now());
    let first = store.read_clock(HOUR).await.unwrap();
    assert!((first.now - now).abs() < 60_000 && first.jumped_at.is_none(), "{first:?}");
    assert_eq!(store.read_clock(HOUR).await.unwrap().jumped_at, None);
    // As if no process had polled for two hours, or as if the clock had jumped by them.
    fixture.database.run("UPDATE clock SET read_at = read_at - 7200000").await;
    assert_eq!(store.read_clock(3 * HOUR).await.unwrap().jumped_at, None);
    fixture.database.run("UPDATE clock SET read_at = read_at - 7200000").await;
    let jumped = store.read_clock(HOUR).await.unwrap();
    assert_eq!(jumped.jumped_at, Some(jumped.now));
    assert_eq!(fixture.database.open().await.read_clock(HOUR).await.unwrap().jumped_at, Some(jumped.now));
    // The clock is set back.
    fixture.database.run("UPDATE clock SET read_at = read_at + 7200000").await;
    let back = store.read_clock(HOUR).await.unwrap();
    assert!(back.jumped_at == Some(back.now) && back.jumped_at >= jumped.jumped_at, "{back:?}");
}

pub async fn a_backup_waits_for_the_turns_of_sweeps(Fixture { store, .. }: Fixture) {
    assert_eq!(store.hold_sweep(60_000).await.unwrap(), 0, "no sweep has a turn");
    assert!(!store.sweep_turn(5000).await.unwrap());
    assert_eq!(store.hold_sweep(0).await.unwrap(), 0);
    assert!(store.sweep_turn(5000).await.unwrap());
    assert!(store.sweep_turn(10).await.unwrap(), "another process");
    let left = store.hold_sweep(60_000).await.unwrap();
    assert!((1..=5000).contains(&left), "{left}: the longest turn counts");
    assert!(!store.sweep_turn(5000).await.unwrap());
    assert!(store.read_clock(86_400_000).await.unwrap().held_until > 0);
}
