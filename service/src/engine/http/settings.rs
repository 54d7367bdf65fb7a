//! The settings of the kind `http`: a provider's protocol, and the input of a model.

use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected};
use url::Url;

use super::presets::with_preset;
use crate::config::{Checked, InvalidSetting, at_least, base_url};
use crate::engine::schema::{self, VOICE};
use crate::engine::secret::{Secret, SecretSource};
use crate::engine::settings::{Attachment, Voices};
use crate::engine::template::{Template, Variables};

/// A provider's protocol: `[engines.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Protocol {
    pub(super) base_url: String,
    key: Option<SecretSource>,
    /// Default: `Authorization`.
    pub(super) key_header: Option<Header>,
    /// Default: `Bearer `.
    pub(super) key_prefix: Option<String>,
    #[serde(default)]
    pub(super) media: MediaForm,
    timeout_seconds: Option<u64>,
    poll_seconds: Option<f64>,
    /// Whether the provider notifies the service of the end of jobs.
    #[serde(default)]
    pub(super) notifications: bool,
    pub(super) check: Option<String>,
    pub(super) create: Create,
    pub(super) status: Option<Status>,
    #[serde(default)]
    pub(super) result: JobResult,
    pub(super) cancel: Option<Cancel>,
    pub(super) upload: Option<Upload>,
    #[serde(default)]
    pub(super) errors: Errors,
}

/// The form in which media are part of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MediaForm {
    /// A data URL.
    #[default]
    DataUrl,
    /// Base64.
    Base64,
    /// The URL that the client gave or the service has; a data URL for other media.
    Url,
}

/// How a job is created.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Create {
    pub(super) path: Template,
    #[serde(default)]
    pub(super) query: Template,
    #[serde(default, deserialize_with = "headers")]
    pub(super) headers: Vec<(Header, Template)>,
    pub(super) body: Template,
    #[serde(default)]
    pub(super) form: Form,
    pub(super) idempotency_header: Option<Header>,
    /// Where the response has the job; without a job, the response is the result.
    pub(super) job: Option<Pointer>,
    /// Whether the job's id is the key of the call.
    #[serde(default)]
    pub(super) own_job: bool,
}

/// The form of a request's body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    #[default]
    Json,
    Multipart,
}

/// How the state of a job is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Status {
    pub(super) path: Template,
    #[serde(default)]
    pub(super) query: Template,
    pub(super) state: Pointer,
    #[serde(default)]
    pub(super) waiting: Vec<String>,
    #[serde(default)]
    pub(super) running: Vec<String>,
    pub(super) done: Vec<String>,
    #[serde(default)]
    pub(super) failed: Vec<String>,
    pub(super) progress: Option<Pointer>,
}

/// How the result of a job is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct JobResult {
    pub(super) path: Option<Template>,
    outputs: Vec<Pointer>,
    /// Where the result has whether each output is unsafe, if a filter of the provider has run.
    pub(super) nsfw: Option<Pointer>,
    /// The file that an output names; without it, outputs are URLs or base64.
    pub(super) file: Option<NamedFile>,
}

/// How a file that an output names is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct NamedFile {
    pub(super) path: Template,
    #[serde(default)]
    pub(super) query: Template,
}

/// How a job is cancelled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Cancel {
    #[serde(default)]
    pub(super) method: CancelMethod,
    pub(super) path: Template,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum CancelMethod {
    #[default]
    Post,
    Put,
    Delete,
}

/// How media are uploaded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Upload {
    pub(super) path: Template,
    pub(super) field: String,
    pub(super) value: Template,
    #[serde(default)]
    pub(super) over_bytes: usize,
}

/// Where errors have their message and type, and which of them are refusals by moderation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct Errors {
    pub(super) message: Vec<Pointer>,
    #[serde(rename = "type")]
    pub(super) types: Vec<Pointer>,
    pub(super) moderation: Vec<String>,
}

/// The settings of a family: `[families.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FamilyTable {
    model: Option<Template>,
    input: Template,
    outputs: Option<Vec<Pointer>>,
    #[serde(default)]
    voices: Voices,
}

impl From<CancelMethod> for Method {
    fn from(method: CancelMethod) -> Self {
        match method {
            CancelMethod::Post => Self::POST,
            CancelMethod::Put => Self::PUT,
            CancelMethod::Delete => Self::DELETE,
        }
    }
}

/// A JSON pointer, in which `*` stands for every item.
#[derive(Debug, Clone)]
pub(super) struct Pointer(String);

impl Pointer {
    /// The pointer to the whole value.
    pub(super) const WHOLE: Self = Self(String::new());
}

impl Deref for Pointer {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pointer = String::deserialize(deserializer)?;
        let is_escape = |rest: &str| rest.starts_with(['0', '1']);
        let is_pointer = pointer.is_empty() || pointer.starts_with('/');
        if is_pointer && pointer.split('~').skip(1).all(is_escape) {
            return Ok(Self(pointer));
        }
        Err(D::Error::invalid_value(Unexpected::Other("text"), &"a JSON pointer such as `/data/*/url`"))
    }
}

/// The name of a header.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Header(pub(super) HeaderName);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?.parse();
        name.map(Self)
            .map_err(|_| D::Error::invalid_value(Unexpected::Other("text"), &"the name of a header"))
    }
}

/// Reads headers, in the order of their names.
fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Header, Template)>, D::Error> {
    let headers = HashMap::<Header, Template>::deserialize(deserializer)?;
    let mut headers: Vec<_> = headers.into_iter().collect();
    headers.sort_by(|(one, _), (other, _)| one.0.as_str().cmp(other.0.as_str()));
    Ok(headers)
}

impl Protocol {
    /// Returns how long a request may take.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.unwrap_or(60))
    }

    /// Returns the time between two polls of a job.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs_f64(self.poll_seconds.unwrap_or(2.0))
    }

    /// Checks the constraints that the types don't express.
    fn check(&self, attachment: &Attachment<'_>) -> Checked {
        let engine = format!("engines.{}", attachment.name);
        let invalid = |setting: &str, expected: &str| {
            Err(InvalidSetting::must_be(format!("{engine}.{setting}"), expected))
        };
        if self.poll_seconds.is_some_and(|seconds| !(0.01..=3600.0).contains(&seconds)) {
            return invalid("poll-seconds", "from 0.01 to 3600");
        }
        // Without the slash, it would change the host or the port, and another server would get the key.
        if self.check.as_ref().is_some_and(|path| !path.starts_with('/')) {
            return invalid("check", "a path that begins with `/`");
        }
        if self.create.job.is_some() != self.status.is_some() {
            return invalid("status", "present with `create.job`, and absent without it");
        }
        if self.key_prefix.as_ref().is_some_and(|prefix| HeaderValue::from_str(prefix).is_err()) {
            return invalid("key-prefix", "the beginning of a header's value");
        }
        let is_field =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
        if self.upload.as_ref().is_some_and(|upload| !is_field(&upload.field)) {
            return invalid("upload.field", "the name of a field");
        }
        at_least(&format!("{engine}.timeout-seconds"), self.timeout_seconds, 1)?;
        let variables = Variables { names: OF_ENGINE, ..Variables::default() };
        self.templates()
            .into_iter()
            .try_for_each(|(setting, template)| template.check(&format!("{engine}.{setting}"), &variables))
    }

    /// Returns all templates, with the names of their settings.
    fn templates(&self) -> Vec<(String, &Template)> {
        let (create, result) = (&self.create, &self.result);
        let mut all = vec![
            ("create.path", &create.path),
            ("create.query", &create.query),
            ("create.body", &create.body),
        ];
        all.extend(result.path.iter().map(|path| ("result.path", path)));
        all.extend(self.cancel.iter().map(|cancel| ("cancel.path", &cancel.path)));
        if let Some(status) = &self.status {
            all.extend([("status.path", &status.path), ("status.query", &status.query)]);
        }
        if let Some(file) = &result.file {
            all.extend([("result.file.path", &file.path), ("result.file.query", &file.query)]);
        }
        if let Some(upload) = &self.upload {
            all.extend([("upload.path", &upload.path), ("upload.value", &upload.value)]);
        }
        let headers =
            create.headers.iter().map(|(name, value)| (format!("create.headers.{}", name.0), value));
        all.into_iter().map(|(setting, template)| (setting.to_owned(), template)).chain(headers).collect()
    }
}

/// The settings of a provider for one family.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) name: String,
    /// The URL of the provider, whose origin alone gets the key.
    pub(super) base: Url,
    pub(super) protocol: Protocol,
    pub(super) key: Option<Secret>,
    /// Where the result has its outputs; without any, the body is the output.
    pub(super) outputs: Vec<Pointer>,
    pub(super) model: Template,
    pub(super) input: Template,
    pub(super) voices: Voices,
    /// The fields of the request that have an effect.
    pub(super) reads: BTreeSet<String>,
}

/// The variables of a family's templates.
const OF_FAMILY: &[&str] = &["request", "media", "model", "seed", "voice", "key"];

/// Those of `model`, which a resumed attempt renders without another upload.
const OF_MODEL: &[&str] = &["request", "model", "seed", "voice", "key"];

/// The variables of an engine's templates.
const OF_ENGINE: &[&str] =
    &["input", "model", "job", "key", "seed", "seconds", "notify", "response", "output"];

impl Settings {
    pub(super) fn read(attachment: &Attachment<'_>) -> Result<Self, InvalidSetting> {
        let mut protocol: Protocol = with_preset(attachment)?;
        let FamilyTable { model, input, outputs, voices } = attachment.mapping()?;
        let base = base_url(&protocol.base_url).map_err(|expected| {
            InvalidSetting::must_be(format!("engines.{}.base-url", attachment.name), expected)
        })?;
        protocol.check(attachment)?;
        protocol.base_url.truncate(protocol.base_url.trim_end_matches('/').len());
        let family = format!("families.{}", attachment.family.name);
        // Voices come from `voices` alone, because some providers read a voice as a path.
        let fields = schema::fields(attachment.family).into_keys().filter(|field| field != VOICE).collect();
        let variables = Variables {
            has_voices: !voices.0.is_empty(),
            ..Variables::of(attachment.family, OF_FAMILY, fields)
        };
        input.check(&format!("{family}.input"), &variables)?;
        let model = model.unwrap_or_else(|| Template::literal(""));
        model.check(&format!("{family}.model"), &Variables { names: OF_MODEL, ..variables })?;
        let name = match model.as_literal() {
            None | Some("") => attachment.name.to_owned(),
            Some(model) => format!("{}/{model}", attachment.name),
        };
        let mut reads: BTreeSet<String> = input.fields().into_iter().chain(model.fields()).collect();
        if !voices.0.is_empty() {
            reads.insert(VOICE.to_owned());
        }
        let key = protocol.key.as_ref();
        let key =
            key.map(|key| key.read(&format!("engines.{}.key", attachment.name), attachment.environment));
        Ok(Self {
            name,
            base,
            key: key.transpose()?,
            outputs: outputs.unwrap_or_else(|| protocol.result.outputs.clone()),
            protocol,
            model,
            input,
            voices,
            reads,
        })
    }
}
