//! The page `/docs`.

use serde_json::{Value, json};
use simulated_providers::{Medium, Plan, Provider, Providers};

use super::Browser;
use crate::service::running::Running;

/// Sends a request by the form of an operation.
async fn try_it(browser: &Browser, operation: &str, body: &Value) {
    let form = format!("#{operation} details.try");
    browser.click(&format!("{form} > summary")).await;
    browser.fill(&format!("{form} textarea"), &body.to_string()).await;
    browser.click(&format!("{form} button")).await;
}

pub async fn the_form_of_an_operation_runs_a_task_and_shows_its_results(browser: &Browser) {
    let providers = Providers::start().await.unwrap();
    providers.makes("", Medium::Sound);
    providers.plan(Plan::Slow);
    let url = providers.url(Provider::Replicate);
    let settings = format!(
        r#"
        [engines.p]
        kind = "http"
        preset = "replicate"
        base-url = "{url}"
        poll-seconds = 0.1
        key = {{ env = "KEY_OF_THE_PROVIDER" }}
        [families.sound-effects]
        engine = "p"
        model = "maker/sound"
        input = {{ text = "{{{{ request.text }}}}" }}
        "#
    );
    let running = Running::start_with(&settings, &["--threads", "2"], &[("KEY_OF_THE_PROVIDER", "sk-hush")]);
    browser.open(&format!("{}/docs", running.url)).await;
    browser.fill("#key", &running.key).await;
    browser.shows("#key", "sessionStorage.getItem('key')", &json!(running.key)).await;

    // A sound of a provider, whose progress shows first.
    try_it(browser, "create_sound_effect", &json!({"text": "wind", "duration_seconds": 1})).await;
    let task = "#create_sound_effect details.try .task";
    browser.shows(&format!("{task} progress"), "it.value", &json!(40)).await;
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("IN_PROGRESS")).await;
    providers.finish();
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("COMPLETED")).await;
    let sound = format!("{task} audio[controls]");
    let heard = "it.play().then(() => new Promise((heard) => it.addEventListener('timeupdate', \
                 () => it.currentTime > 0 && heard(it.duration > 0))))";
    assert_eq!(browser.value(&sound, heard).await, json!(true));

    // A picture of the built-in engine.
    try_it(browser, "create_fast_image", &json!({"prompt": "a red fox"})).await;
    let task = "#create_fast_image details.try .task";
    browser.shows(&format!("{task} strong"), "it.textContent", &json!("COMPLETED")).await;
    browser.shows(&format!("{task} img"), "it.complete && it.naturalWidth > 100", &json!(true)).await;
    let response = "#create_fast_image details.try > pre";
    let shown = browser.value(response, "it.textContent").await;
    assert!(
        shown.as_str().is_some_and(|shown| shown.contains("200 ") && !shown.contains(&running.key)),
        "{shown}"
    );

    // Nothing was wrong on the way; what would be wrong is noticed.
    assert_eq!(browser.log().await, Vec::<String>::new());
    browser.value("#main", "it.append(Object.assign(new Image(), { src: 'https://192.0.2.1/x.png' }))").await;
    browser.shows("#main img[src^='https:']", "it.complete", &json!(true)).await;
    let log = browser.log().await;
    assert!(log.iter().any(|entry| entry.contains("Content Security Policy")), "{log:?}");
}
