//! Tests of the kind `openai` against responses and faults of real servers.

use std::io::Read as _;
use std::time::Duration;

use openapi_crates_runtime::types::Value;
use serde_json::json;

use super::*;
use crate::engine::Output;
use crate::engine::call::Calls;
use crate::engine::context::CancelReason;
use crate::engine::result::wav::tests::wav;
use crate::net::fetch::{Fetcher, Limits};
use crate::net::testing::{Reaction, Server as Fake, inner_guard};

/// A key that is nowhere else in the tests.
const KEY: &str = "sk-very-secret";

fn context_of(limit: Duration) -> Context {
    Context::new(7, Instant::now() + limit, Calls::unrecorded("test"), Arc::new(()))
}

fn context() -> Context {
    context_of(Duration::from_secs(20))
}

fn server_at(url: &str) -> Server {
    let fetcher = Fetcher::new(inner_guard(&[])).unwrap();
    let fetch: Fetch = Arc::new(move |url| {
        let fetcher = fetcher.clone();
        let limits = Limits { bytes: 1 << 20, deadline: Duration::from_secs(5) };
        Box::pin(async move { fetcher.fetch(&url, limits).await })
    });
    Server::new(Url::parse(url).unwrap(), Some(Secret::of(KEY)), fetch).unwrap()
}

async fn fake(reaction: Reaction) -> (Fake, Server) {
    let fake = Fake::start(move |_| reaction.clone()).await;
    let server = server_at(&fake.url("/v1"));
    (fake, server)
}

fn reply(content_type: &str, body: &[u8]) -> Reaction {
    let mut reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    reply.extend(body);
    Reaction::All(reply)
}

fn json_reply(body: &Value) -> Reaction {
    reply("application/json", body.to_string().as_bytes())
}

fn speech<'a>(text: &'a str, most_characters: usize, extra: &'a Extra) -> Speech<'a> {
    let (model, voice) = ("kokoro", "af_sky");
    Speech { model, voice, text, speed: Some(1.5), format: Format::Wav, most_characters, extra }
}

fn chat<'a>(picture: Option<&'a [u8]>, extra: &'a Extra) -> Chat<'a> {
    Chat { model: "smol", instructions: "Improve it.", text: "a fox", picture, extra }
}

fn image(extra: &Extra) -> Image<'_> {
    Image { model: "sd", prompt: "a fox", size: Some("64x64"), quality: None, count: 1, extra }
}

fn png() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    ::image::RgbImage::new(8, 8).write_to(&mut png, ::image::ImageFormat::Png).unwrap();
    png.into_inner()
}

fn content(output: Output) -> (&'static str, Vec<u8>) {
    let Output::Long(mut file) = output else { panic!("{output:?}") };
    let mut bytes = Vec::new();
    file.content.read_to_end(&mut bytes).unwrap();
    (file.media_type, bytes)
}

/// Returns the JSON body of a request.
fn body(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_chat_with_llama_cpp() {
    // As its server replies: without `refusal` and `logprobs`, with `timings`.
    let (fake, server) = fake(json_reply(&json!({
        "choices": [{"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": " A red fox.\n"}}],
        "created": 1_790_000_000, "model": "smol", "system_fingerprint": "b1", "object": "chat.completion",
        "usage": {"completion_tokens": 4, "prompt_tokens": 20, "total_tokens": 24, "prompt_tokens_details": {"cached_tokens": 0}},
        "id": "chatcmpl-1", "timings": {"cache_n": 0}
    })))
    .await;
    let extra = Extra::from([("seed".to_owned(), json!(5)), ("stream".to_owned(), json!(false))]);
    let received = server.chat(chat(None, &extra), &context()).await.unwrap();
    assert_eq!(received, "A red fox.");
    let sent = fake.requests().remove(0);
    assert!(sent.starts_with("POST /v1/chat/completions "), "{sent}");
    assert!(sent.contains(&format!("authorization: Bearer {KEY}")), "{sent}");
    let expected = json!({
        "model": "smol", "seed": 5, "stream": false,
        "messages": [{"role": "system", "content": "Improve it."}, {"role": "user", "content": "a fox"}]
    });
    assert_eq!(body(&sent), expected);

    server.chat(chat(Some(&png()), &extra), &context()).await.unwrap();
    let seen = body(&fake.requests()[1])["messages"][1]["content"].clone();
    assert_eq!(seen[0], json!({"type": "text", "text": "a fox"}));
    assert!(seen[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,iVBOR"));
}

#[tokio::test]
async fn speech_has_the_format_of_its_bytes_and_its_length_is_repaired() {
    for content_type in ["audio/wav", "audio/x-wav", "application/octet-stream", "text/html; charset=utf-8"] {
        let (fake, server) = fake(reply(content_type, &wav(8000, u32::MAX, &[1, 2, 3]))).await;
        let extra = Extra::from([("lang_code".to_owned(), json!("a"))]);
        let spoken = server.speech(speech("Hello.", MAX_CHARACTERS, &extra), &context()).await.unwrap();
        assert_eq!(content(spoken), ("audio/wav", wav(8000, 3, &[1, 2, 3])), "{content_type}");
        let expected = json!({
            "model": "kokoro", "voice": "af_sky", "input": "Hello.", "speed": 1.5, "response_format": "wav",
            "lang_code": "a"
        });
        assert_eq!(body(&fake.requests()[0]), expected);
    }
    let (_fake, server) = fake(reply("audio/mpeg", include_bytes!("../result/complete/bare.mp3"))).await;
    let spoken = server.speech(speech("Hello.", 100, &Extra::new()), &context()).await.unwrap();
    assert_eq!(content(spoken).0, "audio/mpeg");
}

#[tokio::test]
async fn long_speech_is_split_and_joined() {
    let fake = Fake::start(|request| {
        let samples = if request.contains("One. Two.") { [1, 2] } else { [3, 4] };
        reply("audio/wav", &wav(8000, u32::MAX, &samples))
    })
    .await;
    let server = server_at(&fake.url("/v1/"));
    let spoken = server.speech(speech("One. Two. Three.", 10, &Extra::new()), &context()).await.unwrap();
    assert_eq!(content(spoken).1, wav(8000, 4, &[1, 2, 3, 4]));
    let inputs: Vec<_> = fake.requests().iter().map(|request| body(request)["input"].clone()).collect();
    assert_eq!(inputs, ["One. Two.", "Three."]);
    let empty = server.speech(speech(" ", 10, &Extra::new()), &context()).await;
    assert!(matches!(empty, Err(Failure::Invalid(_))));
}

#[tokio::test]
async fn parts_of_a_speech_are_not_bought_again() {
    let busy =
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let broken = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    for (error_body, is_over, expected) in
        [(busy, true, ["One.", "Two.", "Two."].as_slice()), (broken, false, &["One.", "Two."])]
    {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let fake = Fake::start(move |_| match asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            1 => Reaction::text(error_body),
            _ => reply("audio/wav", &wav(8000, u32::MAX, &[1, 2])),
        })
        .await;
        let server = server_at(&fake.url("/v1"));
        let spoken = server.speech(speech("One. Two.", 5, &Extra::new()), &context()).await;
        match is_over {
            true => assert_eq!(content(spoken.unwrap()).1, wav(8000, 4, &[1, 2, 1, 2])),
            false => assert!(matches!(spoken, Err(Failure::Uncertain(_))), "{spoken:?}"),
        }
        let inputs: Vec<_> = fake.requests().iter().map(|request| body(request)["input"].clone()).collect();
        assert_eq!(inputs, expected);
    }
}

#[tokio::test]
async fn pictures_come_as_base64_or_by_url() {
    let png = png();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &png);
    for picture in [
        json!({"b64_json": base64.clone()}),
        json!({"url": format!("data:image/png;base64,{base64}")}),
        json!({"url": "/files/1.png", "b64_json": null}),
        json!({"url": "files/1.png"}),
    ] {
        let (created, png) = (json!({"created": 1, "data": [picture.clone()], "usage": null}), png.clone());
        let fake = Fake::start(move |request| match request.starts_with("GET ") {
            true => reply("image/jpeg", &png),
            false => json_reply(&created),
        })
        .await;
        let extra = Extra::from([("negative_prompt".to_owned(), json!("text"))]);
        let outputs = server_at(&fake.url("/v1")).image(image(&extra), &context()).await.unwrap();
        let (media_type, bytes) = content(outputs.into_iter().next().unwrap());
        assert_eq!((media_type, bytes), ("image/png", self::png()), "{picture}");
        let requests = fake.requests();
        let expected =
            json!({"model": "sd", "prompt": "a fox", "size": "64x64", "n": 1, "negative_prompt": "text"});
        assert_eq!(body(&requests[0]), expected);
        // The key goes to the API alone.
        assert!(!requests[1..].join("").contains(KEY));
    }
}

#[tokio::test]
async fn pictures_to_edit_are_files_with_names_and_types() {
    let generated = json!({"created": 1, "data": [{"b64_json":
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, png())}]});
    let (fake, server) = fake(json_reply(&generated)).await;
    let extra = Extra::from([("seed".to_owned(), json!(5))]);
    for (field, name) in [(Field::Image, "image"), (Field::Images, "image[]")] {
        let from = vec![png().into()];
        let edit = Edit { image: image(&extra), from, mask: Some(png().into()), field };
        server.edit_image(edit, &context()).await.unwrap();
        let sent = fake.requests().pop().unwrap();
        let files = [
            format!("name=\"{name}\"; filename=\"image.png\"\r\nContent-Type: image/png\r\n"),
            "name=\"mask\"; filename=\"mask.png\"\r\nContent-Type: image/png\r\n".to_owned(),
            "name=\"prompt\"\r\n\r\na fox\r\n".to_owned(),
            "name=\"seed\"\r\n\r\n5\r\n".to_owned(),
        ];
        for part in files {
            assert!(sent.contains(&part), "{part} in {sent}");
        }
    }
}

#[tokio::test]
async fn models_are_listed() {
    // Ollama and others leave out `created` and `owned_by`.
    let (_fake, server) =
        fake(json_reply(&json!({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}))).await;
    assert_eq!(server.models(&context()).await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn errors_have_a_meaning() {
    type Expected = fn(&Failure) -> bool;
    let cases: &[(&str, &str, Value, Expected)] = &[
        (
            "429 Too Many Requests",
            "retry-after: 7\r\n",
            json!({"error": {"message": "slow down", "type": "requests", "param": null, "code": "rate_limit_exceeded"}}),
            |failure| *failure == Failure::Busy { retry_after: Some(Duration::from_secs(7)) },
        ),
        ("429 Too Many Requests", "", json!({}), |failure| *failure == Failure::Busy { retry_after: None }),
        (
            "429 Too Many Requests",
            "",
            json!({"error": {"message": "pay", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}),
            |failure| matches!(failure, Failure::Credentials(_)),
        ),
        (
            "401 Unauthorized",
            "",
            json!({"error": {"message": format!("Incorrect API key provided: {KEY}"), "code": "invalid_api_key"}}),
            |failure| matches!(failure, Failure::Credentials(_)),
        ),
        (
            "400 Bad Request",
            "",
            json!({"error": {"message": format!("bad header {KEY}")}}),
            |failure| matches!(failure, Failure::Invalid(text) if text.contains("bad header")),
        ),
        (
            "400 Bad Request",
            "",
            json!({"error": {"message": "safety", "type": "image_generation_user_error", "code": "moderation_blocked"}}),
            |failure| matches!(failure, Failure::Moderation(_)),
        ),
        // llama.cpp: the code is a number.
        (
            "400 Bad Request",
            "",
            json!({"error": {"code": 400, "message": "the request exceeds the context", "type": "exceed_context_size_error", "n_prompt_tokens": 900}}),
            |failure| matches!(failure, Failure::Invalid(text) if text.contains("exceeds the context")),
        ),
        (
            "503 Service Unavailable",
            "",
            json!({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
            |failure| matches!(failure, Failure::Busy { .. }),
        ),
        // Kokoro, Ray Serve, stable-diffusion.cpp and openedai-speech.
        (
            "400 Bad Request",
            "",
            json!({"detail": {"error": "validation_error", "message": "no such voice", "type": "invalid_request_error"}}),
            |failure| matches!(failure, Failure::Invalid(_)),
        ),
        ("404 Not Found", "", json!({"detail": "no model x"}), |failure| {
            let (why, paths) = (
                " responded with status 404; check the settings model and base-url, whose path is often /v1: \"no model x\"",
                ["/v1/chat/completions", "/v1/audio/speech", "/v1/images/generations"],
            );
            let names = |text: &String| paths.iter().any(|path| text.contains(&format!("{path}{why}")));
            matches!(failure, Failure::Unavailable(text) if text.starts_with("http://127.0.0.1:") && names(text))
        }),
        ("400 Bad Request", "", json!({"error": "prompt required"}), |failure| {
            matches!(failure, Failure::Invalid(_))
        }),
        (
            "400 Bad Request",
            "",
            json!({"message": "flat", "code": "content_policy_violation", "type": "x", "param": ""}),
            |failure| matches!(failure, Failure::Moderation(_)),
        ),
        (
            "500 Internal Server Error",
            "",
            json!({"error": {"message": "oops", "type": "server_error"}}),
            |failure| matches!(failure, Failure::Uncertain(_)),
        ),
        ("503 Service Unavailable", "retry-after: 1\r\n", json!({}), |failure| {
            matches!(failure, Failure::Uncertain(_))
        }),
        ("504 Gateway Timeout", "", json!({}), |failure| matches!(failure, Failure::Uncertain(_))),
        ("410 Gone", "", json!({}), |failure| matches!(failure, Failure::Gone(_))),
    ];
    for (status, headers, error, expected) in cases {
        let headers = format!("content-type: application/json\r\n{headers}");
        let (fake, server) = fake(Reaction::response(status, &headers, &error.to_string())).await;
        let none = Extra::new();
        let failures = [
            server.chat(chat(None, &none), &context()).await.unwrap_err(),
            server.speech(speech("Hello.", 100, &none), &context()).await.unwrap_err(),
            server.image(image(&none), &context()).await.unwrap_err(),
        ];
        for failure in failures {
            assert!(expected(&failure), "{status} {error}: {failure:?}");
            assert!(!format!("{failure} {failure:?}").contains(KEY), "{failure:?}");
            let said =
                [error.pointer("/error/message"), error.pointer("/detail/message"), error.get("error")];
            let mut said = said.into_iter().flatten().filter_map(Value::as_str);
            assert!(!said.any(|said| failure.for_log().contains(said)), "{}", failure.for_log());
        }
        // One attempt per call.
        assert_eq!(fake.requests().len(), 3, "{status}");
    }
}

#[tokio::test]
async fn refusals_within_a_success_are_moderation() {
    let refusal =
        json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I can't."}}]});
    let filtered = json!({"choices": [{"finish_reason": "content_filter", "message": {"content": "I"}}]});
    for reply in [refusal, filtered] {
        let (_fake, server) = fake(json_reply(&reply)).await;
        let failure = server.chat(chat(None, &Extra::new()), &context()).await.unwrap_err();
        assert!(matches!(failure, Failure::Moderation(_)), "{failure:?}");
    }
    let (_fake, server) = fake(json_reply(&json!({"created": 1, "data": []}))).await;
    let failure = server.image(image(&Extra::new()), &context()).await.unwrap_err();
    assert!(matches!(failure, Failure::Moderation(_)), "{failure:?}");
}

#[tokio::test]
async fn broken_responses_are_failures() {
    let none = Extra::new();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: audio/wav\r\ncontent-length: 1000\r\n\r\nRIFF";
    let (_fake, server) = fake(Reaction::text(head)).await;
    let failure = server.speech(speech("Hello.", 100, &none), &context()).await.unwrap_err();
    assert!(matches!(failure, Failure::Uncertain(_)), "{failure:?}");

    let (_fake, server) = fake(Reaction::ThenHang(head.into())).await;
    let soon = context_of(Duration::from_millis(300));
    let failure = server.speech(speech("Hello.", 100, &none), &soon).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout(_)), "{failure:?}");

    let (_fake, server) = fake(Reaction::ThenHang(Vec::new())).await;
    let soon = context_of(Duration::from_millis(300));
    let failure = server.chat(chat(None, &none), &soon).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout(_)), "{failure:?}");

    // A page with status 200, by a proxy.
    let (_fake, server) = fake(reply("text/html", b"<html>Sign in</html>")).await;
    for failure in [
        server.speech(speech("Hello.", 100, &none), &context()).await.unwrap_err(),
        server.image(image(&none), &context()).await.unwrap_err(),
        server.chat(chat(None, &none), &context()).await.unwrap_err(),
    ] {
        assert!(matches!(failure, Failure::Uncertain(_)), "{failure:?}");
    }

    // The server charges for an unusable output, too.
    for picture in [json!({"b64_json": "?"}), json!({"b64_json": "iVBORw0KGgo="}), json!({})] {
        let (_fake, server) = fake(json_reply(&json!({"created": 1, "data": [picture]}))).await;
        let failure = server.image(image(&none), &context()).await.unwrap_err();
        assert!(matches!(failure, Failure::Uncertain(_)), "{failure:?}");
    }
    let (_fake, server) = fake(reply("audio/wav", b"no sound")).await;
    let failure = server.speech(speech("Hello.", 100, &none), &context()).await.unwrap_err();
    assert!(matches!(failure, Failure::Uncertain(_)), "{failure:?}");

    // An endless response ends at the limit of the task.
    let endless = b"HTTP/1.1 200 OK\r\ncontent-type: audio/wav\r\n\r\n".to_vec();
    let (_fake, server) = fake(Reaction::ThenZeros(endless)).await;
    let mut small = context();
    small.most_bytes = 100_000;
    let failure = server.speech(speech("Hello.", 100, &none), &small).await.unwrap_err();
    assert_eq!(failure, Context::too_large());

    let refused = server_at("http://127.0.0.1:1/v1").models(&context()).await.unwrap_err();
    assert!(matches!(refused, Failure::Unavailable(_)), "{refused:?}");
}

#[tokio::test]
async fn speech_that_can_not_be_stored_is_not_requested() {
    let (fake, server) = fake(reply("audio/wav", &wav(8000, 4, &[1, 2]))).await;
    let mut context = context();
    context.scratch_folder = Some("/nowhere/at/all".into());
    let failure = server.speech(speech("Hello.", 100, &Extra::new()), &context).await.unwrap_err();
    assert!(matches!(failure, Failure::Internal(_)), "{failure:?}");
    assert!(fake.requests().is_empty());
}

#[tokio::test]
async fn redirects_do_not_carry_the_key_away() {
    let other = Fake::start(|_| reply("application/json", b"{}")).await;
    let (_fake, server) = fake(Reaction::redirect(&other.url("/v1/models"))).await;
    for failure in [
        server.models(&context()).await.unwrap_err(),
        server.chat(chat(None, &Extra::new()), &context()).await.unwrap_err(),
    ] {
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_call_ends_with_its_attempt() {
    let (_fake, server) = fake(Reaction::ThenHang(Vec::new())).await;
    let context = context();
    let cancellation = context.cancellation.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancellation.cancel(CancelReason::TaskEnded);
    });
    let failure = server.image(image(&Extra::new()), &context).await.unwrap_err();
    assert_eq!(failure, Failure::Cancelled);
}
