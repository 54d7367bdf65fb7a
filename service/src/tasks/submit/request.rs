//! A request for a task, as the operations build it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::apps::{App, FilledStep};
use crate::blocking::in_place;
use crate::engine::family::{self, Family};
use crate::engine::work::Work;
use crate::engine::{Input, Refusal, media_fields};
use crate::media::input::Expected;

/// A request for a task.
#[derive(Debug)]
pub struct Request<'a> {
    pub(super) family: &'static Family,
    pub(super) model: Option<&'a str>,
    pub(super) webhook_url: Option<String>,
    pub(super) idempotency: Option<(String, Vec<u8>)>,
    pub(super) media: Vec<Field<'a>>,
    /// The input of the operation. The runs of apps have none.
    pub(super) input: Option<Input>,
    pub(super) work: Option<Work>,
    pub(super) seed: Option<u64>,
    pub(super) unmet: Vec<Refusal>,
    pub(super) app: Option<&'a App>,
    pub(super) steps: Vec<FilledStep>,
}

/// A body field that contains a medium.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) name: String,
    pub(super) text: Cow<'a, str>,
    pub(super) expected: Expected,
    pub(super) url_only: bool,
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
    #[must_use]
    pub fn new(
        family: &'static Family,
        operation: &str,
        model: Option<&'a str>,
        body: &impl Serialize,
        idempotency_key: Option<String>,
    ) -> Self {
        let (mut request, mut body) = Self::received(family, body, idempotency_key);
        media_fields::each(operation, &mut body, |name, field, medium| {
            if let Value::String(text) = medium {
                let (text, expected) = (Cow::Owned(std::mem::take(text)), field.expected.clone());
                request.media.push(Field { name, text, expected, url_only: field.url_only });
            }
            true
        });
        request.model = model;
        let model = model.map(ToOwned::to_owned);
        request.input = Some(Input { operation: operation.to_owned(), model, body });
        request
    }

    /// Creates a request for a run of this app.
    #[must_use]
    pub fn run(app: &'a App, body: &impl Serialize, idempotency_key: Option<String>) -> Self {
        let (mut request, mut body) = Self::received(&family::APP_RUNS, body, idempotency_key);
        request.app = Some(app);
        let inputs = body.get_mut("inputs").map(Value::take);
        let inputs: BTreeMap<String, Value> =
            inputs.and_then(|inputs| serde_json::from_value(inputs).ok()).unwrap_or_default();
        match app.fill(&inputs) {
            Ok(steps) => request.steps = steps,
            Err(invalid) => request.unmet = invalid,
        }
        request
    }

    /// Returns a request with the webhook URL and the `Idempotency-Key`, and the rest of the body.
    fn received(
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
            family,
            model: None,
            webhook_url,
            idempotency,
            media: Vec::new(),
            input: None,
            work: None,
            seed: None,
            unmet: Vec::new(),
            app: None,
            steps: Vec::new(),
        };
        (request, body)
    }

    /// Sets the work of the built-in engine.
    #[must_use]
    pub fn work(mut self, SeededWork { work, seed }: SeededWork) -> Self {
        (self.work, self.seed) = (Some(work), seed);
        self
    }
}
