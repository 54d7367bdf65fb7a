//! Texts and headers of responses.

use std::collections::BTreeSet;

use asset_service::media::format::Kind;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::running::Running;
use super::super::waiting::eventually;
use super::super::wire::Wire;
use super::{SPEC, UNLIMITED, get, post, refused, resolve, send};
use crate::service::http_client;
use crate::service::requests::response;

/// Returns the example messages of an operation's error response in the spec.
fn texts(operation: &Value, status: &str) -> BTreeSet<String> {
    let content = &resolve(&operation["responses"][status])["content"]["application/json"];
    let examples = content["examples"].as_object().into_iter().flatten();
    let examples = examples.map(|(_, example)| &resolve(example)["value"]);
    let messages = examples.chain(content.get("example")).map(|value| &value["message"]);
    messages.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn describes_limit(headers: &HeaderMap) -> bool {
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]
        .iter()
        .all(|name| headers.get(*name).is_some_and(|value| value.to_str().unwrap().parse::<u64>().is_ok()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_documents_503_and_its_own_404() {
    let running = Running::start_with(UNLIMITED, &["--threads", "0"], &[]);
    let unavailable = ["Service unavailable", "no engine configured"].map(str::to_owned);
    let mut sent = 0;
    for (path, item) in SPEC["paths"].as_object().unwrap() {
        for method in ["get", "post"].into_iter().filter(|method| item[method].is_object()) {
            let operation = &item[method];
            assert_eq!(texts(operation, "503"), BTreeSet::from(unavailable.clone()), "{method} {path}");
            let unknown = path
                .replace("{model}", "no-such-model")
                .replace("{task-id}", &Uuid::now_v7().to_string())
                .replace("{app-id}", "none")
                .replace("{run-id}", "none")
                .replace("{format}", "svg")
                .replace("{id}", "1");
            let query = if path.ends_with("/download") { "?id=1" } else { "" };
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = (!body.is_null()).then_some(body);
            let url = format!("{unknown}{query}");
            let response =
                send(&running, &running.key, method.to_uppercase().parse().unwrap(), &url, body).await;
            if response.status() == StatusCode::NOT_FOUND {
                let reply: Value = response.json().await.unwrap();
                let text = reply["message"].as_str().unwrap().to_owned();
                assert_eq!(texts(operation, "404"), BTreeSet::from([text]), "{method} {path}");
                sent += 1;
            }
        }
    }
    // All operations with an id, a model or an app in the path. Creations that an engine can't honour are
    // rejected earlier.
    assert!(sent > 50, "{sent}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_passing_failure_reads_as_documented() {
    let running = Running::start_with(
        "[http]\nbodies-mib = 84\n[tiers.default]\nburst = 1000\n",
        &["--threads", "0"],
        &[],
    );
    // A key has half of the memory for bodies. Three large bodies in progress fill it.
    let under_way = Wire::fill(&running, &running.key);
    let body = json!({"text": "rain ".repeat(200_000), "duration_seconds": 1});
    let response = send(&running, &running.key, Method::POST, "/v1/ai/sound-effects", Some(&body)).await;
    assert_eq!(response.status(), 503);
    assert!(response.headers().contains_key("retry-after") && describes_limit(response.headers()));
    assert_eq!(response.json::<Value>().await.unwrap(), json!({"message": "Service unavailable"}));
    drop(under_way);
    // A permanent error has `permanent: true` and no `Retry-After`.
    let body =
        json!({"image_url": "https://a.example.com/a.png", "audio_url": "https://a.example.com/a.mp3"});
    let response =
        send(&running, &running.new_key(&[]), Method::POST, "/v1/ai/lip-sync/standard", Some(&body)).await;
    assert_eq!(response.status(), 503);
    assert!(!response.headers().contains_key("retry-after") && describes_limit(response.headers()));
    let reply: Value = response.json().await.unwrap();
    assert_eq!(reply, json!({"message": "no engine configured", "permanent": true}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_to_a_valid_key_describes_its_limit() {
    let settings = "[tiers.few]\nburst = 1\nper-second = 0.001\n[tiers.quota]\ndaily-tasks = 1\n";
    let running = Running::start_with(settings, &["--threads", "0"], &[]);
    let (plain, few, quota) =
        (running.new_key(&[]), running.new_key(&["--tier", "few"]), running.new_key(&["--tier", "quota"]));
    let sound = json!({"text": "rain", "duration_seconds": 1});
    let unknown = format!("/v1/ai/voiceover/{}", Uuid::now_v7());
    let cases = [
        (&plain, Method::GET, "/v1/ai/loras", None, 200),
        (&plain, Method::POST, "/v1/ai/sound-effects", Some(&sound), 200),
        (&plain, Method::POST, "/v1/ai/voiceover", Some(&sound), 400),
        (&plain, Method::GET, "/v1/ai/apps", None, 403),
        (&plain, Method::GET, unknown.as_str(), None, 404),
        (&few, Method::GET, "/v1/ai/loras", None, 200),
        (&few, Method::GET, "/v1/ai/loras", None, 429),
        (&quota, Method::POST, "/v1/ai/sound-effects", Some(&sound), 200),
        (&quota, Method::POST, "/v1/ai/sound-effects", Some(&sound), 429),
    ];
    for (key, method, path, body, expected) in cases {
        let response = send(&running, key, method, path, body).await;
        assert_eq!(response.status(), expected, "{path}");
        assert!(describes_limit(response.headers()), "{expected} {path}: {:?}", response.headers());
        if expected == 429 {
            let reply: Value = response.json().await.unwrap();
            let documented = texts(&SPEC["paths"]["/v1/ai/loras"]["get"], "429");
            assert!(documented.contains(reply["message"].as_str().unwrap()), "{reply} of {documented:?}");
        }
    }
    let (status, head) = Wire::post(&running, "/v1/ai/sound-effects", Some(&plain), 2 * 1024 * 1024).head();
    assert!(status == 413 && head.contains("x-ratelimit-remaining"), "{head}");
    let text = http_client::new().post(format!("{}/v1/ai/sound-effects", running.url));
    let response = text.header("x-service-api-key", &plain).body("rain").send().await.unwrap();
    assert_eq!(response.status(), 415);
    assert!(describes_limit(response.headers()));
    // A caller without a valid key learns nothing.
    let response = send(&running, "svc_wrong", Method::GET, "/v1/ai/loras", None).await;
    assert_eq!(response.status(), 401);
    assert!(!describes_limit(response.headers()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_that_must_not_be_empty_are_refused_in_the_words_of_the_reference() {
    let running = Running::start(&["--threads", "0"]);
    for (path, name, body) in [
        ("/v1/ai/voiceover", "text", json!({"text": "", "voice_id": "anna"})),
        ("/v1/ai/voiceover", "voice_id", json!({"text": "hello", "voice_id": ""})),
        ("/v1/ai/sound-effects", "text", json!({"text": "", "duration_seconds": 1})),
    ] {
        let reason = refused(path, name, post(&running, path, &body).await);
        assert_eq!(reason, format!("Parameter '{name}' must not be empty"));
    }
    let body = json!({"text": "rain", "duration_seconds": 1});
    let request = running.post("/v1/ai/sound-effects", &body).header("idempotency-key", "");
    let (_, reply) = response(request).await;
    assert_eq!(reply["message"], "Parameter 'Idempotency-Key' must not be empty");
    // A minimum of two characters has the same form as any other minimum.
    let path = "/v1/ai/text-to-image/standard";
    let reason = refused(path, "prompt", post(&running, path, &json!({"prompt": ""})).await);
    assert_eq!(reason, "Parameter 'prompt' is not valid: must be at least 2 characters long");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_have_no_more_than_is_documented() {
    let running = Running::start(&["--threads", "0"]);
    let image = json!({"url": "https://a.example.com/a.png"});
    let video = |count| json!({"prompt": "a tram", "image_urls": vec![image.clone(); count]});
    let path = "/v1/ai/video/standard-pro";
    assert_eq!(post(&running, path, &video(5)).await.0, 503, "a family without an engine takes five");
    let reason = refused(path, "image_urls", post(&running, path, &video(6)).await);
    assert!(reason.ends_with("must have at most 5 items"), "{reason}");
    for removed in ["turbo", "premium_quality"] {
        let mut body = json!({"video": "https://a.example.com/a.mp4"});
        body[removed] = true.into();
        let path = "/v1/ai/video-upscaler";
        let reason = refused(path, removed, post(&running, path, &body).await);
        assert!(reason.ends_with("is not a known field"), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn urls_are_https_but_for_files_of_the_service_and_where_the_operator_says_so() {
    let strict = [("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let running = Running::start_with("", &["--demo", "--threads", "0"], &strict);
    let path = "/v1/ai/image-change-camera";
    let camera = |image: &str| json!({"image": image});
    for url in ["http://example.com/a.png", "HTTPS://example.com/a.png"] {
        let reason = refused(path, "image", post(&running, path, &camera(url)).await);
        assert_eq!(reason, "Parameter 'image' is not valid: must be an https URL");
    }
    let hook = json!({"text": "rain", "duration_seconds": 1, "webhook_url": "http://example.com/hook"});
    let path_of_hook = "/v1/ai/sound-effects";
    refused(path_of_hook, "webhook_url", post(&running, path_of_hook, &hook).await);
    // A picture of the catalogue, by the http URL that the service itself returned.
    let mut found = None;
    for _ in 0..300 {
        let (_, reply) = get(&running, "/v1/resources?limit=1").await;
        found = reply["data"][0]["image"]["source"]["url"].as_str().map(str::to_owned);
        if found.is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    let own = found.expect("the demo has pictures");
    assert!(own.starts_with("http://"), "{own}");
    assert_eq!(post(&running, path, &camera(&own)).await.0, 200);

    let relaxed = Running::start(&["--threads", "0"]);
    assert_eq!(post(&relaxed, path, &camera("http://127.0.0.1:9/a.png")).await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reference_video_has_3_to_30_seconds() {
    let running = Running::start(&[]);
    for (seconds, status) in [(2, 400), (3, 503)] {
        let body = json!({"prompt": "waves", "duration": seconds, "resolution": "720P"});
        let (_, created) = post(&running, "/v1/ai/text-to-video/standard", &body).await;
        let path = format!("/v1/ai/text-to-video/standard/{}", created["data"]["task_id"].as_str().unwrap());
        let completed = async || {
            let task = get(&running, &path).await.1["data"].clone();
            (task["status"] == "COMPLETED").then_some(task)
        };
        let task = eventually("the video is not completed", completed).await;
        let body = json!({"image_url": "http://127.0.0.1:9/a.png", "video_url": task["generated"][0]});
        let motion = "/v1/ai/video/standard-motion-control-std";
        let reply = post(&running, motion, &body).await;
        assert_eq!(reply.0, status, "{reply:?}");
        if status == 400 {
            let reason = refused(motion, "video_url", reply);
            assert_eq!(reason, "Parameter 'video_url' is not valid: must be 3 to 30 s long");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn urls_have_at_most_8192_bytes_and_port_443() {
    let strict = [("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let running = Running::start_with("", &["--threads", "0"], &strict);
    let url = |length: usize| format!("https://example.com/{}", "a".repeat(length - 20));
    let hook = |url: &str| json!({"text": "rain", "duration_seconds": 1, "webhook_url": url});
    let path = "/v1/ai/sound-effects";
    assert_eq!(post(&running, path, &hook(&url(8192))).await.0, 200);
    let reason = refused(path, "webhook_url", post(&running, path, &hook(&url(8193))).await);
    assert!(reason.ends_with("must be at most 8192 characters long"), "{reason}");
    let reason =
        refused(path, "webhook_url", post(&running, path, &hook("https://example.com:8443/hook")).await);
    assert!(reason.ends_with("must be a URL with port 443"), "{reason}");
    let documented = SPEC.to_string();
    // The description of each field that takes a URL states this.
    for name in ["WebhookUrl", "ImageUrl", "AudioUrl", "VideoUrl", "ImageInput", "VideoInput", "AppInputType"]
    {
        let schema = &SPEC["components"]["schemas"][name];
        let words = schema["description"].as_str().unwrap();
        assert!(words.contains("443") && words.contains("8,192 bytes"), "{name}");
        if name.ends_with("Url") {
            assert_eq!(schema["maxLength"], 8192, "{name}");
        }
    }
    let of_urls = documented.matches("\"^https?://\"").count();
    assert_eq!(documented.matches("\"maxLength\":8192").count(), of_urls);
}

#[test]
fn the_texts_of_the_reference_are_documented() {
    let words = |name: &str| SPEC["components"]["responses"][name]["description"].as_str().unwrap();
    let of_400 = [
        "'page' must be greater than 0",
        "'query' must not be empty",
        "'filter' is not valid",
        "':attribute' is not valid",
    ];
    for text in of_400 {
        assert!(words("BadRequest").contains(&format!("`Parameter {text}`")), "{text}");
    }
    let of_404 = [
        "AI resource",
        "Collection",
        "Resource",
        "Resources",
        "User",
        "Video",
        "Icon",
        "Author",
        "Developer",
        "Country",
    ];
    for text in of_404.map(|what| format!("`{what} not found`")).iter().chain(&["`Not found`".to_owned()]) {
        assert!(words("NotFound").contains(text), "{text}");
    }
}

#[test]
fn media_have_the_documented_limits() {
    use asset_engines::picture::{MAX_AREA, MAX_SIDE, MIN_SIDE};
    let mut count = 0;
    for_each_media(&SPEC, "", &mut |location, media| {
        count += 1;
        let kinds = [Kind::Image, Kind::Audio, Kind::Video];
        let kind = kinds.into_iter().find(|kind| media["kind"] == kind.name()).expect("a known kind");
        assert_eq!(media["types"], json!(kind.media_types()), "{location}");
        assert_eq!(media["max-bytes"], kind.max_fetched(), "{location}");
        if !media["max-inline-bytes"].is_null() {
            assert_eq!(media["max-inline-bytes"], kind.max_inline(), "{location}");
        }
        if kind == Kind::Image {
            let limits = [&media["min-side"], &media["max-side"], &media["max-pixels"]];
            let enforced = [MIN_SIDE.into(), MAX_SIDE.into(), MAX_AREA];
            assert_eq!(limits.map(Value::as_u64), enforced.map(Some), "{location}");
        }
    });
    assert!(count >= 6, "{count}");
}

/// Calls `visit` with the JSON pointer and value of every `x-media`.
fn for_each_media(value: &Value, location: &str, visit: &mut dyn FnMut(&str, &Value)) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let location = format!("{location}/{name}");
        if name == "x-media" { visit(&location, child) } else { for_each_media(child, &location, visit) }
    }
}
