//! Tests that one response reports several violations.
//!
//! The order is path, query, header, body, and within each the order of the spec.

use std::sync::Arc;

use axum::Router;
use openapi_crates_runtime::{
    model::{AdditionalProperties, Decode, DecodeError, Encode, Reader, Writer},
    server::{Builder, Failure, NoSecurity, RejectionStyle, open},
    table::{Body, Content, Field, Integer, Operation, Parameter, Schema, Text},
};

use super::{Raw, assert_message, assert_problem};
use crate::http::wire::Server;

#[tokio::test]
async fn in_path_header_and_body() {
    let body = r#"{"more": 1, "resolution": "huge", "prompt": "a", "aspect_ratio": 16}"#;
    let request = Raw::post("/v1/ai/text-to-image/%FF", body).header("Idempotency-Key", "k".repeat(256));
    let reply = request.send(&Server::start().await).await;
    assert_problem(
        &reply,
        &[
            ("model", "Parameter 'model' is not valid: must be valid percent-encoding and UTF-8"),
            (
                "Idempotency-Key",
                "Parameter 'Idempotency-Key' is not valid: must be at most 255 characters long",
            ),
            ("prompt", "Parameter 'prompt' is not valid: must be at least 2 characters long"),
            ("aspect_ratio", "Parameter 'aspect_ratio' is not valid: must be a string"),
            ("resolution", "Parameter 'resolution' is not valid: must be one of 'low', 'medium', 'high'"),
            ("more", "Parameter 'more' is not valid: is not a known field"),
        ],
    );
}

#[tokio::test]
async fn in_query_and_header() {
    let target = "/v1/resources?filters[color]=beige&order=best&limit=x&page=0&filters[people][age]=9&term=a";
    let request = Raw::get(target).header("Accept-Language", b"\xFF\xFE");
    let reply = request.send(&Server::start().await).await;
    assert_problem(
        &reply,
        &[
            ("page", "Parameter 'page' must be greater than 0"),
            ("limit", "Parameter 'limit' is not valid: must be an integer"),
            ("order", "Parameter 'order' is not valid: must be one of 'relevance', 'recent'"),
            ("filters[people][age]", "Parameter 'filter' is not valid"),
            ("filters[color]", "Parameter 'filter' is not valid"),
            (
                "Accept-Language",
                "Parameter 'Accept-Language' is not valid: must be valid percent-encoding and UTF-8",
            ),
        ],
    );
}

#[tokio::test]
async fn in_nested_values_of_a_body() {
    let body = r##"{
        "styling": {"colors": [{"color": "#12345", "weight": 2}, {"color": "#123456", "weight": null}],
                    "styles": [{"id": 1, "name": "x"}]},
        "adherence": 101, "hdr": 0.5, "turbo": true
    }"##;
    let reply = Raw::post("/v1/ai/imagegen", body).send(&Server::start().await).await;
    assert_problem(
        &reply,
        &[
            ("adherence", "Parameter 'adherence' is not valid: must be at most 100"),
            ("hdr", "Parameter 'hdr' is not valid: must be an integer"),
            (
                "styling.styles[0].id",
                "Parameter 'styling.styles[0].id' is not valid: exactly one of 'id', 'name' must be given",
            ),
            (
                "styling.colors[0].color",
                "Parameter 'styling.colors[0].color' is not valid: must match the pattern ^#[0-9A-Fa-f]{6}$",
            ),
            (
                "styling.colors[0].weight",
                "Parameter 'styling.colors[0].weight' is not valid: must be at most 1",
            ),
            (
                "styling.colors[1].weight",
                "Parameter 'styling.colors[1].weight' is not valid: must not be null",
            ),
            ("turbo", "Parameter 'turbo' is not valid: is not a known field"),
        ],
    );
}

/// Only the first violations of a request are reported.
///
/// The response is still about these violations, not about malformed JSON.
#[tokio::test]
async fn more_than_are_reported() {
    let server = Server::start().await;
    let good = r#""text": "hi", "voice_id": "v""#;
    for count in [63, 64, 65, 1000] {
        let unknown: String = (0..count).map(|index| format!(r#", "x{index}": [{{}}]"#)).collect();
        let reply = Raw::post("/v1/ai/voiceover", format!("{{{good}{unknown}}}")).send(&server).await;
        let reasons: Vec<(String, String)> = (0..count.min(64))
            .map(|index| {
                (format!("x{index}"), format!("Parameter 'x{index}' is not valid: is not a known field"))
            })
            .collect();
        let reasons: Vec<(&str, &str)> =
            reasons.iter().map(|(name, reason)| (name.as_str(), reason.as_str())).collect();
        assert_problem(&reply, &reasons);
        // The rest of the body is read too.
        let broken = Raw::post("/v1/ai/voiceover", format!("{{{good}{unknown}, "));
        assert_message(&broken.send(&server).await, 400, "The request body is not valid JSON");
    }
}

#[tokio::test]
async fn in_the_words_that_the_spec_chooses() {
    let server = Server::start().await;
    let body = r#"{"text": "hi", "voice_id": "v", "stability": 1.5}"#;
    let reply = Raw::post("/v1/ai/voiceover", body).send(&server).await;
    assert_problem(&reply, &[("stability", "Parameter 'stability' is not valid: must be at most 1")]);
    for (target, name, reason) in [
        ("/v1/resources?page=0", "page", "Parameter 'page' must be greater than 0"),
        ("/v1/resources?page=101", "page", "Parameter 'page' is not valid: must be at most 100"),
        ("/v1/resources?page=", "page", "Parameter 'page' is not valid: must be an integer"),
        ("/v1/resources?page=1&page=2", "page", "Parameter 'page' is not valid: must be given only once"),
        ("/v1/resources?filters[nothing]=1", "filters[nothing]", "Parameter 'filter' is not valid"),
        ("/v1/ai/voiceover/1234", "task-id", "Parameter 'task-id' is not valid: must be a UUID"),
        ("/v1/music/download", "id", "Parameter 'id' is not valid: is required"),
    ] {
        assert_problem(&Raw::get(target).send(&server).await, &[(name, reason)]);
    }
    // An empty text is a valid text.
    assert_eq!(Raw::get("/v1/resources?term=").send(&server).await.status, 200);
    // A search refuses unknown query parameters, other operations ignore them.
    let known = "is not one of the parameters page, limit, order, term, filters";
    let reasons = ["nothing", "["].map(|name| (name, format!("Parameter '{name}' is not valid: {known}")));
    let reply = Raw::get("/v1/resources?term=&nothing=1&%5B=%5D").send(&server).await;
    assert_problem(&reply, &reasons.each_ref().map(|(name, reason)| (*name, reason.as_str())));
    assert_eq!(Raw::get("/v1/icons/1?nothing=1&%5B=%5D").send(&server).await.status, 200);
}

/// An operation with parameters in path, query and header and with a body.
///
/// The spec has no such operation.
#[tokio::test]
async fn in_all_locations_at_once() {
    let mut builder = Builder::new(&[&[&EVERYWHERE]], NoSecurity, &RejectionStyle::PROBLEM_DETAILS);
    let code = open(&Arc::new(()), |_, _, _: Everywhere| async { Ok::<(), Failure<()>>(()) });
    builder.mount(&EVERYWHERE, code);
    let service = builder.build().expect("a single operation has no conflicting routes");
    let server = Server::of(Router::new().fallback_service(service)).await;

    let good = Raw::post("/1?query=1", r#"{"first": 1, "second": "a"}"#).header("X-Header", "1");
    assert_eq!(good.send(&server).await.status, 204);

    let bad = Raw::post("/x?query=-1", r#"{"second": "", "first": "1"}"#).header("X-Header", "0.5");
    let reply = bad.send(&server).await;
    assert_eq!(reply.status, 400);
    let body = reply.json();
    let found: Vec<String> = body["errors"]
        .as_array()
        .expect("errors are listed")
        .iter()
        .map(|error| format!("{} {} {}", error["in"], error["name"], error["code"]).replace('"', ""))
        .collect();
    assert_eq!(
        found,
        [
            "path path wrong-type",
            "query query minimum",
            "header X-Header not-integer",
            "body first wrong-type",
            "body second min-length"
        ]
    );
}

static COUNT: Schema = Schema::integer(Integer::ANY.minimum(0));

static BODY: Schema = Schema::closed_object(&[
    Field::required("first", &Schema::NUMBER),
    Field::required("second", &Schema::text(Text::ANY.min_length(1))),
]);

static EVERYWHERE: Operation = Operation::new("everywhere", "", "POST", "/{path}")
    // Not in the order in which violations are reported.
    .parameters(&[
        Parameter::header("X-Header", &COUNT).required(),
        Parameter::query("query", &COUNT).required().explode(false),
        Parameter::path("path", &COUNT),
    ])
    .body(Body::required(&[Content::json(&BODY)]));

/// The input of [`EVERYWHERE`].
struct Everywhere {
    header: i64,
    query: i64,
    path: i64,
    body: Both,
}

struct Both {
    first: f64,
    second: String,
}

impl Decode for Everywhere {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut header, mut query, mut path, mut body) = (None, None, None, None);
        reader.object(
            &["X-Header", "query", "path", "body"],
            &mut [&mut header, &mut query, &mut path, &mut body],
            AdditionalProperties::Closed,
        )?;
        Ok(Self {
            header: header.ok_or_else(|| DecodeError::missing("X-Header"))?,
            query: query.ok_or_else(|| DecodeError::missing("query"))?,
            path: path.ok_or_else(|| DecodeError::missing("path"))?,
            body: body.ok_or_else(|| DecodeError::missing("body"))?,
        })
    }
}

impl Encode for Everywhere {
    fn encode(&self, writer: &mut dyn Writer) {
        let Self { header, query, path, body } = self;
        writer.object(&[("X-Header", header), ("query", query), ("path", path), ("body", body)], None);
    }
}

impl Decode for Both {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut first, mut second) = (None, None);
        reader.object(&["first", "second"], &mut [&mut first, &mut second], AdditionalProperties::Closed)?;
        Ok(Self {
            first: first.ok_or_else(|| DecodeError::missing("first"))?,
            second: second.ok_or_else(|| DecodeError::missing("second"))?,
        })
    }
}

impl Encode for Both {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("first", &self.first), ("second", &self.second)], None);
    }
}
