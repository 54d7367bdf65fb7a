//! Kills the service at each point of a provider's job.
//!
//! The provider counts at most one creation per task, and a stored job is always resumed.
//!
//! `CRASH_ROUNDS=100 cargo test … providers::crashes` runs that many rounds on each store. A round is one crash.

use std::time::{Duration, Instant};

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::sound_effects::SoundEffectRequest;
use simulated_providers::{Provider, Providers, Step};
use uuid::Uuid;

use super::{KEY, providers, settings};
use crate::service::running::{Database, Running};
use crate::service::waiting::TIMEOUT;

/// The points where the process dies.
const POINTS: [&str; 5] = ["before-call", "after-call", "after-job", "between-polls", "during-download"];

const PROVIDERS: [Provider; 3] = [Provider::Fal, Provider::ComfyUi, Provider::Replicate];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    rounds(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    rounds(Database::Postgres).await;
}

async fn rounds(database: Database) {
    let rounds = std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds: usize = rounds.unwrap_or(POINTS.len());
    for (number, provider) in PROVIDERS.into_iter().enumerate() {
        // Each provider has its share of the rounds; by default, all points of each.
        let share = if rounds <= POINTS.len() { rounds } else { (rounds + number) / PROVIDERS.len() };
        let Some(setting) = database.setting().await else { return };
        let begun = Instant::now();
        let found = storm(provider, &setting, share).await;
        // The figures of a long run, for the person who started it.
        println!("{database:?} {provider:?}: {share} crashes, {:?}, {found:?}", begun.elapsed());
    }
}

/// The outcomes of a storm's tasks.
#[derive(Debug, Default)]
struct Found {
    completed: usize,
    unknown: usize,
}

async fn storm(provider: Provider, setting: &str, rounds: usize) -> Found {
    let providers = providers().await;
    let settings = settings(&providers, provider, "").replace("max-attempts = 5", "max-attempts = 100");
    let mut running = Running::start_with(&format!("{setting}{settings}"), &["--threads", "2"], KEY);
    let mut tasks: Vec<(&str, String, Uuid)> = Vec::new();
    for round in 0..rounds {
        let point = POINTS[round % POINTS.len()];
        let environment = [KEY[0], ("ASSET_SERVICE_CRASH_AT", point)];
        // Work left by the last crash may trigger the next one before the process listens.
        if running.kill_and_restart_with(&["--threads", "2"], &environment) {
            let text = format!("wind of round {round}");
            let created =
                running.impatient_client().create_sound_effect(SoundEffectRequest::new(&text, 1.0)).await;
            tasks.extend(created.ok().map(|created| (point, text, created.data.task_id)));
        }
        let begun = Instant::now();
        while !running.has_ended() {
            assert!(begun.elapsed() < TIMEOUT, "{point} was not reached: {}", running.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    assert!(running.kill_and_restart_with(&["--threads", "2"], KEY));
    assert!(!tasks.is_empty(), "no task was created");
    let mut found = Found::default();
    for (point, text, id) in tasks {
        let task = running.sound(id).await;
        check(provider, &providers, (point, &text), &task);
        match task.status {
            TaskStatus::Completed => found.completed += 1,
            _ => found.unknown += 1,
        }
    }
    found
}

/// Checks the end of a task.
///
/// The outcome is unknown only if the crash came before the job was stored, and the provider can't find it. ComfyUI can
/// find a job by its id. A job is stored before its first poll.
fn check(provider: Provider, providers: &Providers, (point, text): (&str, &str), task: &Task) {
    let quoted = format!("\"{text}\"");
    let jobs = providers.creations();
    let jobs: Vec<_> = jobs.iter().filter(|job| job.input.to_string().contains(&quoted)).collect();
    assert!(jobs.len() <= 1, "{provider:?} {point}: paid {} times: {task:?}", jobs.len());
    let code = task.error.as_ref().map(|error| error.code.as_str());
    let Some(code) = code else {
        assert_eq!((&task.status, jobs.len()), (&TaskStatus::Completed, 1), "{provider:?} {point}: {task:?}");
        return;
    };
    let requests = providers.requests();
    let is_stored = requests
        .iter()
        .any(|request| request.step == Step::Poll && jobs.iter().any(|job| request.path.contains(&job.id)));
    let may_be_unknown = if provider == Provider::ComfyUi { jobs.is_empty() } else { !is_stored };
    assert!(code == "outcome_unknown" && may_be_unknown, "{provider:?} {point}: {task:?}");
}
