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
fn the_schema_determines_whether_it_is_of_the_event_or_its_data() {
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
    let form = success("{multipart/form-data: {schema: {$ref: '#/components/schemas/Chunk'}}}");
    assert_eq!(form, ("Chunk".to_owned(), String::new()));
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

/// Returns the type of a request body with this content (YAML in one line), and the diagnostics.
fn request(version: &str, content: &str) -> (String, String) {
    let paths = format!(
        "/a: {{post: {{operationId: a, requestBody: {{required: true, content: {content}}}, responses: {{'204': {{description: Yes.}}}}}}}}"
    );
    let text = with_paths(&paths, SCHEMAS).replace("openapi: 3.0.3", &format!("openapi: {version}"));
    assert!(text.contains(version), "{text}");
    let (api, report) = lowered(&text);
    (fields(&api, "AInput").join(", "), report)
}

#[test]
fn requests_are_streams_of_items_too() {
    for (content, expected) in [
        ("{application/x-ndjson: {itemSchema: {$ref: '#/components/schemas/Chunk'}}}", "body!: Chunk*"),
        ("{application/jsonl: {schema: {$ref: '#/components/schemas/All'}}}", "body!: Chunk*"),
        ("{application/json-seq: {itemSchema: {type: integer}}}", "body!: i64*"),
        ("{application/jsonl: {}}", "body!: any*"),
        ("{application/jsonl: {schema: {type: string}}}", "body!: bytes*"),
        ("{text/event-stream: {itemSchema: {$ref: '#/components/schemas/Either'}}}", "body!: Either*"),
        ("{text/event-stream: {schema: {$ref: '#/components/schemas/All'}}}", "body!: event of Chunk*"),
    ] {
        assert_eq!(request("3.1.0", content), (expected.to_owned(), String::new()), "{content}");
    }
}

#[test]
fn rules_of_all_items_and_schemas_of_none_are_reported() {
    let list = "{application/jsonl: {schema: {type: array, minItems: 1, uniqueItems: true, items: {type: integer}}}}";
    let (ty, report) = request("3.2.0", list);
    assert_eq!(ty, "body!: i64*");
    for keyword in ["minItems", "uniqueItems"] {
        let message = format!("`{keyword}` is not checked, because items are processed as they arrive");
        assert!(report.contains(&message), "{report}");
    }
    let one = "{application/jsonl: {schema: {$ref: '#/components/schemas/Chunk'}}}";
    let (ty, report) = request("3.2.0", one);
    assert_eq!(ty, "body!: Chunk*");
    assert!(report.contains("the schema of all items is not an array"), "{report}");
    assert_eq!(request("3.1.0", one), ("body!: Chunk*".to_owned(), String::new()));
    let data = "{text/event-stream: {itemSchema: {$ref: '#/components/schemas/Chunk'}}}";
    let (ty, report) = request("3.2.0", data);
    assert_eq!(ty, "body!: event of Chunk*");
    assert!(report.contains("the schema describes no event with `data`"), "{report}");
    let not = "{text/event-stream: {itemSchema: {type: object, required: [data], properties: {data: {type: string}}, not: {required: [id]}}}}";
    let (ty, report) = request("3.2.0", not);
    assert!(
        ty == "body!: ABodyItem*" && report.contains("`not` of an event is not checked"),
        "{ty}: {report}"
    );
    let (_, report) = request("3.2.0", "{application/json: {itemSchema: {type: integer}}}");
    assert!(report.contains("`itemSchema` has no effect for `application/json`"), "{report}");
}

#[test]
fn the_data_of_an_event_is_what_its_text_contains() {
    const EVENTS: &str = "
schemas:
  Base: {type: object, required: [data], properties: {data: {type: string}, event: {type: string}, id: {type: string}}}
  Made: {type: object, properties: {size: {type: integer}}}
  Failed: {type: object, required: [event], properties: {event: {const: failed}, data: {type: string, contentMediaType: application/json, contentSchema: {$ref: '#/components/schemas/Made'}}}}
";
    let cases = [
        // An event whose other fields are plain.
        (
            "{type: object, properties: {event: {type: string}, data: {type: string, contentSchema: {$ref: '#/components/schemas/Made'}}}}",
            "event of Made*",
            vec![],
        ),
        // Events by name, which refine a general one.
        (
            "{$ref: '#/components/schemas/Base', oneOf: [{properties: {event: {const: text}}}, {properties: {event: {const: made}, data: {contentMediaType: application/json, contentSchema: {$ref: '#/components/schemas/Made'}}}}]}",
            "AOutputItem*",
            vec![
                ("AOutputItemText", vec!["data!: string", "event: AOutputItemTextEvent", "id: string"]),
                ("AOutputItemMade", vec!["data!: Made", "event: AOutputItemMadeEvent", "id: string"]),
            ],
        ),
        // Events in components.
        (
            "{oneOf: [{$ref: '#/components/schemas/Failed'}, {$ref: '#/components/schemas/Base'}]}",
            "AOutputItem*",
            vec![("Failed", vec!["event!: FailedEvent", "data: Made"])],
        ),
        // Another content is text.
        (
            "{type: object, required: [data, event], properties: {event: {const: a}, data: {type: string, contentMediaType: text/csv, contentSchema: {type: string}}}}",
            "AOutputItem*",
            vec![("AOutputItem", vec!["event!: AOutputItemEvent", "data!: string"])],
        ),
    ];
    for (schema, expected, types) in cases {
        let paths = format!(
            "/a: {{get: {{operationId: a, responses: {{'200': {{description: Yes., content: {{text/event-stream: {{itemSchema: {schema}}}}}}}}}}}}}"
        );
        let text = with_paths(&paths, EVENTS).replace("openapi: 3.0.3", "openapi: 3.2.0");
        let (api, report) = lowered(&text);
        assert_eq!(report, "", "{schema}");
        assert_eq!(brief(&api, &operation(&api, "a").output), expected, "{schema}");
        for (name, shown) in types {
            assert_eq!(fields(&api, name), shown, "{schema}");
        }
    }
}

/// For JSON, the data of an event is a string. One component can't be both.
#[test]
fn an_event_with_other_uses_has_text_as_data() {
    const EVENTS: &str = "
schemas:
  Made: {type: object, required: [event, data], properties: {event: {const: made}, data: {type: string, contentMediaType: application/json, contentSchema: {type: integer}}}}
  Gone: {type: object, required: [event, data], properties: {event: {const: gone}, data: {type: string, contentMediaType: application/json, contentSchema: {type: integer}}}}
  Either: {oneOf: [{$ref: '#/components/schemas/Made'}, {$ref: '#/components/schemas/Gone'}]}
  Named: {allOf: [{$ref: '#/components/schemas/Made'}], properties: {id: {type: string}}}
";
    let read = |schema: &str, json: &str| {
        let paths = format!(
            "/a: {{get: {{operationId: a, responses: {{'200': {{description: Yes., content: {{text/event-stream: {{itemSchema: {schema}}}}}}}}}}}}}, \
             /b: {{get: {{operationId: b, responses: {{'200': {{description: Yes., content: {{application/json: {{schema: {json}}}}}}}}}}}}}"
        );
        let text = with_paths(&format!("{{{paths}}}"), EVENTS).replace("openapi: 3.0.3", "openapi: 3.2.0");
        let (api, report) = lowered(&text);
        let data =
            |name: &str| fields(&api, name).into_iter().find(|field| field.starts_with("data")).unwrap();
        (data("Made"), data("Gone"), report)
    };
    let (made, gone, either) = (
        "{$ref: '#/components/schemas/Made'}",
        "{$ref: '#/components/schemas/Gone'}",
        "{$ref: '#/components/schemas/Either'}",
    );
    let strings = || ("data!: string".to_owned(), "data!: string".to_owned());
    let numbers = || ("data!: i64".to_owned(), "data!: i64".to_owned());
    for (event, json, expected, is_told) in [
        (either, "{type: string}", numbers(), false),
        (either, made, ("data!: string".to_owned(), "data!: i64".to_owned()), true),
        (either, either, strings(), true),
        (gone, made, strings(), true),
        ("{oneOf: [{$ref: '#/components/schemas/Named'}]}", "{type: string}", strings(), false),
    ] {
        let (made, gone, report) = read(event, json);
        assert_eq!((made, gone), expected, "{event} {json}");
        let message = "`contentSchema` of an event is not read, because its component has other uses";
        assert_eq!(report.contains(message), is_told, "{event} {json}: {report}");
    }
}
