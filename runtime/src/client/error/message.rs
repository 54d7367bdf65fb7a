//! The server's message about an error, in the shapes that servers use.

use http::HeaderMap;

use super::problem::LISTS;
use crate::client::response::media_type;
use crate::types::Value;

/// The members that hold a text, the most specific one first.
const TEXTS: [&str; 9] =
    ["detail", "message", "Message", "msg", "error_description", "description", "reason", "error", "title"];

/// The members that name the input that a violation is about.
const NAMES: [&str; 8] = ["loc", "name", "pointer", "field", "path", "property", "param", "parameter"];

/// The members that hold a code, for violations without a text.
const CODES: [&str; 2] = ["code", "type"];

/// The maximum size of a body in which a message is searched, in bytes.
pub(super) const PARSED: usize = 64 * 1024;

/// The maximum number of violations of a list that a message has.
const VIOLATIONS: usize = 100;

/// A violation that an error lists.
struct Violation {
    /// The name of the input; empty if there is none.
    name: String,
    reason: String,
}

/// Returns the message in an error's body: its text, and then the violations that the text doesn't contain.
///
/// A large body has none.
pub(in crate::client) fn message(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    if body.len() > PARSED {
        return None;
    }
    match serde_json::from_slice(body) {
        Ok(value @ (Value::String(_) | Value::Array(_) | Value::Object(_))) => text(&value),
        _ => plain(headers, body),
    }
}

/// Returns a body that is text. Some servers label it as JSON, or not at all.
fn plain(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    let media_type = media_type(headers).to_ascii_lowercase();
    let is_json = media_type.ends_with("json");
    let other_formats: &[char] = if is_json { &['{', '[', '<'] } else { &['{', '['] };
    let text = String::from_utf8_lossy(body.trim_ascii());
    let is_plain = is_json || matches!(media_type.as_str(), "" | "text/plain");
    (is_plain && !text.is_empty() && !text.starts_with(other_formats)).then(|| text.into_owned())
}

/// Returns the text of a value: `the request is invalid; body.items.0: Field required; query.page: too low`.
fn text(value: &Value) -> Option<String> {
    let mut text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(fields) => {
            let mut texts = TEXTS.into_iter().filter_map(|name| fields.get(name));
            texts.find_map(text).unwrap_or_default()
        }
        _ => String::new(),
    };
    let main = text.clone();
    for Violation { name, reason } in violations(value, text.is_empty()) {
        if main.contains(&reason) && main.contains(&name) {
            continue;
        }
        let separator = if text.is_empty() { "" } else { "; " };
        // Many reasons name the input.
        let name =
            if name.is_empty() || reason.contains(&name) { String::new() } else { format!("{name}: ") };
        text.push_str(&format!("{separator}{name}{reason}"));
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the violations in a list, or in the lists of an error.
///
/// `or_fields` is whether an object without a text can itself be a list: of reasons by field, as Django sends it.
fn violations(value: &Value, or_fields: bool) -> Vec<Violation> {
    let Value::Object(fields) = value else { return listed(value) };
    let lists: Vec<Violation> =
        LISTS.into_iter().filter_map(|name| fields.get(name)).flat_map(listed).collect();
    let is_reasons = |value: &Value| {
        value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string))
    };
    if lists.is_empty() && or_fields && fields.values().all(is_reasons) { listed(value) } else { lists }
}

/// Returns the items of a list of violations, or of an object with the reasons by field.
fn listed(value: &Value) -> Vec<Violation> {
    match value {
        Value::Array(items) => items.iter().filter_map(violation).take(VIOLATIONS).collect(),
        Value::Object(fields) => {
            let by_field = |(name, value): (&String, &Value)| {
                Some(Violation { name: name.clone(), reason: text(value)? })
            };
            fields.iter().filter_map(by_field).take(VIOLATIONS).collect()
        }
        _ => Vec::new(),
    }
}

fn violation(item: &Value) -> Option<Violation> {
    let code = || CODES.into_iter().find_map(|name| item.get(name)?.as_str().map(str::to_owned));
    Some(Violation { name: name(item).unwrap_or_default(), reason: text(item).or_else(code)? })
}

/// Returns the name of the input that a violation is about. Several steps are joined: `body.items.0`.
fn name(item: &Value) -> Option<String> {
    let step = |step: &Value| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
    // JSON:API puts it into `source`.
    let members = NAMES.into_iter().find_map(|name| item.get(name).or_else(|| item.get("source")?.get(name)));
    match members? {
        Value::String(name) => Some(name.clone()),
        Value::Array(steps) => Some(steps.iter().map(step).collect::<Vec<_>>().join(".")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message of a body with this media type.
    fn found(media_type: &str, body: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, media_type.parse().unwrap());
        message(&headers, body.as_bytes())
    }

    #[test]
    fn messages_are_found_in_the_shapes_that_servers_use() {
        for (body, expected) in [
            (r#"{"message": "No such icon"}"#, "No such icon"),
            (r#"{"Message": "No such icon"}"#, "No such icon"),
            (r#"{"title": "Bad Request", "detail": null}"#, "Bad Request"),
            (r#"{"type": "about:blank", "title": "Bad Request", "detail": "`page` is 0"}"#, "`page` is 0"),
            (r#"{"error": {"code": 7, "message": "No such icon"}}"#, "No such icon"),
            (r#"{"error": "no_such_icon"}"#, "no_such_icon"),
            (r#"{"error": "invalid_client", "error_description": "Unknown client"}"#, "Unknown client"),
            (
                r#"{"status": 404, "error": "Not Found", "message": "No icon 7", "path": "/icons/7"}"#,
                "No icon 7",
            ),
            (r#"{"detail": {"error": "No such icon", "code": 7}}"#, "No such icon"),
            (r#"{"message": ["too long", "too loud"]}"#, "too long; too loud"),
            (r#"["No such icon"]"#, "No such icon"),
            (r#""No such icon""#, "No such icon"),
            (r#"[{"message": "No such icon"}, 7]"#, "No such icon"),
            (r#"{"detail": [], "title": "Bad Request"}"#, "Bad Request"),
            ("No such icon\n", "No such icon"),
        ] {
            assert_eq!(found("application/json", body).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn all_violations_are_named() {
        for (body, expected) in [
            // FastAPI
            (
                r#"{"detail": [{"type": "missing", "loc": ["body", "items", 0], "msg": "Field required", "input": {}},
                               {"loc": ["query", "page"], "msg": "too low"}, {"msg": "nowhere"}, 5]}"#,
                "body.items.0: Field required; query.page: too low; nowhere",
            ),
            // RFC 9457, with and without a detail that repeats the first violation
            (
                r##"{"title": "Bad Request", "detail": "`page` is 0", "errors": [
                    {"name": "page", "in": "query", "detail": "`page` is 0"}, {"pointer": "#/size", "detail": "too low"}]}"##,
                "`page` is 0; #/size: too low",
            ),
            (
                r#"{"title": "Invalid", "invalid-params": [{"name": "age", "reason": "too low"}]}"#,
                "Invalid; age: too low",
            ),
            // JSON:API, GraphQL, GitHub
            (
                r#"{"errors": [{"title": "Invalid", "detail": "is short", "source": {"pointer": "/data/name"}}]}"#,
                "/data/name: is short",
            ),
            (
                r#"{"data": null, "errors": [{"message": "No such icon", "path": ["a", 0]}]}"#,
                "a.0: No such icon",
            ),
            (
                r#"{"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing"}]}"#,
                "Validation Failed; title: missing",
            ),
            // ASP.NET, Django
            (
                r#"{"title": "Invalid", "errors": {"Age": ["too low", "odd"], "Name": ["is short"]}}"#,
                "Invalid; Age: too low; odd; Name: is short",
            ),
            (r#"{"age": ["too low"], "non_field_errors": ["odd"]}"#, "age: too low; non_field_errors: odd"),
        ] {
            assert_eq!(found("application/json", body).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn messages_are_bounded() {
        let items = |count: usize| format!("[{}]", vec![r#"{"msg": "odd"}"#; count].join(","));
        let found = |body: &str| found("application/json", body).map(|text| text.matches("odd").count());
        assert_eq!(found(&items(3)), Some(3));
        assert_eq!(found(&items(101)), Some(100));
        assert_eq!(found(&items(5000)), None);
    }

    #[test]
    fn other_bodies_have_no_message() {
        for (media_type, body) in [
            ("application/json", ""),
            ("application/json", "17"),
            ("application/json", "{\"message\": \"cut o"),
            ("application/json", "<p>proxy</p>"),
            ("application/json", r#"{"code": 7}"#),
            ("application/json", r#"{"ids": [], "names": ["a"]}"#),
            ("application/json", r#"{"message": " "}"#),
            ("text/html", "No such icon"),
        ] {
            let expected = (body == "17").then_some("17");
            assert_eq!(found(media_type, body).as_deref(), expected, "{media_type}: {body}");
        }
    }
}
