//! Secrets in recordings.

use http::HeaderMap;

use crate::{
    table::{Operation, SchemeKind},
    types::Value,
};

/// The text in place of a secret.
pub(super) const REDACTED: &str = "REDACTED";

/// The ends of names whose values are secrets, without `-` and `_`.
const ENDS: [&str; 17] = [
    "accesskey",
    "accesskeyid",
    "accesstoken",
    "apikey",
    "assertion",
    "authorization",
    "authtoken",
    "cookie",
    "credential",
    "idtoken",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "securitytoken",
    "signature",
];

/// Names whose values are secrets. Others only end so: `next_token`.
const NAMES: [&str; 4] = ["passwd", "sessiontoken", "sig", "token"];

/// The names whose values are secrets: the usual ones, and others.
pub(super) struct Secrets<'a> {
    others: Vec<&'a str>,
}

impl<'a> Secrets<'a> {
    /// Creates the names for an operation, whose security schemes have names of their own.
    pub(super) fn new(operation: Option<&'static Operation>, others: &'a [String]) -> Self {
        let requirements = operation.into_iter().flat_map(|operation| operation.security).copied().flatten();
        let of_scheme = requirements.filter_map(|requirement| match requirement.scheme.kind {
            SchemeKind::ApiKeyHeader(name)
            | SchemeKind::ApiKeyQuery(name)
            | SchemeKind::ApiKeyCookie(name) => Some(name),
            _ => None,
        });
        Self { others: others.iter().map(String::as_str).chain(of_scheme).collect() }
    }

    fn has(&self, name: &str) -> bool {
        let plain = name.replace(['-', '_'], "").to_ascii_lowercase();
        NAMES.contains(&plain.as_str())
            || ENDS.iter().any(|end| plain.ends_with(end))
            || self.others.iter().any(|other| other.eq_ignore_ascii_case(name))
    }

    /// Returns a text without the secrets in queries, forms and URLs: `key=REDACTED`.
    pub(super) fn text(&self, text: &str) -> String {
        let is_of_name = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        let is_end = |it: char| it.is_whitespace() || "&;,<>\"'#\\".contains(it);
        let (mut redacted, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once('=') {
            redacted.push_str(before);
            redacted.push('=');
            let name = before.rsplit(|it: char| !is_of_name(it)).next().unwrap_or_default();
            let (value, behind) = after.split_at(after.find(is_end).unwrap_or(after.len()));
            rest = after;
            if !value.is_empty() && self.has(name) {
                redacted.push_str(REDACTED);
                rest = behind;
            }
        }
        redacted + rest
    }

    /// Removes the secrets of a JSON value: texts of properties with these names, and those in URLs.
    pub(super) fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(members) => members.iter_mut().for_each(|(name, member)| match member {
                Value::String(text) if !text.is_empty() && self.has(name) => REDACTED.clone_into(text),
                _ => self.json(member),
            }),
            _ => {}
        }
    }

    /// Returns the headers among `names`, by name, without secrets.
    pub(super) fn headers(&self, headers: &HeaderMap, names: &[&str]) -> Vec<(String, String)> {
        let value = |name: &str| {
            let values: Vec<&str> =
                headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
            let text = if self.has(name) { REDACTED.to_owned() } else { self.text(&values.join(", ")) };
            (!values.is_empty()).then(|| (name.to_ascii_lowercase(), text))
        };
        names.iter().filter_map(|name| value(name)).collect()
    }
}

/// Returns whether a text is a recorded one, in which `REDACTED` stands for any text.
pub(super) fn is_text(recorded: &str, text: &str) -> bool {
    let Some((before, after)) = recorded.split_once(REDACTED) else { return recorded == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.map(|at| rest.split_at(at).1).any(|rest| is_text(after, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::{Requirement, Scheme};

    #[test]
    fn secrets_are_found_by_name() {
        static KEY: Scheme = Scheme::new("key", SchemeKind::ApiKeyQuery("key"));
        static OPERATION: Operation =
            Operation::new("it", "tag", "GET", "/").security(&[&[Requirement { scheme: &KEY, scopes: &[] }]]);
        let others = ["pin".to_owned()];
        let secrets = Secrets::new(Some(&OPERATION), &others);
        for (text, expected) in [
            ("/icons?page=2&key=abc", "/icons?page=2&key=REDACTED"),
            ("/icons?next_token=a&X-Amz-Signature=b", "/icons?next_token=a&X-Amz-Signature=REDACTED"),
            (
                "grant_type=password&password=a%20b&pin=1",
                "grant_type=password&password=REDACTED&pin=REDACTED",
            ),
            (
                "<https://a.example/?api_key=x&p=2>; rel=\"next\"",
                "<https://a.example/?api_key=REDACTED&p=2>; rel=\"next\"",
            ),
            ("a == b, token=", "a == b, token="),
        ] {
            assert_eq!(secrets.text(text), expected);
            assert!(is_text(expected, text), "{text}");
        }
        let mut body = json!({
            "access_token": "a", "next_token": "b", "client-secret": "c", "token": 7, "is_secret": true,
            "nested": [{"password": "d", "url": "https://a.example/?sig=e"}],
        });
        secrets.json(&mut body);
        assert_eq!(
            body,
            json!({
                "access_token": "REDACTED", "next_token": "b", "client-secret": "REDACTED", "token": 7, "is_secret": true,
                "nested": [{"password": "REDACTED", "url": "https://a.example/?sig=REDACTED"}],
            })
        );
    }

    #[test]
    fn a_redacted_text_stands_for_any() {
        assert!(is_text("a=REDACTED&b=1", "a=&b=1"));
        assert!(!is_text("a=REDACTED&b=1", "a=x&b=2"));
        assert!(is_text("REDACTEDREDACTED", "x"));
    }
}
