//! Rendering of rejections as responses.

use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING, ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::{Body, Rejection, RejectionStyle, Unsupported};
use crate::codec::{Encode, Writer, to_json};
use crate::table::{Operation, SchemeKind};
use crate::validation::Violation;

impl RejectionStyle {
    /// Returns the response to a rejected request in this style.
    ///
    /// It has the headers that HTTP defines for the status: `Allow`, `WWW-Authenticate`, `Retry-After`,
    /// `Accept`, `Accept-Encoding`.
    #[must_use]
    pub fn respond(&self, rejection: &Rejection) -> Response<Body> {
        let kind = self.kind(rejection);
        let content_type = kind.content_type.unwrap_or(self.content_type);
        let items: Option<Vec<Item<'_>>> = match rejection {
            Rejection::Invalid { violations } => Some(
                violations
                    .iter()
                    .map(|violation| Item { style: self, violation, reason: self.reason(violation) })
                    .collect(),
            ),
            _ => None,
        };
        let message = match items.as_deref() {
            Some([first, ..]) if kind.message.is_empty() => first.reason.clone(),
            _ => self.message(rejection),
        };
        let status = StatusCode::from_u16(kind.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = if content_type.starts_with("text/") {
            message.into_bytes()
        } else {
            to_json(&Document { style: self, status, message: &message, items })
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        insert(headers, CONTENT_TYPE, content_type);
        add_headers(rejection, headers);
        response
    }
}

/// Adds the headers that belong to a rejection.
fn add_headers(rejection: &Rejection, headers: &mut HeaderMap) {
    match rejection {
        Rejection::MethodNotAllowed { allow } => insert(headers, ALLOW, allow),
        // `Accept` would be about the whole body.
        Rejection::UnsupportedMediaType { cause: Unsupported::Part(_), .. } => {}
        Rejection::UnsupportedMediaType { supported, cause } => {
            insert(headers, ACCEPT, supported);
            if *cause == Unsupported::ContentEncoding {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
        }
        Rejection::MissingCredentials { operation } => challenge(operation, "", headers),
        Rejection::InvalidCredentials { operation } => {
            challenge(operation, " error=\"invalid_token\"", headers);
        }
        Rejection::TooManyRequests { retry_after, headers: more } => {
            retry(*retry_after, headers);
            headers.extend(more.clone());
        }
        Rejection::Unavailable { retry_after } => retry(*retry_after, headers),
        _ => {}
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Adds `Retry-After`, in seconds rounded up, at least 1.
fn retry(after: Option<Duration>, headers: &mut HeaderMap) {
    if let Some(after) = after {
        let seconds = after.as_secs().saturating_add(u64::from(after.subsec_nanos() > 0));
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
}

/// Adds a challenge for each authentication scheme that the operation accepts.
///
/// `bearer_error` is appended to `Bearer` (RFC 6750).
fn challenge(operation: &Operation, bearer_error: &str, headers: &mut HeaderMap) {
    let mut challenges: Vec<String> = Vec::new();
    for requirement in operation.security.iter().copied().flatten() {
        let challenge = match requirement.scheme.kind {
            SchemeKind::Basic => format!("Basic realm=\"{}\", charset=\"UTF-8\"", requirement.scheme.name),
            SchemeKind::Bearer => format!("Bearer{bearer_error}"),
            SchemeKind::Http(scheme) => scheme.to_owned(),
            // No scheme is registered for API keys, and HTTP requires a challenge. FastAPI sends the same one.
            SchemeKind::ApiKeyHeader(_) | SchemeKind::ApiKeyQuery(_) | SchemeKind::ApiKeyCookie(_) => {
                "APIKey".to_owned()
            }
            SchemeKind::MutualTls => continue,
        };
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    for challenge in challenges {
        if let Ok(value) = HeaderValue::from_str(&challenge) {
            headers.append(WWW_AUTHENTICATE, value);
        }
    }
}

/// The body of a rejection's response.
struct Document<'a> {
    style: &'a RejectionStyle,
    status: StatusCode,
    message: &'a str,
    items: Option<Vec<Item<'a>>>,
}

impl Encode for Document<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let status = u64::from(self.status.as_u16());
        let mut fields: Vec<(&'static str, &dyn Encode)> = Vec::with_capacity(5);
        if self.style.problem_fields {
            fields.extend([("type", &"about:blank" as &dyn Encode), ("title", &title), ("status", &status)]);
        }
        fields.push((self.style.message_field, &self.message));
        if let Some(items) = &self.items {
            fields.push((self.style.violations.field, items));
        }
        writer.object(&fields, None);
    }
}

/// A violation in the body.
struct Item<'a> {
    style: &'a RejectionStyle,
    violation: &'a Violation,
    reason: String,
}

impl Encode for Item<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        let Self { style: RejectionStyle { violations: style, .. }, violation, reason } = self;
        let (location, code) = (violation.location.as_str(), violation.code().as_str());
        let mut fields: Vec<(&'static str, &dyn Encode)> = vec![(style.name, &violation.name)];
        fields.extend(style.location.map(|field| (field, &location as &dyn Encode)));
        fields.extend(style.code.map(|field| (field, &code as &dyn Encode)));
        fields.push((style.reason, reason));
        writer.object(&fields, None);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::server::ViolationStyle;
    use crate::validation::{Bound, In, ViolationKind, Violations};

    /// A style as a document might choose it.
    static STYLE: RejectionStyle = {
        const USUAL: RejectionStyle = RejectionStyle::PROBLEM_DETAILS;
        USUAL
            .content_type("application/json")
            .message_field("message")
            .problem_fields(false)
            .no_route(USUAL.no_route.message("Not found"))
            .forbidden(USUAL.forbidden.content_type("text/plain"))
            .invalid(USUAL.invalid.status(422).content_type("application/problem+json"))
            .malformed_body(USUAL.malformed_body.message("{detail} {limit} {"))
            .violations(ViolationStyle::new("invalid_params", "name", "reason"))
            .default_reason("Parameter '{name}' is not valid: {expected}")
            .reasons(&[
                ("exclusive-minimum", "Parameter '{name}' must be greater than {limit}"),
                ("min-length", "'{name}' is too short"),
                ("empty", "Parameter '{name}' must not be empty"),
            ])
    };

    fn violations() -> Violations {
        let violation =
            |location, name: &str, kind, reason| Violation { location, name: name.to_owned(), kind, reason };
        let mut violations = Violations::new();
        violations.push(violation(
            In::Query,
            "page",
            ViolationKind::ExclusiveMinimum(Bound::Integer(0)),
            None,
        ));
        violations.push(violation(
            In::Query,
            "f[a]",
            ViolationKind::Missing,
            Some("Parameter 'filter' is not valid"),
        ));
        violations.push(violation(In::Body, "{expected}", ViolationKind::MaxLength(5), None));
        violations
    }

    /// Returns the status, the media type and the body of the response.
    fn shown(style: &RejectionStyle, rejection: &Rejection) -> (u16, String, Value) {
        let response = style.respond(rejection);
        let (parts, body) = response.into_parts();
        let collected = http_body_util::BodyExt::collect(body);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes = runtime.block_on(collected).unwrap().to_bytes();
        let content_type = parts.headers.get(CONTENT_TYPE).unwrap().to_str().unwrap().to_owned();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        (parts.status.as_u16(), content_type, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    #[test]
    fn problem_details_by_default() {
        let style = &RejectionStyle::PROBLEM_DETAILS;
        let (status, content_type, body) = shown(style, &Rejection::Invalid { violations: violations() });
        assert_eq!((status, content_type.as_str()), (400, "application/problem+json"));
        let expected = json!({
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": "`page` must be greater than 0",
            "errors": [
                {"name": "page", "in": "query", "code": "exclusive-minimum", "detail": "`page` must be greater than 0"},
                {"name": "f[a]", "in": "query", "code": "missing", "detail": "Parameter 'filter' is not valid"},
                {
                    "name": "{expected}", "in": "body", "code": "max-length",
                    "detail": "`{expected}` must be at most 5 characters long",
                },
            ],
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn a_document_chooses_its_own() {
        let (status, content_type, body) = shown(&STYLE, &Rejection::Invalid { violations: violations() });
        assert_eq!((status, content_type.as_str()), (422, "application/problem+json"));
        let expected = json!({
            "message": "Parameter 'page' must be greater than 0",
            "invalid_params": [
                {"name": "page", "reason": "Parameter 'page' must be greater than 0"},
                {"name": "f[a]", "reason": "Parameter 'filter' is not valid"},
                {
                    "name": "{expected}",
                    "reason": "Parameter '{expected}' is not valid: must be at most 5 characters long",
                },
            ],
        });
        assert_eq!(body, expected);
        let plain = |text: &str| Value::String(text.to_owned());
        let malformed = Rejection::MalformedBody { detail: "a {b}".to_owned() };
        for (rejection, status, content_type, body) in [
            (&Rejection::NoRoute, 404, "application/json", json!({"message": "Not found"})),
            (
                &Rejection::Forbidden,
                403,
                "text/plain",
                plain("The credentials do not permit this operation."),
            ),
            (&malformed, 400, "application/json", json!({"message": "a {b} {limit} {"})),
            (
                &Rejection::internal("secret"),
                500,
                "application/json",
                json!({"message": "Internal server error."}),
            ),
        ] {
            assert_eq!(shown(&STYLE, rejection), (status, content_type.to_owned(), body));
        }
    }

    #[test]
    fn a_special_case_wins_over_its_code() {
        let reason = |style: &RejectionStyle, least| {
            let kind = ViolationKind::MinLength(least);
            style.reason(&Violation { location: In::Body, name: "text".to_owned(), kind, reason: None })
        };
        assert_eq!(reason(&STYLE, 1), "Parameter 'text' must not be empty");
        assert_eq!(reason(&STYLE, 2), "'text' is too short");
        let without = STYLE.reasons(&STYLE.reasons[..2]);
        assert_eq!(reason(&without, 1), "'text' is too short");
    }

    #[test]
    fn seconds_are_rounded_up() {
        for (milliseconds, expected) in [(0, "1"), (1, "1"), (1000, "1"), (1001, "2"), (60_000, "60")] {
            let retry_after = Some(Duration::from_millis(milliseconds));
            let response = STYLE.respond(&Rejection::Unavailable { retry_after });
            assert_eq!(response.headers().get(RETRY_AFTER).unwrap(), expected);
        }
        let longest = STYLE.respond(&Rejection::Unavailable { retry_after: Some(Duration::MAX) });
        assert_eq!(longest.headers().get(RETRY_AFTER).unwrap(), &u64::MAX.to_string());
        let response = STYLE.respond(&Rejection::Unavailable { retry_after: None });
        assert_eq!(response.headers().get(RETRY_AFTER), None);
    }
}
