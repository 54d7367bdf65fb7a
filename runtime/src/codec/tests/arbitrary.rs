//! Arbitrary JSON, for property tests.

use proptest::prelude::*;

use crate::codec::Value;

/// Generates any JSON value of moderate size.
pub(super) fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\\n]{0,20}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"é]{0,3}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Generates the text of a number: integers, fractions and exponents, often with more digits than an `f64` has.
pub(super) fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})",
        "-?(0|[1-9][0-9]{0,21})\\.[0-9]{1,22}",
        "-?(0|[1-9][0-9]{0,21})(\\.[0-9]{1,22})?[eE][+-]?[0-9]{1,2}",
        // Whole, and beyond the integers that an `f64` distinguishes.
        "-?[1-9][0-9]{14,20}\\.0{1,3}",
        "-?[1-9]\\.[0-9]{10,19}[eE]\\+?1[4-9]",
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(|float| format!("{float:e}")),
        (-2e19_f64..2e19).prop_map(|float| format!("{:.1}", float.trunc())),
    ]
}

/// Generates the text of a JSON value with a few bytes changed.
pub(super) fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"",
        b" ",
        b"\t",
        b"\n",
        b",",
        b":",
        b"\"",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b"0",
        b"-",
        b"1e5",
        b".",
        b"null",
        b"true",
        b"\\u",
        b"\\ud83d\\ude00",
        b"\\udc00",
        b"\\n",
        b"\x00",
        b"\x1f",
        b"\x7f",
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b"1.0",
        b"E+",
    ];
    let change = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(pieces));
    (value(), any::<bool>(), prop::collection::vec(change, 0..4)).prop_map(|(value, is_pretty, changes)| {
        let text = if is_pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) };
        let mut text = text.unwrap();
        for (index, removed, piece) in changes {
            let start = index.index(text.len() + 1);
            let end = (start + removed).min(text.len());
            text.splice(start..end, piece.iter().copied());
        }
        text
    })
}
