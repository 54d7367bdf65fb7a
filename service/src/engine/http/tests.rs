//! Tests of the kind `http` against a scripted provider.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::*;
use crate::engine::call::{Call, Calls};
use crate::engine::environment::Environment;
use crate::engine::result::wav::tests::wav;
use crate::engine::settings::Settings;
use crate::engine::{Input, family};
use crate::media::format::Kind;
use crate::net::testing::{Reaction, Server};

/// Attaches an engine to voiceover; `more` are settings of `create`.
fn engine(server: &Server, more: &str) -> Http {
    let text = format!(
        r#"
        [engines.p]
        kind = "http"
        base-url = "{}"
        result.outputs = ["/sound"]
        result.nsfw = "/has_nsfw"
        [engines.p.create]
        path = "{{{{ '/make/' ~ model }}}}"
        body = "{{{{ input }}}}"
        {more}
        [families.voiceover]
        engine = "p"
        model = "{{{{ request.model|default('m') }}}}"
        input = {{ text = "{{{{ request.text }}}}", voice = "{{{{ voice }}}}" }}
        voices = {{ narrator = "n" }}
        "#,
        server.url("/v1")
    );
    let settings: Settings = toml::from_str(&text).unwrap();
    let attachment = Attachment {
        name: "p",
        engine: &settings.engines["p"],
        family: &family::VOICEOVER,
        settings: &settings.families["voiceover"],
        environment: &Environment::on_this_machine(),
    };
    attach(&attachment).unwrap()
}

async fn outputs_of(http: &Http, body: &Value, calls: Calls) -> Result<Vec<Output>, Failure> {
    let input = Input { operation: "create_voiceover".to_owned(), model: None, body: body.clone() };
    let request = Request { family: &family::VOICEOVER, input: Some(&input), work: None };
    let context = Context::new(7, Instant::now() + Duration::from_secs(20), calls, Arc::new(()));
    http.run(request, Vec::new(), &context).await
}

async fn server() -> Server {
    let sound = json!({"sound": STANDARD.encode(wav(8000, 3, &[1, 2, 3]))}).to_string();
    Server::start(move |_| Reaction::response("200 OK", "content-type: application/json\r\n", &sound)).await
}

/// Returns the record of a call whose outcome is unknown.
fn sent(key: Uuid) -> Calls {
    Calls::found("p", Call { engine: "p".to_owned(), key, job: None, counted: false })
}

#[tokio::test]
async fn a_request_is_repeated_with_its_key_only_where_the_provider_takes_one() {
    let (server, body) = (server().await, json!({"text": "a", "voice_id": "narrator"}));
    let key = Uuid::from_u128(7);
    let without = engine(&server, "");
    let refused = outputs_of(&without, &body, sent(key)).await;
    assert!(matches!(refused, Err(Failure::Uncertain(_))), "{refused:?}");
    assert_eq!(server.connections(), 0);

    let with = engine(&server, "idempotency-header = \"Idempotency-Key\"");
    outputs_of(&with, &body, sent(key)).await.unwrap();
    outputs_of(&with, &body, Calls::unrecorded("p")).await.unwrap();
    let keys: Vec<Uuid> = server
        .requests()
        .iter()
        .map(|request| {
            let header = request.lines().find_map(|line| line.strip_prefix("idempotency-key: "));
            header.unwrap().trim().parse().unwrap()
        })
        .collect();
    assert!(keys[0] == key && keys[1] != key && keys.len() == 2, "{keys:?}");
}

#[tokio::test]
async fn texts_of_clients_reach_no_path_and_no_other_field() {
    let server = server().await;
    let http = engine(&server, "");
    for model in ["../inner", "a/../../b", "..", "a?b=c", "a#b", "a%2fb", "a\\b", "a b"] {
        let body = json!({"text": "a", "voice_id": "narrator", "model": model});
        let refused = outputs_of(&http, &body, Calls::unrecorded("p")).await;
        assert!(refused.is_err(), "{model}");
    }
    assert_eq!(server.connections(), 0);

    let text = "\", \"voice\": \"../../etc/passwd\", {{ key }} {% raw %} \r\nX-Injected: 1";
    let body = json!({"text": text, "voice_id": "../../etc/passwd"});
    let input = Input { operation: String::new(), model: None, body: body.clone() };
    let request = Request { family: &family::VOICEOVER, input: Some(&input), work: None };
    assert_eq!(http.refuse(request, &[])[0].parameter, "voice_id");
    // Even a task that another version of the service has accepted passes no voice of the client.
    outputs_of(&http, &body, Calls::unrecorded("p")).await.unwrap();
    let request = server.requests().remove(0);
    let (head, sent) = request.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /v1/make/m HTTP/1.1\r\n") && !head.to_lowercase().contains("injected"),
        "{head}"
    );
    assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), json!({"text": text}));
}

#[tokio::test]
async fn a_provider_reports_which_outputs_are_unsafe() {
    let sound = STANDARD.encode(wav(8000, 3, &[1, 2, 3]));
    for (reported, expected) in [
        (json!([true]), Some(vec![true])),
        (json!([]), Some(Vec::new())),
        (json!(["no"]), None),
        (Value::Null, Some(Vec::new())),
    ] {
        let reply = json!({"sound": sound, "has_nsfw": reported}).to_string();
        let server = Server::start(move |_| {
            Reaction::response("200 OK", "content-type: application/json\r\n", &reply)
        })
        .await;
        let input = Input {
            operation: "create_voiceover".to_owned(),
            model: None,
            body: json!({"text": "a", "voice_id": "narrator"}),
        };
        let request = Request { family: &family::VOICEOVER, input: Some(&input), work: None };
        let deadline = Instant::now() + Duration::from_secs(20);
        let context = Context::new(7, deadline, Calls::unrecorded("p"), Arc::new(()));
        assert_eq!(engine(&server, "").run(request, Vec::new(), &context).await.unwrap().len(), 1);
        assert_eq!(context.nsfw(), expected, "{reported}");
    }
}

#[tokio::test]
async fn uploads_have_names_of_their_own() {
    let server = server().await;
    let http = engine(&server, "form = \"multipart\"");
    let medium = Medium {
        name: "image_url\"; filename=\"../../x".to_owned(),
        kind: Kind::Audio,
        bytes: Bytes::from(wav(8000, 3, &[1, 2, 3])),
        url: Some("https://example.com/../../etc/passwd".to_owned()),
    };
    let request = http.request(Method::POST, Url::parse(&server.url("/up")).unwrap());
    let files = BTreeMap::from([("it".to_owned(), medium)]);
    http.send(http.with_body(request, &json!({"file": "it"}), &files)).await.unwrap();
    let sent = server.requests().remove(0);
    assert!(sent.contains("name=\"file\"; filename=\"") && sent.contains(".wav\""), "{sent}");
    assert!(!sent.contains("..") && !sent.contains("passwd") && !sent.contains("image_url"), "{sent}");
}

#[tokio::test]
async fn data_urls_of_outputs_must_be_base64() {
    let encoded = STANDARD.encode(wav(8000, 3, &[1, 2, 3]));
    let body = json!({"text": "a", "voice_id": "narrator"});
    for (sound, is_accepted) in
        [(format!("data:audio/wav;base64,{encoded}"), true), (format!("data:audio/wav,{encoded}"), false)]
    {
        let reply = json!({"sound": sound}).to_string();
        let server = Server::start(move |_| {
            Reaction::response("200 OK", "content-type: application/json\r\n", &reply)
        })
        .await;
        match outputs_of(&engine(&server, ""), &body, Calls::unrecorded("p")).await {
            Ok(outputs) => assert!(is_accepted && outputs.len() == 1, "{sound}"),
            Err(failure) => {
                assert!(
                    !is_accepted && failure.to_string().contains("a data URL without base64"),
                    "{failure}"
                )
            }
        }
    }
}
