//! A request that a client repeats until it is accepted, and the task that it saw.

use asset_api_client::Client;
use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::image_to_prompt::{CreateImageToPromptInput, ImageToPromptRequest};
use asset_api_client::models::sound_effects::{CreateSoundEffectInput, SoundEffectRequest};
use asset_api_client::models::voiceover::{CreateVoiceoverInput, VoiceoverRequest};
use base64::Engine as _;
use serde_json::Value;
use uuid::Uuid;

use crate::service::http_client;
use crate::service::outside::{Outside, PICTURE, Webhooks};

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sound: the result is a file.
    Sound,
    /// A description of a picture in the request, stored as an input file.
    Inline,
    /// A description of a picture whose server fails first: it takes two attempts.
    Later,
    /// A description of a missing picture: the task fails.
    Gone,
    /// A speech of minutes: a bucket receives the result in parts.
    Speech,
}

impl Kind {
    /// Returns whether the result is a file.
    pub fn makes_file(self) -> bool {
        matches!(self, Self::Sound | Self::Speech)
    }
}

/// A request and its task.
#[derive(Debug)]
pub struct Order {
    pub kind: Kind,
    idempotency: String,
    picture: String,
    hook: String,
    /// The accepted task.
    pub task: Option<Uuid>,
    /// The task as it was when the client first saw its end.
    ended: Option<Task>,
}

impl Order {
    /// Creates requests of all kinds; `round` makes their idempotency keys unique.
    pub fn some(round: &str, outside: &Outside) -> Vec<Self> {
        let kinds = [Kind::Sound, Kind::Inline, Kind::Sound, Kind::Later, Kind::Sound, Kind::Gone];
        let order = |(number, kind)| Self::new(kind, &format!("{round}.{number}"), outside);
        kinds.into_iter().enumerate().map(order).collect()
    }

    /// Creates a request with this idempotency key.
    pub fn new(kind: Kind, idempotency: &str, outside: &Outside) -> Self {
        Self {
            kind,
            idempotency: idempotency.to_owned(),
            picture: match kind {
                Kind::Sound | Kind::Speech => String::new(),
                Kind::Inline => base64::engine::general_purpose::STANDARD.encode(PICTURE),
                Kind::Later => outside.later_picture(),
                Kind::Gone => outside.no_picture(),
            },
            hook: outside.hook(),
            task: None,
            ended: None,
        }
    }

    /// Sends the request, and records the task if there is a response.
    pub async fn send(&mut self, client: &Client) {
        macro_rules! created {
            ($input:ident, $create:ident, $request:expr) => {{
                let mut request = $request;
                request.webhook_url = Some(self.hook.clone());
                let mut input = $input::new(request);
                input.idempotency_key = Some(self.idempotency.clone());
                client.$create(input).await.ok().map(|created| created.data.task_id)
            }};
        }
        let created = match self.kind {
            Kind::Sound => {
                created!(CreateSoundEffectInput, create_sound_effect, SoundEffectRequest::new("click", 0.5))
            }
            Kind::Speech => created!(
                CreateVoiceoverInput,
                create_voiceover,
                VoiceoverRequest::new("77,777 ".repeat(40), "narrator")
            ),
            Kind::Inline | Kind::Later | Kind::Gone => created!(
                CreateImageToPromptInput,
                create_image_to_prompt,
                ImageToPromptRequest::new(&self.picture)
            ),
        };
        self.task = created.or(self.task);
    }

    /// Polls the task, if any, and returns whether it has ended.
    ///
    /// An end that was seen once must never change.
    pub async fn poll(&mut self, client: &Client) -> bool {
        let Some(id) = self.task else { return false };
        let seen = match self.kind {
            Kind::Sound => client.get_sound_effect(id).await.ok().map(|reply| reply.data),
            Kind::Speech => client.get_voiceover(id).await.ok().map(|reply| reply.data),
            _ => client.get_image_to_prompt(id).await.ok().map(|reply| reply.data),
        };
        let Some(seen) = seen else { return false };
        match &self.ended {
            None if matches!(seen.status, TaskStatus::Completed | TaskStatus::Failed) => {
                self.ended = Some(seen)
            }
            None => {}
            Some(before) => {
                assert_eq!(before.status, seen.status, "{self:?}");
                assert_eq!(paths(&before.generated), paths(&seen.generated), "{self:?}");
            }
        }
        self.ended.is_some()
    }

    /// Checks the task's end against the request.
    pub async fn check_result(&self, url: &str) {
        let task = self.ended.as_ref().expect("an end");
        let code = task.error.as_ref().map(|error| error.code.as_str());
        match self.kind {
            Kind::Gone => {
                assert_eq!((&task.status, code), (&TaskStatus::Failed, Some("fetch_failed")), "{task:?}")
            }
            _ => assert_eq!((&task.status, task.generated.len()), (&TaskStatus::Completed, 1), "{task:?}"),
        }
        if self.kind.makes_file() {
            let file = format!("{url}{}", paths(&task.generated)[0]);
            assert_eq!(http_client::get(file).await.unwrap().status(), 200, "{task:?}");
        }
    }

    /// Returns the webhooks of the task's end.
    pub fn webhooks(&self, outside: &Outside) -> Webhooks {
        let task = self.task.expect("a task");
        let mut webhooks = outside.webhooks(task, "COMPLETED");
        webhooks.extend(outside.webhooks(task, "FAILED"));
        webhooks
    }

    /// Checks the webhooks: at most one event id per status, each with one payload.
    pub fn check_webhooks(&self, outside: &Outside) {
        let task = self.ended.as_ref().expect("an end");
        let webhooks = self.webhooks(outside);
        assert_eq!(
            (webhooks.len(), webhooks.values().next().map_or(0, |bodies| bodies.len())),
            (1, 1),
            "{webhooks:?}"
        );
        let body: Value = serde_json::from_str(webhooks.values().flatten().next().expect("a body")).unwrap();
        let generated: Vec<String> = serde_json::from_value(body["generated"].clone()).unwrap();
        assert_eq!(paths(&generated), paths(&task.generated), "{webhooks:?}");
        assert!(outside.webhooks(task.task_id, "IN_PROGRESS").len() <= 1, "{self:?}");
    }
}

/// Returns the results without the address of the process, because ports differ.
fn paths(generated: &[String]) -> Vec<&str> {
    generated.iter().map(|text| text.find("/files/").map_or(text.as_str(), |start| &text[start..])).collect()
}
