//! The process dies at chosen points, as by a power cut, again and again while clients create tasks: no accepted task is
//! lost, none is done twice in what a client sees, and its end is told under one id.
//!
//! `CRASH_ROUNDS=200 cargo test … crash` makes so many rounds on each store; a round is a crash, and every six of them,
//! one of each point, are a storm, after which everything is looked at.

mod order;

use std::time::{Duration, Instant};

use asset_api_client::models::image_to_prompt::ListImageToPromptsInput;
use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use futures_util::future::join_all;

use self::order::{Kind, Order};
use super::outside::Outside;
use super::running::{Database, Running};

/// Leases are short, so that those of the dead end soon; what belongs to nothing goes soon; nothing waits, and nobody is
/// held up by limits.
const SETTINGS: &str = "
[worker]
lease-seconds = 1
max-attempts = 100
backoff-seconds = 0
[webhooks]
deadline-seconds = 1
[retention]
sweep-seconds = 1
orphan-seconds = 2
[tiers.default]
burst = 100000
per-second = 100000.0
";

/// Where the process dies.
const POINTS: [&str; 6] =
    ["after-create", "after-claim", "after-file", "before-end", "after-end", "after-send"];

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    storms(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    storms(Database::Postgres).await;
}

async fn storms(database: Database) {
    let rounds = std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let storms = rounds.unwrap_or(POINTS.len()).div_ceil(POINTS.len());
    for number in 0..storms {
        let Some(setting) = database.setting().await else { return };
        let begun = Instant::now();
        let orders = storm(number, &setting).await;
        if storms > 1 {
            println!("{database:?}: storm {number}: {} tasks, {:?}", orders, begun.elapsed());
        }
    }
}

/// Six crashes, and the look at what they have left. Returns how many tasks there were.
async fn storm(number: usize, setting: &str) -> usize {
    let outside = Outside::start().await;
    let mut running = Running::start_with(&format!("{setting}{SETTINGS}"), &["--threads", "2"], &[]);
    let mut orders: Vec<Order> = Vec::new();
    for round in 0..POINTS.len() {
        // Each storm has another order of points, and each point its first, second and third time.
        let point = POINTS[(round * [1, 5][number % 2] + number) % POINTS.len()];
        let point = format!("{point}:{}", 1 + (number / 2 + round) % 3);
        // It may die of what the crash before has left, before it listens.
        if running.kill_and_restart_with(&["--threads", "2"], &[("ASSET_SERVICE_CRASH_AT", &point)]) {
            let client = running.impatient_client();
            join_all(orders.iter_mut().map(|order| order.look(&client))).await;
            let mut new = Order::some(&format!("{number}.{round}"), &outside);
            join_all(new.iter_mut().map(|order| order.send(&client))).await;
            orders.extend(new);
        }
        let begun = Instant::now();
        while !running.has_ended() {
            assert!(begun.elapsed() < PATIENCE, "{point} was not reached");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    running.kill_and_restart(&["--threads", "2"]);
    aftermath(&running, &mut orders, &outside).await;
    orders.len()
}

/// Clients repeat what they don't know to be accepted, and all else; then everything comes to its end.
async fn aftermath(running: &Running, orders: &mut [Order], outside: &Outside) {
    let client = running.client();
    for order in orders.iter_mut() {
        let accepted = order.task;
        order.send(&client).await;
        assert!(order.task.is_some(), "{order:?}: a repeat is accepted");
        assert!(accepted.is_none() || accepted == order.task, "{order:?}: a repeat is the same task");
    }
    let begun = Instant::now();
    for order in orders.iter_mut() {
        while !order.look(&client).await {
            assert!(begun.elapsed() < PATIENCE, "{order:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        order.check_result(&running.url).await;
        while order.told(outside).is_empty() {
            assert!(begun.elapsed() < PATIENCE, "{order:?}: nobody was told");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        order.check_told(outside);
    }
    let count = |kinds: &[Kind]| orders.iter().filter(|order| kinds.contains(&order.kind)).count();
    assert_eq!(listed_sounds(running).await, count(&[Kind::Sound]), "one task of each request");
    assert_eq!(
        listed_descriptions(running).await,
        count(&[Kind::Inline, Kind::Later, Kind::Gone]),
        "one task of each request"
    );
    loop {
        let (results, inputs) = (running.files("results").len(), running.files("inputs").len());
        // What completed tasks were given is needed no more.
        if (results, inputs) == (count(&[Kind::Sound]), 0) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "files that belong to nothing: {results} and {inputs}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Deliveries may repeat, but not under another id, nor with another word.
    for order in orders {
        order.check_told(outside);
    }
}

async fn listed_sounds(running: &Running) -> usize {
    let mut input = ListSoundEffectsInput::default();
    input.limit = Some(100);
    running.client().list_sound_effects(input).await.unwrap().data.len()
}

async fn listed_descriptions(running: &Running) -> usize {
    let mut input = ListImageToPromptsInput::default();
    input.limit = Some(100);
    running.client().list_image_to_prompts(input).await.unwrap().data.len()
}
