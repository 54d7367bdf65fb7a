//! Constraints on scalars and arrays, at their boundaries.

use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::table::{Array, Format, Integer, Literal, Number, Pattern, Text, Width};
use crate::types::{Base64, Date, Nullable, Timestamp, Uuid, Value};

#[test]
fn integers() {
    let rules = Integer { minimum: Some(-1), maximum: Some(9), multiple_of: Some(2), ..Integer::ANY };
    assert_violations::<i64>(
        schema(Type::Integer(rules)),
        &[
            ("0", &[]),
            ("8.0", &[]),
            ("0.2e1", &[]),
            ("-1", &["multiple-of"]),
            ("-2", &["minimum"]),
            ("9", &["multiple-of"]),
            ("10", &["maximum"]),
            ("11", &["maximum", "multiple-of"]),
            ("1.5", &["not-integer"]),
            ("1e20", &["out-of-range"]),
            ("1e999", &["out-of-range"]),
            ("\"2\"", &["wrong-type"]),
            ("true", &["wrong-type"]),
            ("[2]", &["wrong-type"]),
            ("null", &["null"]),
        ],
    );
    let rules = Integer { exclusive_minimum: Some(0), exclusive_maximum: Some(3), ..Integer::ANY };
    assert_violations::<i64>(
        schema(Type::Integer(rules)),
        &[("1", &[]), ("2", &[]), ("0", &["exclusive-minimum"]), ("3", &["exclusive-maximum"])],
    );
}

#[test]
fn widths() {
    fn of(width: Width) -> &'static Schema {
        schema(Type::Integer(Integer { width, ..Integer::ANY }))
    }
    assert_violations::<i32>(
        of(Width::I32),
        &[
            ("2147483647", &[]),
            ("2147483648", &["out-of-range"]),
            ("-2147483648", &[]),
            ("-2147483649", &["out-of-range"]),
        ],
    );
    assert_violations::<u32>(
        of(Width::U32),
        &[("4294967295", &[]), ("4294967296", &["out-of-range"]), ("-1", &["out-of-range"]), ("-0", &[])],
    );
    assert_violations::<i64>(
        of(Width::I64),
        &[("9223372036854775807", &[]), ("9223372036854775808", &["out-of-range"])],
    );
    assert_violations::<u64>(
        of(Width::U64),
        &[("18446744073709551615", &[]), ("18446744073709551616", &["out-of-range"])],
    );
}

#[test]
fn numbers() {
    let rules = Number { minimum: Some(0.5), maximum: Some(2.0), ..Number::ANY };
    assert_violations::<f64>(
        schema(Type::Number(rules)),
        &[
            ("0.5", &[]),
            ("2", &[]),
            ("0.49999", &["minimum"]),
            ("2.00001", &["maximum"]),
            ("1e999", &["out-of-range"]),
            ("\"1\"", &["wrong-type"]),
        ],
    );
    let rules = Number { exclusive_minimum: Some(0.0), exclusive_maximum: Some(1.0), ..Number::ANY };
    assert_violations::<f64>(
        schema(Type::Number(rules)),
        &[
            ("1e-300", &[]),
            ("0", &["exclusive-minimum"]),
            ("-0.0", &["exclusive-minimum"]),
            ("1", &["exclusive-maximum"]),
        ],
    );
    assert!(!check(schema(Type::Number(Number::ANY)), &f64::NAN), "no format says NaN");
}

#[test]
fn multiples_within_the_precision_of_floats() {
    let tenths = schema(Type::Number(Number { multiple_of: Some(0.1), ..Number::ANY }));
    assert_violations::<f64>(
        tenths,
        &[
            ("0", &[]),
            ("0.1", &[]),
            ("0.3", &[]),
            ("0.30000000000000004", &[]),
            ("0.7", &[]),
            ("-1.1", &[]),
            ("123456789.1", &[]),
            ("0.05", &["multiple-of"]),
            ("0.31", &["multiple-of"]),
            ("123456789.15", &["multiple-of"]),
            ("1e300", &[]),
        ],
    );
    let tiny = schema(Type::Number(Number { multiple_of: Some(1e-300), ..Number::ANY }));
    assert_violations::<f64>(tiny, &[("1e300", &[])]);
}

#[test]
fn lengths_count_code_points() {
    let text = schema(Type::Text(Text { min_length: Some(2), max_length: Some(3), ..Text::ANY }));
    assert_violations::<String>(
        text,
        &[
            (r#""ab""#, &[]),
            (r#""äöü""#, &[]),
            (r#""😀😀😀""#, &[]),
            (r#""\ud83d\ude00a""#, &[]),
            (r#""a""#, &["min-length"]),
            (r#""😀""#, &["min-length"]),
            (r#""abcd""#, &["max-length"]),
            (r#""äöüß""#, &["max-length"]),
            (r#""abcdefghijklmn""#, &["max-length"]),
            ("1", &["wrong-type"]),
        ],
    );
}

#[test]
fn patterns_match_somewhere_and_come_last() {
    let pattern = leak(Pattern::new("^#[0-9a-f]{2}"));
    let text = schema(Type::Text(Text { max_length: Some(4), pattern: Some(pattern), ..Text::ANY }));
    assert_violations::<String>(
        text,
        &[
            (r##""#0f""##, &[]),
            (r##""#0fz""##, &[]),
            (r##""x#0f""##, &["pattern"]),
            (r##""x#0f5""##, &["max-length"]),
        ],
    );
}

#[test]
fn formats_by_the_types_that_hold_them() {
    fn of(format: Format) -> &'static Schema {
        schema(Type::Text(Text { format: Some(format), ..Text::ANY }))
    }
    assert_violations::<Timestamp>(
        of(Format::DateTime),
        &[(r#""2026-01-31T12:00:00+01:00""#, &[]), (r#""2026-01-31""#, &["format"]), ("1", &["wrong-type"])],
    );
    assert_violations::<Date>(
        of(Format::Date),
        &[(r#""2026-01-31""#, &[]), (r#""2026-01-32""#, &["format"])],
    );
    assert_violations::<Uuid>(
        of(Format::Uuid),
        &[
            (r#""67E55044-10b1-426f-9247-bb680e5fe0c8""#, &[]),
            (r#""67e5504410b1426f9247bb680e5fe0c8""#, &["format"]),
        ],
    );
    assert_violations::<Base64>(of(Format::Base64), &[(r#""AA==""#, &[]), (r#""AA""#, &["format"])]);
    assert_violations::<String>(of(Format::Uri), &[(r#""https://a.b/c""#, &[]), (r#""a.b/c""#, &["format"])]);
    assert_violations::<String>(of(Format::Email), &[(r#""a@b.c""#, &[]), (r#""a.b""#, &["format"])]);
}

#[test]
fn rules_hold_for_the_text_that_a_value_is_written_as() {
    let text = Text { format: Some(Format::DateTime), max_length: Some(20), ..Text::ANY };
    assert_violations::<Timestamp>(
        schema(Type::Text(text)),
        &[(r#""2026-01-31T12:00:00.000+00:00""#, &[]), (r#""2026-01-31T12:00:00.5Z""#, &["max-length"])],
    );
}

#[test]
fn allowed_values() {
    fn of(of: Type, allowed: &'static [Literal]) -> &'static Schema {
        leak(Schema { of, nullable: true, allowed, also: None })
    }
    assert_violations::<Nullable<String>>(
        of(Type::Text(Text::ANY), &[Literal::Text("a"), Literal::Text("b")]),
        &[(r#""a""#, &[]), ("null", &[]), (r#""c""#, &["not-allowed"]), (r#""A""#, &["not-allowed"])],
    );
    assert_violations::<Nullable<i64>>(
        of(Type::Integer(Integer::ANY), &[Literal::Integer(1), Literal::Number(2.0)]),
        &[("1", &[]), ("2", &[]), ("1.0", &[]), ("3", &["not-allowed"])],
    );
    assert_violations::<Nullable<f64>>(
        of(Type::Number(Number::ANY), &[Literal::Integer(1), Literal::Number(0.5)]),
        &[("1", &[]), ("0.5", &[]), ("0.6", &["not-allowed"])],
    );
    assert_violations::<Nullable<bool>>(
        of(Type::Boolean, &[Literal::Boolean(true)]),
        &[("true", &[]), ("false", &["not-allowed"])],
    );
    assert_violations::<Value>(
        of(Type::Any, &[Literal::Null, Literal::Text("a"), Literal::Json("[1, {\"x\": 2}]")]),
        &[
            ("null", &[]),
            (r#""a""#, &[]),
            (r#"[1.0, {"x": 2}]"#, &[]),
            ("[1]", &["not-allowed"]),
            ("1", &["not-allowed"]),
        ],
    );
    let array =
        Array { items: schema(Type::Integer(Integer::ANY)), min_items: None, max_items: None, unique: false };
    assert_violations::<Nullable<Vec<i64>>>(
        of(Type::Array(array), &[Literal::Json("[1,2]")]),
        &[("[1,2]", &[]), ("[2,1]", &["not-allowed"]), ("[1,2,\"3\"]", &["[2] wrong-type"])],
    );
}

#[test]
fn arrays() {
    let items = schema(Type::Integer(Integer { minimum: Some(0), ..Integer::ANY }));
    let array = Array { items, min_items: Some(1), max_items: Some(3), unique: true };
    assert_violations::<Vec<i64>>(
        schema(Type::Array(array)),
        &[
            ("[1]", &[]),
            ("[1,2,3]", &[]),
            ("[]", &["min-items"]),
            ("[1,2,3,4]", &["max-items"]),
            ("[1,2,1.0]", &["unique-items"]),
            ("[1,-2,\"3\"]", &["[1] minimum", "[2] wrong-type"]),
            ("[null]", &["[0] null"]),
            ("{}", &["wrong-type"]),
        ],
    );
}

#[test]
fn items_are_alike_by_value() {
    let unique = |items| schema(Type::Array(Array { items, min_items: None, max_items: None, unique: true }));
    assert_violations::<Vec<Value>>(
        unique(schema(Type::Any)),
        &[
            (r#"[1, "1", true, null, [], {}, 0, "", [0], false]"#, &[]),
            (r#"[{"a":1,"b":2}, {"b":2.0,"a":1}]"#, &["unique-items"]),
            ("[[1,2],[2,1]]", &[]),
            ("[[1,2],[1,2]]", &["unique-items"]),
            ("[0, -0.0]", &["unique-items"]),
        ],
    );
    let instant = schema(Type::Text(Text { format: Some(Format::DateTime), ..Text::ANY }));
    assert_violations::<Vec<Timestamp>>(
        unique(instant),
        &[(r#"["2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00"]"#, &["unique-items"])],
    );
    // These are more items than are compared in place.
    let many = |last: u32| format!("[{}{last}]", (0..200).map(|it| format!("{it},")).collect::<String>());
    let integers = unique(schema(Type::Integer(Integer::ANY)));
    assert_violations::<Vec<i64>>(integers, &[(&many(200), &[]), (&many(7), &["unique-items"])]);
}

#[test]
fn different_items_are_hardly_ever_compared() {
    let items = schema(Type::Any);
    let unique = schema(Type::Array(Array { items, min_items: None, max_items: None, unique: true }));
    // Each item is the binary number of its index, whose digits are two values. Some pairs look alike to a weak hash.
    for (zero, one) in [
        (json!(null), json!([])),
        (json!(0), json!({})),
        (json!(""), json!(false)),
        (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_993_u64)),
    ] {
        let item = |index: usize| {
            let digits = (0..14).map(|digit| if index >> digit & 1 == 0 { &zero } else { &one });
            Value::from(digits.cloned().collect::<Vec<_>>())
        };
        let value = Value::from((0..1 << 14).map(item).collect::<Vec<_>>());
        let start = Instant::now();
        assert!(check(unique, &value), "{zero} {one}");
        assert!(start.elapsed() < Duration::from_secs(10), "{zero} {one}: {:?}", start.elapsed());
    }
}

#[test]
fn references_add_their_rules() {
    let inner = leak(Schema {
        of: Type::Text(Text { max_length: Some(2), ..Text::ANY }),
        nullable: false,
        allowed: &[Literal::Text("a"), Literal::Text("b"), Literal::Text("abc")],
        also: None,
    });
    let outer = leak(Schema {
        of: Type::Same(inner),
        nullable: true,
        allowed: &[Literal::Text("a"), Literal::Text("abc")],
        also: None,
    });
    assert_violations::<Nullable<String>>(
        outer,
        &[(r#""a""#, &[]), ("null", &[]), (r#""b""#, &["not-allowed"]), (r#""abc""#, &["max-length"])],
    );
}
