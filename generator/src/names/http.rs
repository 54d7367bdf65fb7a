//! Names of statuses, media types, and operations without an `operationId`.

use std::borrow::Cow;

use super::words::Words;
use crate::ir::Status;

/// Returns the variant name of a status, its reason phrase: `NotFound`.
pub fn status_name(status: Status) -> String {
    match status {
        Status::Code(code) => reason(code).map_or_else(|| format!("Status{code}"), str::to_owned),
        Status::Class(1) => "Informational".to_owned(),
        Status::Class(2) => "Success".to_owned(),
        Status::Class(3) => "Redirection".to_owned(),
        Status::Class(4) => "ClientError".to_owned(),
        Status::Class(5) => "ServerError".to_owned(),
        Status::Class(class) => format!("Status{class}xx"),
        Status::Default => "Default".to_owned(),
    }
}

fn reason(code: u16) -> Option<&'static str> {
    Some(match code {
        100 => "Continue",
        101 => "SwitchingProtocols",
        102 => "Processing",
        103 => "EarlyHints",
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritativeInformation",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        207 => "MultiStatus",
        208 => "AlreadyReported",
        226 => "ImUsed",
        300 => "MultipleChoices",
        301 => "MovedPermanently",
        302 => "Found",
        303 => "SeeOther",
        304 => "NotModified",
        305 => "UseProxy",
        307 => "TemporaryRedirect",
        308 => "PermanentRedirect",
        400 => "BadRequest",
        401 => "Unauthorized",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        407 => "ProxyAuthenticationRequired",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "LengthRequired",
        412 => "PreconditionFailed",
        413 => "ContentTooLarge",
        414 => "UriTooLong",
        415 => "UnsupportedMediaType",
        416 => "RangeNotSatisfiable",
        417 => "ExpectationFailed",
        418 => "ImATeapot",
        421 => "MisdirectedRequest",
        422 => "UnprocessableContent",
        423 => "Locked",
        424 => "FailedDependency",
        425 => "TooEarly",
        426 => "UpgradeRequired",
        428 => "PreconditionRequired",
        429 => "TooManyRequests",
        431 => "RequestHeaderFieldsTooLarge",
        451 => "UnavailableForLegalReasons",
        500 => "InternalServerError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        505 => "HttpVersionNotSupported",
        506 => "VariantAlsoNegotiates",
        507 => "InsufficientStorage",
        508 => "LoopDetected",
        510 => "NotExtended",
        511 => "NetworkAuthenticationRequired",
        _ => return None,
    })
}

/// Returns a short name for a media type: `json`, `problem+json`, `text csv`, `image`.
pub fn media_type_name(media_type: &str) -> String {
    match media_type.split_once('/') {
        Some(("application", "x-www-form-urlencoded")) => "form".to_owned(),
        Some(("application", "octet-stream")) => "bytes".to_owned(),
        Some(("multipart", "form-data")) => "multipart".to_owned(),
        Some(("text", "plain")) => "text".to_owned(),
        Some(("*", "*")) => "any".to_owned(),
        Some(("application", subtype)) => subtype.to_owned(),
        Some((kind, "*")) => kind.to_owned(),
        Some((kind, subtype)) => format!("{kind} {subtype}"),
        None => media_type.to_owned(),
    }
}

/// Returns a text for each of these media types, none twice: the name, and the media type where names are equal.
pub fn media_type_names<'m>(media_types: &[&'m str]) -> Vec<Cow<'m, str>> {
    let names: Vec<String> = media_types.iter().map(|media_type| media_type_name(media_type)).collect();
    let is_unique = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let text = |(media_type, name): (&&'m str, &String)| {
        // A name with a slash, of an invalid media type, could be another media type.
        if is_unique(name) && !name.contains('/') { name.clone().into() } else { (*media_type).into() }
    };
    media_types.iter().zip(&names).map(text).collect()
}

/// Returns the name of an operation without an `operationId`: `get_v1_icons_by_id`.
pub fn derived_operation_id(method: &str, path: &str) -> String {
    let mut text = method.to_lowercase();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        text.push(' ');
        text.push_str(&segment.replace("{+", "{").replace('{', " by ").replace('}', " "));
    }
    if path.len() > 1 && path.ends_with('/') {
        text.push_str(" slash");
    }
    Words::of(&text).snake()
}
