//! Texts: a reply to instructions and a question, which may show a picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openai_client::models::common::{
    CompletionChoicesItemFinishReason as Finish, ContentPart, CreateChatCompletionRequest, ImagePart,
    ImagePartImageUrl, Message, SystemMessage, TextPart, UserMessage, UserMessageContent,
};
use openapi_crates_runtime::types::{Nullable, With};

use super::{Extra, Server};
use crate::engine::context::Context;
use crate::engine::failure::quoted;
use crate::engine::{Failure, result};
use crate::media::format::Kind;

/// A question to a language model.
#[derive(Debug, Clone, Copy)]
pub struct Chat<'a> {
    /// The server's model.
    pub model: &'a str,
    /// The instructions.
    pub instructions: &'a str,
    /// The question.
    pub text: &'a str,
    /// A picture that the question is about.
    pub picture: Option<&'a [u8]>,
    /// Further fields of the request: `seed`, `temperature`, `max_tokens`.
    pub extra: &'a Extra,
}

impl Server {
    /// Asks a language model, and returns the text of its reply.
    ///
    /// # Errors
    /// Returns why there is no reply.
    pub async fn chat(&self, chat: Chat<'_>, context: &Context) -> Result<String, Failure> {
        let content = match chat.picture {
            // Many servers take parts only for models that see.
            None => UserMessageContent::TextContent(chat.text.to_owned()),
            Some(picture) => UserMessageContent::ArrayOfContentParts(vec![
                ContentPart::TextPart(TextPart::new(chat.text)),
                ContentPart::ImagePart(ImagePart::new(ImagePartImageUrl::new(data_url(picture)?))),
            ]),
        };
        let messages = vec![
            Message::SystemMessage(SystemMessage::new(chat.instructions)),
            Message::UserMessage(UserMessage::new(content)),
        ];
        let body = CreateChatCompletionRequest::new(messages, chat.model)
            .with(|body| body.additional_properties = chat.extra.clone());
        let response = self.send(self.client.create_chat_completion(body), context).await?;
        let Some(choice) = response.choices.into_iter().next() else {
            return Err(Failure::Uncertain("the reply has no choices".to_owned()));
        };
        if let Some(refusal) = text(choice.message.refusal) {
            return Err(Failure::Moderation(format!("The model refused the request{}", quoted(&refusal))));
        }
        if choice.finish_reason == Some(Finish::ContentFilter) {
            return Err(Failure::Moderation("The engine's moderation refused the request.".to_owned()));
        }
        text(choice.message.content).ok_or_else(|| Failure::Uncertain("the reply has no text".to_owned()))
    }
}

/// Returns a text that says something.
fn text(text: Option<Nullable<String>>) -> Option<String> {
    match text {
        Some(Nullable::Value(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    }
}

fn data_url(picture: &[u8]) -> Result<String, Failure> {
    let Some((media_type, _)) = result::identify(picture, Kind::Image) else {
        return Err(Failure::Internal("the picture of the request has no known format".to_owned()));
    };
    Ok(format!("data:{media_type};base64,{}", STANDARD.encode(picture)))
}
