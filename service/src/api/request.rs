//! Builds requests for tasks from the inputs of operations.

use std::collections::BTreeMap;

use asset_api_server::Context;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Caller;
use super::work::SeededWork;
use crate::apps::App;
use crate::blocking::in_place;
use crate::engine::family::{self, Family};
use crate::engine::registry::Registry;
use crate::engine::{Input, MediumContent, MediumRequest, StepRequest, media_fields};
use crate::tasks::submit::Request;

/// Returns the request for a task of this family.
///
/// `work` is the work of the built-in engine, if one can do it.
pub(super) fn of_operation<'a>(
    context: &'a Context<Caller>,
    family: &'static Family,
    model: Option<&'a str>,
    body: &impl Serialize,
    idempotency_key: Option<String>,
    work: Option<SeededWork>,
) -> Request<'a> {
    let (mut request, mut body) = received(context, family, body, idempotency_key);
    let mut media = Vec::new();
    media_fields::each(request.operation, &mut body, |name, field, medium| {
        if let Value::String(text) = medium {
            media.push(MediumRequest {
                field: name.clone(),
                expected: field.expected.clone(),
                url_only: field.url_only,
                content: MediumContent::Given { name, text: std::mem::take(text) },
            });
        }
        true
    });
    let (operation, named) = (request.operation.to_owned(), model.map(ToOwned::to_owned));
    let input = Some(Input { operation, model: named, body });
    let (work, seed) = work.map(|SeededWork { work, seed }| (work, seed)).unzip();
    let (inputs, violations) = (BTreeMap::new(), Vec::new());
    request.steps = vec![StepRequest { family, input, work, media, inputs, violations }];
    (request.model, request.seed) = (model, seed.flatten());
    request
}

/// Returns the request for a run of this app.
pub(super) fn of_app<'a>(
    context: &'a Context<Caller>,
    app: &'a App,
    body: &impl Serialize,
    idempotency_key: Option<String>,
    registry: &Registry,
) -> Request<'a> {
    let (mut request, mut body) = received(context, &family::APP_RUNS, body, idempotency_key);
    request.app = Some(app);
    let inputs = body.get_mut("inputs").map(Value::take);
    let inputs: BTreeMap<String, Value> =
        inputs.and_then(|inputs| serde_json::from_value(inputs).ok()).unwrap_or_default();
    match app.fill(&inputs, registry) {
        Ok(steps) => request.steps = steps,
        Err(invalid) => request.invalid = invalid,
    }
    request
}

/// Returns a request with the webhook URL and the `Idempotency-Key`, and the rest of the body.
fn received<'a>(
    context: &'a Context<Caller>,
    family: &'static Family,
    body: &impl Serialize,
    idempotency_key: Option<String>,
) -> (Request<'a>, Value) {
    // Hashes the parsed body, so that whitespace does not matter. Models always serialize.
    let idempotency = idempotency_key.map(|key| {
        let body = serde_json::to_vec(body).unwrap_or_default();
        (key, in_place(body.len(), || Sha256::digest(&body).to_vec()))
    });
    let mut body = serde_json::to_value(body).unwrap_or_default();
    let webhook_url = match body.as_object_mut().and_then(|fields| fields.remove("webhook_url")) {
        Some(Value::String(url)) => Some(url),
        _ => None,
    };
    let request = Request {
        key_id: &context.principal.key_id,
        tier: &context.principal.tier,
        operation: context.operation.id,
        family,
        model: None,
        app: None,
        webhook_url,
        idempotency,
        seed: None,
        steps: Vec::new(),
        invalid: Vec::new(),
    };
    (request, body)
}
