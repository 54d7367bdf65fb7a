//! Submitted media parameters: base64, with or without a `data:` prefix, or a URL.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use asset_engines::picture::{self, Info};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::format::{Format, Kind};
use super::measure;
use crate::blocking::{self, in_place};
use crate::files::Area;
use crate::log::redact;
use crate::net::guard::{Policy, Target, UrlRefused};

/// The location of a task's input medium, stored with the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A URL that was checked on submission and is checked again on download.
    Url(String),
    /// A file in the file store, by its key.
    Stored(String),
    /// A file that this service itself serves.
    Own {
        /// The area of the file store.
        area: Area,
        /// The key of the file.
        key: String,
    },
}

/// An accepted medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A URL to download when the task runs.
    Url(Target),
    /// Bytes to store until the task runs.
    Bytes {
        /// The decoded bytes.
        bytes: Bytes,
        /// Their format, and a picture's header.
        facts: Facts,
    },
    /// A file that this service itself serves; it needs no download.
    Own {
        /// The area of the file store.
        area: Area,
        /// The key of the file.
        key: String,
    },
}

/// The facts that the check of a medium finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The format.
    pub format: Format,
    /// The facts in a picture's header.
    pub picture: Option<Info>,
}

/// A medium that was parsed and not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// A URL.
    Url(&'a str),
    /// Decoded bytes.
    Bytes(Bytes),
}

/// The constraints on a medium.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The kind.
    pub kind: Kind,
    /// The length in seconds, where the document bounds it.
    pub seconds: Option<RangeInclusive<f64>>,
}

/// Why a medium is refused, as words that follow the parameter's name.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The text is neither base64 nor a URL.
    #[error("must be base64 or an https URL")]
    Form,
    /// The URL is refused.
    #[error(transparent)]
    Url(#[from] UrlRefused),
    /// The URL names a file of this service that does not exist.
    #[error("must be an existing file of this service")]
    NotThere,
    /// The medium exceeds the size limit.
    #[error("must have at most {limit} bytes")]
    TooLarge {
        /// The kind of the medium.
        kind: Kind,
        /// The limit in bytes.
        limit: usize,
    },
    /// The bytes have no supported format.
    #[error("must be {}", .0.formats())]
    Unsupported(Kind),
    /// The sound or video is too short or too long.
    #[error("must be {} to {} s long", .seconds.start(), .seconds.end())]
    Length {
        /// The kind of the medium.
        kind: Kind,
        /// The allowed lengths.
        seconds: RangeInclusive<f64>,
    },
    /// The picture is refused by the engines' checks.
    #[error("{message}")]
    Picture {
        /// The task's `error.code`.
        code: &'static str,
        /// The message, a full sentence.
        message: String,
    },
}

impl Refused {
    /// Returns the task's `error.code`, for media that fail when the task runs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Form | Self::Unsupported(_) | Self::Length { kind: Kind::Video, .. } => "unsupported_media",
            Self::Url(_) | Self::NotThere => "fetch_failed",
            Self::TooLarge { kind, .. } => kind.too_large(),
            Self::Length { .. } => "unsupported_length",
            Self::Picture { code, .. } => code,
        }
    }
}

/// Parses and checks a submitted medium.
///
/// It checks the text of a URL, or the format, size and length of bytes.
///
/// # Errors
/// Returns why the medium is refused.
pub async fn accept(
    policy: &Policy,
    text: &str,
    expected: &Expected,
    url_only: bool,
) -> Result<Given, Refused> {
    match in_place(text.len(), || parse(text, expected.kind, url_only))? {
        Parsed::Url(url) => Ok(Given::Url(policy.check_url(url)?)),
        Parsed::Bytes(bytes) => {
            let facts = checked(&bytes, expected, expected.kind.max_inline()).await?;
            Ok(Given::Bytes { bytes, facts })
        }
    }
}

/// Parses a medium. With `url_only`, any text counts as a URL.
///
/// # Errors
/// Returns why the medium is refused.
pub fn parse(text: &str, kind: Kind, url_only: bool) -> Result<Parsed<'_>, Refused> {
    // Base64 contains no colon.
    let encoded = match text.split_once(':') {
        _ if url_only => return Ok(Parsed::Url(text)),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("data") => data(rest).ok_or(Refused::Form)?,
        Some(_) => return Ok(Parsed::Url(text)),
        None => Cow::Borrowed(text),
    };
    decode(&encoded, kind).map(|bytes| Parsed::Bytes(bytes.into()))
}

/// Returns the base64 data of a `data:` URL; `rest` follows the scheme.
///
/// The declared media type is ignored.
fn data(rest: &str) -> Option<Cow<'_, str>> {
    let (description, data) = rest.split_once(',')?;
    let encoding = description.rsplit(';').next()?;
    if encoding.trim().eq_ignore_ascii_case("base64") { unescape(data) } else { None }
}

/// Decodes percent-encoding, which `data:` URLs may use: `%2B` for `+`.
fn unescape(data: &str) -> Option<Cow<'_, str>> {
    let mut parts = data.split('%');
    let first = parts.next()?;
    if first.len() == data.len() {
        return Some(Cow::Borrowed(data));
    }
    let mut plain = String::with_capacity(data.len());
    plain.push_str(first);
    for part in parts {
        let code = part.get(..2).filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        // Characters beyond ASCII are not base64, so decoding fails later.
        plain.push(char::from(u8::from_str_radix(code, 16).ok()?));
        plain.push_str(part.get(2..)?);
    }
    Some(Cow::Owned(plain))
}

/// Accepts base64 with and without padding: encoders differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn decode(encoded: &str, kind: Kind) -> Result<Vec<u8>, Refused> {
    let limit = kind.max_inline();
    // Encoders differ on line breaks too.
    let joined: String;
    let encoded = if encoded.bytes().any(|byte| byte.is_ascii_whitespace()) {
        joined = encoded.split_ascii_whitespace().collect();
        &joined
    } else {
        encoded
    };
    if encoded.len().div_ceil(4) > limit.div_ceil(3) {
        return Err(Refused::TooLarge { kind, limit });
    }
    let bytes = BASE64.decode(encoded).map_err(|_| Refused::Form)?;
    if bytes.is_empty() { Err(Refused::Form) } else { Ok(bytes) }
}

/// Checks a medium's size and format, a picture's header, and the length of a sound or video.
///
/// # Errors
/// Returns why the medium is refused.
pub async fn checked(bytes: &Bytes, expected: &Expected, limit: usize) -> Result<Facts, Refused> {
    let (bytes, expected) = (bytes.clone(), expected.clone());
    let kind = expected.kind;
    let checked = on_own_thread(kind, move || check(&bytes, &expected, limit)).await;
    checked.unwrap_or(Err(Refused::Unsupported(kind)))
}

/// Checks the length of a file on this machine's disk, as far as its header has it.
///
/// # Errors
/// The file is too short or too long.
pub async fn check_length(file: PathBuf, expected: &Expected) -> Result<(), Refused> {
    let Some(seconds) = expected.seconds.clone() else { return Ok(()) };
    let kind = expected.kind;
    let measured = on_own_thread(kind, move || {
        let extension = file.extension()?.to_str()?;
        measure::of(&mut File::open(&file).ok()?, extension).seconds
    });
    match measured.await.flatten() {
        Some(measured) if !seconds.contains(&measured) => Err(Refused::Length { kind, seconds }),
        _ => Ok(()),
    }
}

/// Runs a check on a thread of its own, because the bytes are untrusted and parsing takes time.
///
/// Returns `None` if the check panics.
async fn on_own_thread<T: Send + 'static>(
    kind: Kind,
    check: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let failed = |error| {
        let error = redact::without_values_of(&error);
        tracing::error!(error, kind = kind.name(), "the check of a medium failed");
    };
    blocking::on_own_thread(check).await.map_err(failed).ok()
}

/// Does the work of [`checked`].
fn check(bytes: &[u8], expected: &Expected, limit: usize) -> Result<Facts, Refused> {
    let kind = expected.kind;
    if bytes.len() > limit {
        return Err(Refused::TooLarge { kind, limit });
    }
    let format = Format::sniff(bytes, kind).ok_or(Refused::Unsupported(kind))?;
    let mut facts = Facts { format, picture: None };
    if kind == Kind::Image {
        let info = picture::inspect(bytes).map_err(|failure| match failure {
            asset_engines::Failure::Media { code, message } => Refused::Picture { code, message },
            _ => Refused::Unsupported(kind),
        })?;
        facts.picture = Some(info);
        return Ok(facts);
    }
    match (measure::seconds(bytes, format), &expected.seconds) {
        (Some(measured), Some(seconds)) if !seconds.contains(&measured) => {
            Err(Refused::Length { kind, seconds: seconds.clone() })
        }
        // The header of a video need not have its length.
        (None, _) if kind == Kind::Audio => Err(Refused::Unsupported(kind)),
        _ => Ok(facts),
    }
}
