//! Limits that count over all processes.

use std::time::Duration;

use asset_service::keys::limits::Used;

use super::fixture::Fixture;

fn seconds(number: u64) -> Duration {
    Duration::from_secs(number)
}

/// Checks that what is missing is at most this, and that little time has passed.
fn about(missing: Option<&Duration>, expected: u64) -> bool {
    missing
        .is_some_and(|missing| (seconds(expected.saturating_sub(20))..=seconds(expected)).contains(missing))
}

pub async fn uses_of_all_processes_add_up(fixture: Fixture) {
    let Some(one) = fixture.store.shared_limits() else { return };
    let other = fixture.database.open().await;
    let other = other.shared_limits().unwrap();
    let used = |used, since| Used { used: seconds(used), since: seconds(since), most: seconds(1000) };
    let add = async |process: &dyn asset_service::store::limits::SharedLimits, caller: &str, used| {
        process.add_used(&[(caller.to_owned(), used), ("key z".to_owned(), used)]).await.unwrap()
    };
    let first = add(one, "key a", used(100, 0)).await;
    assert!(about(first.get("key a"), 100) && about(first.get("key z"), 100), "{first:?}");
    let second = add(other, "key a", used(200, 500)).await;
    assert!(about(second.get("key a"), 300), "{second:?}");
    // A use fills up from its first call on.
    let third = add(one, "key b", used(200, 100)).await;
    assert!(about(third.get("key b"), 100) && about(third.get("key z"), 500), "{third:?}");
    let most = add(one, "key a", used(900, 0)).await;
    assert!(about(most.get("key a"), 1000), "{most:?}");
    assert_eq!(add(one, "key c", used(1, 100)).await.get("key c"), Some(&Duration::ZERO), "it is full again");
    one.forget_idle().await.unwrap();
    assert!(about(add(other, "key a", used(0, 0)).await.get("key a"), 1000), "what counts stays");
}

pub async fn requests_in_progress_add_up(fixture: Fixture) {
    let Some(shared) = fixture.store.shared_limits() else { return };
    let set = async |process: &str, requests: u32| {
        let requests = [("a".to_owned(), requests), ("b".to_owned(), 1)];
        shared.set_in_progress(process, &requests).await.unwrap().get("a").copied()
    };
    assert_eq!(set("one", 3).await, None);
    assert_eq!(set("two", 4).await, Some(3));
    assert_eq!(set("three", 5).await, Some(7));
    assert_eq!(set("two", 0).await, Some(8));
    shared.forget_idle().await.unwrap();
    assert_eq!(set("one", 3).await, Some(5));
    let deadline = std::time::Instant::now() + seconds(30);
    while set("one", 3).await.is_some() {
        assert!(std::time::Instant::now() < deadline, "a process that is gone counts forever");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
