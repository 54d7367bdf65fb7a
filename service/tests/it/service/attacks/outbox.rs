//! A key has a hundred thousand undelivered webhooks, to many hosts.

use std::time::{Duration, Instant};

use asset_service::settings::Settings;
use asset_service::time::Clock;
use serde_json::json;

use crate::service::running::{Database, Running, on_both_databases};
use crate::service::victim::{Percentiles, Victim, hurts_nobody};
use crate::service::waiting::eventually;
use crate::store::fixture::put_events;

/// Limits that these tests do not reach.
const UNLIMITED: &str = "[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// Events that wait for their next attempt, each to a host of its own.
const LATER: u32 = 95_000;

/// Events that are due, and their hosts, which refuse the connection.
const DUE: (u32, u32) = (5000, 250);

/// The number of tasks of a measurement.
const TASKS: usize = 40;

/// How much longer a create may take besides, in a test of CI. Behind a claim that visits all hosts, it takes longer.
const NOISE: Duration = Duration::from_millis(150);

/// Fills the outbox of the first key.
pub async fn attack(running: &Running) {
    let file = format!("sqlite://{}", running.data().join("service.db").display());
    let database = Settings::load(None, running.data()).unwrap().database_url.unwrap_or(file);
    let (key, now) = (running.key_id(), Clock::System.now());
    put_events(&database, "http://h#.example/", key, (LATER, LATER), now + 3_600_000).await;
    put_events(&database, "http://127.1.#.1:9/", key, DUE, now).await;
}

/// Creates tasks with a webhook, and returns the time that nine of ten creates exceed.
///
/// Other work on the machine delays some creates, and a claim that takes long nearly all.
pub async fn creates(victim: &Victim) -> Duration {
    let mut times = Vec::new();
    for _ in 0..TASKS {
        let begun = Instant::now();
        let task = victim.create(Some("http://127.0.0.1:9/".to_owned())).await;
        times.push(begun.elapsed());
        victim.until(&["COMPLETED"], &task).await;
    }
    times.sort();
    times[TASKS / 10]
}

on_both_databases! { many_undelivered_webhooks_delay_no_other_key }

async fn many_undelivered_webhooks_delay_no_other_key(database: Database) {
    hurts_nobody(async || Vec::from_iter(undelivered_webhooks(database).await)).await;
}

/// Returns `None` without the database.
async fn undelivered_webhooks(database: Database) -> Option<Percentiles> {
    let running = database.start(UNLIMITED, &[]).await?;
    let victim = Victim::start(&running).await;
    let calm = creates(&victim).await;
    let (percentiles, attacked) = victim
        .measure_during(async {
            attack(&running).await;
            creates(&victim).await
        })
        .await;
    println!("a create takes {calm:?} before the attack, {attacked:?} during it");
    assert!(attacked <= calm * 3 + NOISE, "{calm:?} before, {attacked:?} during the attack");
    // The key itself has to wait.
    let refused = eventually("429", async || {
        let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": "http://127.0.0.1:9/"});
        let response = running.post("/v1/ai/sound-effects", &body).send().await.unwrap();
        (response.status() == 429).then_some(response)
    })
    .await;
    assert_eq!(refused.headers()["retry-after"], "60");
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"webhooks\"} 1"));
    Some(percentiles)
}
