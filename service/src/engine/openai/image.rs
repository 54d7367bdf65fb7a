//! Calls for pictures: from a prompt, or from pictures to edit.

use asset_engines::Output;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use openai_client::models::common::{self, CreateImageEditRequest, CreateImageRequest, ImagesResponse};
use openapi_crates_runtime::types::{File, With};
use tokio::time::{Duration, sleep};

use super::{Extra, Server, on_blocking_thread, stored, within};
use crate::engine::context::Context;
use crate::engine::{Failure, result};
use crate::media::format::Kind;
use crate::net::fetch::FetchError;

/// The maximum number of attempts to download a picture, whose generation is charged already.
const DOWNLOADS: u32 = 3;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Pictures to make.
#[derive(Debug, Clone, Copy)]
pub struct Image<'a> {
    /// The server's model.
    pub model: &'a str,
    /// The description of the pictures.
    pub prompt: &'a str,
    /// The size: `1024x1024`.
    pub size: Option<&'a str>,
    /// The quality, in the model's words.
    pub quality: Option<&'a str>,
    /// The number of pictures.
    pub count: u32,
    /// Further fields of the request: `seed`, or `response_format` for servers that need it.
    pub extra: &'a Extra,
}

/// The field of the request body that holds the pictures to edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Field {
    /// `image`, as in the document of OpenAI's API.
    #[default]
    Image,
    /// `image[]`, as in OpenAI's examples. Several pictures and stable-diffusion.cpp need it.
    Images,
}

/// A picture to edit.
#[derive(Debug, Clone)]
pub struct Edit<'a> {
    /// The picture to make.
    pub image: Image<'a>,
    /// The pictures that it is made from. The first one is the one to edit.
    pub from: Vec<Bytes>,
    /// A PNG of the same size, transparent where the picture may change.
    pub mask: Option<Bytes>,
    /// The field of a single picture. Several pictures are always in [`Field::Images`].
    pub field: Field,
}

impl Server {
    /// Makes pictures from a prompt.
    ///
    /// # Errors
    /// Returns why there are no pictures.
    pub async fn image(&self, image: Image<'_>, context: &Context) -> Result<Vec<Output>, Failure> {
        let body = CreateImageRequest::new(image.prompt).with(|body| {
            body.model = Some(image.model.to_owned());
            body.size = image.size.map(str::to_owned);
            body.quality = image.quality.map(str::to_owned);
            body.n = Some(image.count.into());
            body.additional_properties = image.extra.clone();
        });
        let response = self.send(self.client.create_image(body), context).await?;
        self.pictures(response, context).await.map_err(Failure::after_payment)
    }

    /// Edits a picture.
    ///
    /// # Errors
    /// Returns why there is no picture.
    pub async fn edit_image(&self, edit: Edit<'_>, context: &Context) -> Result<Vec<Output>, Failure> {
        let Edit { image, from, mask, field } = edit;
        let mut files = from.into_iter().map(|bytes| file("image", bytes)).collect::<Result<Vec<_>, _>>()?;
        let mask = mask.map(|bytes| file("mask", bytes)).transpose()?;
        let body = CreateImageEditRequest::new(image.prompt).with(|body| {
            body.model = Some(image.model.to_owned());
            body.size = image.size.map(str::to_owned);
            body.quality = image.quality.map(str::to_owned);
            body.n = Some(image.count.into());
            body.mask = mask;
            body.additional_properties = image.extra.clone();
            if field == Field::Image && files.len() == 1 {
                body.image = files.pop();
            } else {
                body.images = Some(files);
            }
        });
        let response = self.send(self.client.create_image_edit(body), context).await?;
        self.pictures(response, context).await.map_err(Failure::after_payment)
    }

    /// Stores the pictures of a response.
    async fn pictures(&self, response: ImagesResponse, context: &Context) -> Result<Vec<Output>, Failure> {
        let pictures = response.data.unwrap_or_default();
        if pictures.is_empty() {
            // Some proxies report a refused prompt by a response without pictures.
            return Err(Failure::Moderation("The engine made no picture of this prompt.".to_owned()));
        }
        let mut outputs = Vec::with_capacity(pictures.len());
        for picture in pictures {
            let bytes = self.content(picture, context).await?;
            outputs.push(stored(bytes, Kind::Image, context).await?);
        }
        Ok(outputs)
    }

    /// Returns a picture, from the response or from the URL in it.
    async fn content(&self, picture: common::Image, context: &Context) -> Result<Bytes, Failure> {
        if let Some(text) = picture.b64_json {
            return on_blocking_thread(move || decoded(&text)).await;
        }
        let Some(url) = picture.url else {
            return Err(Failure::Internal("a picture has neither `b64_json` nor `url`".to_owned()));
        };
        if url.starts_with("data:") {
            return on_blocking_thread(move || decoded(&url)).await;
        }
        let url = self.base.join(&url);
        let url =
            url.map_err(|error| Failure::Internal(format!("the URL of a picture is invalid: {error}")))?;
        within(context, self.downloaded(url.into())).await
    }

    async fn downloaded(&self, url: String) -> Result<Bytes, Failure> {
        let mut attempts = 1;
        loop {
            match (self.fetch)(url.clone()).await {
                Ok(bytes) => return Ok(bytes),
                Err(FetchError::TooLarge { .. }) => return Err(Context::too_large()),
                Err(error) if error.is_temporary() && attempts < DOWNLOADS => {
                    attempts += 1;
                    sleep(PAUSE).await;
                }
                Err(error) => {
                    let reason = error.for_operator();
                    return Err(Failure::Uncertain(format!("can't download a picture: {reason}")));
                }
            }
        }
    }
}

/// Decodes base64, with or without the head of a `data:` URL.
fn decoded(text: &str) -> Result<Bytes, Failure> {
    let data = match text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
        Some((_, data)) => data,
        None => text,
    };
    let bytes = STANDARD.decode(data.trim());
    bytes.map(Bytes::from).map_err(|error| Failure::Internal(format!("a picture is not base64: {error}")))
}

/// Returns a part of a multipart body, with the file name and the media type that servers read.
fn file(name: &str, bytes: Bytes) -> Result<File, Failure> {
    let Some((media_type, extension)) = result::identify(&bytes, Kind::Image) else {
        return Err(Failure::Internal("a picture of the request has no known format".to_owned()));
    };
    Ok(File::new(format!("{name}.{extension}"), bytes).with_content_type(media_type))
}
