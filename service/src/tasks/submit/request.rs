//! A request for a task, as the handlers of the families build it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::apart::apart;
use crate::apps::{App, FilledStep};
use crate::engine::family::{self, Family};
use crate::engine::work::Work;
use crate::engine::{Input, InvalidParam};
use crate::media::format::Kind;

/// A request for a task.
#[derive(Debug)]
pub struct Request<'a> {
    pub(super) family: &'static Family,
    pub(super) model: Option<&'a str>,
    pub(super) webhook_url: Option<&'a str>,
    pub(super) idempotency: Option<(String, Vec<u8>)>,
    pub(super) media: Vec<Field<'a>>,
    pub(super) body: Option<Value>,
    pub(super) work: Option<Work>,
    pub(super) seed: Option<u64>,
    pub(super) unmet: Vec<InvalidParam>,
    pub(super) app: Option<&'a App>,
    pub(super) steps: Vec<FilledStep>,
}

/// A body field that contains media.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) name: String,
    pub(super) text: Cow<'a, str>,
    pub(super) kind: Kind,
    pub(super) url_only: bool,
}

impl<'a> Request<'a> {
    /// Creates a request for a task of this family.
    #[must_use]
    pub fn new(family: &'static Family) -> Self {
        Self {
            family,
            model: None,
            webhook_url: None,
            idempotency: None,
            media: Vec::new(),
            body: None,
            work: None,
            seed: None,
            unmet: Vec::new(),
            app: None,
            steps: Vec::new(),
        }
    }

    /// Creates a request for a run of this app.
    #[must_use]
    pub fn run(app: &'a App, inputs: &BTreeMap<String, Value>) -> Self {
        let mut request = Self::new(&family::APP_RUNS);
        request.app = Some(app);
        match app.fill(inputs) {
            Ok(steps) => request.steps = steps,
            Err(invalid) => request.unmet = invalid,
        }
        request
    }

    /// Takes the input of the operation, with the texts of media cut out. The runs of apps have none.
    pub(super) fn take_input(&mut self, operation: &str) -> Option<Input> {
        if self.app.is_some() {
            return None;
        }
        let mut body = self.body.take()?;
        if let Value::Object(fields) = &mut body {
            fields.remove("webhook_url");
        }
        for field in &self.media {
            crate::engine::cut(&mut body, &field.name);
        }
        Some(Input { operation: operation.to_owned(), model: self.model.map(ToOwned::to_owned), body })
    }

    /// Sets the model.
    #[must_use]
    pub fn model(mut self, model: &'a str) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the webhook URL.
    #[must_use]
    pub fn webhook(mut self, url: Option<&'a String>) -> Self {
        self.webhook_url = url.map(String::as_str);
        self
    }

    /// Sets the body, and the `Idempotency-Key` that belongs to it.
    #[must_use]
    pub fn sent(mut self, key: Option<String>, body: &impl Serialize) -> Self {
        // Models always serialize.
        self.body = serde_json::to_value(body).ok();
        // Hashes the parsed body, so that whitespace does not matter.
        self.idempotency = key.map(|key| {
            let body = serde_json::to_vec(body).unwrap_or_default();
            (key, apart(body.len(), || Sha256::digest(&body).to_vec()))
        });
        self
    }

    /// Adds the medium of this field, if present.
    #[must_use]
    pub fn media(mut self, name: impl Into<String>, kind: Kind, text: Option<&'a String>) -> Self {
        self.field(name, text, kind, false);
        self
    }

    /// Adds the medium of this field, if present; only a URL is valid there.
    #[must_use]
    pub fn media_url(mut self, name: impl Into<String>, kind: Kind, text: Option<&'a String>) -> Self {
        self.field(name, text, kind, true);
        self
    }

    fn field(&mut self, name: impl Into<String>, text: Option<&'a String>, kind: Kind, url_only: bool) {
        if let Some(text) = text {
            self.media.push(Field { name: name.into(), text: Cow::Borrowed(text), kind, url_only });
        }
    }

    /// Sets the parameters of the built-in engine.
    #[must_use]
    pub fn work(mut self, work: impl Into<Work>) -> Self {
        self.work = Some(work.into());
        self
    }

    /// Sets the seed. Without one, or with a negative one, the seed is random.
    #[must_use]
    pub fn seed(mut self, seed: Option<i64>) -> Self {
        self.seed = seed.and_then(|seed| u64::try_from(seed).ok());
        self
    }

    /// Adds an invalid parameter.
    #[must_use]
    pub fn refuse(mut self, unmet: Option<InvalidParam>) -> Self {
        self.unmet.extend(unmet);
        self
    }
}
