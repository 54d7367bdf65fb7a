//! The usage of keys.

use std::time::Duration;

use asset_service::domain::{Days, Ended, KeyUsage, NewTask, Release};
use asset_service::store::SharedStore;
use asset_service::time::Millis;

use super::fixture::{Fixture, NOW, claim, counted, create, done, failed, take, task};

const DAY: Millis = 86_400_000;

/// Returns what each key has used on the days from `first` to `last`, counted from that of `NOW`; it is the day `today`.
async fn used(store: &SharedStore, first: i64, last: i64, today: i64) -> Vec<KeyUsage> {
    let days = Days { first: Days::of(NOW) + first, last: Days::of(NOW) + last };
    store.usage_by_key(days, NOW + today * DAY).await.unwrap()
}

/// Returns created, completed, failed, open and untimed tasks, and the milliseconds of engines.
fn tasks(usage: &KeyUsage) -> (u64, u64, u64, u64, u64, Option<u128>) {
    let KeyUsage { created, completed, failed, open, untimed, engine_time, .. } = usage;
    (*created, *completed, *failed, *open, *untimed, engine_time.map(|time| time.as_millis()))
}

pub async fn usage_is_that_of_the_period_also_of_removed_tasks(Fixture { store, .. }: Fixture) {
    for key in ["A", "A", "A", "A", "B"] {
        create(&store, NewTask { input_bytes: 10, daily_quota: Some(9), ..task(key) }).await;
    }
    assert!(store.count_upload("A", NOW, 30, 100).await.unwrap());
    assert!(store.count_upload("A", NOW + DAY, 5, 100).await.unwrap());
    let claimed = take(&store, &claim("me", NOW, 9)).await;
    let of_a: Vec<_> = claimed.iter().filter(|claimed| claimed.task.key_id == "A").collect();
    let [first, second, third, fourth] = of_a[..] else { panic!("{claimed:?}") };
    // The first one needs two attempts, and is completed on the next day; `done` says 1.5 seconds.
    let release = Release { engine_time: Some(Duration::from_secs(2)), ..counted(NOW) };
    assert!(store.release_task(&first.lease, release).await.unwrap());
    assert!(store.end_task(&second.lease, &failed(NOW)).await.unwrap(), "its time is unknown");
    let zero = Ended { engine_time: Some(Duration::ZERO), ..failed(NOW) };
    assert!(store.end_task(&third.lease, &zero).await.unwrap());
    assert!(store.cancel_task(fourth.task.id, true, &failed(NOW)).await.unwrap(), "its time is unknown, too");
    let again = take(&store, &claim("me", NOW + 500, 9)).await;
    assert_eq!(again.len(), 1);
    assert_eq!(tasks(&used(&store, 0, 0, 0).await[0]), (4, 0, 3, 1, 2, Some(2000)));
    assert!(store.end_task(&again[0].lease, &done(NOW + DAY)).await.unwrap());

    let check = async || {
        for (first, last, expected) in [
            (0, 0, (4, 0, 3, 0, 2, Some(0))),
            (1, 1, (0, 1, 0, 0, 0, Some(3500))),
            (0, 1, (4, 1, 3, 0, 2, Some(3500))),
            (2, 9, (0, 0, 0, 0, 0, None)),
            (-9, -1, (0, 0, 0, 0, 0, None)),
        ] {
            let used = used(&store, first, last, 1).await;
            let of_a = used.iter().find(|usage| usage.key_id == "A").unwrap();
            assert_eq!(tasks(of_a), expected, "{first} {last}");
            let uploaded = match (first, last) {
                (0, 0) => 30,
                (1, 1) => 5,
                (0, 1) => 35,
                _ => 0,
            };
            assert_eq!((of_a.uploaded_bytes, of_a.uploaded_today, of_a.quota_used), (uploaded, 5, 0));
        }
    };
    check().await;
    let today = used(&store, 0, 0, 0).await;
    assert_eq!((today[0].quota_used, today[0].stored_bytes, today[1].stored_bytes), (4, 37, 10));
    assert_eq!(tasks(&today[1]), (1, 0, 0, 1, 0, None));

    // A sweep and a deletion change nothing of it.
    assert!(store.delete_task(second.task.id).await.unwrap());
    check().await;
    assert_eq!(store.sweep_tasks(NOW + 2 * DAY, NOW + 2 * DAY, 9, false).await.unwrap().len(), 3);
    check().await;
    // Old days are deleted.
    store.sweep_tasks(NOW, NOW + (i64::from(Days::RETAINED) + 1) * DAY, 9, false).await.unwrap();
    assert_eq!(used(&store, 0, 0, 9).await.iter().find(|usage| usage.created > 1), None);
}

pub async fn an_attempt_that_has_lost_its_lease_counts_nothing(Fixture { store, .. }: Fixture) {
    create(&store, task("A")).await;
    let lost = take(&store, &claim("dead", NOW, 1)).await.remove(0);
    let held = take(&store, &claim("me", NOW + 2000, 1)).await.remove(0);
    assert!(!store.end_task(&lost.lease, &done(NOW + 2000)).await.unwrap());
    let late = Release { engine_time: Some(Duration::from_secs(100)), ..counted(NOW) };
    assert!(!store.release_task(&lost.lease, late).await.unwrap());
    assert!(store.end_task(&held.lease, &done(NOW + 2000)).await.unwrap());
    assert!(!store.end_task(&held.lease, &done(NOW + 2000)).await.unwrap());
    assert_eq!(tasks(&used(&store, 0, 0, 0).await[0]), (1, 1, 0, 0, 0, Some(1500)));
}
