//! Mutated media through every entrance: requests, URLs, results of engines and imports: `cargo xtask fuzz-media`.
//!
//! The service and the imports may never end by themselves, need more than 256 MiB above an idle service, or take too
//! long. A process in which an import parses files may need the memory that its limit allows. Whether a mutant is accepted
//! does not matter.

mod mutate;
mod seeds;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};

use self::mutate::Mutator;
use self::seeds::{Holds, Layout, SEEDS, Seed};
use super::attacks::programs::children;
use super::running::{Running, binary};
use super::victim::{memory, peak, status};
use super::waiting::PAUSE;
use crate::service::http_client;
use crate::service::outside::serve;
use crate::service::waiting::TIMEOUT;

/// Programs that give a medium or a text back as their result, so that every format is also an engine's result.
const SETTINGS: &str = r#"
    [engines.nothing]
    kind = "command"
    program = "true"
    [engines.copier]
    kind = "command"
    program = "cp"
    [engines.decoder]
    kind = "command"
    program = "base64"
    [families.lip-sync]
    engine = "nothing"
    args = ["{{ output }}"]
    output = "film.mp4"
    [families.video-upscaler]
    engine = "copier"
    args = ["{{ media.video.path }}", "{{ output }}"]
    output = "film"
    [families.image-upscaler-precision]
    engine = "copier"
    args = ["{{ media.image.path }}", "{{ output }}"]
    output = "picture"
    [families.voiceover]
    engine = "decoder"
    args = ["-d", "{{ files['text.txt'] }}"]
    files = { "text.txt" = "{{ request.text }}" }
    output = "stdout"
    voices = { narrator = "n" }
    [worker]
    max-attempts = 1
    backoff-seconds = 0
    [tiers.default]
    burst = 100000
    per-second = 100000.0
    stored-mib = 1000000
    "#;

/// The maximum memory that a process may need, in MiB above an idle service.
const MAX_GROWTH_MIB: u64 = 256;

/// The files that are imported, by their parser.
struct Import {
    name: &'static str,
    what: &'static str,
    is_parsed: fn(&Seed) -> bool,
    /// The limit of a parser on its data, in MiB.
    most: u64,
}

const IMPORTS: [Import; 3] = [
    Import { name: "drawings", what: "resources", is_parsed: |seed| seed.layout == Layout::Svg, most: 512 },
    Import {
        name: "pictures",
        what: "resources",
        is_parsed: |seed| seed.holds == Holds::Picture && seed.layout != Layout::Svg,
        most: 2048,
    },
    Import { name: "sounds", what: "music", is_parsed: |seed| seed.holds == Holds::Sound, most: 256 },
];

/// The memory of a parser without its data, in MiB: its program.
const PROGRAM: u64 = 64;

/// The number of rounds before the memory of an idle service is known.
const WARM: usize = 20;

/// The number of mutants in each round of requests, and in each import.
const BATCH: usize = 24;
const IMPORTED: usize = 12;

/// The longest text of a voiceover, in characters.
const MAX_TEXT: usize = 40_000;

/// The files that the test serves, by the number in their path.
type Served = Arc<Mutex<HashMap<usize, Bytes>>>;

struct Fuzz {
    running: Running,
    client: Client,
    served: Served,
    url: String,
    /// The peak memory of the service before the first mutant, in MiB.
    idle: u64,
    /// The maximum that an import needed, in MiB.
    imports: u64,
    /// The maximum that a parser needed, in MiB, by what is imported.
    parsers: BTreeMap<&'static str, u64>,
    /// The number of outcomes by entrance and format.
    outcomes: BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, usize>>,
}

async fn file(State(served): State<Served>, Path(number): Path<usize>) -> Bytes {
    served.lock().unwrap().get(&number).cloned().unwrap_or_default()
}

impl Fuzz {
    async fn start() -> Self {
        let running = Running::start_with(SETTINGS, &["--threads", "2"], &[]);
        let served = Served::default();
        served.lock().unwrap().insert(0, Bytes::from_static(SEEDS[0].bytes));
        let app = axum::Router::new().route("/{number}", get(file)).with_state(Arc::clone(&served));
        let url = format!("http://{}", serve(app).await);
        let idle = peak(running.id());
        let (client, outcomes) = (http_client::new(), BTreeMap::new());
        Self { running, client, served, url, idle, imports: 0, parsers: BTreeMap::new(), outcomes }
    }

    /// Sends files that are not mutants, until the allocator holds as much memory as media of this size can make it hold.
    async fn warm_up(&mut self) {
        let mut mutator = Mutator::new(0);
        for _ in 0..WARM {
            self.requests(&mut mutator, Mutator::lengthen).await;
        }
        self.outcomes.clear();
        self.idle = peak(self.running.id());
    }

    /// Runs a round; it depends on its seed only.
    async fn round(&mut self, seed: u64) {
        let mut mutator = Mutator::new(seed);
        let begun = Instant::now();
        self.requests(&mut mutator, Mutator::mutate).await;
        let import = mutator.one_of(&IMPORTS);
        self.import(&mut mutator, import).await;
        assert!(!self.running.has_ended(), "round {seed}: the service has ended");
        let peak = peak(self.running.id());
        assert!(peak < self.idle + MAX_GROWTH_MIB, "round {seed}: {peak} MiB");
        println!(
            "round {seed}: {:.1} s, {peak} MiB, imports {} MiB, parsers {:?} MiB",
            begun.elapsed().as_secs_f64(),
            self.imports,
            self.parsers
        );
    }

    /// Sends files as requests, and waits until their tasks have ended.
    async fn requests(&mut self, mutator: &mut Mutator, make: fn(&mut Mutator, &Seed) -> Vec<u8>) {
        let seeds: Vec<&Seed> = SEEDS.iter().filter(|seed| seed.layout != Layout::Svg).collect();
        let mut calls = Vec::with_capacity(BATCH);
        for number in 1..=BATCH {
            let seed = *mutator.one_of(&seeds);
            let mutant = make(mutator, seed);
            let text = STANDARD.encode(&mutant);
            let paths: &[&'static str] = match (seed.holds, seed.extension) {
                (Holds::Picture, _) => &["image-to-prompt", "image-upscaler-precision"],
                (Holds::Film, _) => &["video-upscaler"],
                (Holds::Sound, "flac" | "ogg") => &["voiceover"],
                (Holds::Sound, _) => &["voiceover", "lip-sync/standard"],
            };
            let mut path = *mutator.one_of(paths);
            if path == "voiceover" && text.len() > MAX_TEXT {
                path = "lip-sync/standard";
            }
            let body = match path {
                "voiceover" => json!({"text": text, "voice_id": "narrator"}),
                "video-upscaler" => json!({"video": text}),
                "lip-sync/standard" => {
                    self.served.lock().unwrap().insert(number, mutant.into());
                    json!({"image_url": format!("{}/0", self.url), "audio_url": format!("{}/{number}", self.url)})
                }
                _ => json!({"image": text}),
            };
            calls.push((path, seed.extension, body));
        }
        let outcomes = join_all(calls.iter().map(|(path, _, body)| self.request(path, body))).await;
        for ((path, extension, _), outcome) in calls.iter().zip(outcomes) {
            self.count(path, extension, outcome);
        }
    }

    /// Sends a request; returns how it ended.
    async fn request(&self, path: &str, body: &Value) -> &'static str {
        let url = format!("{}/v1/ai/{path}", self.running.url);
        let request = self.client.post(&url).header("x-service-api-key", &self.running.key).json(body);
        let response = request.timeout(TIMEOUT).send().await.unwrap();
        match response.status().as_u16() {
            200 => {}
            400 => return "refused",
            other => panic!("{path}: {other} {}", response.text().await.unwrap()),
        }
        let created: Value = response.json().await.unwrap();
        let url = format!("{url}/{}", created["data"]["task_id"].as_str().unwrap());
        let begun = Instant::now();
        loop {
            match status(&self.client, &url, &self.running.key).await.as_str() {
                "COMPLETED" => return "completed",
                "FAILED" => return "failed",
                status => assert!(begun.elapsed() < TIMEOUT, "{url} is {status}"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Imports a folder of mutants.
    async fn import(&mut self, mutator: &mut Mutator, import: &Import) {
        let Import { name, what, is_parsed, most: most_data } = *import;
        let folder = tempfile::tempdir().unwrap();
        let seeds: Vec<&Seed> = SEEDS.iter().filter(|seed| is_parsed(seed)).collect();
        for number in 0..IMPORTED {
            let seed = *mutator.one_of(&seeds);
            let path = folder.path().join(format!("{number}.{}", seed.extension));
            std::fs::write(path, mutator.mutate(seed)).unwrap();
        }
        let mut command = tokio::process::Command::from(binary());
        command.args(["import", what]).arg(folder.path()).arg("--data-dir").arg(self.running.data());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).kill_on_drop(true);
        let import = command.spawn().unwrap();
        let id = import.id().unwrap();
        let (mut most, mut parsers, begun) = (0, 0, Instant::now());
        let mut output = Box::pin(import.wait_with_output());
        let output = loop {
            match tokio::time::timeout(Duration::from_millis(20), &mut output).await {
                Ok(output) => break output.unwrap(),
                Err(_) => most = most.max(memory(id, "VmHWM").unwrap_or(0)),
            }
            for parser in children(id) {
                parsers = parsers.max(memory(parser, "VmHWM").unwrap_or(0));
            }
            // Each file may need all of its processor time.
            assert!(begun.elapsed() < TIMEOUT * IMPORTED as u32, "the import does not end");
        };
        self.imports = self.imports.max(most);
        let peak = self.parsers.entry(name).or_default();
        *peak = parsers.max(*peak);
        assert!(parsers < most_data + PROGRAM, "a parser of {name} needs {parsers} MiB");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{:?} {message}", output.status);
        assert!(most < self.idle + MAX_GROWTH_MIB, "an import needs {most} MiB");
        let left_out = message.matches("left out: ").count();
        let ended = message.matches("parsing failed, or needs").count();
        for (outcome, number) in
            [("taken", IMPORTED - left_out), ("left out", left_out - ended), ("ended its parser", ended)]
        {
            *self.outcomes.entry(("import", name)).or_default().entry(outcome).or_default() += number;
        }
    }

    fn count(&mut self, entrance: &'static str, extension: &'static str, outcome: &'static str) {
        *self.outcomes.entry((entrance, extension)).or_default().entry(outcome).or_default() += 1;
    }

    fn report(&self) {
        let all: usize = self.outcomes.values().flat_map(BTreeMap::values).sum();
        println!("{all} mutants; idle {} MiB, peak {} MiB", self.idle, peak(self.running.id()));
        for ((entrance, extension), outcomes) in &self.outcomes {
            println!("{entrance:<26} {extension:<10} {outcomes:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutated_media_of_a_fixed_seed_cause_no_failure() {
    let mut fuzz = Fuzz::start().await;
    fuzz.round(1).await;
    fuzz.report();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes as long as ASSET_SERVICE_FUZZ_MINUTES says: `cargo xtask fuzz-media`"]
async fn mutated_media_cause_no_failure() {
    let number = |name: &str| std::env::var(name).unwrap().parse::<f64>().unwrap();
    let minutes = number("ASSET_SERVICE_FUZZ_MINUTES");
    let first = number("ASSET_SERVICE_FUZZ_SEED") as u64;
    let mut fuzz = Fuzz::start().await;
    fuzz.warm_up().await;
    let begun = Instant::now();
    for seed in first.. {
        if begun.elapsed() >= Duration::from_secs_f64(minutes * 60.0) {
            break;
        }
        fuzz.round(seed).await;
    }
    fuzz.report();
}
