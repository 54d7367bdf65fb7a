//! The table of attacks. Those of `super::super::attacks` are the ones that CI tests.

use std::future::pending;
use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::voiceover::VoiceoverRequest;
use serde_json::json;

use super::{Attack, Own, Stage, crowds};
use crate::service::attacks::{media, outbox, programs, stderr, unread_responses};
use crate::service::http_client;
use crate::service::programs::Program;
use crate::service::running::Running;
use crate::service::waiting;

/// Rates that no client reaches.
const UNLIMITED: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// The length of the harmless requests before an attack, where it makes the service keep memory.
const WARM: Duration = Duration::from_secs(45);

/// All attacks.
pub const ALL: &[Attack] = &[
    Attack {
        name: "600 idle connections of an address",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(crowds::idle_connections(stage)),
        own: |stage| Box::pin(new_connection(stage)),
    },
    Attack {
        name: "64 bodies of two keys that never arrive",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(crowds::announced_bodies(stage)),
        own: |stage| Box::pin(body(stage)),
    },
    Attack {
        name: "eight long voiceovers, one thread",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(crowds::long_voiceovers(stage)),
        own: |stage| Box::pin(short_task(stage)),
    },
    Attack {
        name: "30 webhooks that hang",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(crowds::hanging_webhooks(stage)),
        own: |stage| Box::pin(webhook(stage)),
    },
    Attack {
        name: "sounds with compressed tags",
        stage: || Box::pin(beside_media(async |running| media::sounds(running, &media::PLAIN_MP3).await)),
        attack: |stage| Box::pin(media::compressed_tags(&stage.running)),
        own: |stage| Box::pin(short_task(stage)),
    },
    Attack {
        name: "pictures with compressed profiles",
        stage: || Box::pin(beside_media(async |running| media::pictures(running, &media::PLAIN_PNG).await)),
        attack: |stage| Box::pin(media::compressed_profiles(&stage.running)),
        own: |stage| Box::pin(short_task(stage)),
    },
    Attack {
        name: "uploads while a program of another key runs",
        stage: || Box::pin(beside_uploads()),
        attack: |stage| Box::pin(uploads(stage)),
        own: |stage| Box::pin(program(stage)),
    },
    Attack {
        name: "2,000 documents that nobody reads",
        stage: || Box::pin(Stage::new(unread_responses::SETTINGS)),
        attack: |stage| Box::pin(unread_documents(stage)),
        own: |stage| Box::pin(new_connection(stage)),
    },
    Attack {
        name: "1,000 tasks that nobody reads",
        stage: || Box::pin(large_task()),
        attack: |stage| Box::pin(unread_tasks(stage)),
        own: |stage| Box::pin(new_connection(stage)),
    },
    Attack {
        name: "100,000 undelivered webhooks of a key",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(undelivered(stage)),
        own: |stage| Box::pin(creates(stage)),
    },
    Attack {
        name: "internal errors, and nobody reads stderr",
        stage: || Box::pin(unread_log()),
        attack: |stage| Box::pin(stderr::ask(&stage.running, &stage.task, stderr::REQUESTS)),
        own: |stage| Box::pin(new_connection(stage)),
    },
    Attack {
        name: "a program that was taken over",
        stage: || Box::pin(with_program(programs::HOSTILE)),
        attack: |stage| Box::pin(take_over(stage)),
        own: |stage| Box::pin(short_task(stage)),
    },
    Attack {
        name: "a program that starts 10,000 processes",
        stage: || Box::pin(with_program(programs::FORKS)),
        attack: |stage| Box::pin(programs::take_over(&stage.running, &["fork"])),
        own: |stage| Box::pin(short_task(stage)),
    },
    Attack {
        name: "imports of hostile drawings",
        stage: || Box::pin(Stage::new(UNLIMITED)),
        attack: |stage| Box::pin(imports(stage)),
        own: |stage| Box::pin(short_task(stage)),
    },
];

/// Starts a service whose clients submit media, and submits harmless ones of the size of those that grow.
///
/// The memory that any media need is not part of the attack, nor is their compression.
async fn beside_media(harmless: impl AsyncFn(&Running)) -> Stage {
    let stage = Stage::new(media::SETTINGS).await;
    harmless(&stage.running).await;
    let begun = Instant::now();
    while begun.elapsed() < WARM {
        harmless(&stage.running).await;
    }
    stage
}

/// Starts a service with a task whose result is large.
async fn large_task() -> Stage {
    let stage = Stage::new(unread_responses::SETTINGS).await;
    let task = unread_responses::large_task(&stage.running).await;
    Stage { task, ..stage }
}

/// Starts a service whose voiceovers are made by this program.
async fn with_program(script: &str) -> Stage {
    let program = Program::new(script);
    let stage = Stage::new(&programs::settings_without_retries(&program, "")).await;
    Stage { _program: Some(program), ..stage }
}

/// Starts a service with a program that runs for longer than idle threads live.
///
/// `http.bodies-mib` bounds what bodies in progress take; it is filled before the attack.
async fn beside_uploads() -> Stage {
    let stage = with_program(r#"sleep 14; cp "$1/sound.wav" "$4""#).await;
    let begun = Instant::now();
    programs::upload(&stage.running, || begun.elapsed() < WARM).await;
    stage
}

/// Starts a service whose log is not read, with a task that can't be read.
async fn unread_log() -> Stage {
    let (running, reader) = Running::start_piped(stderr::SETTINGS);
    let stage = Stage::of(running).await;
    let task = stderr::broken_task(&stage.running).await;
    Stage { task, _stderr: Some(reader), ..stage }
}

async fn uploads(stage: &Stage) {
    programs::upload(&stage.running, || true).await;
}

/// Asks for responses, and reads nothing of them until the service gives up.
async fn unread_documents(stage: &Stage) {
    unread_responses::ask(&stage.running, "/openapi.json", None, 20).await.are_closed().await;
}

async fn unread_tasks(stage: &Stage) {
    let running = &stage.running;
    unread_responses::ask(running, &stage.task, Some(&running.key), 10).await.are_closed().await;
}

async fn undelivered(stage: &Stage) {
    outbox::attack(&stage.running).await;
    pending().await
}

async fn take_over(stage: &Stage) {
    programs::take_over(&stage.running, &["database", "truncate", "settings", "files", "neighbours", "link"])
        .await;
}

async fn imports(stage: &Stage) {
    let folder = media::drawings();
    media::import(&stage.running, "resources", folder.path()).await;
}

fn soon(what: &str, begun: Instant, most: Duration) -> Own {
    let took = begun.elapsed();
    (format!("{what}: {:.2} s", took.as_secs_f64()), took < most)
}

async fn new_connection(stage: &Stage) -> Own {
    let health = http_client::get(format!("{}/healthz", stage.running.url)).await;
    let is_alive = health.is_ok_and(|health| health.status() == 200);
    (format!("new connection: {}", if is_alive { "served" } else { "refused" }), is_alive)
}

async fn body(stage: &Stage) -> Own {
    let picture = format!("{}{}", "iVBORw0KGgo", "A".repeat(200_000));
    let request = stage.victim.client.post(format!("{}/v1/ai/image-to-prompt", stage.running.url));
    let request = request.header("x-service-api-key", &stage.victim.key).json(&json!({"image": picture}));
    let status = request.send().await.map_or(0, |response| response.status().as_u16());
    // The data is not a picture, which the service finds after it has read the body.
    (format!("200 KB body: {status}"), matches!(status, 200 | 400))
}

async fn short_task(stage: &Stage) -> Own {
    let victim = &stage.victim;
    let begun = Instant::now();
    victim.until(&["COMPLETED"], &victim.create(None).await).await;
    soon("short task", begun, Duration::from_secs(2))
}

async fn webhook(stage: &Stage) -> Own {
    let begun = Instant::now();
    stage.victim.create(Some(stage.receiver.url("/hook"))).await;
    let _ = tokio::time::timeout(Duration::from_secs(60), stage.receiver.wait_for_webhook()).await;
    soon("webhook", begun, Duration::from_secs(3))
}

async fn creates(stage: &Stage) -> Own {
    let took = outbox::creates(&stage.victim).await;
    // Behind a claim that visits all hosts, it takes from 85 ms.
    (
        format!("create with a webhook: {:.1} ms", took.as_secs_f64() * 1000.0),
        took < Duration::from_millis(30),
    )
}

/// Waits for a program of the client.
async fn program(stage: &Stage) -> Own {
    let client = stage.running.client_of(&stage.victim.key);
    let begun = Instant::now();
    let created = client.create_voiceover(VoiceoverRequest::new("Hello.", "narrator")).await.unwrap();
    let get = async || client.get_voiceover(created.data.task_id).await.unwrap().data;
    let task = waiting::ended(get).await;
    let took = begun.elapsed().as_secs_f64();
    (format!("program of 14 s: {:?} in {took:.1} s", task.status), task.status == TaskStatus::Completed)
}
