//! URLs to private networks, in every field of every request of the spec.
//!
//! The service must refuse them on submission.

use serde_json::{Value, json};

use super::running::Running;

const SETTINGS: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// The address where clouds serve the credentials of their machines.
const INNER: &str = "https://169.254.169.254/latest/meta-data/";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_field_takes_them() {
    let strict = [("ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS", "false")];
    let running = Running::start_with(SETTINGS, &["--threads", "0"], &strict);
    let spec: Value =
        reqwest::get(format!("{}/openapi.json", running.url)).await.unwrap().json().await.unwrap();
    let (mut webhooks, mut media) = (0, 0);
    for (path, item) in spec["paths"].as_object().unwrap() {
        let mut example = item["post"]["requestBody"]["content"]["application/json"]["example"].clone();
        if path.contains("{app-id}") {
            // The spec does not describe an app's inputs.
            example["inputs"] = json!({"in_1": "Once upon a time."});
        }
        let mut places = Vec::new();
        urls(&example, String::new(), String::new(), &mut places);
        for (pointer, name) in places {
            for url in [INNER, "https://localhost/", "http://example.com/", "https://user@example.com/"] {
                let mut body = example.clone();
                *body.pointer_mut(&pointer).unwrap() = url.into();
                let (status, answer) = post(&running, path, &body).await;
                let refused = answer["invalid_params"].as_array().into_iter().flatten();
                let names: Vec<_> = refused.filter_map(|param| param["name"].as_str()).collect();
                assert!(
                    status == 400 && names.contains(&name.as_str()),
                    "{path} {name} {url}: {status} {answer}"
                );
            }
            *(if name == "webhook_url" { &mut webhooks } else { &mut media }) += 1;
        }
    }
    assert_eq!((webhooks, media), (34, 35));
}

/// Finds the URLs in a body: their JSON pointers and parameter names.
fn urls(value: &Value, pointer: String, name: String, places: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if text.starts_with("https://") => places.push((pointer, name)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                urls(item, format!("{pointer}/{index}"), format!("{name}[{index}]"), places);
            }
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                urls(value, format!("{pointer}/{field}"), name, places);
            }
        }
        _ => {}
    }
}

async fn post(running: &Running, path: &str, body: &Value) -> (u16, Value) {
    let path = path.replace("{model}", "standard").replace("{app-id}", "nArr8d");
    let request = reqwest::Client::new().post(format!("{}{path}", running.url)).json(body);
    let response = request.header("x-service-api-key", &running.key).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}
