//! Arguments: setters of optional fields, values that can be null, and conversions into inputs.

use fixture_nullable_models::{
    common::{Note, Plain, Record, RecordLevel},
    types::{Nullable, Value},
};
use fixture_nullable_validation::common::RECORD;
use fixture_optional_body_models::{
    common::Query,
    searches::{ForgetInput, SearchInput},
};
use fixture_references_models::elsewhere::{PostThreeBody, PostThreeInput};
use openapi_crates_runtime::codec::to_json;

use super::{assert_violations, received};

#[test]
fn setters_chain() {
    let record = Record::new("Ada", None, Plain::default(), vec![Some(1), None])
        .with_optional("an optional text")
        .with_maybe(Nullable::Null)
        .with_level(RecordLevel::High)
        .with_with_default(None)
        .with_not_nullable("text");
    let expected = r#"{
        "required": "Ada", "optional": "an optional text", "reference": null, "both": {}, "maybe": null,
        "items": [1, null], "level": "high", "with_default": null, "not_nullable": "text"
    }"#;
    let expected: Value = serde_json::from_str(expected).expect("it is JSON");
    let written: Value = serde_json::from_slice(&to_json(&record)).expect("it is JSON");
    assert_eq!(written, expected);
    assert_eq!(Record::new(None, Note::default(), None, vec![]).reference, Some(Note::default()));
}

#[test]
fn required_fields_can_be_null_but_not_absent() {
    assert_violations::<Record>(
        &RECORD,
        &[
            (r#"{"required": null, "reference": null, "both": null, "items": [null, 1]}"#, &[]),
            (r#"{"required": "", "reference": {}, "both": {"text": ""}, "items": [], "map": {"a": null}}"#, &[]),
            (r#"{"reference": null, "both": null, "items": [null]}"#, &["required missing"]),
            (r#"{"required": null, "both": null, "items": []}"#, &["reference missing"]),
        ],
    );
    let record: Record = received(
        r#"{"required": null, "reference": null, "both": {}, "items": [null], "map": {"a": null}, "maybe": null}"#,
    );
    assert_eq!((record.required, record.both, record.items), (None, Some(Plain::default()), vec![None]));
    assert_eq!(record.map, Some([("a".to_owned(), None)].into()));
    assert_eq!((record.maybe, record.optional), (Some(Nullable::Null), None));
}

#[test]
fn required_fields_are_a_tuple() {
    let input = PostThreeInput::new("7", PostThreeBody::default());
    assert_eq!(PostThreeInput::from(("7", PostThreeBody::default())), input);
    assert_eq!(PostThreeInput::from(("7".to_owned(), PostThreeBody::default())), input);
}

#[test]
fn an_optional_body_is_an_input() {
    let query = Query::default().with_text("Ada");
    assert_eq!(SearchInput::from(query.clone()).body, Some(query));
    let forget = ForgetInput::from(vec![1]).with_query_body(true);
    assert_eq!((forget.query_body, forget.body), (Some(true), Some(vec![1])));
}
