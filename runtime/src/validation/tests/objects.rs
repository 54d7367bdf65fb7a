//! Objects: fields, names, and rules over several fields.

use super::models::{Edges, LABELS, Labels, ORDER, Order, field};
use super::*;
use crate::codec::{DecodeErrorKind, ValueReader};
use crate::table::{
    Additional, Array, ContentFormat, CrossRule, Integer, Literal, Location, Number, Object, Parameter,
    Style, Text,
};
use crate::types::{Map, Value};

const ID: &str = r#""id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "text": "ab""#;

#[test]
fn every_violation_with_its_name_in_the_order_of_the_table() {
    let json = r#"{
        "unknown": 1, "figures": [{"radius": 1}, {"radius": 0, "color": "green", "other": 1}], "text": "bcdef",
        "parts": [{"text": "ab", "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "parts": [7]}], "color": "green",
        "count": 1.5, "count": 2, "labels": {"a.b": 10, "main": ""}, "tags": ["abc", null], "note": null, "flag": "yes"
    }"#;
    assert_eq!(
        agreed_violations::<Order>(&ORDER, json),
        [
            "id missing",
            "text max-length",
            "color not-allowed",
            "count not-integer",
            "count duplicate",
            "flag wrong-type",
            "tags[0] max-length",
            "tags[1] null",
            "figures[1].radius exclusive-minimum",
            "figures[1].color not-allowed",
            "labels.main min-length",
            "labels.a.b maximum",
            "parts[0].parts[0] wrong-type",
            "unknown unknown",
        ]
    );
}

#[test]
fn closed_open_and_kept() {
    assert_violations::<Labels>(
        &LABELS,
        &[
            (r#"{"a": 1}"#, &[]),
            (r#"{"main": "x", "a": 9}"#, &[]),
            ("{}", &["min-properties"]),
            (r#"{"main": "x", "a": 1, "b": 2}"#, &["max-properties"]),
            (r#"{"a": 10}"#, &["a maximum"]),
            (r#"{"a": "1"}"#, &["a wrong-type"]),
            (r#"{"a": 1, "a": 1}"#, &["a duplicate"]),
            (r#"{"main": "x", "main": "y"}"#, &["main duplicate"]),
            (r#"{"main": null}"#, &["main null"]),
            ("[]", &["wrong-type"]),
            ("null", &["null"]),
        ],
    );
    let map = schema(Type::Object(Object {
        additional: Additional::Kept(schema(Type::Integer(Integer::ANY))),
        max_properties: Some(1),
        ..Object::new(&[])
    }));
    assert_violations::<Map<i64>>(
        map,
        &[
            (r#"{"a": 1}"#, &[]),
            (r#"{"a": 1, "b": 1}"#, &["max-properties"]),
            (r#"{"a": 1, "a": 1}"#, &["a duplicate"]),
            (r#"{"a": true}"#, &["a wrong-type"]),
        ],
    );
}

#[test]
fn names_from_the_input_are_cut() {
    let json = format!(r#"{{{ID}, "{}": 1}}"#, "ä".repeat(5000));
    let expected = format!("{}… unknown", "ä".repeat(100));
    assert_eq!(agreed_violations::<Order>(&ORDER, &json), [expected]);
}

#[test]
fn the_number_of_violations_is_capped() {
    let json = format!(
        r#"{{{ID}, "labels": {{{}"main": 1}}}}"#,
        (0..1000).map(|it| format!("\"k{it}\": 10, ")).collect::<String>()
    );
    let violations = walked(&ORDER, &json);
    assert_eq!(violations.len(), Violations::CAP);
    assert_eq!(violations.first().map(|it| it.name.as_str()), Some("labels.k0"));
}

#[test]
fn malformed_input_is_no_violation() {
    let behind_many =
        format!(r#"{{{} "text": tru}}"#, (0..100).map(|it| format!("\"k{it}\": 1,")).collect::<String>());
    for json in
        ["", "{", r#"{"id": 1, "text": tru}"#, r#"{"parts": [1, 2"#, r#"{"text": "\x"}"#, &behind_many]
    {
        let mut out = Violations::new();
        let result = walk(&ORDER, &mut JsonReader::strict(json.as_bytes()), &Position::body(), &mut out);
        assert!(result.is_err_and(|error| error.is_syntax()), "{json}");
    }
}

#[test]
fn too_deep_ends_the_walk() {
    let json = format!(r#"{{"id": 1, "extra": {}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let mut out = Violations::new();
    let result = walk(&ORDER, &mut JsonReader::strict(json.as_bytes()), &Position::body(), &mut out);
    assert_eq!(result.unwrap_err().kind(), &DecodeErrorKind::TooDeep);
    assert_eq!(out.first().map(|it| (it.name.as_str(), it.code())), Some(("id", Code::WrongType)));
}

#[test]
fn rules_over_several_fields() {
    let with = |rest: &str| format!("{{{ID}, {rest}}}");
    for (rest, expected) in [
        (r#""flag": true, "count": 2"#, &[][..]),
        (r#""flag": true"#, &[]),
        (r#""flag": false, "count": 3"#, &[]),
        (r#""flag": true, "count": 3"#, &["count cross-field"]),
        (r#""flag": true, "count": "3""#, &["count wrong-type"]),
        (r#""flag": true, "note": "x""#, &["note cross-field"]),
        (r#""flag": false, "note": "x""#, &[]),
        (r#""flag": true, "note": null"#, &[]),
        (r#""tags": ["a", "b"], "times": ["2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z"]"#, &[]),
        (
            r#""tags": ["a", "b", "c"], "times": ["2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z"]"#,
            &["tags cross-field"],
        ),
    ] {
        assert_eq!(agreed_violations::<Order>(&ORDER, &with(rest)), expected, "{rest}");
    }
}

#[test]
fn each_rule_at_its_boundary() {
    fn of(rule: CrossRule) -> &'static Schema {
        let integer = schema(Type::Integer(Integer::ANY));
        let array = Array { items: integer, min_items: None, max_items: None, unique: false };
        schema(Type::Object(Object {
            additional: Additional::Forbidden,
            rules: leak([rule]),
            ..Object::new(leak([
                field("a", false, integer),
                field("b", false, schema(Type::Number(Number::ANY))),
                field("c", false, schema(Type::Array(array))),
            ]))
        }))
    }
    assert_violations::<Edges>(
        of(CrossRule::AtLeastOne { name: "a", fields: &["a", "b"], above: Some(0.0) }),
        &[
            (r#"{"a": 1}"#, &[]),
            (r#"{"a": 0, "b": 0.1}"#, &[]),
            (r#"{"a": 0, "b": 0}"#, &["a cross-field"]),
            ("{}", &["a cross-field"]),
        ],
    );
    assert_violations::<Edges>(
        of(CrossRule::AtLeastOne { name: "b", fields: &["b", "c"], above: None }),
        &[(r#"{"b": 0}"#, &[]), (r#"{"c": []}"#, &[]), (r#"{"a": 1}"#, &["b cross-field"])],
    );
    assert_violations::<Edges>(
        of(CrossRule::ExactlyOne { name: "a", fields: &["a", "b"] }),
        &[
            (r#"{"a": 1}"#, &[]),
            (r#"{"b": 1}"#, &[]),
            ("{}", &["a cross-field"]),
            (r#"{"a": 1, "b": 1}"#, &["a cross-field"]),
        ],
    );
    assert_violations::<Edges>(
        of(CrossRule::TotalItems { name: "c", fields: &["c"], minimum: Some(1), maximum: Some(2) }),
        &[
            (r#"{"c": [1]}"#, &[]),
            (r#"{"c": [1, 2]}"#, &[]),
            (r#"{"c": [1, 2, 3]}"#, &["c cross-field"]),
            ("{}", &["c cross-field"]),
        ],
    );
    assert_violations::<Edges>(
        of(CrossRule::When {
            name: "b",
            when: &[("a", Literal::Integer(1))],
            require: &[("b", Literal::Number(0.5))],
        }),
        &[
            (r#"{"a": 2}"#, &[]),
            (r#"{"a": 1, "b": 0.5}"#, &[]),
            (r#"{"a": 1}"#, &["b cross-field"]),
            (r#"{"a": 1, "b": 5}"#, &["b cross-field"]),
        ],
    );
}

#[test]
fn names_of_parameters() {
    let text = Schema::new(Type::Text(Text { max_length: Some(1), ..Text::ANY }));
    let items = leak(text);
    let ages = Array { items, min_items: None, max_items: None, unique: false };
    let people = schema(Type::Object(Object::new(leak([field("age", true, schema(Type::Array(ages)))]))));
    let filters = schema(Type::Object(Object {
        additional: Additional::Forbidden,
        ..Object::new(leak([field("people", false, people)]))
    }));
    let value: Value = serde_json::from_str(r#"{"people": {"age": ["x", "yy"]}, "z": 1}"#).unwrap();
    for (name, location, style, content, names) in [
        ("filters", Location::Query, Style::DeepObject, None, ["filters[people][age][1]", "filters[z]"]),
        (
            "filters",
            Location::Query,
            Style::Form,
            Some(ContentFormat::Json),
            ["filters.people.age[1]", "filters.z"],
        ),
        ("X-Filters", Location::Header, Style::Simple, None, ["X-Filters[1]", "X-Filters"]),
    ] {
        let parameter = Parameter {
            name,
            location,
            required: false,
            style,
            explode: true,
            content,
            schema: filters,
            allow_reserved: false,
            allow_empty: false,
            encodings: &[],
            reason: Some("is a filter"),
        };
        let mut out = Violations::new();
        walk(filters, &mut ValueReader::strict(&value), &Position::parameter(&parameter), &mut out).unwrap();
        assert_eq!(out.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), names);
        assert!(out.iter().all(|it| it.location == location.into() && it.reason == Some("is a filter")));
    }
}

#[test]
fn items_of_a_parameter_have_an_index() {
    for (name, expected) in [("ids", ["ids[0]", "ids[2]"]), ("ids[]", ["ids[0]", "ids[2]"])] {
        let parameter = Parameter::query(name, &Schema::INTEGER);
        static LIST: Schema = Schema::array(&Schema::INTEGER);
        let value = serde_json::json!(["a", 1, "b"]);
        let mut out = Violations::new();
        walk(&LIST, &mut ValueReader::strict(&value), &Position::parameter(&parameter), &mut out).unwrap();
        assert_eq!(out.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn violations_have_messages() {
    static WHEN: CrossRule = CrossRule::When {
        name: "expand",
        when: &[("shot", Literal::Text("multi"))],
        require: &[("expand", Literal::Boolean(true))],
    };
    static EXACTLY: CrossRule = CrossRule::ExactlyOne { name: "id", fields: &["id", "name"] };
    static TOTAL: CrossRule =
        CrossRule::TotalItems { name: "a", fields: &["a", "b"], minimum: Some(1), maximum: None };
    static SEPARATE: CrossRule = CrossRule::NotTogether { name: "a", fields: &["a", "b"] };
    static ABOVE: CrossRule = CrossRule::AtLeastOne { name: "a", fields: &["a", "b"], above: Some(0.0) };
    static ANY: CrossRule = CrossRule::AtLeastOne { name: "a", fields: &["a", "b"], above: None };
    for (kind, words) in [
        (ViolationKind::CrossField(&SEPARATE), "can't be combined: only one of 'a', 'b' may be given"),
        (ViolationKind::CrossField(&ABOVE), "at least one of 'a', 'b' must be greater than 0"),
        (ViolationKind::CrossField(&ANY), "at least one of 'a', 'b' must be given"),
        (
            ViolationKind::Name(Box::new(ViolationKind::MaxLength(3))),
            "is not a valid name: it must be at most 3 characters long",
        ),
        (ViolationKind::Missing, "is required"),
        (ViolationKind::Unknown, "is not a known field"),
        (ViolationKind::Maximum(Bound::Integer(100)), "must be at most 100"),
        (ViolationKind::Maximum(Bound::Number(1.0)), "must be at most 1"),
        (ViolationKind::ExclusiveMinimum(Bound::Number(0.5)), "must be greater than 0.5"),
        (ViolationKind::MinLength(1), "must be at least 1 character long"),
        (ViolationKind::MaxItems(4), "must have at most 4 items"),
        (ViolationKind::NotAllowed(&[Literal::Text("a"), Literal::Text("b")]), "must be one of 'a', 'b'"),
        (ViolationKind::NotAllowed(&[Literal::Boolean(true)]), "must be true"),
        (ViolationKind::WrongType("an object"), "must be an object"),
        (ViolationKind::OutOfRange(Some(crate::table::Width::U32)), "must be between 0 and 4294967295"),
        (ViolationKind::NoVariant(vec!["Cat", "Dog"]), "must be one of Cat, Dog"),
        (ViolationKind::CrossField(&WHEN), "must be true when 'shot' is 'multi'"),
        (ViolationKind::CrossField(&EXACTLY), "exactly one of 'id', 'name' must be given"),
        (ViolationKind::CrossField(&TOTAL), "'a', 'b' together must have at least 1 item"),
    ] {
        assert_eq!(Position::body().violation(kind).expected(), words);
    }
    let unique: std::collections::BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(unique.len(), Code::ALL.len());
}
