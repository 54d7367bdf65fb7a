//! Streamed bodies and their items, in all notations.

use super::*;

const SCHEMAS: &str = "
schemas:
  Chunk: {type: object, required: [id], properties: {id: {type: string}, data: {type: string}, choices: {type: array, items: {type: string}}}}
  Named: {type: object, required: [event, data], properties: {event: {type: string, enum: [made, done]}, data: {$ref: '#/components/schemas/Chunk'}}}
  Alone: {type: object, required: [data], properties: {data: {$ref: '#/components/schemas/Chunk'}}}
  Renamed: {$ref: '#/components/schemas/Alone'}
  Either: {oneOf: [{$ref: '#/components/schemas/Named'}, {$ref: '#/components/schemas/Alone'}]}
  Mixed: {oneOf: [{$ref: '#/components/schemas/Named'}, {$ref: '#/components/schemas/Chunk'}]}
  All: {type: array, items: {$ref: '#/components/schemas/Chunk'}}
";

/// Returns the type of a success with this content (YAML in one line), and the diagnostics.
fn success(content: &str) -> (String, String) {
    let paths = format!(
        "/a: {{get: {{operationId: a, responses: {{'200': {{description: Yes., content: {content}}}}}}}}}"
    );
    let (api, report) = lowered(&with_paths(&paths, SCHEMAS));
    (brief(&api, &operation(&api, "a").output), report)
}

#[test]
fn the_schema_tells_whether_it_is_of_the_event_or_its_data() {
    for (schema, expected) in [
        ("{$ref: '#/components/schemas/Chunk'}", "event of Chunk*"),
        ("{$ref: '#/components/schemas/Mixed'}", "event of Mixed*"),
        ("{$ref: '#/components/schemas/Named'}", "Named*"),
        ("{$ref: '#/components/schemas/Alone'}", "Alone*"),
        ("{$ref: '#/components/schemas/Renamed'}", "Renamed*"),
        ("{$ref: '#/components/schemas/Either'}", "Either*"),
        ("{$ref: '#/components/schemas/All'}", "event of Chunk*"),
        ("{type: array, items: {$ref: '#/components/schemas/Named'}}", "Named*"),
        ("{type: object, properties: {a: {type: string}}}", "event of AOutputItem*"),
        ("{type: string}", "event of string*"),
        ("{type: string, format: binary}", "event of string*"),
        ("{}", "event of any*"),
    ] {
        let found = success(&format!("{{text/event-stream: {{schema: {schema}}}}}"));
        assert_eq!(found, (expected.to_owned(), String::new()), "{schema}");
    }
    assert_eq!(success("{text/event-stream: {}}").0, "event of string*");
    let items = "{text/event-stream: {itemSchema: {properties: {data: {type: string, contentSchema: {type: integer}}}}}}";
    assert_eq!(success(items).0, "event of i64*");
    let items =
        "{text/event-stream: {itemSchema: {properties: {data: {type: string}, event: {type: string}}}}}";
    assert_eq!(success(items).0, "AOutputItem*");
}

#[test]
fn other_media_types_of_a_success() {
    for (content, expected) in [
        ("{application/x-ndjson: {schema: {$ref: '#/components/schemas/Chunk'}}}", "Chunk*"),
        ("{application/json-seq: {schema: {$ref: '#/components/schemas/All'}}}", "Chunk*"),
        ("{application/jsonl: {}}", "any*"),
        ("{application/jsonl: {schema: {type: string}}}", "bytes*"),
        ("{application/zip: {}}", "bytes*"),
        ("{multipart/mixed: {}}", "bytes*"),
        ("{application/json: {schema: {$ref: '#/components/schemas/All'}}}", "All"),
    ] {
        assert_eq!(success(content), (expected.to_owned(), String::new()), "{content}");
    }
    let (parts, report) = success("{multipart/form-data: {schema: {$ref: '#/components/schemas/Chunk'}}}");
    assert!(parts == "bytes*" && report.contains("the body is raw bytes"), "{parts}: {report}");
}

#[test]
fn errors_are_values_and_shared_responses_are_what_they_are_used_as() {
    let components = format!(
        "{SCHEMAS}responses:\n  Words: {{description: Words., content: {{text/event-stream: {{schema: {{$ref: '#/components/schemas/Chunk'}}}}}}}}\n"
    );
    let words = "{$ref: '#/components/responses/Words'}";
    let paths = |error: &str| {
        format!(
            "/a: {{post: {{operationId: a, requestBody: {{content: {{'*/*': {{}}}}}}, responses: {{'200': {words}{error}}}}}}}"
        )
    };
    let (api, report) = lowered(&with_paths(&paths(""), &components));
    assert_eq!(
        (brief(&api, &operation(&api, "a").output), report.as_str()),
        ("event of Chunk*".to_owned(), "")
    );
    assert_eq!(fields(&api, "AInput"), ["body: bytes*"]);

    let (api, report) = lowered(&with_paths(&paths(&format!(", '500': {words}")), &components));
    assert_eq!(brief(&api, &operation(&api, "a").output), "event of Chunk*");
    assert!(report.contains("unsupported schema for `text/event-stream`; the body is raw bytes"), "{report}");
    let Kind::Choice(errors) = &type_named(&api, "ApiError").kind else { panic!("errors are a choice") };
    let payloads: Vec<_> = errors.variants.iter().map(|variant| brief(&api, &variant.payload)).collect();
    assert_eq!(payloads, ["bytes"]);
}
