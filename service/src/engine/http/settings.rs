//! The settings of the kind `http`: a provider's protocol, and the input of a model.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use toml::{Table, Value as Toml};

use super::presets::with_preset;
use crate::config::InvalidSetting;
use crate::engine::schema::{self, VOICE};
use crate::engine::secret::{Secret, SecretSource};
use crate::engine::settings::Attachment;
use crate::engine::template::{Template, Variables};
use crate::engine::{Refusal, Request};

/// The settings of the engine: `[engines.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EngineTable {
    base_url: String,
    key: Option<SecretSource>,
    #[serde(default = "authorization")]
    key_header: String,
    #[serde(default = "bearer")]
    key_prefix: String,
    #[serde(default)]
    media: MediaForm,
    #[serde(default = "timeout")]
    timeout_seconds: u64,
    #[serde(default = "poll")]
    poll_seconds: f64,
    #[serde(default)]
    notifications: bool,
    check: Option<String>,
    create: CreateTable,
    status: Option<StatusTable>,
    #[serde(default)]
    result: ResultTable,
    cancel: Option<CancelTable>,
    upload: Option<UploadTable>,
    #[serde(default)]
    errors: Errors,
}

fn authorization() -> String {
    "authorization".to_owned()
}

fn bearer() -> String {
    "Bearer ".to_owned()
}

const fn timeout() -> u64 {
    60
}

const fn poll() -> f64 {
    2.0
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CreateTable {
    path: Toml,
    #[serde(default)]
    query: Table,
    #[serde(default)]
    headers: BTreeMap<String, Toml>,
    body: Toml,
    #[serde(default)]
    form: Form,
    idempotency_header: Option<String>,
    job: Option<String>,
    #[serde(default)]
    own_job: bool,
}

/// The form of a request's body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    #[default]
    Json,
    Multipart,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StatusTable {
    path: Toml,
    #[serde(default)]
    query: Table,
    state: String,
    #[serde(default)]
    waiting: Vec<String>,
    #[serde(default)]
    running: Vec<String>,
    done: Vec<String>,
    #[serde(default)]
    failed: Vec<String>,
    progress: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct ResultTable {
    path: Option<Toml>,
    outputs: Vec<String>,
    nsfw: Option<String>,
    file: Option<FileTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileTable {
    path: Toml,
    #[serde(default)]
    query: Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CancelTable {
    #[serde(default = "post")]
    method: String,
    path: Toml,
}

fn post() -> String {
    "POST".to_owned()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct UploadTable {
    path: Toml,
    field: String,
    value: Toml,
    #[serde(default)]
    over_bytes: usize,
}

/// Where errors have their message and type, and which of them are refusals by moderation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct Errors {
    pub(super) message: Vec<String>,
    #[serde(rename = "type")]
    pub(super) types: Vec<String>,
    pub(super) moderation: Vec<String>,
}

/// The settings of a family: `[families.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FamilyTable {
    model: Option<Toml>,
    input: Toml,
    outputs: Option<Vec<String>>,
    #[serde(default)]
    voices: BTreeMap<String, String>,
}

/// A path with its query.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) path: Template,
    pub(super) query: Template,
}

/// How a job is created.
#[derive(Debug)]
pub(super) struct Create {
    pub(super) target: Target,
    pub(super) headers: Vec<(HeaderName, Template)>,
    pub(super) body: Template,
    pub(super) form: Form,
    pub(super) idempotency_header: Option<HeaderName>,
    /// Where the response has the job; without a job, the response is the result.
    pub(super) job: Option<String>,
    /// Whether the job's id is the key of the call.
    pub(super) own_job: bool,
}

/// How the state of a job is read.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) target: Target,
    pub(super) state: String,
    pub(super) waiting: Vec<String>,
    pub(super) running: Vec<String>,
    pub(super) done: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) progress: Option<String>,
}

/// How media are uploaded.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) target: Target,
    pub(super) field: String,
    pub(super) value: Template,
    pub(super) over_bytes: usize,
}

/// A provider as it serves one family.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) name: String,
    pub(super) base_url: String,
    pub(super) key: Option<Secret>,
    pub(super) key_header: HeaderName,
    pub(super) key_prefix: String,
    pub(super) media: MediaForm,
    pub(super) timeout: Duration,
    pub(super) poll: Duration,
    /// Whether the provider notifies the service of the end of jobs.
    pub(super) notifications: bool,
    pub(super) check: Option<String>,
    pub(super) create: Create,
    pub(super) status: Option<Status>,
    pub(super) result: Option<Target>,
    /// Where the result has its outputs; without any, the body is the output.
    pub(super) outputs: Vec<String>,
    /// Where the result has whether each output is unsafe, if a filter of the provider has run.
    pub(super) nsfw: Option<String>,
    /// The file that an output names; without it, outputs are URLs or base64.
    pub(super) file: Option<Target>,
    pub(super) cancel: Option<(Method, Target)>,
    pub(super) upload: Option<Upload>,
    pub(super) errors: Errors,
    pub(super) model: Template,
    pub(super) input: Template,
    pub(super) voices: BTreeMap<String, String>,
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
        let engine = format!("engines.{}", attachment.name);
        let table: EngineTable = attachment.engine_with(with_preset)?;
        let place = format!("families.{}", attachment.family.name);
        let family: FamilyTable = attachment.mapping()?;
        let at = Place { engine: &engine };
        crate::config::base_url(&table.base_url)
            .map_err(|expected| at.invalid("base-url", expected.to_owned()))?;
        if !(0.01..=3600.0).contains(&table.poll_seconds) {
            return Err(at.invalid("poll-seconds", "from 0.01 to 3600".to_owned()));
        }
        if table.create.job.is_some() != table.status.is_some() {
            let expected = "present with `create.job`, and absent without it".to_owned();
            return Err(at.invalid("status", expected));
        }
        // Voices come from `voices` alone, because some providers read a voice as a path.
        let fields = schema::fields(attachment.family).into_keys().filter(|field| field != VOICE).collect();
        let variables = Variables {
            has_voices: !family.voices.is_empty(),
            ..Variables::of(attachment.family, OF_FAMILY, fields)
        };
        let of_model = Variables { names: OF_MODEL, ..variables.clone() };
        let input = Template::new(&format!("{place}.input"), &family.input, &variables)?;
        let none = Toml::String(String::new());
        let literal = family.model.as_ref().and_then(Toml::as_str).filter(|model| !model.contains("{{"));
        let name = match literal {
            Some(model) => format!("{}/{model}", attachment.name),
            None => attachment.name.to_owned(),
        };
        let model =
            Template::new(&format!("{place}.model"), family.model.as_ref().unwrap_or(&none), &of_model)?;
        let mut reads: BTreeSet<String> = input.fields().into_iter().chain(model.fields()).collect();
        if !family.voices.is_empty() {
            reads.insert(VOICE.to_owned());
        }
        let key = table.key.as_ref();
        let key = key.map(|key| key.read(&format!("{engine}.key"), attachment.environment));
        if HeaderValue::from_str(&table.key_prefix).is_err() {
            return Err(at.invalid("key-prefix", "the beginning of a header's value".to_owned()));
        }
        let result = table.result;
        at.pointers("result.outputs", &result.outputs)?;
        at.pointer("result.nsfw", result.nsfw.as_ref())?;
        at.pointers("errors.message", &table.errors.message)?;
        at.pointers("errors.type", &table.errors.types)?;
        let own = family.outputs.iter().flatten().enumerate();
        for (index, pointer) in own {
            pointer_at(format!("{place}.outputs[{index}]"), pointer)?;
        }
        Ok(Self {
            name,
            base_url: table.base_url.trim_end_matches('/').to_owned(),
            key: key.transpose()?,
            key_header: at.header("key-header", &table.key_header)?,
            key_prefix: table.key_prefix,
            media: table.media,
            timeout: attachment.timeout(table.timeout_seconds)?,
            poll: Duration::from_secs_f64(table.poll_seconds),
            notifications: table.notifications,
            check: table.check,
            create: at.create(table.create)?,
            status: table.status.map(|status| at.status(status)).transpose()?,
            result: result.path.map(|path| at.target("result", &path, &Table::new())).transpose()?,
            outputs: family.outputs.unwrap_or(result.outputs),
            nsfw: result.nsfw,
            file: result.file.map(|file| at.target("result.file", &file.path, &file.query)).transpose()?,
            cancel: table.cancel.map(|cancel| at.cancel(&cancel)).transpose()?,
            upload: table.upload.map(|upload| at.upload(upload)).transpose()?,
            errors: table.errors,
            model,
            input,
            voices: family.voices,
            reads,
        })
    }

    /// Returns the provider's voice for the one of the request.
    pub(super) fn voice(&self, request: Request<'_>) -> Option<&str> {
        self.voices.get(request.text(VOICE)?).map(String::as_str)
    }

    /// Returns why the voice can't be used.
    pub(super) fn refuse_voice(&self, request: Request<'_>) -> Option<Refusal> {
        let voice = request.text(VOICE).filter(|_| !self.voices.is_empty())?;
        let names = || self.voices.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        (!self.voices.contains_key(voice)).then(|| Refusal::new(VOICE, format!("must be one of {}", names())))
    }
}

/// Checks a JSON pointer.
fn pointer_at(setting: String, pointer: &str) -> Result<(), InvalidSetting> {
    let is_escape = |rest: &str| rest.starts_with(['0', '1']);
    let is_pointer = pointer.is_empty() || pointer.starts_with('/');
    if is_pointer && pointer.split('~').skip(1).all(is_escape) {
        return Ok(());
    }
    Err(InvalidSetting::must_be(setting, "a JSON pointer such as `/data/*/url`"))
}

/// The place of an engine's settings.
struct Place<'a> {
    engine: &'a str,
}

impl Place<'_> {
    fn invalid(&self, setting: &str, expected: String) -> InvalidSetting {
        InvalidSetting::must_be(format!("{}.{setting}", self.engine), expected)
    }

    fn template(&self, setting: &str, value: &Toml) -> Result<Template, InvalidSetting> {
        let variables = Variables { names: OF_ENGINE, ..Variables::default() };
        Template::new(&format!("{}.{setting}", self.engine), value, &variables)
    }

    fn target(&self, table: &str, path: &Toml, query: &Table) -> Result<Target, InvalidSetting> {
        let path = self.template(&format!("{table}.path"), path)?;
        let query = self.template(&format!("{table}.query"), &Toml::Table(query.clone()))?;
        Ok(Target { path, query })
    }

    fn pointer(&self, setting: &str, pointer: Option<&String>) -> Result<(), InvalidSetting> {
        pointer.map_or(Ok(()), |pointer| pointer_at(format!("{}.{setting}", self.engine), pointer))
    }

    fn pointers(&self, setting: &str, pointers: &[String]) -> Result<(), InvalidSetting> {
        let mut all = pointers.iter().enumerate();
        all.try_for_each(|(index, pointer)| self.pointer(&format!("{setting}[{index}]"), Some(pointer)))
    }

    fn header(&self, setting: &str, name: &str) -> Result<HeaderName, InvalidSetting> {
        name.parse().map_err(|_| self.invalid(setting, "the name of a header".to_owned()))
    }

    fn create(&self, table: CreateTable) -> Result<Create, InvalidSetting> {
        let header = |(name, value): (&String, &Toml)| {
            let setting = format!("create.headers.{name}");
            Ok((self.header(&setting, name)?, self.template(&setting, value)?))
        };
        let idempotency = table.idempotency_header.as_ref();
        self.pointer("create.job", table.job.as_ref())?;
        Ok(Create {
            target: self.target("create", &table.path, &table.query)?,
            headers: table.headers.iter().map(header).collect::<Result<_, InvalidSetting>>()?,
            body: self.template("create.body", &table.body)?,
            form: table.form,
            idempotency_header: idempotency
                .map(|name| self.header("create.idempotency-header", name))
                .transpose()?,
            job: table.job,
            own_job: table.own_job,
        })
    }

    fn status(&self, table: StatusTable) -> Result<Status, InvalidSetting> {
        let target = self.target("status", &table.path, &table.query)?;
        self.pointer("status.state", Some(&table.state))?;
        self.pointer("status.progress", table.progress.as_ref())?;
        let StatusTable { state, waiting, running, done, failed, progress, .. } = table;
        Ok(Status { target, state, waiting, running, done, failed, progress })
    }

    fn cancel(&self, table: &CancelTable) -> Result<(Method, Target), InvalidSetting> {
        let method = match table.method.as_str() {
            "POST" => Method::POST,
            "PUT" => Method::PUT,
            "DELETE" => Method::DELETE,
            _ => return Err(self.invalid("cancel.method", "`POST`, `PUT` or `DELETE`".to_owned())),
        };
        Ok((method, self.target("cancel", &table.path, &Table::new())?))
    }

    fn upload(&self, table: UploadTable) -> Result<Upload, InvalidSetting> {
        if table.field.is_empty() || !table.field.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
        {
            return Err(self.invalid("upload.field", "the name of a field".to_owned()));
        }
        Ok(Upload {
            target: self.target("upload", &table.path, &Table::new())?,
            field: table.field,
            value: self.template("upload.value", &table.value)?,
            over_bytes: table.over_bytes,
        })
    }
}
