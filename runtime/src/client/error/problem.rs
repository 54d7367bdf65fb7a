//! Problem details (RFC 9457) in the body of an error.

use std::fmt;

use http::StatusCode;

use crate::{
    types::{Map, Value},
    validation::In,
};

/// The media type of problem details.
pub(super) const MEDIA_TYPE: &str = "application/problem+json";

/// The members that list invalid inputs: in most servers, and in RFC 7807.
pub(super) const LISTS: [&str; 3] = ["errors", "invalid-params", "invalid_params"];

/// Problem details (RFC 9457): a common format for errors.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Problem {
    /// The status of the response.
    pub status: StatusCode,
    /// The URI of the problem type (`type`). `about:blank` adds nothing to the status.
    pub kind: String,
    /// The name of the problem type.
    pub title: Option<String>,
    /// The explanation of this occurrence.
    pub detail: Option<String>,
    /// The URI of this occurrence.
    pub instance: Option<String>,
    /// The invalid parameters and fields, which generated servers list in `errors`.
    pub invalid: Vec<InvalidInput>,
    /// All other members.
    pub others: Map<Value>,
}

/// An invalid parameter or field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidInput {
    /// The name, as the server writes it: `subject.name`, or a JSON pointer.
    pub name: String,
    /// The location in the request, if the server sends it.
    pub location: Option<In>,
    /// The code of the violation, if the server sends it: `min-length`.
    pub code: Option<String>,
    /// The explanation, if the server sends it.
    pub reason: Option<String>,
}

impl Problem {
    /// Reads a body. Returns `None` if it is not a JSON object.
    ///
    /// Members of a wrong type are ignored, as the RFC requires.
    pub(super) fn read(status: StatusCode, body: &[u8]) -> Option<Self> {
        let mut others: Map<Value> = serde_json::from_slice(body).ok()?;
        let mut text = |name: &str| match others.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (kind, title) = (text("type"), text("title"));
        let (detail, instance) = (text("detail"), text("instance"));
        others.remove("status");
        let list = LISTS.into_iter().find(|name| others.get(*name).is_some_and(Value::is_array));
        let invalid = match list.and_then(|name| others.remove(name)) {
            Some(Value::Array(items)) => items.iter().filter_map(InvalidInput::read).collect(),
            _ => Vec::new(),
        };
        let kind = kind.unwrap_or_else(|| "about:blank".to_owned());
        Some(Self { status, kind, title, detail, instance, invalid, others })
    }
}

impl fmt::Display for Problem {
    /// Writes the title and the detail: `Bad Request: page must be at least 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.title.as_deref().or(self.status.canonical_reason()).unwrap_or(&self.kind);
        match &self.detail {
            Some(detail) => write!(f, "{title}: {detail}"),
            None => f.write_str(title),
        }
    }
}

impl InvalidInput {
    fn read(item: &Value) -> Option<Self> {
        let text = |names: &[&str]| {
            names.iter().find_map(|name| item.get(name)).and_then(Value::as_str).map(str::to_owned)
        };
        let all = [In::Path, In::Query, In::Header, In::Cookie, In::Body];
        Some(Self {
            name: text(&["name", "pointer", "field"])?,
            location: text(&["in"]).and_then(|text| all.into_iter().find(|it| it.as_str() == text)),
            code: text(&["code"]),
            reason: text(&["detail", "reason", "message"]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems() {
        let read = |body: &str| Problem::read(StatusCode::BAD_REQUEST, body.as_bytes());
        let ours = r#"{"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "`page` is 0", "errors": [
            {"name": "page", "in": "query", "code": "minimum", "detail": "`page` must be at least 1"}], "trace": 7}"#;
        let problem = read(ours).unwrap();
        assert_eq!((problem.kind.as_str(), problem.status), ("about:blank", StatusCode::BAD_REQUEST));
        assert_eq!(problem.to_string(), "Bad Request: `page` is 0");
        let [input] = problem.invalid.as_slice() else { panic!("{problem:?}") };
        assert_eq!(
            (input.name.as_str(), input.location, input.code.as_deref()),
            ("page", Some(In::Query), Some("minimum"))
        );
        assert_eq!(input.reason.as_deref(), Some("`page` must be at least 1"));
        assert_eq!(problem.others.get("trace"), Some(&Value::from(7)));
        assert_eq!(problem.others.len(), 1);

        let others = r##"{"type": "https://x.example/age", "errors": [{"pointer": "#/age", "detail": "too low"}, 5]}"##;
        let problem = read(others).unwrap();
        assert_eq!((problem.invalid[0].name.as_str(), problem.invalid.len()), ("#/age", 1));
        assert_eq!(problem.title, None);
        let older = r#"{"invalid-params": [{"name": "age", "reason": "too low"}]}"#;
        assert_eq!(read(older).unwrap().invalid[0].reason.as_deref(), Some("too low"));
        // The RFC requires that members of a wrong type are ignored.
        let wrong = read(r#"{"type": 1, "title": [], "status": "x", "errors": {"a": "b"}}"#).unwrap();
        assert_eq!((wrong.kind.as_str(), wrong.title, wrong.invalid.len()), ("about:blank", None, 0));
        assert_eq!(wrong.others.len(), 1, "what is not a list of inputs is kept as it is");
        assert_eq!((read("[]"), read("no JSON")), (None, None));
    }
}
