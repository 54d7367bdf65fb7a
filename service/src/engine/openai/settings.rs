//! The settings of the kind `openai`: a server, and its API for a family.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{Fetch, Format, Server};
use crate::config::{InvalidSetting, at_least, base_url};
use crate::engine::environment::Environment;
use crate::engine::family::{self, Family};
use crate::engine::secret::SecretSource;
use crate::engine::settings::{Attachment, Voices};
use crate::engine::template::{Template, Variables};
use crate::engine::{media_fields, schema};
use crate::net::fetch::{FetchError, Fetcher, Limits};
use crate::net::guard::Policy;
use crate::net::resolve::Guard;

/// The settings of the engine: `[engines.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EngineTable {
    /// The URL that all paths continue: `http://127.0.0.1:8000/v1`.
    base_url: String,
    /// The key of the server.
    key: Option<SecretSource>,
}

/// The settings of a family: `[families.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FamilyTable {
    /// The server's model.
    pub(super) model: String,
    /// The server's voices, keyed by the API's. Default: the same names.
    #[serde(default)]
    pub(super) voices: Voices,
    /// The format of speech to request. Default: `wav`.
    #[serde(default)]
    pub(super) format: Format,
    /// The maximum number of characters of one request for speech. Default: 4096.
    pub(super) most_characters: Option<usize>,
    /// The instructions to a language model.
    pub(super) instructions: Option<String>,
    /// The size of pictures: `1024x1024`.
    pub(super) size: Option<Template>,
    /// The quality of pictures, in the model's words.
    pub(super) quality: Option<Template>,
    /// Whether pictures to edit are sent as `image[]`. Default: only several pictures are.
    #[serde(default)]
    pub(super) image_array: bool,
    /// Further fields of the request.
    #[serde(default)]
    pub(super) extra: BTreeMap<String, Template>,
}

/// The API of the server that serves a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Speech,
    Prompt,
    Describe,
    Image,
    Edit,
}

/// A server that is attached to one family.
pub(crate) struct OpenAi {
    pub(super) name: String,
    pub(super) server: Server,
    pub(super) work: Work,
    pub(super) settings: FamilyTable,
    /// The fields of the request that have an effect.
    pub(super) reads: BTreeSet<String>,
}

/// The variables of templates.
const NAMES: &[&str] = &["request", "seed"];

/// The largest picture that is downloaded from a server, in bytes.
const MAX_PICTURE_BYTES: usize = 64 * 1024 * 1024;

/// Fields that the engine sets itself.
const SET: &[&str] =
    &["model", "prompt", "messages", "input", "voice", "speed", "n", "image", "images", "mask"];

/// Settings of a family that only some of the server's APIs use.
const OF_WORK: &[(&str, &[Work])] = &[
    ("voices", &[Work::Speech]),
    ("format", &[Work::Speech]),
    ("most-characters", &[Work::Speech]),
    ("instructions", &[Work::Prompt, Work::Describe]),
    ("size", &[Work::Image, Work::Edit]),
    ("quality", &[Work::Image, Work::Edit]),
    ("image-array", &[Work::Edit]),
];

/// Attaches a server to a family.
///
/// # Errors
/// A setting is invalid, or the kind can't serve the family.
pub(crate) fn attach(attachment: &Attachment<'_>) -> Result<OpenAi, InvalidSetting> {
    let engine: EngineTable = attachment.engine()?;
    let settings: FamilyTable = attachment.mapping()?;
    let of_engine = |setting: &str| format!("engines.{}.{setting}", attachment.name);
    let of_family = |setting: &str| format!("families.{}.{setting}", attachment.family.name);
    let work = work_of(attachment.family).ok_or_else(|| {
        InvalidSetting::must_be(
            of_family("engine"),
            "an engine of another kind: `openai` serves speech, prompts, and pictures from prompts",
        )
    })?;
    let is_ignored = |(name, works): &&(&str, &[Work])| {
        attachment.settings.mapping.contains_key(*name) && !works.contains(&work)
    };
    if let Some((name, _)) = OF_WORK.iter().find(is_ignored) {
        let expected = "absent: requests of this family have nothing that it applies to";
        return Err(InvalidSetting::must_be(of_family(name), expected));
    }
    at_least(&of_family("most-characters"), settings.most_characters.map(|most| most as u64), 1)?;
    let variables =
        Variables::of(attachment.family, NAMES, schema::fields(attachment.family).into_keys().collect());
    if let Some(set) = settings.extra.keys().find(|name| SET.contains(&name.as_str())) {
        let expected = "absent: the engine sets this field itself";
        return Err(InvalidSetting::must_be(of_family(&format!("extra.{set}")), expected));
    }
    settings
        .templates()
        .try_for_each(|(setting, template)| template.check(&of_family(&setting), &variables))?;
    let mut reads: BTreeSet<String> =
        settings.templates().flat_map(|(_, template)| template.fields()).collect();
    reads.extend(work.fields().iter().map(|field| (*field).to_owned()));
    if matches!(work, Work::Edit | Work::Describe) {
        reads.extend(media_fields::names(attachment.family));
    }
    let key = engine.key.as_ref();
    let key = key.map(|key| key.read(&of_engine("key"), attachment.environment)).transpose()?;
    let invalid = |expected: String| InvalidSetting::must_be(of_engine("base-url"), expected);
    let base = base_url(&engine.base_url).map_err(|expected| invalid(expected.to_owned()))?;
    let fetch = fetch(&base, attachment.environment)
        .map_err(|why| invalid(format!("the URL of a server that can be reached ({why})")))?;
    let server = Server::new(base, key, fetch)
        .map_err(|error| invalid(format!("a URL that can be used ({error})")))?;
    let name = format!("{}/{}", attachment.name, settings.model);
    for create in attachment.examples() {
        let variables = json!({"request": create.example, "seed": 1});
        for (setting, template) in settings.templates() {
            // All further fields are one setting for the operator.
            let setting = setting.split('.').next().unwrap_or_default();
            template.render(&variables).map_err(|error| create.unfit(of_family(setting), &error))?;
        }
    }
    Ok(OpenAi { name, server, work, settings, reads })
}

impl FamilyTable {
    /// Returns all templates, with the names of their settings.
    fn templates(&self) -> impl Iterator<Item = (String, &Template)> {
        let size = self.size.iter().map(|size| ("size".to_owned(), size));
        let quality = self.quality.iter().map(|quality| ("quality".to_owned(), quality));
        let extra = self.extra.iter().map(|(name, field)| (format!("extra.{name}"), field));
        size.chain(quality).chain(extra)
    }
}

/// Returns whether the API can serve a family.
pub(crate) fn serves(family: &Family) -> bool {
    work_of(family).is_some()
}

/// Returns the API that can serve a family.
fn work_of(family: &Family) -> Option<Work> {
    let of = |families: &[&Family]| families.iter().any(|one| one.name == family.name);
    Some(match () {
        () if of(&[&family::VOICEOVER]) => Work::Speech,
        () if of(&[&family::IMPROVE_PROMPT]) => Work::Prompt,
        () if of(&[&family::IMAGE_TO_PROMPT]) => Work::Describe,
        () if of(&[
            &family::IMAGE_EDIT,
            &family::IMAGE_PREVIEW,
            &family::TEXT_TO_IMAGE,
            &family::KONTEXT_PRO,
        ]) =>
        {
            Work::Edit
        }
        () if of(&[&family::IMAGEGEN, &family::FAST_IMAGE, &family::ULTRA_IMAGE]) => Work::Image,
        () => return None,
    })
}

impl Work {
    /// Returns the fields of the request that the work itself reads.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Speech => &["text", "voice_id", "speed"],
            Self::Prompt => &["prompt", "type", "language"],
            Self::Describe => &[],
            Self::Image => &["prompt", "num_images"],
            Self::Edit => &["prompt"],
        }
    }
}

/// Returns the downloader of pictures: from the engine's own origin always, from others within the policy.
fn fetch(base: &Url, environment: &Environment) -> Result<Fetch, String> {
    let policy = Policy { allow_private_networks: true, ..Policy::default() };
    let own = Guard::new(policy).map_err(|error| error.to_string())?;
    let own = Fetcher::new(own).map_err(|error| error.to_string())?.within(base.origin());
    let (origin, others) = (base.origin(), environment.fetcher.clone());
    Ok(Arc::new(move |url: String| {
        let is_own = Url::parse(&url).is_ok_and(|url| url.origin() == origin);
        let (own, others) = (own.clone(), others.clone());
        let limits = Limits { bytes: MAX_PICTURE_BYTES, deadline: std::time::Duration::from_secs(60) };
        Box::pin(async move {
            if !is_own {
                return others.fetch(&url, limits).await;
            }
            match own.fetch(&url, limits).await {
                Err(FetchError::Elsewhere(url)) => others.fetch(url.as_str(), limits).await,
                fetched => fetched,
            }
        })
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::engine::context::Context;
    use crate::engine::{Engine as _, Request};
    use crate::net::fetch::FetchError;
    use crate::net::guard::Policy;
    use crate::net::resolve::Guard;
    use crate::net::testing::{Reaction, ScriptedResolver, Server as Fake};

    /// Returns the body of the request that the settings of a family build from a request, and its outcome.
    async fn sent(family: &'static Family, mapping: &str, body: Value) -> Vec<Value> {
        let fake =
            Fake::start(|_| Reaction::response("418 No", "content-type: application/json\r\n", "{}")).await;
        let engine = format!("kind = 'openai'\nbase-url = '{}'", fake.url("/v1"));
        let engine = toml::from_str(&engine).unwrap();
        let settings = toml::from_str(mapping).unwrap();
        let environment = Environment::on_this_machine();
        let attachment =
            Attachment { name: "o", engine: &engine, family, settings: &settings, environment: &environment };
        let attached = attach(&attachment).unwrap();
        let input = crate::engine::Input { operation: String::new(), model: None, body };
        let request = Request { family, input: Some(&input), work: None };
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(10);
        let context = Context::new(7, deadline, crate::engine::call::Calls::unrecorded("o"), Arc::new(()));
        attached.run(request, Vec::new(), &context).await.unwrap_err();
        let bodies = fake.requests();
        let bodies = bodies.iter().map(|request| request.split_once("\r\n\r\n").unwrap().1);
        bodies.map(|body| serde_json::from_str(body).unwrap()).collect()
    }

    #[test]
    fn settings_without_effect_are_refused() {
        for (family, setting, is_refused) in [
            (&family::VOICEOVER, "size = '1024x1024'", true),
            (&family::VOICEOVER, "instructions = 'Be brief.'", true),
            (&family::IMPROVE_PROMPT, "voices = { narrator = 'af_sky' }", true),
            (&family::FAST_IMAGE, "image-array = true", true),
            (&family::FAST_IMAGE, "quality = 'hd'", false),
            (&family::IMAGE_EDIT, "image-array = true", false),
        ] {
            let engine = toml::from_str("kind = 'openai'\nbase-url = 'http://127.0.0.1:1/v1'").unwrap();
            let settings = toml::from_str(&format!("model = 'm'\n{setting}")).unwrap();
            let environment = Environment::on_this_machine();
            let attachment = Attachment {
                name: "o",
                engine: &engine,
                family,
                settings: &settings,
                environment: &environment,
            };
            assert_eq!(attach(&attachment).is_err(), is_refused, "{setting}");
        }
    }

    #[tokio::test]
    async fn settings_make_the_request() {
        let pictures = "model = 'sd'\nsize = \"{{ {'square_1_1': '512x512'}[request.aspect_ratio] }}\"\nquality = 'hd'\n\
                        extra = { seed = '{{ seed }}', none = '{{ request.seed }}' }";
        let body = json!({"prompt": "a fox", "aspect_ratio": "square_1_1"});
        let body_sent = sent(&family::FAST_IMAGE, pictures, body).await.remove(0);
        let expected =
            json!({"model": "sd", "prompt": "a fox", "size": "512x512", "quality": "hd", "n": 1, "seed": 7});
        assert_eq!(body_sent, expected);

        let speech =
            "model = 'kokoro'\nformat = 'mp3'\nmost-characters = 8\nvoices = { narrator = 'af_sky' }";
        let body = json!({"text": "One two. Three four.", "voice_id": "narrator", "speed": 1.5});
        let body_sent = sent(&family::VOICEOVER, speech, body).await.remove(0);
        let expected = json!({"model": "kokoro", "input": "One two.", "voice": "af_sky", "response_format": "mp3", "speed": 1.5});
        assert_eq!(body_sent, expected);

        let chat = "model = 'smol'\ninstructions = 'Be brief.'";
        let body = json!({"prompt": "a fox", "type": "image", "language": "de"});
        let body_sent = sent(&family::IMPROVE_PROMPT, chat, body).await.remove(0);
        let instructions = body_sent["messages"][0]["content"].as_str().unwrap();
        assert_eq!(instructions, "Be brief. The prompt is for: image. Language: de.");
    }

    #[tokio::test]
    async fn a_redirect_of_the_server_leads_nowhere_within_the_network() {
        let inner = Fake::start(|_| Reaction::response("200 OK", "", "secret")).await;
        let to = inner.url("/secret");
        let own = Fake::start(move |request| match request.starts_with("GET /own ") {
            true => Reaction::response("200 OK", "", "a picture"),
            false => Reaction::redirect(if request.starts_with("GET /to-own ") { "/own" } else { &to }),
        })
        .await;
        let guard = Guard::with_resolver(Policy::default(), Arc::new(ScriptedResolver::new(&[])));
        let environment =
            Environment { fetcher: Fetcher::new(guard).unwrap(), ..Environment::on_this_machine() };
        let fetch = fetch(&Url::parse(&own.url("/v1")).unwrap(), &environment).unwrap();
        assert_eq!(fetch(own.url("/to-own")).await.unwrap(), "a picture");
        let refused = fetch(own.url("/away")).await.unwrap_err();
        assert!(matches!(refused, FetchError::Url(_)), "{refused:?}");
        assert_eq!(inner.connections(), 0);
    }
}
