//! Engines that are providers, by the kind `http`.

mod crashes;
mod ending;
mod media;
mod notifications;

use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::SoundEffectRequest;

use simulated_providers::{Fault, Medium, Plan, Provider, Providers, Step};
use uuid::Uuid;

use super::running::Running;
use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

pub const KEY: &[(&str, &str)] = &[("KEY_OF_THE_PROVIDER", "sk-hush")];

/// The providers with presets.
const ALL: [(Provider, &str); 4] = [
    (Provider::Replicate, "replicate"),
    (Provider::Fal, "fal"),
    (Provider::ComfyUi, "comfyui"),
    (Provider::Piper, "piper"),
];

pub async fn providers() -> Providers {
    let providers = Providers::start().await.unwrap();
    providers.makes("", Medium::Sound);
    providers
}

fn preset(provider: Provider) -> &'static str {
    ALL.iter().find(|(one, _)| *one == provider).unwrap().1
}

/// Returns the settings of an engine `p` that serves sound effects.
pub fn settings(providers: &Providers, provider: Provider, more: &str) -> String {
    let (url, preset) = (providers.url(provider), preset(provider));
    let input = match provider {
        Provider::ComfyUi => {
            "[families.sound-effects.input.3]\nclass_type = 'SaveAudio'\ninputs = { text = '{{ request.text }}' }"
        }
        _ => "[families.sound-effects.input]\ntext = '{{ request.text }}'",
    };
    format!(
        r#"
        [engines.p]
        kind = "http"
        preset = "{preset}"
        base-url = "{url}"
        key = {{ env = "KEY_OF_THE_PROVIDER" }}
        poll-seconds = 0.02
        timeout-seconds = 1
        {more}
        [families.sound-effects]
        engine = "p"
        model = "maker/sound/v2"
        {input}
        [worker]
        backoff-seconds = 0
        lease-seconds = 1
        max-attempts = 5
        "#
    )
}

fn started(providers: &Providers, provider: Provider, more: &str) -> Running {
    Running::start_with(&settings(providers, provider, more), &["--threads", "2"], KEY)
}

async fn create(running: &Running, text: &str) -> Uuid {
    running.client().create_sound_effect(SoundEffectRequest::new(text, 1.0)).await.unwrap().data.task_id
}

/// Returns the end of a new task: `completed` or the code of its error.
async fn end(running: &Running) -> String {
    end_of(running, "wind").await
}

async fn end_of(running: &Running, text: &str) -> String {
    let task = running.sound(create(running, text).await).await;
    task.error.map_or_else(|| "completed".to_owned(), |error| error.code)
}

/// Waits until the providers are in a state.
async fn until(providers: &Providers, what: impl Fn(&Providers) -> bool) {
    let begun = Instant::now();
    while !what(providers) {
        assert!(begun.elapsed() < TIMEOUT, "{:?}", providers.creations());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns how many times the state of a job was read.
fn polls(providers: &Providers) -> usize {
    providers.requests().iter().filter(|request| request.step == Step::Poll).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_presets_make_a_result() {
    for (provider, preset) in ALL {
        let providers = providers().await;
        let running = started(&providers, provider, "");
        let task = running.sound(create(&running, "wind").await).await;
        assert_eq!(task.status, TaskStatus::Completed, "{preset}: {task:?} {}", running.log());
        assert_eq!(task.engine.as_deref(), Some("p/maker/sound/v2"));
        let bytes = http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap();
        assert_eq!(bytes, Medium::Sound.bytes(), "{preset}");
        let creations = providers.creations();
        assert_eq!(creations.len(), 1, "{preset}");
        let has_text = creations[0].input.to_string().contains("\"text\":\"wind\"");
        assert!(has_text, "{preset}: {:?}", creations[0].input);
        let key = if provider == Provider::Fal { "Key sk-hush" } else { "Bearer sk-hush" };
        for request in providers.requests() {
            assert_eq!(request.authorization(), Some(key), "{preset}: {request:?}");
            let stops = ["cancel-after", "x-fal-request-timeout"];
            let is_stopped = stops.iter().any(|name| request.headers.contains_key(*name));
            let has_stop = matches!(provider, Provider::Replicate | Provider::Fal);
            assert_eq!(is_stopped, has_stop && request.step == Step::Create, "{preset}: {request:?}");
        }
        let shown = format!("{}{}{task:?}", running.log(), running.metrics().await);
        assert!(!shown.contains("sk-hush"), "{preset}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_create_whose_outcome_is_unknown_is_paid_once() {
    for (provider, expected) in [
        (Provider::Replicate, "outcome_unknown"),
        (Provider::Fal, "outcome_unknown"),
        (Provider::Piper, "outcome_unknown"),
        // The service searches the job with its own id.
        (Provider::ComfyUi, "completed"),
    ] {
        let providers = providers().await;
        let running = started(&providers, provider, "");
        for fault in
            [Fault::AcceptedStatus(503), Fault::Truncated, Fault::AcceptedHang, Fault::AcceptedStatus(500)]
        {
            let before = providers.creations().len();
            providers.fault(Step::Create, fault.clone());
            assert_eq!(end(&running).await, expected, "{provider:?} {fault:?} {}", running.log());
            assert_eq!(providers.creations().len(), before + 1, "{provider:?} {fault:?}");
        }
        if provider == Provider::ComfyUi {
            // It has forgotten the job, or has no `/api/jobs`.
            let before = providers.creations().len();
            providers.fault(Step::Create, Fault::AcceptedStatus(500));
            providers.fault(Step::Poll, Fault::Status(404));
            assert_eq!(end(&running).await, "outcome_unknown", "{}", running.log());
            assert_eq!(providers.creations().len(), before + 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_requests_are_retried_or_reported() {
    let providers = providers().await;
    let running = started(&providers, Provider::Fal, "");
    for fault in [Fault::Busy(1), Fault::Status(429), Fault::Status(401)] {
        let before = providers.creations().len();
        providers.fault(Step::Create, fault.clone());
        assert_eq!(end(&running).await, "completed", "{fault:?} {}", running.log());
        assert_eq!(providers.creations().len(), before + 1, "{fault:?}");
    }
    let before = providers.creations().len();
    providers.fault(Step::Create, Fault::Status(422));
    assert_eq!(end(&running).await, "unsupported_parameters");
    let inner = "http://127.0.0.1:9/".to_owned();
    providers.fault(Step::Create, Fault::Redirect(inner));
    assert_eq!(end(&running).await, "completed", "a redirect is not followed; the task waits");
    assert_eq!(providers.creations().len(), before + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_polls_and_downloads_lose_no_job() {
    for provider in [Provider::Replicate, Provider::Fal, Provider::ComfyUi] {
        let providers = providers().await;
        let running = started(&providers, provider, "");
        for step in [Step::Poll, Step::Download, Step::Result] {
            for fault in [Fault::Status(500), Fault::Busy(0), Fault::Truncated, Fault::Garbage, Fault::Hang] {
                // A download may take longer than a poll.
                if step == Step::Result && provider != Provider::Fal
                    || step == Step::Download && fault == Fault::Hang
                {
                    continue;
                }
                let before = providers.creations().len();
                providers.fault(step, fault.clone());
                assert_eq!(
                    end(&running).await,
                    "completed",
                    "{provider:?} {step:?} {fault:?} {}",
                    running.log()
                );
                assert_eq!(providers.creations().len(), before + 1, "{provider:?} {step:?} {fault:?}");
                assert_eq!(providers.faults_left(), 0);
            }
        }
        providers.fault(Step::Download, Fault::ContentType("text/html"));
        assert_eq!(end(&running).await, "completed", "the content decides");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_fail_are_made_again_unless_moderation_refused() {
    for provider in [Provider::Replicate, Provider::Fal, Provider::ComfyUi] {
        let providers = providers().await;
        // ComfyUI has no moderation of its own.
        let more = "[engines.p.errors]\nmoderation = ['sensitive']";
        let running = started(&providers, provider, if provider == Provider::ComfyUi { more } else { "" });
        // The prompt is in the job's body, too.
        providers.plan(Plan::Fails);
        assert_eq!(end_of(&running, "a sensitive wind").await, "completed", "{provider:?} {}", running.log());
        assert_eq!(providers.creations().len(), 2, "{provider:?}");
        providers.plan(Plan::Refused);
        assert_eq!(end(&running).await, "content_refused", "{provider:?} {}", running.log());
        assert_eq!(providers.creations().len(), 3, "{provider:?}");
        providers.plan(Plan::Vanishes);
        assert_eq!(end(&running).await, "outcome_unknown", "{provider:?} {}", running.log());
        assert_eq!(providers.creations().len(), 4, "{provider:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn urls_of_the_inner_network_are_refused_and_get_no_key() {
    let (providers, other) = (providers().await, providers().await);
    let strict = [KEY[0], ("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let settings = settings(&providers, Provider::Replicate, "");
    let running = Running::start_with(&settings, &["--threads", "2"], &strict);
    let inner = other.url(Provider::Piper).replace("/piper", "/media/sound.wav");
    for url in ["https://169.254.169.254/latest", "https://localhost/", &inner] {
        providers.plan(Plan::Outputs(vec![url.to_owned()]));
        assert_eq!(end(&running).await, "attempts_exhausted", "{url}");
    }
    providers.fault(Step::Download, Fault::Redirect(inner.clone()));
    assert_eq!(end(&running).await, "completed", "the next attempt is not redirected");
    assert_eq!(providers.creations().len(), 4, "no result leads to another job");
    assert!(other.requests().is_empty());

    // Where the policy allows other origins, they are asked without the key.
    let running = started(&providers, Provider::Replicate, "");
    providers.plan(Plan::Outputs(vec![inner.clone()]));
    assert_eq!(end(&running).await, "completed");
    providers.fault(Step::Download, Fault::Redirect(inner));
    assert_eq!(end(&running).await, "completed");
    let asked = other.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|request| request.authorization().is_none()), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_of_settings_show_at_start() {
    let providers = providers().await;
    let running = started(&providers, Provider::Fal, "");
    let file = running.data().join("asset-service.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(running.data().join("key"), "sk-hush\n").unwrap();
    let text = text.replace("{ env = \"KEY_OF_THE_PROVIDER\" }", "{ file = \"key\" }");
    for (from, to, message) in [
        (
            "preset = \"fal\"",
            "preset = \"fall\"",
            "`engines.p.preset`: unknown preset `fall`; did you mean `fal`? Known: comfyui, fal",
        ),
        (
            "request.text",
            "request.txt",
            "`families.sound-effects.input.text`: unknown field `txt`; did you mean `text`?",
        ),
        ("\"maker/sound/v2\"", "\"../inner\"", "`engines.p.create.path`: the path must begin with `/`"),
        (
            "timeout-seconds = 1",
            "timeout-second = 1",
            "asset-service.toml:10:9: `engines.p.timeout-second`: unknown setting",
        ),
        ("poll-seconds = 0.02", "poll-seconds = 0", "`engines.p.poll-seconds` must be from 0.01"),
        (
            "preset = \"fal\"",
            "preset = \"comfyui\"\nnotifications = true",
            "`engines.p.notifications` must be absent, or used",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
        let listed = running.command(&["engines", "list"]);
        let shown = String::from_utf8(listed.stderr).unwrap();
        assert!(!listed.status.success() && shown.contains(message), "{to}: {shown}");
    }
    std::fs::write(&file, &text).unwrap();
    let checked = running.command(&["engines", "check"]);
    let shown = String::from_utf8(checked.stdout).unwrap();
    assert!(shown.contains("the key is not checked") && providers.creations().is_empty(), "{shown}");
}
