//! Media that the service sends to a provider, and results that it gets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use simulated_providers::{Fault, Medium, Provider, Providers, Step};

use super::super::outside::{Outside, PICTURE};
use super::super::running::Running;
use super::{KEY, settings};
use crate::service::http_client;

/// Starts a service whose provider enlarges pictures.
async fn enlarging(provider: Provider, more: &str) -> (Providers, Running) {
    let picture = "'{{ media.image if request.image }}'";
    let input = match provider {
        Provider::ComfyUi => {
            format!("{{ 3 = {{ class_type = 'SaveImage', inputs = {{ picture = {picture} }} }} }}")
        }
        _ => format!("{{ picture = {picture} }}"),
    };
    picturing(provider, more, "image-upscaler-precision", &input).await
}

/// Starts a service whose provider makes the pictures of a family.
async fn picturing(provider: Provider, more: &str, family: &str, input: &str) -> (Providers, Running) {
    let providers = Providers::start().await.unwrap();
    providers.makes("", Medium::Picture);
    let engine = settings(&providers, provider, more);
    let engine = engine.split("[families.sound-effects]").next().unwrap();
    let settings = format!(
        "{engine}\n[families.{family}]\nengine = 'p'\nmodel = 'a/b'\ninput = {input}\n[worker]\nbackoff-seconds = 0\n"
    );
    let running = Running::start_with(&settings, &[], KEY);
    (providers, running)
}

async fn completed(running: &Running, family: &str, body: &Value) -> Value {
    running.completed(&format!("/v1/ai/{family}"), body).await
}

/// Creates a task, and returns the URL of its first result.
async fn result_of(running: &Running, family: &str, body: &Value) -> String {
    serde_json::from_value(completed(running, family, body).await["generated"][0].take()).unwrap()
}

async fn enlarged(running: &Running, picture: &str) -> String {
    result_of(running, "image-upscaler-precision", &json!({"image": picture})).await
}

/// Downloads a file as a provider does: without a key of the service.
async fn fetched(url: &str) -> bytes::Bytes {
    let response = http_client::get(url).await.unwrap();
    assert_eq!(response.status(), 200, "{url}");
    response.bytes().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn image_generation_shows_which_images_a_provider_found_unsafe() {
    for (provider, expected) in [(Provider::Fal, json!([false])), (Provider::Replicate, Value::Null)] {
        let prompt = "{ prompt = '{{ request.prompt }}' }";
        let (_providers, running) = picturing(provider, "", "imagegen", prompt).await;
        let task = completed(&running, "imagegen", &json!({"prompt": "a bay"})).await;
        assert_eq!(task["has_nsfw"], expected, "{provider:?}: {task}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_reach_a_provider() {
    let picture = STANDARD.encode(PICTURE);
    for (provider, more, sent) in [
        (Provider::Fal, "", "data:image/jpeg;base64,"),
        (Provider::Fal, "media = 'base64'", picture.as_str()),
        (Provider::ComfyUi, "", "1 "),
        (Provider::Replicate, "[engines.p.upload]\nover-bytes = 0", "/files/file-1"),
    ] {
        let (providers, running) = enlarging(provider, more).await;
        enlarged(&running, &picture).await;
        let input = providers.creations()[0].input.to_string();
        assert!(input.contains(sent), "{provider:?} {more}");
        let uploads = providers.uploads();
        assert_eq!(uploads.len(), usize::from(!sent.contains("base64") && sent != picture));
        assert!(uploads.iter().all(|upload| upload == PICTURE));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_searches_its_job_uploads_nothing() {
    let (providers, running) = enlarging(Provider::ComfyUi, "").await;
    providers.fault(Step::Create, Fault::AcceptedStatus(500));
    enlarged(&running, &STANDARD.encode(PICTURE)).await;
    assert_eq!((providers.creations().len(), providers.uploads().len()), (1, 1), "{}", running.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_fetches_media_by_their_urls() {
    let outside = Outside::start().await;
    for (provider, more) in [
        (Provider::Fal, "media = 'url'"),
        // A medium with a URL needs no upload.
        (Provider::Replicate, "media = 'url'\n[engines.p.upload]\nover-bytes = 0"),
    ] {
        let (providers, running) = enlarging(provider, more).await;
        let folder = running.data().join("files/catalogue/ab12");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("1-0.jpg"), PICTURE).unwrap();
        let sent = |index: usize| providers.creations()[index].input["picture"].as_str().unwrap().to_owned();

        let given = outside.picture();
        let result = enlarged(&running, &given).await;
        assert_eq!(sent(0), given, "the URL of the client");
        assert_eq!(fetched(&sent(0)).await, PICTURE);

        let of_catalogue = format!("{}/catalogue/ab12/1-0.jpg", running.url);
        enlarged(&running, &of_catalogue).await;
        assert_eq!(sent(1), of_catalogue, "the service's own URL of a file of the catalogue");
        assert_eq!(fetched(&sent(1)).await, PICTURE);

        // A result of 32 pixels is too small for another task, so the test makes it larger.
        let key = result.strip_prefix(&format!("{}/files/", running.url)).unwrap();
        let file = running.files("results").into_iter().find(|file| file.ends_with(key));
        std::fs::write(file.unwrap(), PICTURE).unwrap();
        enlarged(&running, &result).await;
        assert_eq!(sent(2), result, "the service's own URL of an earlier result");
        assert_eq!(fetched(&sent(2)).await, PICTURE);

        enlarged(&running, &STANDARD.encode(PICTURE)).await;
        let is_sent = sent(3).starts_with("data:image/jpeg;base64,") || sent(3).ends_with("/files/file-1");
        assert!(is_sent, "{provider:?}: a medium without a URL: {}", sent(3));
        assert_eq!(providers.uploads().len(), usize::from(provider == Provider::Replicate));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_has_the_media_as_files_and_its_response_has_base64() {
    let providers = Providers::start().await.unwrap();
    let settings = format!(
        r#"
        [engines.p]
        kind = "http"
        base-url = "{}"
        key = {{ env = "KEY_OF_THE_PROVIDER" }}
        [engines.p.create]
        path = "/v2beta/stable-image/edit/inpaint"
        headers = {{ accept = "application/json" }}
        form = "multipart"
        body = "{{{{ input }}}}"
        [engines.p.result]
        outputs = ["/image"]
        [families.image-edit]
        engine = "p"
        [families.image-edit.input]
        image = "{{{{ media.image }}}}"
        mask = "{{{{ media.mask }}}}"
        prompt = "{{{{ request.prompt }}}}"
        seed = "{{{{ seed }}}}"
        "#,
        providers.url(Provider::Stability)
    );
    let running = Running::start_with(&settings, &[], KEY);
    let mask = STANDARD.encode(include_bytes!("../../../../assets/demo/chelsea.jpg"));
    // A text that tries to end its part and to add another.
    let prompt = "a door\"\r\n--\r\nContent-Disposition: form-data; name=\"seed\"\r\n\r\n7";
    let body = json!({"image": STANDARD.encode(PICTURE), "mask": mask, "prompt": prompt, "seed": 42});
    let result = result_of(&running, "standard-image-edit", &body).await;
    assert_eq!(fetched(&result).await, Medium::Picture.bytes());

    let job = &providers.creations()[0];
    assert_eq!((&job.input["prompt"], &job.input["seed"]), (&json!(prompt), &json!(42)));
    let uploads: Vec<_> = providers.uploads().iter().map(|upload| STANDARD.encode(upload)).collect();
    assert_eq!(uploads, [STANDARD.encode(PICTURE), mask], "the files of the form");
    let request = &providers.requests()[0];
    assert_eq!((request.step, request.authorization()), (Step::Create, Some("Bearer sk-hush")));
    let text = String::from_utf8_lossy(&request.body);
    assert_eq!(text.matches("Content-Type: image/jpeg\r\n").count(), 2);
    assert_eq!(text.matches(".jpg\"\r\n").count(), 2, "files have names");
}
