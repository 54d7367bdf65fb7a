//! A request for a task, as the operations build it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::apps::App;
use crate::blocking::in_place;
use crate::engine::family::{self, Family};
use crate::engine::registry::Registry;
use crate::engine::work::Work;
use crate::engine::{Input, MediumContent, MediumRequest, Refusal, StepRequest, media_fields};
use crate::keys::tier::Tier;

/// The caller of an operation, and the operation.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// The API key's id.
    pub key_id: &'a str,
    /// The operation's id. An `Idempotency-Key` is unique per operation, not per spelling of the path.
    pub operation: &'a str,
    /// The quotas of the key.
    pub tier: &'a Tier,
}

/// A request for a task.
#[derive(Debug)]
pub struct Request<'a> {
    pub(super) submission: Submission<'a>,
    pub(super) family: &'static Family,
    pub(super) model: Option<&'a str>,
    pub(super) app: Option<&'a App>,
    pub(super) webhook_url: Option<String>,
    /// The `Idempotency-Key` and the hash of the body.
    pub(super) idempotency: Option<(String, Vec<u8>)>,
    /// The seed of random numbers; random if it is absent.
    pub(super) seed: Option<u64>,
    pub(super) steps: Vec<StepRequest>,
    /// The invalid inputs of an app. The request has no steps then.
    pub(super) invalid: Vec<Refusal>,
}

/// The work of a built-in engine, and the seed of its random numbers.
#[derive(Debug)]
pub struct SeededWork {
    work: Work,
    /// Without a seed, it is random.
    seed: Option<u64>,
}

impl SeededWork {
    /// Creates the work. Without a seed, or with a negative one, the seed is random.
    pub fn new(work: impl Into<Work>, seed: Option<i64>) -> Self {
        Self { work: work.into(), seed: seed.and_then(|seed| u64::try_from(seed).ok()) }
    }
}

impl<W: Into<Work>> From<W> for SeededWork {
    fn from(work: W) -> Self {
        Self::new(work, None)
    }
}

impl<'a> Request<'a> {
    /// Creates a request for a task of this family from the input of an operation that creates tasks.
    ///
    /// `work` is the work of the built-in engine, if one can do it.
    #[must_use]
    pub fn new(
        submission: Submission<'a>,
        family: &'static Family,
        model: Option<&'a str>,
        body: &impl Serialize,
        idempotency_key: Option<String>,
        work: Option<SeededWork>,
    ) -> Self {
        let (mut request, mut body) = Self::received(submission, family, body, idempotency_key);
        let mut media = Vec::new();
        media_fields::each(submission.operation, &mut body, |name, field, medium| {
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
        let (operation, named) = (submission.operation.to_owned(), model.map(ToOwned::to_owned));
        let input = Some(Input { operation, model: named, body });
        let (work, seed) = work.map(|SeededWork { work, seed }| (work, seed)).unzip();
        let (inputs, violations) = (BTreeMap::new(), Vec::new());
        request.steps = vec![StepRequest { family, input, work, media, inputs, violations }];
        (request.model, request.seed) = (model, seed.flatten());
        request
    }

    /// Creates a request for a run of this app.
    #[must_use]
    pub fn run(
        submission: Submission<'a>,
        app: &'a App,
        body: &impl Serialize,
        idempotency_key: Option<String>,
        registry: &Registry,
    ) -> Self {
        let (mut request, mut body) = Self::received(submission, &family::APP_RUNS, body, idempotency_key);
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
    fn received(
        submission: Submission<'a>,
        family: &'static Family,
        body: &impl Serialize,
        idempotency_key: Option<String>,
    ) -> (Self, Value) {
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
        let request = Self {
            submission,
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
}
