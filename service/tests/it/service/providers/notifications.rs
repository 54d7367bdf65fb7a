//! Notifications of providers about their jobs: they end a wait, and nothing else.

use std::time::{Duration, Instant};

use reqwest::StatusCode;
use simulated_providers::{Plan, Provider, Providers};
use uuid::Uuid;

use super::{KEY, create, polls, providers, settings, until};
use crate::service::http_client;
use crate::service::running::{Database, Running};

const NOTIFYING: [Provider; 2] = [Provider::Replicate, Provider::Fal];

/// Starts a service whose provider notifies it, with this time between polls of a job.
fn notified(providers: &Providers, provider: Provider, poll_seconds: &str) -> Running {
    let settings = settings(providers, provider, "notifications = true");
    let settings = settings.replace("poll-seconds = 0.02", &format!("poll-seconds = {poll_seconds}"));
    // The service learns its port only when it starts, and puts it into the URLs of notifications.
    Running::start_with(&settings, &["--threads", "2"], KEY)
}

/// Creates a task whose job is in progress, and waits for its first poll.
async fn begun(providers: &Providers, running: &Running) -> Uuid {
    let before = polls(providers);
    providers.plan(Plan::Slow);
    let id = create(running, "wind").await;
    until(providers, |providers| polls(providers) > before).await;
    id
}

async fn post(url: &str, body: &'static str) -> StatusCode {
    http_client::new().post(url).body(body).send().await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_ends_the_wait_for_the_next_poll() {
    for provider in NOTIFYING {
        let providers = providers().await;
        let mut running = notified(&providers, provider, "3600");
        let id = begun(&providers, &running).await;
        assert_eq!(providers.notify().await.unwrap(), [204]);
        let task = running.sound(id).await;
        assert!(task.error.is_none(), "{provider:?}: {task:?}");
        let before = polls(&providers);
        // The job may be done before the provider responds to the first poll.
        assert!((1..=2).contains(&before), "{provider:?}: {before}");

        // An attempt that resumes the job expects the same notification, here on another port.
        let id = begun(&providers, &running).await;
        assert!(running.kill_and_restart_with(&["--threads", "2"], KEY));
        until(&providers, |providers| polls(providers) >= before + 2).await;
        let webhook = providers.creations()[1].webhook.clone().unwrap();
        let path = webhook.find("/notifications/").unwrap();
        providers.finish();
        assert_eq!(post(&format!("{}{}", running.url, &webhook[path..]), "{}").await, 204);
        let task = running.sound(id).await;
        assert!(task.error.is_none(), "{provider:?}: {task:?}");
        assert_eq!(providers.creations().len(), 2, "{provider:?}");
        assert!(running.metrics().await.contains("operation=\"notifications\""));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_reaches_the_process_that_waits() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let providers = providers().await;
    let settings = database + &settings(&providers, Provider::Fal, "notifications = true");
    let settings = settings.replace("poll-seconds = 0.02", "poll-seconds = 3600");
    let worker = Running::start_with(&settings, &["--threads", "2"], KEY);
    let id = begun(&providers, &worker).await;
    let front = worker.start_beside(&["--threads", "0"], KEY);
    let webhook = providers.creations()[0].webhook.clone().unwrap();
    let path = webhook.find("/notifications/").unwrap();
    providers.finish();
    assert_eq!(post(&format!("{}{}", front.url, &webhook[path..]), "{}").await, 204);
    assert!(worker.sound(id).await.error.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_notification_changes_nothing() {
    let providers = providers().await;
    let running = notified(&providers, Provider::Fal, "3600");
    let id = begun(&providers, &running).await;
    let below = format!("{}/notifications", running.url);
    let done = r#"{"status": "OK", "payload": {"audio": {"url": "http://127.0.0.1:9/evil.wav"}}}"#;
    // The response does not reveal whether an attempt waits.
    assert_eq!(post(&format!("{below}/{}", Uuid::now_v7()), done).await, 204);
    assert_eq!(post(&format!("{below}/0"), done).await, 400);
    assert_eq!(post(&below, done).await, 404);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(polls(&providers), 1, "no job is polled for it");

    // A caller who knows the URL causes few polls, and the service believes only the provider.
    let webhook = providers.creations()[0].webhook.clone().unwrap();
    let begun = Instant::now();
    for _ in 0..50 {
        assert_eq!(post(&webhook, done).await, 204);
    }
    until(&providers, |providers| polls(providers) > 1).await;
    // Two a second, however long the machine takes for the notifications.
    let (count, most) = (polls(&providers), 4 + begun.elapsed().as_millis() / 500);
    assert!(count as u128 <= most, "{count} polls, at most {most}");
    let task = running.client().get_sound_effect(id).await.unwrap().data;
    assert!(task.generated.is_empty() && task.error.is_none(), "{task:?}");
    let long = http_client::new().post(&webhook).body(vec![b' '; 17 << 20]).send().await;
    assert!(long.is_err() || long.is_ok_and(|long| long.status() == 413));
    assert_eq!(providers.notify().await.unwrap(), [204]);
    assert!(running.sound(id).await.error.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polls_replace_a_lost_notification() {
    for provider in NOTIFYING {
        let providers = providers().await;
        let running = notified(&providers, provider, "0.7");
        let id = begun(&providers, &running).await;
        providers.finish();
        assert!(running.sound(id).await.error.is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn providers_get_no_url_unless_the_settings_say_so() {
    for provider in NOTIFYING {
        let providers = providers().await;
        let running = super::started(&providers, provider, "");
        running.sound(create(&running, "wind").await).await;
        assert_eq!(providers.creations()[0].webhook, None);
        let asked = providers.requests().into_iter().map(|request| (request.path, request.body));
        for (path, body) in asked {
            let body = String::from_utf8_lossy(&body).into_owned();
            assert!(!path.contains("webhook") && !body.contains("webhook"), "{path} {body}");
        }
    }
}
