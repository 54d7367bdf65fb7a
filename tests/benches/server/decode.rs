//! Decoding and validation, from raw bytes to a checked input.
//!
//! The generated server is compared with hand-written code over `serde_json`, with `garde`, and with the
//! `jsonschema` crate.

use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;
use jsonschema::{Draft, Validator};
use openapi_crates_runtime::codec::{Decode, Encode};
use openapi_crates_runtime::server::decode::{RawRequest, decode_input};
use openapi_crates_runtime::table::Operation;
use serde_json::{Value, json};

use crate::rounds::{Contestant, Pace, Table, Target};
use crate::{resources, text_to_video, voiceover};

/// A request as it arrives.
pub struct Sample {
    pub name: &'static str,
    pub headers: HeaderMap,
    pub query: String,
    pub body: Bytes,
}

impl Sample {
    /// Creates a sample with a JSON body.
    pub fn json(name: &'static str, body: String) -> Self {
        let headers = HeaderMap::from_iter([
            ("idempotency-key".parse().expect("a name"), HeaderValue::from_static("5f2b6c1e-launch-video")),
            ("content-type".parse().expect("a name"), HeaderValue::from_static("application/json")),
        ]);
        Self { name, headers, query: String::new(), body: body.into() }
    }

    /// Creates a sample with a JSON body in which a field has another value.
    pub fn json_with(name: &'static str, body: &str, field: &str, value: Value) -> Self {
        let mut body: Value = serde_json::from_str(body).expect("it is JSON");
        body[field] = value;
        Self::json(name, body.to_string())
    }

    /// Creates a sample with a query.
    pub fn query(name: &'static str, query: &str) -> Self {
        let headers = HeaderMap::from_iter([(
            "accept-language".parse().expect("a name"),
            HeaderValue::from_static("es-ES"),
        )]);
        Self { name, headers, query: query.to_owned(), body: Bytes::new() }
    }

    /// Returns the text of a header, if it is present.
    ///
    /// Returns `None` if it is repeated, which the document does not allow, or no text.
    pub fn header(&self, name: &str) -> Option<Option<&str>> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Some(None),
            (Some(value), None) => value.to_str().ok().map(Some),
            (Some(_), Some(_)) => None,
        }
    }

    /// Repeats a header with another value.
    pub fn repeated(mut self, name: &'static str) -> Self {
        self.headers.append(name, HeaderValue::from_static("other"));
        self
    }
}

/// Returns a natural text of `bytes` bytes.
pub fn text(bytes: usize) -> String {
    "Welcome to the tour. Our first stop is the old harbour, where the boats come in at six. "
        .chars()
        .cycle()
        .take(bytes)
        .collect()
}

/// One operation, decoded in four ways.
pub trait Subject {
    /// The input type of the generated server, and its row.
    type Ours: Decode + Encode;
    const OPERATION: &'static Operation;

    /// The result of hand-written code.
    type ByHand;
    fn by_hand(sample: &Sample) -> Option<Self::ByHand>;

    type Garde;
    fn garde(sample: &Sample) -> Option<Self::Garde>;

    /// The name of the schema in the document.
    const SCHEMA: &'static str;
    type Parsed;
    fn jsonschema(validator: &Validator, sample: &Sample) -> Option<Self::Parsed>;

    /// The target for our time, as a multiple of that of hand-written code and of `garde`.
    const TARGET: f64 = 1.0;

    /// Returns valid requests, which are timed.
    fn good() -> Vec<Sample>;
    /// Returns invalid requests.
    ///
    /// All contestants must refuse them, so that none is fast by not checking.
    fn bad() -> Vec<Sample>;
}

pub fn measure(table: &mut Table) {
    compare::<voiceover::Voiceover>(table);
    compare::<text_to_video::TextToVideo>(table);
    compare::<resources::Resources>(table);
}

fn compare<S: Subject>(table: &mut Table) {
    let what = |sample: &Sample| format!("decode {}, {}", S::OPERATION.id, sample.name);
    let good: Vec<Sample> = S::good().into_iter().filter(|sample| table.wants(&what(sample))).collect();
    if good.is_empty() {
        return;
    }
    let validator = validator(S::SCHEMA);
    for sample in S::bad() {
        let passed = verdicts::<S>(&validator, &sample);
        assert_eq!(passed, [false; 4], "{} of {} is bad", sample.name, S::OPERATION.id);
    }
    for sample in good {
        let what = what(&sample);
        assert_eq!(verdicts::<S>(&validator, &sample), [true; 4], "{what} is good");
        table.compare(
            &what,
            Pace::SHORT,
            vec![
                Contestant::new("ours", || ours::<S>(&sample)),
                Contestant::new("by hand", || by_hand::<S>(&sample)),
                Contestant::new("garde", || S::garde(&sample)),
                Contestant::new("jsonschema", || S::jsonschema(&validator, &sample)),
            ],
            &[Target::AtMost(S::TARGET), Target::AtMost(S::TARGET), Target::TimesFaster(10.0)],
        );
    }
}

/// Returns which contestants accept a request.
fn verdicts<S: Subject>(validator: &Validator, sample: &Sample) -> [bool; 4] {
    [
        ours::<S>(sample).is_some(),
        by_hand::<S>(sample).is_some(),
        S::garde(sample).is_some(),
        S::jsonschema(validator, sample).is_some(),
    ]
}

// Profilers show these two by name.
#[inline(never)]
fn ours<S: Subject>(sample: &Sample) -> Option<S::Ours> {
    let raw = RawRequest {
        path: &[],
        query: &sample.query,
        headers: &sample.headers,
        content: (!sample.body.is_empty()).then_some(0),
        body: (&sample.body).into(),
    };
    decode_input(S::OPERATION, &raw).ok()
}

#[inline(never)]
fn by_hand<S: Subject>(sample: &Sample) -> Option<S::ByHand> {
    S::by_hand(sample)
}

/// Compiles the validator of a component of the document.
pub fn validator(component: &str) -> Validator {
    let document = include_str!("../../../spec/openapi.yaml");
    let document: Value = serde_yaml::from_str(document).expect("the document is YAML");
    let schema = json!({
        "$ref": format!("#/components/schemas/{component}"),
        "components": { "schemas": document["components"]["schemas"] },
    });
    // The bounds of OpenAPI 3.0 are those of this draft.
    jsonschema::options()
        .with_draft(Draft::Draft4)
        .should_validate_formats(true)
        .build(&schema)
        .expect("the component is a JSON schema")
}

/// Returns whether `text` is an absolute URI, by the generated server's rules.
///
/// It needs a scheme and only URI characters, with two hexadecimal digits after each `%` and at most one `#`.
/// Except for `file:`, it needs a host, and any port must be valid.
pub fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    if rest.is_empty()
        || !scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    {
        return false;
    }
    let Some(rest) = rest.strip_prefix("//") else { return are_in_uri(rest) };
    let (authority, behind) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    are_in_uri(behind) && (is_authority(authority) || authority.is_empty() && scheme == "file")
}

fn are_in_uri(text: &str) -> bool {
    let (mut bytes, mut fragments) = (text.bytes(), 0);
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()];
                if !digits.into_iter().all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())) {
                    return false;
                }
            }
            b'#' => fragments += 1,
            b'"' | b'<' | b'>' | b'[' | b']' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => return false,
            byte if !byte.is_ascii_graphic() => return false,
            _ => {}
        }
    }
    fragments <= 1
}

/// Returns whether `text` is a host, optionally with a user and a port.
fn is_authority(text: &str) -> bool {
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        return address.parse::<std::net::Ipv6Addr>().is_ok() && is_port(port);
    }
    let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    !name.is_empty() && are_in_uri(text) && is_port(port)
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|it| it.is_ascii_digit()))
}

/// Returns whether an idempotency key is valid.
pub fn is_key(key: &str) -> bool {
    !key.is_empty() && (key.len() <= 255 || key.chars().count() <= 255)
}
