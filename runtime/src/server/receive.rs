//! Receiving of request bodies.
//!
//! The media type and the encoding are checked first, then the size. Then the body is read.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, GetAll};
use http::{HeaderMap, HeaderValue};
use http_body::Body as HttpBody;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::body::BoxError;
use super::{BodyError, Rejection, Unsupported};
use crate::codec::Joined;
use crate::parameters::{Payload, match_content, media_parameter};
use crate::table::{self, Content, ContentFormat};
use crate::types::{ByteStream, StreamError, StreamErrorKind};

/// The body of a request, with its type erased; `None` if it is known to be empty.
pub(super) type RequestBody = Option<UnsyncBoxBody<Bytes, BodyError>>;

/// A body that was received.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// The index of the body's documented content; `None` if there is no body.
    pub(super) content: Option<usize>,
    /// The bytes of a body that is not streamed.
    pub(super) bytes: Bytes,
    /// The body, if the handler gets it as a stream.
    pub(super) stream: Option<ByteStream>,
}

impl Received {
    pub(super) fn payload(&self) -> Payload<'_> {
        self.stream.as_ref().map_or(Payload::Bytes(&self.bytes), Payload::Stream)
    }
}

/// Receives the body of an operation that has one.
///
/// An empty body without a documented media type counts as absent.
pub(super) async fn receive(
    row: &'static table::Body,
    headers: &HeaderMap,
    body: RequestBody,
    default_limit: u64,
) -> Result<Received, Rejection> {
    let limit = row.limit.unwrap_or(default_limit);
    let refuse = |cause| {
        let types: Vec<&str> = row.contents.iter().flat_map(Content::media_types).collect();
        Rejection::UnsupportedMediaType { supported: types.join(", "), cause }
    };
    let unsupported = || refuse(Unsupported::MediaType);
    let media_type = headers.get(CONTENT_TYPE);
    let content_type = single(headers.get_all(CONTENT_TYPE)).and_then(|value| value.to_str().ok());
    let index = content_type.and_then(|text| match_content(row.contents, text));
    match (index.and_then(|index| row.contents.get(index)), body) {
        (None, None) if media_type.is_none() || !row.required => Ok(Received::default()),
        (None, None) => Err(unsupported()),
        // A body that turns out to be empty counts as absent. Reading one byte decides.
        (None, Some(body)) => match read(body, headers, 0).await {
            Ok(_) if media_type.is_none() || !row.required => Ok(Received::default()),
            Ok(_) | Err(Unread::TooLarge) => Err(unsupported()),
            Err(Unread::Broken(error)) => Err(broken(&error)),
        },
        (Some(_), None) => Ok(Received { content: index, ..Received::default() }),
        (Some(_), Some(_)) if is_encoded(headers) => Err(refuse(Unsupported::ContentEncoding)),
        (Some(content), Some(_)) if !is_utf8(content, content_type.unwrap_or_default()) => {
            Err(refuse(Unsupported::Charset))
        }
        (Some(content), Some(body)) if content.format.is_streamed() => {
            if least(&body, headers) > limit {
                return Err(Rejection::PayloadTooLarge { limit });
            }
            let mut stream = stream(body, limit);
            if content.format.has_items() {
                // A stream of items may be long, but each item is held in memory.
                stream = stream.with_limit(limit.min(default_limit));
            }
            Ok(Received { content: index, stream: Some(stream), ..Received::default() })
        }
        (Some(_), Some(body)) => match read(body, headers, limit).await {
            Ok(bytes) => Ok(Received { content: index, bytes, stream: None }),
            Err(Unread::TooLarge) => Err(Rejection::PayloadTooLarge { limit }),
            Err(Unread::Broken(error)) => Err(broken(&error)),
        },
    }
}

/// Returns the value of a header, unless it has several different values.
///
/// With different values, a layer in front of the service may have used another one.
fn single(values: GetAll<'_, HeaderValue>) -> Option<&HeaderValue> {
    let mut values = values.iter();
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// Returns whether the body has a content encoding, such as compression.
fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|value| {
        value.as_bytes().split(|byte| *byte == b',').any(|coding| {
            let coding = coding.trim_ascii();
            !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
        })
    })
}

/// Returns whether the `charset` of a text body is UTF-8 or US-ASCII.
///
/// A missing charset counts as UTF-8. Bodies that are not text always pass.
fn is_utf8(content: &Content, content_type: &str) -> bool {
    use ContentFormat::{Form, Items, Json, Text};
    let is_text = matches!(content.format, Json | Form | Text | Items(_)) || content.format.is_xml();
    let charset = media_parameter(content_type, "charset").filter(|_| is_text);
    charset.is_none_or(|charset| {
        ["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
    })
}

fn broken(error: &BoxError) -> Rejection {
    Rejection::MalformedBody { detail: error.to_string() }
}

/// Returns the minimum length of the body in bytes, by what the request announces.
fn least(body: &UnsyncBoxBody<Bytes, BodyError>, headers: &HeaderMap) -> u64 {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    announced.unwrap_or_default().max(body.size_hint().lower())
}

/// Returns the body as a stream, which fails if it has more than `limit` bytes.
fn stream(body: UnsyncBoxBody<Bytes, BodyError>, limit: u64) -> ByteStream {
    let length = body.size_hint().exact();
    let limited = limited(body, limit).map_err(move |error| match unread(error) {
        Unread::TooLarge => StreamErrorKind::TooLarge { limit }.into(),
        Unread::Broken(error) => StreamError::broken(error),
    });
    ByteStream::of(limited.into_data_stream()).of_length(length)
}

fn limited(body: UnsyncBoxBody<Bytes, BodyError>, limit: u64) -> Limited<UnsyncBoxBody<Bytes, BodyError>> {
    Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The reason why a body was not read to its end.
pub(crate) enum Unread {
    TooLarge,
    Broken(BoxError),
}

fn unread(error: BoxError) -> Unread {
    if error.is::<LengthLimitError>() { Unread::TooLarge } else { Unread::Broken(error) }
}

/// Reads a body of at most `limit` bytes.
///
/// It reads nothing if the request announces a longer body.
pub(crate) async fn read(
    body: UnsyncBoxBody<Bytes, BodyError>,
    headers: &HeaderMap,
    limit: u64,
) -> Result<Bytes, Unread> {
    if least(&body, headers) > limit {
        return Err(Unread::TooLarge);
    }
    let mut limited = limited(body, limit);
    let mut joined = Joined::default();
    while let Some(frame) = limited.frame().await {
        // A frame without data is a trailer.
        frame.map_err(unread)?.into_data().into_iter().for_each(|piece| joined.push(piece));
    }
    Ok(joined.into_bytes())
}
