use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    codec::{ValueReader, arbitrary, keep, to_json},
    types::Map,
};

fn read<T: Decode>(text: &str) -> Result<T, String> {
    from_json(text.as_bytes()).map_err(|error| error.to_string())
}

fn fails<T: Decode + std::fmt::Debug>(text: &str) -> String {
    read::<T>(text).unwrap_err()
}

#[test]
fn scalars() {
    assert_eq!(read(" true\n"), Ok(true));
    assert_eq!(read("false"), Ok(false));
    assert_eq!(read("null"), Ok(None::<bool>));
    assert_eq!(read("-12"), Ok(-12_i64));
    assert_eq!(read("1e2"), Ok(100_i32));
    assert_eq!(read("999999999999999999"), Ok(999_999_999_999_999_999_i64));
    assert_eq!(read("9223372036854775807"), Ok(i64::MAX));
    assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(read("0.25"), Ok(0.25));
    assert_eq!(read("-12.50"), Ok(-12.5));
    assert_eq!(read("0.1"), Ok(0.1));
    assert_eq!(read("-70.00"), Ok(-70_i64));
    assert_eq!(read("99999999999999.9"), Ok(99_999_999_999_999.9));
    assert_eq!(read("999999999999999.9"), Ok(999_999_999_999_999.9));
    assert_eq!(read("7"), Ok(7.0));
    assert_eq!(read(r#""\u00e4\n😀\ud83d\ude00""#), Ok("ä\n😀😀".to_owned()));
    assert_eq!(
        read("\"a long string without any escapes in it\""),
        Ok("a long string without any escapes in it".to_owned())
    );
}

#[test]
fn errors_name_the_problem_and_the_position() {
    for (error, expected) in [
        (fails::<bool>("1"), "expected a boolean, found a number"),
        (fails::<String>("null"), "expected a string, found null"),
        (fails::<i64>("\"1\""), "expected a number, found a string"),
        (fails::<i64>("1.5"), "expected an integer, found a number"),
        (fails::<i32>("2147483648"), "out of range for a 32-bit integer"),
        (fails::<u32>("-1"), "out of range for an unsigned 32-bit integer"),
        (fails::<i64>("1e400"), "out of range for a 64-bit integer"),
        (fails::<f64>("1e400"), "out of range for a 64-bit floating-point number"),
        (fails::<Vec<bool>>("{}"), "expected an array, found an object"),
        (fails::<Vec<bool>>("[true, 1]"), "[1]: expected a boolean, found a number"),
        (fails::<Map<Vec<bool>>>(r#"{"a": [], "b": [0]}"#), "b[0]: expected a boolean, found a number"),
        (fails::<Map<bool>>(r#"{"a": true, "\u0061": true}"#), "the field `a` occurs more than once"),
        (fails::<Vec<Map<bool>>>(r#"[{"a": true, "a": true}]"#), "[0]: the field `a` occurs more than once"),
        (fails::<bool>("true\n x"), "unexpected text after the end of the document (line 2, column 2)"),
        (fails::<bool>("tru"), "expected a value (line 1, column 1)"),
        (fails::<bool>(""), "the input ends too early (line 1, column 1)"),
        (fails::<Vec<bool>>("[true,\n\"ä\" true"), "[1]: expected a boolean, found a string"),
        (fails::<Vec<String>>("[\n\"ä\" true"), "expected a comma or the closing bracket (line 2, column 5)"),
        (fails::<Vec<bool>>("[true,]"), "[1]: expected a value (line 1, column 7)"),
        (fails::<Map<bool>>(r#"{"a":true,}"#), "expected a field's name in quotes (line 1, column 11)"),
        (fails::<Map<bool>>(r#"{"a" true}"#), "expected a colon (line 1, column 6)"),
        (fails::<String>("\"a\nb\""), "a control character in a string must be escaped (line 1, column 3)"),
        (fails::<String>("\"a\\x\""), "unknown escape sequence (line 1, column 3)"),
        (fails::<String>("\"\\ud800\""), "unpaired surrogate in an escape sequence (line 1, column 2)"),
        (fails::<f64>("01"), "a number must not have leading zeros (line 1, column 1)"),
        (fails::<f64>("-"), "expected a digit (line 1, column 2)"),
        (fails::<f64>("1.x"), "expected a digit (line 1, column 3)"),
    ] {
        assert_eq!(error, expected);
    }
    let cut = from_json::<String>(b"\"a\xff\"").unwrap_err();
    assert_eq!(cut.to_string(), "invalid UTF-8 (line 1, column 3)");
    let behind = from_json::<bool>(b"true \xff").unwrap_err();
    assert_eq!(behind.to_string(), "invalid UTF-8 (line 1, column 6)");
    assert!(cut.is_syntax() && behind.is_syntax());
}

#[derive(Debug, PartialEq)]
struct Pair {
    a: i64,
    b: Option<String>,
    rest: Map<Value>,
}

#[derive(Debug, Clone, Copy)]
enum Others {
    Ignored,
    Closed,
    Kept,
}

fn pair(reader: &mut dyn Reader, others: Others) -> Result<Pair, DecodeError> {
    let (mut a, mut b, mut rest) = (None, None, Map::new());
    let mut keep = |name: &str, reader: &mut dyn Reader| keep(&mut rest, name, reader);
    reader.object(
        &["a", "b"],
        &mut [&mut a, &mut b],
        match others {
            Others::Ignored => AdditionalProperties::Ignore,
            Others::Closed => AdditionalProperties::Closed,
            Others::Kept => AdditionalProperties::Keep(&mut keep),
        },
    )?;
    Ok(Pair { a: a.ok_or_else(|| DecodeError::missing("a"))?, b, rest })
}

#[test]
fn objects_strictly_and_tolerantly() {
    use Others::{Closed, Ignored, Kept};
    let some = |a, b: Option<&str>, rest: &[(&str, Value)]| {
        let rest = rest.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Ok(Pair { a, b: b.map(str::to_owned), rest })
    };
    let none = |message: &str| Err(message.to_owned());
    for (text, others, strict, tolerant) in [
        (r#"{"a":1,"b":"x"}"#, Closed, some(1, Some("x"), &[]), some(1, Some("x"), &[])),
        (r#"{"b":"x","a":1}"#, Closed, some(1, Some("x"), &[]), some(1, Some("x"), &[])),
        (r#" { "\u0061" : 1 } "#, Closed, some(1, None, &[]), some(1, None, &[])),
        (r#"{"c":[{}],"a":1}"#, Ignored, some(1, None, &[]), some(1, None, &[])),
        (r#"{"c":[{}],"a":1}"#, Closed, none("the field `c` is unknown"), some(1, None, &[])),
        (
            r#"{"c":null,"a":1}"#,
            Kept,
            some(1, None, &[("c", Value::Null)]),
            some(1, None, &[("c", Value::Null)]),
        ),
        (
            r#"{"a":1,"c":1,"c":2}"#,
            Kept,
            none("the field `c` occurs more than once"),
            some(1, None, &[("c", json!(2))]),
        ),
        (r#"{"a":1,"c":1,"c":2}"#, Ignored, some(1, None, &[]), some(1, None, &[])),
        (r#"{"a":1,"a":2}"#, Closed, none("the field `a` occurs more than once"), some(2, None, &[])),
        (r#"{"a":1,"b":null}"#, Closed, none("b: expected a string, found null"), some(1, None, &[])),
        (r#"{"a":null}"#, Closed, none("a: expected a number, found null"), none("the field `a` is missing")),
        (r#"{}"#, Closed, none("the field `a` is missing"), none("the field `a` is missing")),
    ] {
        let run = |mut reader: JsonReader<'_>| {
            let pair = pair(&mut reader, others).map_err(|error| error.to_string())?;
            reader.finish().map_err(|error| error.to_string())?;
            Ok(pair)
        };
        assert_eq!(run(JsonReader::strict(text.as_bytes())), strict, "strictly: {text} {others:?}");
        assert_eq!(run(JsonReader::tolerant(text.as_bytes())), tolerant, "tolerantly: {text} {others:?}");
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (depth, passes) in [(1, true), (128, true), (129, false), (100_000, false)] {
        let text = nested(depth);
        let value = from_json::<Value>(text.as_bytes());
        let skipped = JsonReader::strict(text.as_bytes()).skip();
        assert_eq!((value.is_ok(), skipped.is_ok()), (passes, passes), "{depth}");
        if !passes {
            assert_eq!(*skipped.unwrap_err().kind(), DecodeErrorKind::TooDeep);
        }
    }
    // Only brackets that are open at the same time count towards the depth.
    assert!(from_json::<Value>(format!("[{}0]", "[{}],".repeat(1000)).as_bytes()).is_ok());
}

#[test]
fn ahead_and_attempt_restore_the_position() {
    let mut reader = JsonReader::strict(br#" [1, {"a": [2]}] "#);
    let mut seen = None;
    reader
        .ahead(&mut |reader| {
            seen = Some(reader.value()?);
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, Some(json!([1, {"a": [2]}])));
    let failed = reader.attempt(&mut |reader| Vec::<Vec<bool>>::decode(reader).map(drop));
    assert_eq!(failed.unwrap_err().to_string(), "[0]: expected an array, found a number");
    assert!(reader.ahead(&mut |reader| Vec::<bool>::decode(reader).map(drop)).is_err());
    reader
        .attempt(&mut |reader| {
            assert_eq!(reader.value()?, json!([1, {"a": [2]}]));
            Ok(())
        })
        .unwrap();
    reader.finish().unwrap();
}

#[test]
fn rereading_on_every_level_ends() {
    /// Reads everything twice, on every level.
    fn read_twice(reader: &mut dyn Reader) -> Result<(), DecodeError> {
        let mut once = |reader: &mut dyn Reader| {
            if reader.peek()? == Kind::Array {
                reader.array(&mut |reader| read_twice(reader))
            } else {
                reader.boolean().map(drop)
            }
        };
        match reader.attempt(&mut once) {
            Err(error) if !error.is_final() => reader.attempt(&mut once),
            other => other,
        }
    }
    for padding in [0, 200_000] {
        let text = format!("{}0{}{}", "[".repeat(100), " ".repeat(padding), "]".repeat(100));
        let mut reader = JsonReader::strict(text.as_bytes());
        assert_eq!(*read_twice(&mut reader).unwrap_err().kind(), DecodeErrorKind::TooDeep);
        // The last reread may cover the whole input on each remaining level.
        assert!(reader.reread < 32 * 1024 * 1024 + 20 * text.len(), "{} of {}", reader.reread, text.len());
    }
}

/// Returns the result of serde_json, or `None` where the two readers may differ.
fn oracle(text: &[u8]) -> Option<Result<Value, ()>> {
    match serde_json::from_slice::<Value>(text) {
        Ok(value) => Some(Ok(value)),
        // serde_json has another limit of nesting.
        Err(error) if error.to_string().contains("recursion limit") => None,
        Err(_) => Some(Err(())),
    }
}

/// Rounds integers from 2^53 on in magnitude: `serde_json` reads those with a fraction or an exponent as floats.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number)
            if number.as_f64().is_some_and(|float| float.abs() >= 9_007_199_254_740_992.0) =>
        {
            number.as_f64().into()
        }
        Value::Array(items) => items.into_iter().map(rounded).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, rounded(value))).collect(),
        other => other,
    }
}

fn agrees_with_serde_json(text: &[u8]) -> Result<(), TestCaseError> {
    let Some(expected) = oracle(text) else { return Ok(()) };
    let found = from_json::<Value>(text).map(rounded);
    prop_assert_eq!(found.map_err(drop), expected.clone().map(rounded));
    // Skipping checks the syntax alone, so it accepts numbers of any size.
    let mut reader = JsonReader::strict(text);
    let skipped = reader.skip().and_then(|()| reader.finish());
    if skipped.is_err() || expected.is_ok() {
        prop_assert_eq!(skipped.is_ok(), expected.is_ok());
    }
    Ok(())
}

#[test]
fn agrees_on_what_is_json() {
    for text in [
        "",
        " ",
        "nul",
        "nulll",
        "null null",
        "[",
        "]",
        "{",
        "[1 2]",
        "[,1]",
        "[1,,2]",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "'a'",
        "\"",
        "\"\\",
        "\"\\u",
        "\"\\u12",
        "\"\\ud83d\\u0041\"",
        "+1",
        ".1",
        "1.",
        "-0",
        "-0.0",
        "1e5",
        "1E-5",
        "0x1",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "123456789012345678901",
        "-9223372036854775809",
        "1.7976931348623157e308",
        "1e-999",
        "[1.0,1]",
        "\u{feff}1",
        "/**/1",
        "NaN",
        "\"\u{7f}\u{80}\"",
        "{\"a\":1,\"a\":2}",
    ] {
        agrees_with_serde_json(text.as_bytes()).unwrap();
    }
}

/// Checks that the text of a number means the same in JSON text, in a parameter, and in an untyped value.
fn is_the_same_in_all_readers(text: &str) -> Result<(), TestCaseError> {
    let number = JsonReader::strict(text.as_bytes()).number();
    prop_assert_eq!(number.clone().ok(), Number::parse(text), "{}", text);
    let (Ok(number), Ok(value)) = (number, read::<Value>(text)) else { return Ok(()) };
    prop_assert_eq!(
        read::<f64>(text),
        f64::decode(&mut ValueReader::strict(&value)).map_err(|error| error.to_string())
    );
    prop_assert_eq!(number.to_f64(), text.parse::<f64>().unwrap(), "{}", text);
    // An untyped value holds the nearest `f64` of a fraction, which can be an integer.
    if number.is_integer() {
        prop_assert_eq!(Some(number), ValueReader::strict(&value).number().ok(), "{} as {:?}", text, value);
    }
    let again = String::from_utf8(to_json(&value)).unwrap();
    prop_assert_eq!(read::<Value>(&again), Ok(value), "{} as {}", text, again);
    Ok(())
}

#[test]
fn whole_numbers_keep_every_digit() {
    for (text, expected) in [
        ("3.326998846366565e16", 33_269_988_463_665_650),
        ("33269988463665650.0", 33_269_988_463_665_650),
        ("33269988463665649.0", 33_269_988_463_665_649),
        ("33269988463665648", 33_269_988_463_665_648),
        ("-3.326998846366565E+16", -33_269_988_463_665_650),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("90071992547409930e-1", 9_007_199_254_740_993),
        ("9.223372036854775807e18", i64::MAX),
        ("-9223372036854775808.0", i64::MIN),
    ] {
        is_the_same_in_all_readers(text).unwrap();
        assert_eq!(read::<i64>(text), Ok(expected), "{text}");
        let value = read::<Value>(text).unwrap();
        assert_eq!(i64::decode(&mut ValueReader::strict(&value)), Ok(expected), "{text} as {value:?}");
    }
    // The untyped value of another reader has the nearest `f64`, which stands for its shortest decimal number.
    let value: Value = serde_json::from_str("3.326998846366565e16").unwrap();
    assert_eq!(i64::decode(&mut ValueReader::strict(&value)), Ok(33_269_988_463_665_650));
    for text in ["1.00000000000000000001", "33269988463665649.5", "0.5"] {
        is_the_same_in_all_readers(text).unwrap();
        assert_eq!(fails::<i64>(text), "expected an integer, found a number", "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn agrees_on_nearly_json(text in arbitrary::nearly_json()) {
        agrees_with_serde_json(&text)?;
    }

    #[test]
    fn agrees_on_any_bytes(text: Vec<u8>) {
        agrees_with_serde_json(&text)?;
    }

    #[test]
    fn agrees_on_punctuation(text in "[\\[\\]{}:,\"\\\\0-1.eEu\\- tnrulefas]{0,12}") {
        agrees_with_serde_json(text.as_bytes())?;
    }

    #[test]
    fn agrees_with_the_reader_of_values(value in arbitrary::value(), is_tolerant: bool) {
        let text = to_json(&value);
        for others in [Others::Ignored, Others::Closed, Others::Kept] {
            let (mut json, mut memory) = if is_tolerant {
                (JsonReader::tolerant(&text), ValueReader::tolerant(&value))
            } else {
                (JsonReader::strict(&text), ValueReader::strict(&value))
            };
            prop_assert_eq!(pair(&mut json, others), pair(&mut memory, others));
        }
    }

    #[test]
    fn a_number_is_the_same_in_all_readers(text in arbitrary::number()) {
        is_the_same_in_all_readers(&text)?;
    }

    #[test]
    fn integers_agree_with_the_tree(value in prop_oneof![any::<i64>().prop_map(Value::from), any::<u64>().prop_map(Value::from)]) {
        let text = value.to_string();
        prop_assert_eq!(JsonReader::strict(text.as_bytes()).number(), ValueReader::strict(&value).number());
        prop_assert_eq!(Number::parse(&text), ValueReader::strict(&value).number().ok());
    }

    // The fast path and the slow path must give the same number.
    #[test]
    fn numbers_have_the_value_of_their_text(text in "-?[0-9]{1,18}(\\.[0-9]{0,17})?([eE][+-]?[0-9]{0,2})?[ ]?") {
        let found = JsonReader::strict(text.as_bytes()).read::<f64>().ok();
        prop_assert_eq!(found, serde_json::from_str::<f64>(&text).ok());
        let found = JsonReader::strict(text.as_bytes()).number().ok();
        prop_assert_eq!(found, Number::parse(text.trim()));
    }

    // A large integral float is written with its shortest digits, which may denote another integer of the
    // same float.
    #[test]
    fn floats_round_trip(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
        prop_assert_eq!(from_json::<f64>(&to_json(&value)), Ok(value));
        prop_assert_eq!(Number::from(value).to_f64(), value);
    }
}

#[test]
fn a_reader_knows_that_it_skipped_a_field() {
    let skips = |text: &str, read: &mut dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError>| {
        let tree: Value = serde_json::from_str(text).unwrap();
        let (mut json, mut memory) = (JsonReader::strict(text.as_bytes()), ValueReader::strict(&tree));
        read(&mut json).unwrap();
        read(&mut memory).unwrap();
        assert_eq!(json.has_skipped(), memory.has_skipped());
        json.has_skipped()
    };
    let mut open = |reader: &mut dyn Reader| {
        reader.object(&["a"], &mut [&mut None::<i64>], AdditionalProperties::Ignore)
    };
    assert!(!skips(r#"{"a": 1}"#, &mut open));
    assert!(skips(r#"{"a": 1, "b": 2}"#, &mut open));
    let text = r#"{"b": 2}"#;
    assert!(!skips(text, &mut |reader| reader.entries(&mut |_, reader| reader.skip())));
    assert!(!skips(text, &mut |reader| {
        reader.ahead(&mut open)?;
        reader.skip()
    }));
    assert!(skips(text, &mut |reader| reader.attempt(&mut open)));
    assert!(!skips(text, &mut |reader| {
        let failed = reader.attempt(&mut |reader| {
            open(reader)?;
            Err(DecodeError::custom("another variant"))
        });
        assert!(failed.is_err());
        reader.skip()
    }));
}
