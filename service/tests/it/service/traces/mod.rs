//! One trace, from the client over the provider to the webhook.

mod collector;

use asset_api_client::models::sound_effects::SoundEffectRequest;
use simulated_providers::{Plan, Provider, Providers, Step};
use uuid::Uuid;

use super::outside::Outside;
use super::providers::{KEY, providers, settings};
use super::running::{Database, Running, client_of, on_both_databases};
use super::waiting::eventually;
use collector::Collector;

/// The trace of the client.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The context that the client sends.
/// The context that a client sends.
pub const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A text of a user.
const PROMPT: &str = "a marmot whistles privately";

/// Creates a task in the trace of the client.
async fn create(running: &Running, outside: &Outside) -> Uuid {
    let client = client_of(&running.url, &running.key).header("traceparent", PARENT).build().unwrap();
    let mut request = SoundEffectRequest::new(PROMPT, 1.0);
    request.webhook_url = Some(outside.hook());
    client.create_sound_effect(request).await.unwrap().data.task_id
}

/// Waits until the task has ended, and its webhook is delivered.
async fn ended(running: &Running, outside: &Outside, id: Uuid) {
    running.sound(id).await;
    delivered(outside, id, "COMPLETED").await;
}

async fn delivered(outside: &Outside, id: Uuid, status: &str) {
    let is_there = async || (!outside.webhooks(id, status).is_empty()).then_some(());
    eventually("the webhook is delivered", is_there).await;
}

/// Returns the contexts of the requests for the job.
fn seen_by(providers: &Providers) -> Vec<String> {
    let requests = providers.requests().into_iter();
    let of_job = requests.filter(|request| matches!(request.step, Step::Create | Step::Poll | Step::Result));
    of_job.map(|request| request.headers["traceparent"].to_str().unwrap().to_owned()).collect()
}

async fn a_trace_passes_from_the_client_to_the_provider_and_the_webhook(database: Database) {
    let Some(setting) = database.setting().await else { return };
    let (providers, outside) = (providers().await, Outside::start().await);
    let settings = setting + &settings(&providers, Provider::Fal, "");
    let environment = [KEY[0], ("RUST_LOG", "info")];
    // One process accepts the task, and another one runs it.
    let mut running = Running::start_with(&settings, &["--threads", "0", "--log-json"], &environment);
    let id = create(&running, &outside).await;
    // A process that is killed loses the last lines of its log.
    let is_logged = async || running.log().contains("\"responded\"").then_some(());
    eventually("the request is logged", is_logged).await;
    assert!(running.kill_and_restart_with(&["--threads", "2", "--log-json"], &environment));
    ended(&running, &outside, id).await;

    let seen = seen_by(&providers);
    assert!(seen.len() > 2 && seen.iter().all(|context| context == PARENT), "{seen:?}");
    assert_eq!(outside.trace(id, "COMPLETED").as_deref(), Some(PARENT));
    let log = running.log();
    for message in ["responded", "task accepted", "task ended", "webhook attempt"] {
        let mut lines = log.lines().filter(|line| line.contains(&format!("\"message\":\"{message}\"")));
        assert!(lines.any(|line| line.contains(&format!("\"trace_id\":\"{TRACE}\""))), "{message}: {log}");
    }
}

on_both_databases! { a_trace_passes_from_the_client_to_the_provider_and_the_webhook }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_receives_the_trace_of_a_request() {
    let (providers, outside, collector) =
        (providers().await, Outside::start().await, Collector::start().await);
    let settings = settings(&providers, Provider::Fal, "");
    let settings = format!("{settings}\n[traces]\notlp-endpoint = \"{}\"\n", collector.url);
    let environment = [KEY[0], ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hush")];
    let mut running = Running::start_with(&settings, &["--threads", "2"], &environment);
    providers.plan(Plan::Slow);
    let id = create(&running, &outside).await;
    delivered(&outside, id, "IN_PROGRESS").await;
    providers.finish();
    ended(&running, &outside, id).await;
    let metrics = async || !running.metrics().await.contains("trace_spans_total{outcome=\"exported\"} 0\n");
    eventually("spans are exported", async || metrics().await.then_some(())).await;
    // The end of the process sends the spans that wait, to the collector of this process.
    assert!(tokio::task::block_in_place(|| running.terminate().success()));

    let spans = collector.trace(TRACE);
    let parent_of = |context: &str| {
        let id = context.split('-').nth(2).unwrap();
        spans.iter().find(|span| span.id == id).unwrap_or_else(|| panic!("{context}: {spans:?}")).name.clone()
    };
    let seen = seen_by(&providers);
    assert!(seen.iter().all(|context| parent_of(context) == "engine p/maker/sound/v2"), "{seen:?}");
    assert_eq!(parent_of(&outside.trace(id, "COMPLETED").unwrap()), "webhook");
    let sent = collector.text();
    for hidden in [PROMPT, "marmot", "hush", &outside.hook(), running.key.rsplit('_').next().unwrap()] {
        assert!(!sent.contains(hidden), "{hidden} is in a span: {sent}");
    }
    collector::check_page(&spans);
}
