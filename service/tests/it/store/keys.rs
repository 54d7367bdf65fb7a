//! API keys and webhook secrets.

use asset_service::domain::{Charge, Days, Lease, ReplacedSecret};
use asset_service::engine::call::{Calls, Earlier};
use asset_service::time::Millis;
use serde_json::json;

use super::fixture::{Fixture, NOW, claim, create, key, secret, take, task};

pub async fn a_key_is_stored_once(Fixture { store, .. }: Fixture) {
    let mut first = key("AAAA000E");
    first.expires_at = Some(NOW + 5);
    assert!(store.insert_key(&first, &secret(1)).await.unwrap());
    assert!(!store.insert_key(&key("AAAA000E"), &secret(2)).await.unwrap());
    assert!(store.insert_key(&key("AAAA0001"), &secret(3)).await.unwrap());
    assert_eq!(store.key("AAAA000E").await.unwrap(), Some(first.clone()));
    assert_eq!(store.key("aaaa000E").await.unwrap(), None);
    assert_eq!(store.keys().await.unwrap(), [key("AAAA0001"), first]);
    assert!(store.webhook_secrets("AAAA000E", NOW).await.unwrap() == [secret(1)]);
}

pub async fn a_key_is_revoked_once(Fixture { store, .. }: Fixture) {
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    assert!(!store.revoke_key("AAAA0002", NOW).await.unwrap());
    assert!(store.revoke_key("AAAA0001", NOW + 1).await.unwrap());
    assert!(!store.revoke_key("AAAA0001", NOW + 2).await.unwrap());
    assert_eq!(store.key("AAAA0001").await.unwrap().unwrap().revoked_at, Some(NOW + 1));
}

pub async fn a_secret_is_replaced(Fixture { store, .. }: Fixture) {
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    assert!(!store.replace_secret("AAAA0002", &[8; 32], NOW).await.unwrap());
    for (old, new) in [(7, 8), (8, 9)] {
        assert!(store.replace_secret("AAAA0001", &[new; 32], NOW + i64::from(new)).await.unwrap());
        let kept = store.key("AAAA0001").await.unwrap().unwrap();
        let replaced = ReplacedSecret { hash: vec![old; 32], until: NOW + i64::from(new) };
        assert_eq!((kept.secret_hash, kept.replaced), (vec![new; 32], Some(replaced)));
    }
    assert!(store.revoke_key("AAAA0001", NOW).await.unwrap());
    assert!(!store.replace_secret("AAAA0001", &[1; 32], NOW).await.unwrap());
}

/// Returns all days from this time on.
fn since_day(first: Millis) -> Days {
    Days { first: Days::of(first), last: i64::MAX }
}

pub async fn spending_is_summed_by_key_and_price(Fixture { store, .. }: Fixture) {
    let day = 24 * 60 * 60 * 1000;
    for id in ["AAAA0001", "AAAA0002"] {
        store.insert_key(&key(id), &secret(1)).await.unwrap();
    }
    create(&store, task("AAAA0001")).await;
    let claimed = take(&store, &claim("me", NOW, 1)).await;
    let lease = &claimed[0].lease;
    let charge_by = |price: Option<f64>, source: &str| Charge {
        engine: "local".to_owned(),
        family: "voiceover".to_owned(),
        unit: "task".to_owned(),
        units: 1.5,
        price,
        currency: price.map(|_| "USD".to_owned()).unwrap_or_default(),
        source: source.to_owned(),
    };
    let charge = |price| charge_by(price, "list");
    for (price, at) in
        [(Some(0.04), NOW), (Some(0.04), NOW + day), (None, NOW + day), (Some(0.05), NOW + day)]
    {
        assert!(store.charge(lease, &charge(price), None, at).await.unwrap());
    }
    let lost = Lease { owner: "another".to_owned(), ..lease.clone() };
    assert!(!store.charge(&lost, &charge(None), Some("{}"), NOW).await.unwrap());
    let usage_since = async |since| {
        let spent = store.spending(since_day(since)).await.unwrap();
        assert!(spent.iter().all(|spent| spent.key_id == "AAAA0001" && spent.charge.engine == "local"));
        let rows = spent.iter().map(|spent| (spent.charge.price, spent.calls, spent.charge.units));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(usage_since(NOW).await, [(None, 1, 1.5), (Some(0.04), 2, 3.0), (Some(0.05), 1, 1.5)]);
    assert_eq!(usage_since(NOW + day).await, [(None, 1, 1.5), (Some(0.04), 1, 1.5), (Some(0.05), 1, 1.5)]);
    assert_eq!(usage_since(NOW + 2 * day).await, []);
    // A price from another source is another line; within a day, the last source counts.
    for (source, at) in [("old", NOW + 3 * day), ("new", NOW + 3 * day), ("newer", NOW + 4 * day)] {
        assert!(store.charge(lease, &charge_by(Some(0.04), source), None, at).await.unwrap());
    }
    let spent = store.spending(since_day(NOW + 3 * day)).await.unwrap();
    let sources = spent.iter().map(|spent| (spent.charge.source.as_str(), spent.calls));
    assert_eq!(sources.collect::<Vec<_>>(), [("new", 2), ("newer", 1)]);
}

pub async fn a_call_is_counted_once(Fixture { store, .. }: Fixture) {
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    create(&store, task("AAAA0001")).await;
    let (mut now, mut counted) = (NOW, Vec::new());
    // The first attempt ends with a crash after it has counted the job. The second one resumes the job, which is then found
    // to have failed, so that the third one creates another.
    for number in 0..3 {
        let held = take(&store, &claim("me", now, 1)).await.remove(0);
        now += 1_000_000;
        let calls = Calls::of_task("local", store.clone(), held.lease, held.call.as_deref());
        match calls.earlier() {
            Earlier::Nothing => {
                let key = uuid::Uuid::now_v7();
                calls.begin(key).await.unwrap();
                calls.accepted(key, json!("a job")).await.unwrap();
            }
            earlier => assert!(matches!(earlier, Earlier::Accepted(..)) && number == 1, "{earlier:?}"),
        }
        let charge = Charge {
            engine: "local".to_owned(),
            family: "voiceover".to_owned(),
            unit: "task".to_owned(),
            units: 1.0,
            price: Some(0.04),
            currency: "USD".to_owned(),
            source: String::new(),
        };
        counted.push((calls.count(&charge).await.unwrap(), calls.count(&charge).await.unwrap()));
        if number == 1 {
            calls.clear().await.unwrap();
        }
    }
    assert_eq!(counted, [(true, false), (false, false), (true, false)]);
    let spent = store.spending(since_day(0)).await.unwrap();
    assert_eq!(spent.iter().map(|spent| spent.calls).collect::<Vec<_>>(), [2]);
}

pub async fn secrets_rotate(Fixture { store, .. }: Fixture) {
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    store.insert_key(&key("AAAA0002"), &secret(9)).await.unwrap();
    store.rotate_webhook_secret("AAAA0001", &secret(2), NOW + 100).await.unwrap();
    store.rotate_webhook_secret("AAAA0001", &secret(3), NOW + 500).await.unwrap();
    let signing = async |now| {
        let secrets = store.webhook_secrets("AAAA0001", now).await.unwrap();
        secrets.iter().map(|secret| (secret.bytes[0], secret.expires_at)).collect::<Vec<_>>()
    };
    assert_eq!(signing(NOW).await, [(3, None), (2, Some(NOW + 500)), (1, Some(NOW + 100))]);
    assert_eq!(signing(NOW + 100).await, [(3, None), (2, Some(NOW + 500))]);
    assert_eq!(signing(NOW + 500).await, [(3, None)]);
    assert!(store.webhook_secrets("AAAA0002", NOW).await.unwrap() == [secret(9)]);
}
