//! URLs to private networks, in every field of every request of the spec.
//!
//! The service must refuse addresses on submission. It must accept names without resolving them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::contract::resolve;
use super::name_server::{GONE, INNER as INNER_NAME, NameServer};
use super::operations::needs_an_engine;
use super::running::Running;
use crate::service::requests::response;

const SETTINGS: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// The address where clouds serve the credentials of their machines.
const INNER: &str = "https://169.254.169.254/latest/meta-data/";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_field_takes_them() {
    let names = NameServer::start().await;
    let running = Running::start_with(SETTINGS, &["--threads", "0"], &names.environment());
    let spec = running.get("/openapi.json").send().await.unwrap();
    let spec: Value = spec.json().await.unwrap();
    let mut checked = 0;
    for (path, item) in spec["paths"].as_object().unwrap() {
        let mut example = item["post"]["requestBody"]["content"]["application/json"]["example"].clone();
        if path.contains("{app-id}") {
            // The spec does not describe an app's inputs.
            example["inputs"] = json!({"in_1": "Once upon a time."});
        }
        let mut found = Vec::new();
        urls(&example, String::new(), String::new(), &mut found);
        let schema = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        let mut fields = BTreeSet::new();
        url_fields(schema, "", &mut fields);
        let others = urls_without_example(schema, &example).into_iter();
        let others = others.map(|name| (format!("/{name}"), name.to_owned()));
        for (pointer, name) in found.iter().cloned().chain(others) {
            for url in [INNER, "https://localhost/", "http://example.com/", "https://user@example.com/"] {
                let mut body = example.clone();
                match body.pointer_mut(&pointer) {
                    Some(field) => *field = url.into(),
                    None => body[&name] = url.into(),
                }
                let (status, reply) = post(&running, path, &body).await;
                assert!(
                    status == 400 && refused(&reply).contains(&name.as_str()),
                    "{path} {name} {url}: {status} {reply}"
                );
            }
            fields.remove(&without_indices(&name));
            checked += 1;
        }
        assert_eq!(fields, BTreeSet::new(), "{path}: fields for URLs that the test has not sent");
        if found.is_empty() {
            continue;
        }
        let response_to = async |host: &str| {
            let mut body = example.clone();
            for (pointer, _) in &found {
                *body.pointer_mut(pointer).unwrap() = format!("https://{host}/").into();
            }
            let (status, mut reply) = post(&running, path, &body).await;
            assert!(!reply.to_string().contains("must be a URL"), "{path} {host}: {reply}");
            let expected: &[u16] = if needs_an_engine(&item["post"]) { &[503] } else { &[200, 202] };
            assert!(expected.contains(&status), "{path} {host}: {status} {reply}");
            reply.as_object_mut().unwrap().remove("workflow_run_identifier");
            reply["data"].as_object_mut().and_then(|data| data.remove("task_id"));
            (status, reply)
        };
        assert_eq!(response_to(INNER_NAME).await, response_to(GONE).await, "{path}");
    }
    assert!(checked > 0, "the document has fields for URLs");
    assert_eq!(
        (names.asked(INNER_NAME), names.asked(GONE)),
        (0, 0),
        "the time of a lookup would reveal the name"
    );
}

/// Returns the parameters that a response refuses.
fn refused(reply: &Value) -> Vec<&str> {
    let params = reply["invalid_params"].as_array().into_iter().flatten();
    params.filter_map(|param| param["name"].as_str()).collect()
}

/// Finds the fields of a body that take URLs, by its schema: `reference_images[].image`.
fn url_fields(schema: &Value, name: &str, found: &mut BTreeSet<String>) {
    let schema = resolve(schema);
    if takes_urls(schema) {
        found.insert(name.to_owned());
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        url_fields(part, name, found);
    }
    if schema["items"].is_object() {
        url_fields(&schema["items"], &format!("{name}[]"), found);
    }
    for (field, below) in schema["properties"].as_object().into_iter().flatten() {
        let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
        url_fields(below, &name, found);
    }
}

fn takes_urls(schema: &Value) -> bool {
    schema["format"] == "uri" || schema["x-media"].is_object()
}

/// Returns the name of a parameter as [`url_fields`] has it.
fn without_indices(name: &str) -> String {
    let mut parts = name.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + "[" + &part[part.find(']').unwrap_or_default()..])
}

/// Returns the fields of a body that are URLs and that its example lacks.
fn urls_without_example<'s>(schema: &'s Value, example: &Value) -> Vec<&'s str> {
    let parts = |field: &'s Value| [field, &field["allOf"][0]];
    let is_url = |field| parts(field).into_iter().any(|part| takes_urls(resolve(part)));
    let fields = resolve(schema)["properties"].as_object().into_iter().flatten();
    let missing = fields.filter(|(name, field)| example.get(name).is_none() && is_url(field));
    missing.map(|(name, _)| name.as_str()).collect()
}

/// Finds the URLs in a body: their JSON pointers and parameter names.
fn urls(value: &Value, pointer: String, name: String, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if text.starts_with("https://") => found.push((pointer, name)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                urls(item, format!("{pointer}/{index}"), format!("{name}[{index}]"), found);
            }
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                urls(value, format!("{pointer}/{field}"), name, found);
            }
        }
        _ => {}
    }
}

async fn post(running: &Running, path: &str, body: &Value) -> (u16, Value) {
    let path = path.replace("{model}", "standard").replace("{app-id}", "nArr8d");
    response(running.post(&path, body)).await
}
