//! Secrets in texts, by their names: in recordings and in spans.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::table::{Operation, SchemeKind};
#[cfg(feature = "mock")]
use crate::types::Value;

/// The text in place of a secret.
pub(super) const REDACTED: &str = "REDACTED";

/// The ends of names whose values are secrets, without `-`, `_` and `.`.
const ENDS: [&str; 17] = [
    "accesskey",
    "accesskeyid",
    "apikey",
    "assertion",
    "authorization",
    "cookie",
    "credential",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "signature",
    "token",
];

/// The words before `token` in names of page cursors, which are not secrets.
const PAGING: [&str; 9] = [
    "continuation",
    "cursor",
    "next",
    "nextcontinuation",
    "nextpage",
    "nextsync",
    "page",
    "pagination",
    "sync",
];

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
        let plain = name.replace(['-', '_', '.'], "").to_ascii_lowercase();
        let is_position = plain.strip_suffix("token").is_some_and(|before| PAGING.contains(&before));
        plain == "sig"
            || (!is_position && ENDS.iter().any(|end| plain.ends_with(end)))
            || self.others.iter().any(|other| other.eq_ignore_ascii_case(name))
    }

    /// Returns a text without the secrets in queries, forms, URLs and JSON: `key=REDACTED`, `"key":"REDACTED"`.
    pub(super) fn text(&self, text: &str) -> String {
        let (mut redacted, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((at, length)) = separator(rest) {
            let (before, after) = rest.split_at(at);
            let (separator, after) = after.split_at(length);
            redacted.push_str(before);
            redacted.push_str(separator);
            rest = after;
            if !self.has(&name(before)) {
                continue;
            }
            if separator == ":" && after.trim_start().starts_with('[') {
                rest = items(after, &mut redacted);
                continue;
            }
            let Range { start, end } = value(separator, after);
            if let (Some(lead), Some(behind)) = (after.get(..start), after.get(end..))
                && start < end
            {
                redacted.push_str(lead);
                redacted.push_str(REDACTED);
                rest = behind;
            }
        }
        redacted + rest
    }

    /// Removes the secrets of a JSON value: texts of properties with these names, and those in texts.
    #[cfg(feature = "mock")]
    pub(super) fn json(&self, value: &mut Value) {
        self.member(false, value);
    }

    #[cfg(feature = "mock")]
    fn member(&self, is_secret: bool, value: &mut Value) {
        match value {
            Value::String(text) if is_secret && !text.is_empty() => REDACTED.clone_into(text),
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.member(is_secret, item)),
            Value::Object(members) => {
                members.iter_mut().for_each(|(name, member)| self.member(self.has(name), member));
            }
            _ => {}
        }
    }

    /// Returns the headers among `names`, by name, without secrets.
    #[cfg(feature = "mock")]
    pub(super) fn headers(&self, headers: &http::HeaderMap, names: &[&str]) -> Vec<(String, String)> {
        let value = |name: &str| {
            let values: Vec<&str> =
                headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
            let text = if self.has(name) { REDACTED.to_owned() } else { self.text(&values.join(", ")) };
            (!values.is_empty()).then(|| (name.to_ascii_lowercase(), text))
        };
        names.iter().filter_map(|name| value(name)).collect()
    }
}

/// Returns the position and the length of the first separator of a name and a value: `=`, `:`, `%3D` or `%3A`.
fn separator(text: &str) -> Option<(usize, usize)> {
    text.match_indices(['=', ':', '%']).find_map(|(at, found)| {
        let code = (found == "%").then(|| text.get(at + 1..at + 3).unwrap_or_default());
        match code {
            None => Some((at, 1)),
            Some("3D" | "3d" | "3A" | "3a") => Some((at, 3)),
            Some(_) => None,
        }
    })
}

/// Redacts the texts of an array up to its first object, and returns what follows them.
fn items<'a>(mut rest: &'a str, redacted: &mut String) -> &'a str {
    let mut depth = 0_usize;
    loop {
        let next = rest.find(|it| {
            depth = match it {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            "\"'{".contains(it) || (it == ']' && depth == 0)
        });
        let lead = rest.get(..next.unwrap_or(rest.len())).unwrap_or_default().trim_end_matches('\\');
        let item = rest.get(lead.len()..).unwrap_or_default();
        redacted.push_str(lead);
        // The quote and its escapes are also those at the end.
        let Range { start, end } = value(":", item);
        let (Some(quote), Some(behind)) = (item.get(..start), item.get(end..)) else { return item };
        if quote.is_empty() {
            return item;
        }
        redacted.push_str(quote);
        redacted.push_str(if start < end { REDACTED } else { "" });
        let Some(after) = behind.strip_prefix(quote) else { return behind };
        redacted.push_str(quote);
        rest = after;
    }
}

/// Returns the name before a separator: `token` of `…?auth%5Btoken%5D` and of `{"token"`.
fn name(before: &str) -> String {
    let decoded = percent_decode_str(before.trim_end()).decode_utf8_lossy();
    let name = decoded.trim_end_matches(['"', '\'', '\\', ']']);
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    name.rsplit(|it: char| !is_of_name(it)).next().unwrap_or_default().to_owned()
}

/// Returns the range of the value after a separator: what is in quotes, or else in a query or a form.
fn value(separator: &str, after: &str) -> Range<usize> {
    let lead = after.len() - after.trim_start().len();
    let escapes = after.bytes().skip(lead).take_while(|it| *it == b'\\').count();
    let start = lead + escapes + 1;
    match after.as_bytes().get(start - 1) {
        Some(quote @ (b'"' | b'\'')) => {
            // At nesting depth n, the closing quote has `escapes` backslashes, plus a multiple of `2 * escapes + 2` for
            // escaped backslashes before it.
            let mut before = 0_usize;
            let mut ends = after.bytes().enumerate().skip(start).filter_map(|(at, byte)| {
                let more = before.checked_sub(escapes);
                before = if byte == b'\\' { before + 1 } else { 0 };
                let is_end = byte == *quote && more.is_some_and(|more| more % (2 * escapes + 2) == 0);
                is_end.then_some(at - escapes)
            });
            start..ends.next().unwrap_or(after.len())
        }
        _ if separator == ":" => 0..0,
        _ => {
            let is_end = |it: char| it.is_whitespace() || "&<>\"#\\".contains(it);
            let end = after.find(is_end).unwrap_or(after.len());
            // After an encoded separator, an encoded `&` is not part of the value.
            let next = after.find("%26").filter(|_| separator.len() > 1);
            0..next.map_or(end, |next| next.min(end))
        }
    }
}

/// Returns whether a text is a recorded one, in which `REDACTED` stands for any text.
#[cfg(feature = "mock")]
pub(super) fn is_text(recorded: &str, text: &str) -> bool {
    let Some((first, rest)) = recorded.split_once(REDACTED) else { return recorded == text };
    let (middle, last) = rest.rsplit_once(REDACTED).unwrap_or(("", rest));
    let between = text.strip_prefix(first).and_then(|text| text.strip_suffix(last));
    // The first match of a piece leaves the most text for the next ones.
    let rest = between.and_then(|text| {
        middle.split(REDACTED).try_fold(text, |text, piece| Some(text.split_once(piece)?.1))
    });
    rest.is_some()
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "mock")]
    use serde_json::json;

    #[cfg(feature = "mock")]
    use super::*;
    #[cfg(feature = "mock")]
    use crate::table::{Requirement, Scheme};

    #[cfg(feature = "mock")]
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
            ("?url=b%3Fsig%3Da%26page%3D2&x=1", "?url=b%3Fsig%3DREDACTED%26page%3D2&x=1"),
            ("?token=a%26b&page=2", "?token=REDACTED&page=2"),
            (
                r#"{"token": ["a", ["b", "", 1]], "names": ["c"]}"#,
                r#"{"token": ["REDACTED", ["REDACTED", "", 1]], "names": ["c"]}"#,
            ),
            (
                r#"{"token": [{"id": "a", "secret": "b"}]}"#,
                r#"{"token": [{"id": "a", "secret": "REDACTED"}]}"#,
            ),
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

    #[cfg(feature = "mock")]
    #[test]
    fn a_redacted_text_stands_for_any() {
        assert!(is_text("a=REDACTED&b=1", "a=&b=1"));
        assert!(!is_text("a=REDACTED&b=1", "a=x&b=2"));
        assert!(is_text("REDACTEDREDACTED", "x"));
    }

    #[cfg(feature = "mock")]
    #[test]
    fn no_spelling_of_a_name_hides_a_secret() {
        let secrets = Secrets::new(None, &[]);
        for text in [
            "/icons?auth%5Btoken%5D=hunter2&page=2",
            "user[password]=hunter2&x=1",
            "?%70assword=hunter2",
            "?sig=a,hunter2",
            "?sig=a;hunter2",
            "?sig=a'hunter2",
            r#"{"access_token": "hunter2", "x": 0.12345678901234567}"#,
            r#"data: {"access_token":"hunter2"}"#,
            r#"{"access_token" : "a\"hunter2"}"#,
            r#"{"body": "{\"password\": \"hunter2\"}"}"#,
            "?api_token=hunter2",
            "?private_token=hunter2",
            "?bot_token=hunter2",
            "?auth.token=hunter2",
            "?access.token=hunter2",
            "?pwd=hunter2",
            "?key_passphrase=hunter2",
            "?jwt=hunter2",
            "?url=https%3A%2F%2Fb%2F%3FX-Amz-Signature%3Dhunter2",
            "?url=https%3a%2f%2fb%2f%3fsig%3dhunter2%26page%3d2",
            "?filter=%7B%22token%22%3A%5B%22hunter2%22%5D%7D",
            r#"data: {"token":["hunter2"]}"#,
            r#"{"token": [ "x" , ["hunter2"], null, 'hunter2'"#,
            r#"{"body": "{\"password\": [\n\"x\\\"\",\n\"hunter2\"]}"}"#,
        ] {
            let redacted = secrets.text(text);
            assert!(!redacted.contains("hunter2"), "{text} -> {redacted}");
            assert!(is_text(&redacted, text), "{text} -> {redacted}");
        }
        for name in
            ["next_token", "page-token", "nextPageToken", "nextSyncToken", "cursor.token", "max_tokens"]
        {
            assert!(!secrets.has(name), "{name}");
        }
        let mut body = json!({"password": ["hunter2", ["hunter2"]]});
        secrets.json(&mut body);
        assert!(!body.to_string().contains("hunter2"), "{body}");
    }

    #[cfg(feature = "mock")]
    #[test]
    fn a_comparison_takes_little_time() {
        let recorded = format!("{}!", "aREDACTED".repeat(30));
        assert!(!is_text(&recorded, &"a".repeat(60)));
    }
}
