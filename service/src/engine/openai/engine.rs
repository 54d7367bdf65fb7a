//! The engine of the kind `openai`: serves the requests of a family by calls of a server.

use std::sync::Arc;

use asset_engines::picture::Info;
use asset_engines::{Output, Refusal};
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};
use uuid::Uuid;

use super::mask;
use super::settings::{OpenAi, Work};
use super::{Chat, Edit, Extra, Field, Image, MAX_CHARACTERS, Speech};
use crate::engine::call::Earlier;
use crate::engine::context::Context;
use crate::engine::result::on_blocking_thread;
use crate::engine::template::Template;
use crate::engine::{Engine, Failure, Medium, Probe, Request};
use crate::media::format::Kind;

/// The default instructions for improve-prompt.
const IMPROVE: &str = "You improve prompts for models that make pictures and videos. Rewrite the user's prompt as one \
                       vivid, detailed prompt. Keep its subjects, its style and its language. Reply with the prompt alone.";

/// The default instructions for image-to-prompt.
const DESCRIBE: &str = "You write prompts for models that make pictures. Describe the picture as one detailed prompt: \
                        subjects, composition, light, colours and style. Reply with the prompt alone.";

/// How many models of a server a check names.
const SHOWN_MODELS: usize = 5;

/// The syntax that stable-diffusion.cpp reads as settings anywhere in a prompt.
const CONTROL: &str = "<sd_cpp_extra_args>";

#[async_trait]
impl Engine for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn refuse(&self, request: Request<'_>, _pictures: &[Option<Info>]) -> Vec<Refusal> {
        let unknown = self.settings.voices.refuse(request).filter(|_| self.work == Work::Speech);
        let control = request.text("prompt").filter(|prompt| prompt.to_lowercase().contains(CONTROL));
        let control = control.map(|_| Refusal::new("prompt", format!("must not contain `{CONTROL}`")));
        unknown.into_iter().chain(control).collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        request.unread(&self.reads)
    }

    fn voices(&self) -> Vec<&str> {
        self.settings.voices.names().collect()
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
            Earlier::Nothing => context.calls.begin(Uuid::now_v7()).await?,
            // The API has no idempotency key.
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
                let size = text(self.settings.size.as_ref(), &variables)?;
                let quality = text(self.settings.quality.as_ref(), &variables)?;
                let count = request.field("num_images").and_then(Value::as_u64).unwrap_or(1);
                let image = Image {
                    model: &self.settings.model,
                    prompt: request.text("prompt").unwrap_or_default(),
                    size: size.as_deref(),
                    quality: quality.as_deref(),
                    count: u32::try_from(count).unwrap_or(1),
                    extra: &extra,
                };
                match on_blocking_thread(move || edited(media)).await? {
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
            voice: self.settings.voices.of(request).unwrap_or(voice),
            text: request.text("text").unwrap_or_default(),
            speed: request.field("speed").and_then(Value::as_f64),
            format: self.settings.format,
            most_characters: self.settings.most_characters.unwrap_or(MAX_CHARACTERS),
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
        let text = self.server.chat(Chat { model, instructions, text, picture, extra }, context).await?;
        Ok(vec![Output::Text(text)])
    }

    /// Returns the further fields of the request.
    fn extra(&self, variables: &Value) -> Result<Extra, Failure> {
        let fields = self.settings.extra.iter().filter_map(|(name, field)| {
            Some(field.render(variables).transpose()?.map(|value| (name.clone(), value)))
        });
        fields.collect::<Result<_, _>>().map_err(|error| Failure::Internal(error.to_string()))
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
    let text = template.map(|template| template.text(variables)).transpose();
    text.map(Option::flatten).map_err(|error| Failure::Internal(error.to_string()))
}
