//! Attaches a server that speaks OpenAI's API to a family.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use asset_engines::{Output, Refusal};
use async_trait::async_trait;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::mask;
use super::{Chat, Edit, Extra, Fetch, Field, Format, Image, MOST_CHARACTERS, Server, Speech};
use crate::config::InvalidSetting;
use crate::engine::call::Earlier;
use crate::engine::context::Context;
use crate::engine::family::{self, Family};
use crate::engine::result::apart;
use crate::engine::secret::SecretSource;
use crate::engine::settings::{Attachment, Environment};
use crate::engine::template::{Template, Variables};
use crate::engine::{Engine, Failure, GivenMedium, Medium, Probe, Request, media_fields, schema};
use crate::media::format::Kind;
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
struct FamilyTable {
    /// The server's model.
    model: String,
    /// The server's voices, by the API's. Default: the same names.
    #[serde(default)]
    voices: BTreeMap<String, String>,
    /// The format of speech to ask for. Default: `wav`.
    #[serde(default)]
    format: SpeechFormat,
    /// The most characters of one request for speech. Default: 4096.
    most_characters: Option<usize>,
    /// The instructions to a language model.
    instructions: Option<String>,
    /// The size of pictures: `1024x1024`.
    size: Option<toml::Value>,
    /// The quality of pictures, in the model's words.
    quality: Option<toml::Value>,
    /// Whether pictures to edit are sent as `image[]`. Default: only several pictures are.
    #[serde(default)]
    image_array: bool,
    /// Further fields of the request.
    #[serde(default)]
    extra: toml::Table,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SpeechFormat {
    #[default]
    Wav,
    Mp3,
}

/// What the server does for a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Speech,
    Prompt,
    Describe,
    Image,
    Edit,
}

/// A server as it serves one family.
pub(crate) struct OpenAi {
    name: String,
    server: Server,
    work: Work,
    settings: FamilyTable,
    size: Option<Template>,
    quality: Option<Template>,
    extra: Template,
    /// The fields of the request that have an effect.
    reads: BTreeSet<String>,
}

/// The default instructions for improve-prompt.
const IMPROVE: &str = "You improve prompts for models that make pictures and videos. Rewrite the user's prompt as one \
                       vivid, detailed prompt. Keep its subjects, its style and its language. Reply with the prompt alone.";

/// The default instructions for image-to-prompt.
const DESCRIBE: &str = "You write prompts for models that make pictures. Describe the picture as one detailed prompt: \
                        subjects, composition, light, colours and style. Reply with the prompt alone.";

/// The variables of templates.
const NAMES: &[&str] = &["request", "seed"];

/// The largest picture that is downloaded from a server, in bytes.
const LARGEST_PICTURE: usize = 64 * 1024 * 1024;

/// How many models of a server a check names.
const SHOWN_MODELS: usize = 5;

/// Fields that the engine sets itself.
const SET: &[&str] =
    &["model", "prompt", "messages", "input", "voice", "speed", "n", "image", "images", "mask"];

/// What stable-diffusion.cpp reads as settings wherever it stands in a prompt.
const CONTROL: &str = "<sd_cpp_extra_args>";

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
    let variables =
        Variables::of(attachment.family, NAMES, schema::fields(attachment.family).into_keys().collect());
    let template = |setting: &str, value: &toml::Value| Template::new(&of_family(setting), value, &variables);
    let size = settings.size.as_ref().map(|size| template("size", size)).transpose()?;
    let quality = settings.quality.as_ref().map(|quality| template("quality", quality)).transpose()?;
    if let Some(set) = settings.extra.keys().find(|name| SET.contains(&name.as_str())) {
        let expected = "absent: the engine sets this field itself".to_owned();
        return Err(InvalidSetting::must_be(of_family(&format!("extra.{set}")), expected));
    }
    let extra = template("extra", &toml::Value::Table(settings.extra.clone()))?;
    let mut reads: BTreeSet<String> =
        size.iter().chain(&quality).chain([&extra]).flat_map(Template::fields).collect();
    reads.extend(work.fields().iter().map(|field| (*field).to_owned()));
    if matches!(work, Work::Edit | Work::Describe) {
        reads.extend(media_fields::names(attachment.family));
    }
    let key = engine.key.as_ref();
    let key = key.map(|key| key.read(&of_engine("key"), attachment.environment)).transpose()?;
    let invalid = |expected: String| InvalidSetting::must_be(of_engine("base-url"), expected);
    crate::config::base_url(&engine.base_url).map_err(|expected| invalid(expected.to_owned()))?;
    let base = Url::parse(&engine.base_url).map_err(|error| invalid(format!("a URL ({error})")))?;
    let fetch = fetch(&base, attachment.environment)
        .map_err(|why| invalid(format!("the URL of a server that can be reached ({why})")))?;
    let server = Server::new(&engine.base_url, key, fetch)
        .map_err(|error| invalid(format!("a URL that can be used ({error})")))?;
    let name = format!("{}/{}", attachment.name, settings.model);
    for create in attachment.examples() {
        let variables = json!({"request": create.example, "seed": 1});
        for (setting, template) in
            [("size", size.as_ref()), ("quality", quality.as_ref()), ("extra", Some(&extra))]
        {
            let rendered = template.map(|template| template.render(&variables)).transpose();
            rendered.map_err(|error| create.unfit(of_family(setting), &error))?;
        }
    }
    Ok(OpenAi { name, server, work, settings, size, quality, extra, reads })
}

/// Returns whether the API can serve a family.
pub(crate) fn serves(family: &Family) -> bool {
    work_of(family).is_some()
}

/// Returns what the API can do for a family.
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

/// Returns what downloads pictures: those of the engine's own origin from anywhere, others within the policy.
fn fetch(base: &Url, environment: &Environment) -> Result<Fetch, String> {
    let policy = Policy { allow_private_networks: true, allow_subnets: Vec::new() };
    let own = Guard::new(policy).map_err(|error| error.to_string())?;
    let own = Fetcher::new(own).map_err(|error| error.to_string())?.within(base.origin());
    let (origin, others) = (base.origin(), environment.fetcher.clone());
    Ok(Arc::new(move |url: String| {
        let is_own = Url::parse(&url).is_ok_and(|url| url.origin() == origin);
        let (own, others) = (own.clone(), others.clone());
        let limits = Limits { bytes: LARGEST_PICTURE, deadline: std::time::Duration::from_secs(60) };
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

#[async_trait]
impl Engine for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn refuse(&self, request: Request<'_>, _media: &[GivenMedium<'_>]) -> Vec<Refusal> {
        let voices = &self.settings.voices;
        let voice = request.text("voice_id").filter(|_| self.work == Work::Speech && !voices.is_empty());
        let unknown = voice.filter(|voice| !voices.contains_key(*voice));
        let names = || voices.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let control = request.text("prompt").filter(|prompt| prompt.to_lowercase().contains(CONTROL));
        let control = control.map(|_| Refusal::new("prompt", format!("must not contain `{CONTROL}`")));
        let unknown = unknown.map(|_| Refusal::new("voice_id", format!("must be one of {}", names())));
        unknown.into_iter().chain(control).collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        request.unread(&self.reads)
    }

    fn voices(&self) -> Vec<&str> {
        self.settings.voices.keys().map(String::as_str).collect()
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(10);
        let calls = crate::engine::call::Calls::unrecorded(&self.name);
        let context = Context::new(0, deadline, calls, Arc::new(()));
        let models = self.server.models(&context).await?;
        let model = &self.settings.model;
        if models.contains(model) {
            return Ok(Probe::Works(format!("has the model `{model}`")));
        }
        let some: Vec<String> = models.iter().take(SHOWN_MODELS).map(|model| format!("`{model}`")).collect();
        let advice = match models.len() {
            0 => "it lists none".to_owned(),
            count => format!("set `model` to one of its {count}: {}", some.join(", ")),
        };
        Ok(Probe::Doubtful(format!(
            "the server does not list the model `{model}`; {advice}; or leave it, if the server ignores the name, as llama.cpp does"
        )))
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        match context.calls.earlier() {
            Earlier::Nothing => drop(context.calls.begin().await?),
            // The API takes no key that would tell a repeated request.
            _ => return Err(Failure::Uncertain("an earlier attempt ended during its call".to_owned())),
        }
        let result = self.call(request, media, context).await;
        let is_unknown = |failure: &Failure| {
            matches!(failure, Failure::Uncertain(_) | Failure::Timeout(_) | Failure::Cancelled)
        };
        if result.as_ref().is_err_and(|failure| !is_unknown(failure)) {
            context.calls.clear().await?;
        }
        result
    }
}

impl OpenAi {
    async fn call(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let variables =
            json!({"request": request.input.map(|input| &input.body), "seed": context.seed & 0x7fff_ffff});
        let extra = self.extra(&variables)?;
        match self.work {
            Work::Speech => self.speech(request, &extra, context).await.map(|output| vec![output]),
            Work::Prompt => {
                let language = request.text("language").unwrap_or("that of the prompt");
                let instructions = self.settings.instructions.as_deref().unwrap_or(IMPROVE);
                let kind = request.text("type").unwrap_or("image");
                let instructions = format!("{instructions} The prompt is for: {kind}. Language: {language}.");
                let text =
                    request.text("prompt").filter(|prompt| !prompt.is_empty()).unwrap_or("Surprise me.");
                self.chat(&instructions, text, None, &extra, context).await
            }
            Work::Describe => {
                let instructions = self.settings.instructions.as_deref().unwrap_or(DESCRIBE);
                let picture = media.first().map(|medium| medium.bytes.as_ref());
                self.chat(instructions, "Describe this picture.", picture, &extra, context).await
            }
            Work::Image | Work::Edit => {
                let size = text(self.size.as_ref(), &variables)?;
                let quality = text(self.quality.as_ref(), &variables)?;
                let count = request.field("num_images").and_then(Value::as_u64).unwrap_or(1);
                let image = Image {
                    model: &self.settings.model,
                    prompt: request.text("prompt").unwrap_or_default(),
                    size: size.as_deref(),
                    quality: quality.as_deref(),
                    count: u32::try_from(count).unwrap_or(1),
                    extra: &extra,
                };
                match apart(move || edited(media)).await? {
                    Some(Edited { pictures: from, mask }) if self.work == Work::Edit => {
                        let field = if self.settings.image_array { Field::Images } else { Field::Image };
                        self.server.edit_image(Edit { image, from, mask, field }, context).await
                    }
                    _ => self.server.image(image, context).await,
                }
            }
        }
    }

    async fn speech(
        &self,
        request: Request<'_>,
        extra: &Extra,
        context: &Context,
    ) -> Result<Output, Failure> {
        let voice = request.text("voice_id").unwrap_or_default();
        let speech = Speech {
            model: &self.settings.model,
            voice: self.settings.voices.get(voice).map_or(voice, String::as_str),
            text: request.text("text").unwrap_or_default(),
            speed: request.field("speed").and_then(Value::as_f64),
            format: match self.settings.format {
                SpeechFormat::Wav => Format::Wav,
                SpeechFormat::Mp3 => Format::Mp3,
            },
            most_characters: self.settings.most_characters.unwrap_or(MOST_CHARACTERS),
            extra,
        };
        self.server.speech(speech, context).await
    }

    async fn chat(
        &self,
        instructions: &str,
        text: &str,
        picture: Option<&[u8]>,
        extra: &Extra,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let model = &self.settings.model;
        let reply = self.server.chat(Chat { model, instructions, text, picture, extra }, context).await?;
        Ok(vec![Output::Text(reply.text)])
    }

    /// Returns the further fields of the request.
    fn extra(&self, variables: &Value) -> Result<Extra, Failure> {
        let rendered = self.extra.render(variables).map_err(|error| Failure::Internal(error.to_string()))?;
        serde_json::from_value(rendered.unwrap_or_else(|| json!({})))
            .map_err(|error| Failure::Internal(format!("the further fields of the request: {error}")))
    }
}

/// The pictures of a request to edit.
struct Edited {
    pictures: Vec<Bytes>,
    /// Transparent where the pictures may change.
    mask: Option<Bytes>,
}

/// Returns the pictures to edit and the mask, if there are pictures.
fn edited(media: Vec<Medium>) -> Result<Option<Edited>, Failure> {
    let (masks, pictures): (Vec<_>, Vec<_>) = media.into_iter().partition(|medium| medium.name == "mask");
    let pictures: Vec<Bytes> =
        pictures.into_iter().filter(|medium| medium.kind == Kind::Image).map(|medium| medium.bytes).collect();
    if pictures.is_empty() {
        return Ok(None);
    }
    let mask = masks.first().map(|mask| mask::transparent(&mask.bytes)).transpose()?;
    Ok(Some(Edited { pictures, mask }))
}

fn text(template: Option<&Template>, variables: &Value) -> Result<Option<String>, Failure> {
    let rendered = template.map(|template| template.render(variables)).transpose();
    match rendered.map_err(|error| Failure::Internal(error.to_string()))?.flatten() {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(value) => Ok(Some(value.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::fetch::FetchError;
    use crate::net::guard::Policy;
    use crate::net::resolve::Guard;
    use crate::net::testing::{Say, ScriptedResolver, Server as Fake};

    /// Returns the body of the request that settings of a family make of a request, and what became of it.
    async fn sent(family: &'static Family, mapping: &str, body: Value) -> Vec<Value> {
        let fake = Fake::start(|_| Say::answer("418 No", "content-type: application/json\r\n", "{}")).await;
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

    #[tokio::test]
    async fn settings_make_the_request() {
        let pictures = "model = 'sd'\nsize = \"{{ {'square_1_1': '512x512'}[request.aspect_ratio] }}\"\nquality = 'hd'\n\
                        extra = { seed = '{{ seed }}', none = '{{ request.seed }}' }";
        let body = json!({"prompt": "a fox", "aspect_ratio": "square_1_1"});
        let made = sent(&family::FAST_IMAGE, pictures, body).await.remove(0);
        let expected =
            json!({"model": "sd", "prompt": "a fox", "size": "512x512", "quality": "hd", "n": 1, "seed": 7});
        assert_eq!(made, expected);

        let speech =
            "model = 'kokoro'\nformat = 'mp3'\nmost-characters = 8\nvoices = { narrator = 'af_sky' }";
        let body = json!({"text": "One two. Three four.", "voice_id": "narrator", "speed": 1.5});
        let made = sent(&family::VOICEOVER, speech, body).await.remove(0);
        let expected = json!({"model": "kokoro", "input": "One two.", "voice": "af_sky", "response_format": "mp3", "speed": 1.5});
        assert_eq!(made, expected);

        let chat = "model = 'smol'\ninstructions = 'Be brief.'";
        let body = json!({"prompt": "a fox", "type": "image", "language": "de"});
        let made = sent(&family::IMPROVE_PROMPT, chat, body).await.remove(0);
        let instructions = made["messages"][0]["content"].as_str().unwrap();
        assert_eq!(instructions, "Be brief. The prompt is for: image. Language: de.");
    }

    #[tokio::test]
    async fn a_redirect_of_the_server_leads_nowhere_within_the_network() {
        let inner = Fake::start(|_| Say::answer("200 OK", "", "secret")).await;
        let to = inner.url("/secret");
        let own = Fake::start(move |request| match request.starts_with("GET /own ") {
            true => Say::answer("200 OK", "", "a picture"),
            false => Say::redirect(if request.starts_with("GET /to-own ") { "/own" } else { &to }),
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
