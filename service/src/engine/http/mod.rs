//! The kind `http`: a provider whose protocol is settings.
//!
//! The engine creates a job, polls it until it has ended, and downloads its outputs. Presets hold the protocols of
//! Replicate, fal, ComfyUI and Piper's server; the code knows none of them.

mod call;
mod cancel;
mod find;
mod job;
mod output;
mod presets;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use asset_engines::picture::Info;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Map, Value, json};
use url::Url;
use uuid::Uuid;

use super::context::Context;
use super::media_fields;
use super::notifications::{Notifications, PATH};
use super::request::name_media;
use super::schema::Create;
use super::settings::{Attachment, variables};
use super::template::Unrendered;
use super::{Engine, Failure, Medium, Output, Probe, Refusal, Request, result};
use crate::config::InvalidSetting;
use crate::log::redact::without_values_of;
use crate::net::fetch::Fetcher;
use crate::net::guard::Policy;
use crate::net::resolve::Guard;
use call::text;
use cancel::Current;
use settings::{MediaForm, Protocol, Settings};

/// A provider that is attached to one family.
pub(super) struct Http {
    settings: Settings,
    /// The client for the provider's origin, which may be on this machine.
    client: reqwest::Client,
    /// Downloads from all other origins.
    fetcher: Fetcher,
    /// The received notifications about jobs, and the base of their URLs, if the settings enable them.
    notifications: Option<(Notifications, String)>,
}

/// A request that is ready to be sent.
struct Prepared {
    model: String,
    /// The variables of the templates of the creation request.
    variables: Value,
    /// The media that the input contains, by their strings there. Forms send them as files.
    files: BTreeMap<String, Medium>,
}

/// Attaches a provider to a family.
///
/// # Errors
/// A setting is invalid.
pub(super) fn attach(attachment: &Attachment<'_>) -> Result<Http, InvalidSetting> {
    let settings = Settings::read(attachment)?;
    let policy = Policy { allow_private_networks: true, ..Policy::default() };
    let client = Guard::new(policy).map_err(|error| error.to_string());
    let client = client.and_then(|guard| guard.client().map_err(|error| error.to_string()));
    let client = client.map_err(|why| {
        let expected = format!("the URL of a server that can be reached ({why})");
        InvalidSetting::must_be(format!("engines.{}.base-url", attachment.name), expected)
    })?;
    let environment = attachment.environment;
    let below = format!("{}{PATH}", environment.urls.base());
    let notifications = settings.protocol.notifications.then(|| (environment.notifications.clone(), below));
    let http = Http { settings, client, fetcher: environment.fetcher.clone(), notifications };
    for create in attachment.examples() {
        http.try_example(attachment, &create)?;
    }
    Ok(http)
}

impl Http {
    /// Renders the templates that need no response with an example, so that errors of expressions show at start.
    fn try_example(&self, attachment: &Attachment<'_>, create: &Create) -> Result<(), InvalidSetting> {
        let medium = Value::from("data:image/png;base64,AA==");
        let media = media_fields::placeholders(attachment.family, &create.example, &medium);
        let input = create.input(attachment.family, self.settings.voices.names().next());
        let request = Request { family: attachment.family, input: Some(&input), work: None };
        let variables = self.of_family(request, Some(Value::Object(media)), 1, Uuid::nil());
        let failed = |setting: String| move |error: Unrendered| create.unfit(setting, &error);
        let no_url = |setting: String| move |failure: Failure| create.unfit(setting, &failure);
        let family = format!("families.{}", attachment.family.name);
        let engine = format!("engines.{}", attachment.name);
        let model = text(&self.settings.model, &variables).map_err(failed(format!("{family}.model")))?;
        let rendered_input =
            self.settings.input.render(&variables).map_err(failed(format!("{family}.input")))?;
        let variables = json!({
            "input": rendered_input, "model": model, "seed": 1, "key": Uuid::nil(), "seconds": 60, "job": "a-1",
            "notify": self.notify(Uuid::max()),
        });
        let creation = &self.settings.protocol.create;
        let url = self
            .url(&creation.path, Some(&creation.query), &variables)
            .map_err(no_url(format!("{engine}.create.path")))?;
        let body = creation.body.render(&variables).map_err(failed(format!("{engine}.create.body")))?;
        let mut sent = format!("{url} {}", body.unwrap_or_default());
        for (name, value) in &creation.headers {
            sent.push_str(
                &text(value, &variables).map_err(failed(format!("{engine}.create.headers.{}", name.0)))?,
            );
        }
        if self.notifications.is_some() && !sent.contains(&Uuid::max().to_string()) {
            let expected = "absent, or used: no template of `create` reads `notify`";
            return Err(InvalidSetting::must_be(format!("{engine}.notifications"), expected));
        }
        let job = json!({"job": "a-1", "model": model});
        let Protocol { status, result, cancel, upload, .. } = &self.settings.protocol;
        let paths = [
            ("status", status.as_ref().map(|status| (&status.path, Some(&status.query)))),
            ("result", result.path.as_ref().map(|path| (path, None))),
            ("cancel", cancel.as_ref().map(|cancel| (&cancel.path, None))),
            ("upload", upload.as_ref().map(|upload| (&upload.path, None))),
        ];
        for (table, path) in paths {
            if let Some((path, query)) = path {
                self.url(path, query, &job).map_err(no_url(format!("{engine}.{table}.path")))?;
            }
        }
        Ok(())
    }

    /// Returns the URL for notifications about the job of the call with this key.
    ///
    /// The key is unguessable, and only the queue and the provider have it.
    fn notify(&self, key: Uuid) -> Option<String> {
        self.notifications.as_ref().map(|(_, below)| format!("{below}{key}"))
    }

    /// Returns the variables of a family's templates.
    fn of_family(&self, request: Request<'_>, media: Option<Value>, seed: u64, key: Uuid) -> Value {
        let mut variables = variables(request, &self.settings.voices, seed);
        variables.extend(media.map(|media| ("media".to_owned(), media)));
        variables.insert("key".to_owned(), json!(key));
        Value::Object(variables)
    }

    /// Returns the model of a request, without an upload of its media.
    fn model(&self, request: Request<'_>, key: Uuid, seed: u64) -> Result<String, Failure> {
        text(&self.settings.model, &self.of_family(request, None, seed, key)).map_err(invalid)
    }

    /// Renders the input, with the media in the form that the provider takes.
    async fn prepare(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        key: Uuid,
        seed: u64,
    ) -> Result<Prepared, Failure> {
        let model = self.model(request, key, seed)?;
        let (mut given, mut files) = (Map::new(), BTreeMap::new());
        for medium in media {
            let name = medium.name.clone();
            let value = match self.external_value(&medium).await? {
                Some(value) => value,
                None => {
                    let inline = self.inline(&medium);
                    files.insert(inline.clone(), medium);
                    Value::from(inline)
                }
            };
            media_fields::add_to(&mut given, &name, value);
        }
        let variables = self.of_family(request, Some(Value::Object(given)), seed, key);
        let input = self.settings.input.render(&variables).map_err(invalid)?.unwrap_or_default();
        let variables = json!({"input": input, "model": model, "seed": seed & 0x7fff_ffff, "key": key});
        Ok(Prepared { model, variables, files })
    }

    /// Returns the value of a medium that is not sent inline: its URL, or that of an upload. `None` if it is inline.
    async fn external_value(&self, medium: &Medium) -> Result<Option<Value>, Failure> {
        match &medium.url {
            Some(url) if self.settings.protocol.media == MediaForm::Url => {
                Ok(Some(Value::from(url.as_str())))
            }
            _ => self.upload(medium).await,
        }
    }

    /// Returns a medium as a string of the input: base64 or a data URL.
    fn inline(&self, medium: &Medium) -> String {
        let encoded = STANDARD.encode(&medium.bytes);
        match self.settings.protocol.media {
            MediaForm::Base64 => encoded,
            MediaForm::Url | MediaForm::DataUrl => {
                format!("data:{};base64,{encoded}", media_type(medium).0)
            }
        }
    }

    /// Removes the key from a text for the log.
    fn clean(&self, text: &str) -> String {
        self.settings.key.as_ref().map_or_else(|| text.to_owned(), |key| key.removed_from(text))
    }

    async fn work(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        current: &Current,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let mut input = request.input.cloned();
        if let Some(input) = &mut input {
            media.iter().for_each(|medium| name_media(&mut input.body, &medium.name));
        }
        let request = Request { input: input.as_ref(), ..request };
        let finished = self.finish(request, media, current, context).await?;
        self.outputs(finished, request.family, context).await
    }
}

/// Returns the failure of a template that a request does not fit.
fn invalid(error: Unrendered) -> Failure {
    Failure::Invalid(format!("The request can't be passed to this engine: {error}"))
}

/// Returns the media type and the extension of a medium.
fn media_type(medium: &Medium) -> (&'static str, &'static str) {
    result::identify(&medium.bytes, medium.kind).unwrap_or(("application/octet-stream", "bin"))
}

#[async_trait]
impl Engine for Http {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn refuse(&self, request: Request<'_>, _pictures: &[Option<Info>]) -> Vec<Refusal> {
        self.settings.voices.refuse(request).into_iter().collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        request.unread(&self.settings.reads)
    }

    fn voices(&self) -> Vec<&str> {
        self.settings.voices.names().collect()
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        let path = self.settings.protocol.check.as_deref();
        let url = format!("{}{}", self.settings.protocol.base_url, path.unwrap_or("/"));
        let url = Url::parse(&url).map_err(|error| Failure::Unavailable(error.to_string()))?;
        let mut shown = url.clone();
        shown.set_query(None);
        let reply = self.send(self.request(Method::GET, url)).await;
        let reply = reply.map_err(|broken| Failure::Unavailable(broken.why()))?;
        match (path, reply.status) {
            (_, 401 | 403) => Err(Failure::Credentials(format!("status {}", reply.status))),
            (Some(path), 200..=299) => Ok(Probe::Works(format!("responds to `{path}`"))),
            (None, 0..=499) => Ok(Probe::Works("responds; the key is not checked".to_owned())),
            (_, status) => Err(Failure::Unavailable(format!(
                "{shown} responded with status {status}; check `base-url` and its path"
            ))),
        }
    }

    async fn abandon(&self, job: Value) {
        match serde_json::from_value(job) {
            Ok(job) => self.cancel(&job).await,
            Err(error) => tracing::warn!(
                engine = self.name(),
                error = without_values_of(&error),
                "can't read the record of a job"
            ),
        }
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let current = Current::default();
        let work = self.work(request, media, &current, context);
        let done = self.until_cancelled(work, &current, context).await;
        done.map_err(|failure| failure.without(self.settings.key.as_ref()))
    }
}
