//! Runs of workflow apps: request validation of the inputs, and steps on attached engines.

use asset_api_client::models::apps::{RunAppInput, RunAppRequest};
use base64::Engine as _;
use serde_json::{Value, json};
use simulated_providers::{Medium, Plan, Provider, Providers, Step};

use super::outside::PICTURE;
use super::running::Running;
use super::waiting::eventually;
use crate::service::http_client;
use crate::service::requests::response;

/// Returns the problem that a run of the narration with these inputs responds with.
async fn problem(running: &Running, inputs: Value) -> String {
    let body: RunAppRequest = serde_json::from_value(json!({ "inputs": inputs })).unwrap();
    let refused = running.client().run_app(RunAppInput::new("nArr8d", body)).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(400), "{refused}");
    format!("{refused:?}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_are_bounded_as_bodies_are() {
    let running = Running::start(&["--threads", "0"]);
    // Spoken aloud, this text would fill a file of gigabytes.
    let message = problem(&running, json!({"in_1": "word ".repeat(200_000)})).await;
    assert!(message.contains("inputs.in_1") && message.contains("at most 40000 characters"), "{message}");
    // Too long for the second engine, although the first one would accept it.
    let message = problem(&running, json!({"in_1": "x", "in_2": "rain ".repeat(600)})).await;
    assert!(message.contains("inputs.in_2") && message.contains("at most 2500 characters"), "{message}");
    let message = problem(&running, json!({"in_1": "x", "in_3": 1e300})).await;
    assert!(message.contains("inputs.in_3") && message.contains("from 0.5 to 22"), "{message}");
}

/// An app with steps on two attached engines and a built-in one.
const FILM: &str = r#"[{
    "sqid": "f1lm", "name": "Film", "inputs": [
        {"id": "in_1", "key": "picture", "type": "creation", "label": "Picture", "required": true},
        {"id": "in_2", "key": "prompt", "type": "text", "label": "Prompt", "required": false}
    ],
    "steps": [
        {"family": "image-to-video", "input": {"start_image_url": "{in_1}", "prompt": "{in_2}", "duration": 5}},
        {"family": "video-upscaler", "operation": "create_video_upscale", "input": {"video": 0, "resolution": "1k"}},
        {"family": "sound-effects", "work": {"modality": "sound", "parameters": {"text": "rain", "duration_seconds": 0.5}}}
    ]
}]"#;

/// A service with that app, and the providers of its engines.
struct Studio {
    providers: Providers,
    running: Running,
}

impl Studio {
    async fn start() -> Self {
        let providers = Providers::start().await.unwrap();
        let (fal, replicate) = (providers.url(Provider::Fal), providers.url(Provider::Replicate));
        let settings = format!(
            r#"
            [engines.animator]
            kind = "http"
            preset = "fal"
            base-url = "{fal}"
            poll-seconds = 0.02
            key = {{ env = "KEY_OF_THE_PROVIDER" }}
            [engines.enlarger]
            kind = "http"
            preset = "replicate"
            base-url = "{replicate}"
            poll-seconds = 0.02
            media = "url"
            key = {{ env = "KEY_OF_THE_PROVIDER" }}
            [families.image-to-video]
            engine = "animator"
            model = "maker/film"
            input = {{ picture = "{{{{ media.start_image_url }}}}", prompt = "{{{{ request.prompt }}}}" }}
            limits = {{ prompt = {{ max-length = 20 }} }}
            [families.video-upscaler]
            engine = "enlarger"
            model = "maker/large"
            input = {{ video = "{{{{ media.video }}}}", size = "{{{{ request.resolution }}}}" }}
            [worker]
            lease-seconds = 1
            backoff-seconds = 0
            "#
        );
        let mut running = Running::start_with(&settings, &[], KEY);
        std::fs::write(running.data().join("apps.json"), FILM).unwrap();
        assert!(running.kill_and_restart_with(&[], KEY));
        Self { providers, running }
    }

    async fn run(&self, inputs: Value) -> (u16, Value) {
        response(self.running.post("/v1/ai/apps/f1lm/run", &json!({"inputs": inputs}))).await
    }

    /// Waits for a run, and returns it.
    async fn ended(&self, started: &Value) -> Value {
        let id = started["workflow_run_identifier"].as_str().unwrap_or_else(|| panic!("{started}"));
        let end = async || {
            let run = response(self.running.get(&format!("/v1/ai/apps/runs/{id}"))).await.1["data"].take();
            (!["pending", "running"].iter().any(|status| run["status"] == *status)).then_some(run)
        };
        eventually("the run ends", end).await
    }

    async fn until_jobs(&self, count: usize) {
        let has_them = async || (self.providers.creations().len() >= count).then_some(());
        eventually("a provider has too few jobs", has_them).await;
    }
}

const KEY: &[(&str, &str)] = &[("KEY_OF_THE_PROVIDER", "sk-hush")];

fn picture() -> String {
    base64::engine::general_purpose::STANDARD.encode(PICTURE)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_run_on_attached_engines() {
    let studio = Studio::start().await;
    let (status, started) = studio.run(json!({"in_1": picture(), "in_2": "slow waves"})).await;
    assert_eq!(status, 202, "{started}");
    let run = studio.ended(&started).await;
    assert_eq!(run["status"], "completed", "{run} {}", studio.running.log());
    let counts = ["images", "videos", "audios"].map(|kind| run["result"][kind].as_array().unwrap().len());
    assert_eq!(counts, [0, 2, 1], "{run}");

    let jobs = studio.providers.creations();
    assert_eq!(jobs.len(), 2, "{jobs:?}");
    assert_eq!((jobs[0].model.as_str(), &jobs[0].input["prompt"]), ("maker/film", &json!("slow waves")));
    assert!(jobs[0].input["picture"].as_str().unwrap().starts_with("data:image/jpeg;base64,"));
    assert_eq!((jobs[1].model.as_str(), &jobs[1].input["size"]), ("maker/large", &json!("1k")));
    // The second step gets what the first has made.
    let video = jobs[1].input["video"].as_str().unwrap();
    assert_eq!(http_client::get(video).await.unwrap().bytes().await.unwrap(), Medium::Film.bytes());
    assert_eq!(run["result"]["videos"][0]["url"], video, "{run}");
    let id = started["workflow_run_identifier"].as_str().unwrap().strip_prefix("run_").unwrap();
    let task = studio.running.store().await.any_task(id.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(task.engine, "animator/maker/film + enlarger/maker/large + procedural-sound/1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_steps_pays_each_once() {
    let mut studio = Studio::start().await;
    studio.providers.plan(Plan::Succeeds);
    studio.providers.plan(Plan::Slow);
    let (_, started) = studio.run(json!({"in_1": picture()})).await;
    studio.until_jobs(2).await;
    // The service polls a job only after it has stored it. A job that is not stored is not known to the next process.
    let is_polled = async || {
        let requests = studio.providers.requests();
        requests.iter().any(|it| it.step == Step::Poll && it.path.starts_with("/replicate/")).then_some(())
    };
    eventually("the second job is not polled", is_polled).await;
    assert!(studio.running.kill_and_restart_with(&[], KEY));
    studio.providers.finish();
    let run = studio.ended(&started).await;
    assert_eq!(run["status"], "completed", "{run} {}", studio.running.log());
    assert_eq!(studio.providers.creations().len(), 2);

    // A step that fails is tried again alone.
    studio.providers.plan(Plan::Succeeds);
    studio.providers.plan(Plan::Fails);
    let (_, started) = studio.run(json!({"in_1": picture()})).await;
    assert_eq!(studio.ended(&started).await["status"], "completed");
    let models: Vec<String> = studio.providers.creations().into_iter().map(|job| job.model).collect();
    assert_eq!(models[2..], ["maker/film", "maker/large", "maker/large"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_step_leaves_the_results_of_earlier_steps() {
    let studio = Studio::start().await;
    studio.providers.plan(Plan::Succeeds);
    studio.providers.plan(Plan::Refused);
    let (_, started) = studio.run(json!({"in_1": picture()})).await;
    let run = studio.ended(&started).await;
    assert_eq!(run["status"], "completed_with_errors", "{run} {}", studio.running.log());
    assert!(run["error_message"].is_string() && run["completed_at"].is_string(), "{run}");
    let film = &run["result"]["videos"][0];
    let facts = ["tool", "width", "height", "duration"].map(|field| film[field].clone());
    assert_eq!(facts, [json!("image-to-video"), json!(32), json!(32), json!(1)], "{run}");
    let counts =
        ["images", "videos", "audios", "texts"].map(|kind| run["result"][kind].as_array().unwrap().len());
    assert_eq!(counts, [0, 1, 0, 0], "{run}");
    let file = http_client::get(film["url"].as_str().unwrap()).await.unwrap();
    assert_eq!(file.bytes().await.unwrap(), Medium::Film.bytes());

    studio.providers.plan(Plan::Refused);
    let (_, started) = studio.run(json!({"in_1": picture()})).await;
    let run = studio.ended(&started).await;
    assert_eq!((&run["status"], &run["result"]), (&json!("failed"), &Value::Null), "{run}");

    studio.providers.plan(Plan::Slow);
    let (_, started) = studio.run(json!({"in_1": picture()})).await;
    studio.until_jobs(4).await;
    let id = started["workflow_run_identifier"].as_str().unwrap().strip_prefix("run_").unwrap();
    let id = uuid::Uuid::try_parse(id).unwrap().to_string();
    assert!(studio.running.command(&["tasks", "cancel", &id]).status.success());
    let run = studio.ended(&started).await;
    assert_eq!((&run["status"], &run["result"]), (&json!("cancelled"), &Value::Null), "{run}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_for_attached_engines_have_the_constraints_of_the_api_and_of_the_engine() {
    let studio = Studio::start().await;
    for (prompt, why) in [("x".repeat(21), "at most 20 characters"), ("x".repeat(39_999), "at most")] {
        let (status, refused) = studio.run(json!({"in_1": picture(), "in_2": prompt})).await;
        assert_eq!(status, 400, "{refused}");
        let param = &refused["invalid_params"][0];
        assert_eq!(param["name"], "inputs.in_2", "{refused}");
        assert!(param["reason"].as_str().unwrap().contains(why), "{refused}");
    }
    let (status, refused) = studio.run(json!({"in_1": "no picture"})).await;
    assert_eq!((status, &refused["invalid_params"][0]["name"]), (400, &json!("inputs.in_1")), "{refused}");
    assert!(studio.providers.creations().is_empty());
}
