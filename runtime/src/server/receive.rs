//! Takes a request's body in: media type first, then size, then the bytes.

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body::Body as HttpBody;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::body::BoxError;
use super::{BodyError, Rejection};
use crate::parameters::match_content;
use crate::table;

/// The body of a request, whatever its type was; `None` where it is known to be empty.
pub(super) type RequestBody = Option<UnsyncBoxBody<Bytes, BodyError>>;

/// What was taken in.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// Which of the documented contents the body is; `None`: there is no body.
    pub(super) content: Option<usize>,
    /// The body.
    pub(super) bytes: Bytes,
}

/// Takes the body of an operation in that has one. A body that is empty and has no documented media type is none.
pub(super) async fn receive(
    row: &'static table::Body,
    headers: &HeaderMap,
    body: RequestBody,
    default_limit: u64,
) -> Result<Received, Rejection> {
    let limit = row.limit.unwrap_or(default_limit);
    let unsupported = || {
        let types: Vec<&str> = row.contents.iter().map(|content| content.media_type).collect();
        Rejection::UnsupportedMediaType { supported: types.join(", ") }
    };
    let media_type = headers.get(CONTENT_TYPE);
    let content = media_type.and_then(|value| match_content(row.contents, value.to_str().ok()?));
    match (content, body) {
        (None, None) if media_type.is_none() || !row.required => Ok(Received::default()),
        (None, None) => Err(unsupported()),
        // A body that turns out to be empty is as good as none; one byte tells.
        (None, Some(body)) => match read(body, headers, 0).await {
            Ok(_) if media_type.is_none() || !row.required => Ok(Received::default()),
            Ok(_) | Err(Unread::TooLarge) => Err(unsupported()),
            Err(Unread::Broken(error)) => Err(broken(&error)),
        },
        (Some(_), None) => Ok(Received { content, bytes: Bytes::new() }),
        (Some(_), Some(body)) => match read(body, headers, limit).await {
            Ok(bytes) => Ok(Received { content, bytes }),
            Err(Unread::TooLarge) => Err(Rejection::PayloadTooLarge { limit }),
            Err(Unread::Broken(error)) => Err(broken(&error)),
        },
    }
}

fn broken(error: &BoxError) -> Rejection {
    Rejection::MalformedBody { detail: error.to_string() }
}

/// Why a body was not read to its end.
enum Unread {
    TooLarge,
    Broken(BoxError),
}

/// Reads at most `limit` bytes; nothing at all where the request says beforehand that there are more.
async fn read(
    body: UnsyncBoxBody<Bytes, BodyError>,
    headers: &HeaderMap,
    limit: u64,
) -> Result<Bytes, Unread> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.unwrap_or_default().max(body.size_hint().lower()) > limit {
        return Err(Unread::TooLarge);
    }
    let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
    match limited.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Unread::TooLarge),
        Err(error) => Err(Unread::Broken(error)),
    }
}
