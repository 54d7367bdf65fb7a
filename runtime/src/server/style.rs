//! How refusals look: static data that the document's `x-rejections` chooses.
//!
//! The default is RFC 9457, problem details. Messages and reasons are templates: `{name}` and the like are filled in.

use crate::validation::Violation;

use super::Rejection;

/// How refusals look.
#[derive(Debug, Clone, Copy)]
pub struct RejectionStyle {
    /// The media type of a refusal's body: JSON, or `text/…` for the message alone.
    pub content_type: &'static str,
    /// The field that holds the message.
    pub message_field: &'static str,
    /// Whether the body also has `type`, `title` and `status`, as RFC 9457 wants.
    pub problem_fields: bool,
    /// No template matches the path.
    pub no_route: KindStyle,
    /// The path has no such method. `{allow}`: those that it has.
    pub method_not_allowed: KindStyle,
    /// There are no credentials.
    pub missing_credentials: KindStyle,
    /// The credentials are not good.
    pub invalid_credentials: KindStyle,
    /// The caller may not do this.
    pub forbidden: KindStyle,
    /// The caller asks too often.
    pub too_many_requests: KindStyle,
    /// What is needed is not there now.
    pub unavailable: KindStyle,
    /// The body is of no documented media type. `{supported}`: the documented ones.
    pub unsupported_media_type: KindStyle,
    /// The body is too large. `{limit}`: the most that is accepted, in bytes.
    pub payload_too_large: KindStyle,
    /// The body can't be read. `{detail}`: what is wrong with it.
    pub malformed_body: KindStyle,
    /// Parameters or fields break their rules. Without a message, the first reason is it.
    pub invalid: KindStyle,
    /// The operation is not implemented. `{operation}`: its id.
    pub not_implemented: KindStyle,
    /// Something broke.
    pub internal: KindStyle,
    /// How violations are listed.
    pub violations: ViolationStyle,
    /// The reason of a violation. `{name}`: the parameter or field; `{in}`: where it stands; `{expected}`: `must be at
    /// most 100`; `{limit}`: `100`, where there is a limit.
    pub default_reason: &'static str,
    /// Reasons by the violation's code (`exclusive-minimum`) or its [special case](crate::validation::Problem::special_case)
    /// (`empty`), instead of the default one. A special case wins over its code.
    pub reasons: &'static [(&'static str, &'static str)],
}

/// How one kind of refusal looks.
#[derive(Debug, Clone, Copy)]
pub struct KindStyle {
    /// The status.
    pub status: u16,
    /// The media type, where it is not that of the other kinds.
    pub content_type: Option<&'static str>,
    /// The message.
    pub message: &'static str,
}

/// How violations are listed: an array of objects.
#[derive(Debug, Clone, Copy)]
pub struct ViolationStyle {
    /// The body's field that holds the array.
    pub field: &'static str,
    /// The field that names the parameter or field.
    pub name: &'static str,
    /// The field that holds the reason.
    pub reason: &'static str,
    /// The field that says where the parameter stands, if there is one.
    pub location: Option<&'static str>,
    /// The field that holds the violation's code, if there is one.
    pub code: Option<&'static str>,
}

const fn kind(status: u16, message: &'static str) -> KindStyle {
    KindStyle { status, content_type: None, message }
}

impl RejectionStyle {
    /// RFC 9457: `application/problem+json` with `type`, `title`, `status`, `detail`, and `errors` for violations.
    pub const PROBLEM_DETAILS: Self = Self {
        content_type: "application/problem+json",
        message_field: "detail",
        problem_fields: true,
        no_route: kind(404, "There is nothing at this path."),
        method_not_allowed: kind(405, "This path has only these methods: {allow}."),
        missing_credentials: kind(401, "Credentials are needed."),
        invalid_credentials: kind(401, "The credentials are not valid."),
        forbidden: kind(403, "This is not permitted."),
        too_many_requests: kind(429, "Too many requests."),
        unavailable: kind(503, "The service is not available now."),
        unsupported_media_type: kind(415, "The body must be one of: {supported}."),
        payload_too_large: kind(413, "The body must have at most {limit} bytes."),
        malformed_body: kind(400, "The body can't be read: {detail}."),
        invalid: kind(400, ""),
        not_implemented: kind(501, "The operation `{operation}` is not implemented."),
        internal: kind(500, "Internal server error."),
        violations: ViolationStyle {
            field: "errors",
            name: "name",
            reason: "detail",
            location: Some("in"),
            code: Some("code"),
        },
        default_reason: "`{name}` {expected}",
        reasons: &[],
    };

    /// The row of a refusal's kind.
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

    /// The message of a refusal.
    #[must_use]
    pub fn message(&self, rejection: &Rejection) -> String {
        let template = self.kind(rejection).message;
        if let (Rejection::Invalid { violations }, "") = (rejection, template) {
            return violations.first().map(|first| self.reason(first)).unwrap_or_default();
        }
        fill(template, |key| match (key, rejection) {
            ("allow", Rejection::MethodNotAllowed { allow }) => Some(allow.clone()),
            ("supported", Rejection::UnsupportedMediaType { supported, cause }) => {
                Some(supported.clone() + cause.condition())
            }
            ("limit", Rejection::PayloadTooLarge { limit }) => Some(limit.to_string()),
            ("detail", Rejection::MalformedBody { detail }) => Some(detail.clone()),
            ("operation", Rejection::NotImplemented { operation }) => Some(operation.id.to_owned()),
            _ => None,
        })
    }

    /// The reason of a violation: its parameter's own, or that of its code, or the default one.
    #[must_use]
    pub fn reason(&self, violation: &Violation) -> String {
        if let Some(reason) = violation.reason {
            return reason.to_owned();
        }
        let special_case = violation.problem.special_case();
        let mut codes = special_case.into_iter().chain([violation.code().as_str()]);
        let template = codes.find_map(|code| self.reasons.iter().find(|(known, _)| *known == code));
        let template = template.map_or(self.default_reason, |(_, template)| template);
        fill(template, |key| match key {
            "name" => Some(violation.name.clone()),
            "in" => Some(violation.location.as_str().to_owned()),
            "expected" => Some(violation.expected()),
            "limit" => violation.limit(),
            _ => None,
        })
    }
}

/// Fills a template in; what `value` doesn't know stays as it stands.
fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        match after.split_once('}').and_then(|(key, after)| Some((value(key)?, after))) {
            Some((value, after)) => {
                text.push_str(&value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text + rest
}
