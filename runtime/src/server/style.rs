//! The appearance of rejections: static data, set by the document's `x-rejections`.
//!
//! The default is problem details (RFC 9457). Messages and reasons are templates with parameters such as
//! `{name}`.

use std::fmt::Write;

use super::Rejection;
use crate::table::setters;
use crate::validation::Violation;

/// The appearance of rejections: statuses, media types, messages and field names.
///
/// Each field has a method of the same name that sets it.
///
/// ```
/// use openapi_crates_runtime::server::{KindStyle, RejectionStyle, ViolationStyle};
///
/// static STYLE: RejectionStyle = RejectionStyle::PROBLEM_DETAILS
///     .content_type("application/json")
///     .message_field("message")
///     .problem_fields(false)
///     .no_route(KindStyle::new(404, "Not found"))
///     .forbidden(RejectionStyle::PROBLEM_DETAILS.forbidden.status(404))
///     .violations(ViolationStyle::new("invalid_params", "name", "reason").code("code"));
///
/// assert_eq!((STYLE.no_route.message, STYLE.forbidden.status), ("Not found", 404));
/// assert_eq!(STYLE.violations.location, None);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct RejectionStyle {
    /// The media type of the body: JSON, or `text/…` for the message only.
    pub content_type: &'static str,
    /// The JSON field that holds the message.
    pub message_field: &'static str,
    /// Whether the body also has the fields `type`, `title` and `status` of RFC 9457.
    pub problem_fields: bool,
    /// No path template matches the path.
    pub no_route: KindStyle,
    /// The path does not have the request's method. `{allow}`: the methods of the path.
    pub method_not_allowed: KindStyle,
    /// The request has no credentials.
    pub missing_credentials: KindStyle,
    /// The credentials are not valid.
    pub invalid_credentials: KindStyle,
    /// The caller is not permitted to call the operation.
    pub forbidden: KindStyle,
    /// The caller exceeds its rate limit.
    pub too_many_requests: KindStyle,
    /// The service can't respond at present.
    pub unavailable: KindStyle,
    /// The body has no supported media type. `{supported}`: the documented media types.
    pub unsupported_media_type: KindStyle,
    /// The body exceeds its size limit. `{limit}`: the limit in bytes.
    pub payload_too_large: KindStyle,
    /// The body can't be parsed. `{detail}`: the problem.
    pub malformed_body: KindStyle,
    /// Parameters or fields violate constraints.
    ///
    /// An empty message stands for the first reason.
    pub invalid: KindStyle,
    /// The operation is not implemented. `{operation}`: its id.
    pub not_implemented: KindStyle,
    /// An internal error.
    pub internal: KindStyle,
    /// The appearance of the list of violations.
    pub violations: ViolationStyle,
    /// The template for the reason of a violation.
    ///
    /// `{name}`: the parameter or field. `{in}`: its location. `{expected}`: what was expected, such as
    /// `must be at most 100`. `{limit}`: the limit, such as `100`, if the constraint has one.
    pub default_reason: &'static str,
    /// Templates that replace the default one for a code or a special case.
    ///
    /// The key is the violation's code (`exclusive-minimum`) or its [special
    /// case](crate::validation::ViolationKind::special_case) (`empty`).
    ///
    /// A special case wins over its code.
    pub reasons: &'static [(&'static str, &'static str)],
}

/// The appearance of one kind of rejection.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct KindStyle {
    /// The status.
    pub status: u16,
    /// The media type, if it differs from that of the other kinds.
    pub content_type: Option<&'static str>,
    /// The message.
    pub message: &'static str,
}

/// The appearance of the list of violations: an array of objects.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct ViolationStyle {
    /// The field of the body that holds the array.
    pub field: &'static str,
    /// The field that holds the name of the parameter or field.
    pub name: &'static str,
    /// The field that holds the reason.
    pub reason: &'static str,
    /// The field that holds the location, or `None` to omit it.
    pub location: Option<&'static str>,
    /// The field that holds the violation's code, or `None` to omit it.
    pub code: Option<&'static str>,
}

impl KindStyle {
    /// Creates the appearance of a kind with the media type of the other kinds.
    pub const fn new(status: u16, message: &'static str) -> Self {
        Self { status, content_type: None, message }
    }
}

setters! {
    KindStyle {
        set status: u16, message: &'static str;
        some content_type: &'static str;
    }
}

impl ViolationStyle {
    /// Creates the appearance of a list in the field `field`, whose objects have the fields `name` and `reason`.
    pub const fn new(field: &'static str, name: &'static str, reason: &'static str) -> Self {
        Self { field, name, reason, location: None, code: None }
    }
}

setters! {
    ViolationStyle {
        some location: &'static str, code: &'static str;
    }
}

setters! {
    RejectionStyle {
        set content_type: &'static str, message_field: &'static str, problem_fields: bool,
            no_route: KindStyle, method_not_allowed: KindStyle, missing_credentials: KindStyle,
            invalid_credentials: KindStyle, forbidden: KindStyle, too_many_requests: KindStyle,
            unavailable: KindStyle, unsupported_media_type: KindStyle, payload_too_large: KindStyle,
            malformed_body: KindStyle, invalid: KindStyle, not_implemented: KindStyle, internal: KindStyle,
            violations: ViolationStyle, default_reason: &'static str,
            reasons: &'static [(&'static str, &'static str)];
    }
}

impl RejectionStyle {
    /// The style of RFC 9457, problem details (`application/problem+json`).
    ///
    /// The body has the fields `type`, `title`, `status` and `detail`, and lists violations in `errors`.
    pub const PROBLEM_DETAILS: Self = Self {
        content_type: "application/problem+json",
        message_field: "detail",
        problem_fields: true,
        no_route: KindStyle::new(404, "There is nothing at this path."),
        method_not_allowed: KindStyle::new(405, "This path supports only these methods: {allow}."),
        missing_credentials: KindStyle::new(401, "Credentials are required."),
        invalid_credentials: KindStyle::new(401, "The credentials are not valid."),
        forbidden: KindStyle::new(403, "The credentials do not permit this operation."),
        too_many_requests: KindStyle::new(429, "Too many requests."),
        unavailable: KindStyle::new(503, "The service is temporarily unavailable."),
        unsupported_media_type: KindStyle::new(415, "The body must be one of: {supported}."),
        payload_too_large: KindStyle::new(413, "The body must have at most {limit} bytes."),
        malformed_body: KindStyle::new(400, "The body can't be read: {detail}."),
        invalid: KindStyle::new(400, ""),
        not_implemented: KindStyle::new(501, "The operation `{operation}` is not implemented."),
        internal: KindStyle::new(500, "Internal server error."),
        violations: ViolationStyle::new("errors", "name", "detail").location("in").code("code"),
        default_reason: "`{name}` {expected}",
        reasons: &[],
    };

    /// Returns the appearance of a rejection's kind.
    pub(super) const fn kind(&self, rejection: &Rejection) -> &KindStyle {
        match rejection {
            Rejection::NoRoute => &self.no_route,
            Rejection::MethodNotAllowed { .. } => &self.method_not_allowed,
            Rejection::MissingCredentials { .. } => &self.missing_credentials,
            Rejection::InvalidCredentials { .. } => &self.invalid_credentials,
            Rejection::Forbidden => &self.forbidden,
            Rejection::TooManyRequests { .. } => &self.too_many_requests,
            Rejection::Unavailable { .. } => &self.unavailable,
            Rejection::UnsupportedMediaType { .. } => &self.unsupported_media_type,
            Rejection::PayloadTooLarge { .. } => &self.payload_too_large,
            Rejection::MalformedBody { .. } => &self.malformed_body,
            Rejection::Invalid { .. } => &self.invalid,
            Rejection::NotImplemented { .. } => &self.not_implemented,
            Rejection::Internal { .. } => &self.internal,
        }
    }

    /// Returns the message of a rejection.
    #[must_use]
    pub fn message(&self, rejection: &Rejection) -> String {
        let template = self.kind(rejection).message;
        if let (Rejection::Invalid { violations }, "") = (rejection, template) {
            return violations.first().map(|first| self.reason(first)).unwrap_or_default();
        }
        fill(template, |key, out| {
            match (key, rejection) {
                ("allow", Rejection::MethodNotAllowed { allow }) => out.push_str(allow),
                ("supported", Rejection::UnsupportedMediaType { supported, cause }) => {
                    out.push_str(supported);
                    out.push_str(&cause.condition());
                }
                ("limit", Rejection::PayloadTooLarge { limit }) => out.push_str(&limit.to_string()),
                ("detail", Rejection::MalformedBody { detail }) => out.push_str(detail),
                ("operation", Rejection::NotImplemented { operation }) => out.push_str(operation.id),
                _ => return false,
            }
            true
        })
    }

    /// Returns the reason of a violation.
    ///
    /// This is the parameter's own reason, or that of the violation's code, or the default one.
    #[must_use]
    pub fn reason(&self, violation: &Violation) -> String {
        if let Some(reason) = violation.reason {
            return reason.to_owned();
        }
        let special_case = violation.kind.special_case();
        let mut codes = special_case.into_iter().chain([violation.code().as_str()]);
        let template = codes.find_map(|code| self.reasons.iter().find(|(known, _)| *known == code));
        let template = template.map_or(self.default_reason, |(_, template)| template);
        fill(template, |key, out| {
            match key {
                "name" => out.push_str(&violation.name),
                "in" => out.push_str(violation.location.as_str()),
                // Writing to a text does not fail.
                "expected" => return write!(out, "{}", violation.kind).is_ok(),
                "limit" => return violation.limit().inspect(|limit| out.push_str(limit)).is_some(),
                _ => return false,
            }
            true
        })
    }
}

/// Fills in a template.
///
/// `value` appends the value of a parameter. Parameters for which it returns `false` stay as they are.
fn fill(template: &str, value: impl Fn(&str, &mut String) -> bool) -> String {
    // Most texts are at most this much longer.
    let mut text = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        match after.split_once('}').filter(|(key, _)| value(key, &mut text)) {
            Some((_, after)) => rest = after,
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text + rest
}
