use std::fmt::Debug;

use serde_json::json;

use super::*;
use crate::{
    codec::{JsonReader, ValueReader, from_json, to_json, to_value},
    types::{Base64, Date, File, NoError, Nullable, Timestamp, Uuid},
};

/// Checks that a value is read from text and tree, and is written as `written`.
fn both_ways<T: Decode + Encode + PartialEq + Debug>(text: &str, expected: &T, written: &str) {
    let tree: Value = serde_json::from_str(text).unwrap();
    assert_eq!(from_json::<T>(text.as_bytes()).as_ref(), Ok(expected), "{text}");
    assert_eq!(T::decode(&mut ValueReader::strict(&tree)).as_ref(), Ok(expected), "{text}");
    assert_eq!(String::from_utf8(to_json(expected)).unwrap(), written, "{text}");
    assert_eq!(to_value(expected), serde_json::from_str::<Value>(written).unwrap(), "{text}");
}

#[test]
fn scalars_are_decoded_and_encoded() {
    both_ways("true", &true, "true");
    both_ways("1e1", &10_i32, "10");
    both_ways("-5", &-5_i64, "-5");
    both_ways("65535", &u16::MAX, "65535");
    both_ways("4294967295", &u32::MAX, "4294967295");
    both_ways("18446744073709551615", &u64::MAX, "18446744073709551615");
    both_ways("3", &3.0_f64, "3");
    both_ways("3.0", &3.0_f64, "3");
    both_ways(r#""\u0061""#, &"a".to_owned(), r#""a""#);
    both_ways("null", &None::<i64>, "null");
    both_ways("1", &Some(1_i64), "1");
    both_ways("null", &Nullable::<i64>::Null, "null");
    both_ways("1", &Nullable::Value(1_i64), "1");
    both_ways("1", &Box::new(1_i64), "1");
    both_ways("[1, null]", &vec![Some(1_i64), None], "[1,null]");
    both_ways(
        r#"{"b": 1, "a": 2}"#,
        &Map::from([("a".to_owned(), 2_i64), ("b".to_owned(), 1)]),
        r#"{"a":2,"b":1}"#,
    );
    both_ways(r#"{"a": [1, 2.0, null]}"#, &json!({"a": [1, 2.0, null]}), r#"{"a":[1,2.0,null]}"#);
    both_ways(r#""hi""#, &Bytes::from_static(b"hi"), r#""hi""#);
    both_ways(r#""hi""#, &File::from(b"hi".to_vec()), r#""hi""#);
    both_ways(r#""aGk=""#, &Base64(b"hi".to_vec()), r#""aGk=""#);
    both_ways(
        r#""67E55044-10b1-426f-9247-bb680e5fe0c8""#,
        &Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8),
        r#""67e55044-10b1-426f-9247-bb680e5fe0c8""#,
    );
    both_ways(r#""2024-02-29""#, &Date::new(2024, 2, 29).unwrap(), r#""2024-02-29""#);
    both_ways(
        r#""1970-01-01T01:00:01+01:00""#,
        &Timestamp::from_unix_seconds(1).unwrap(),
        r#""1970-01-01T00:00:01Z""#,
    );
}

#[test]
fn integers_stay_within_their_type() {
    fn fits<T: Decode>(text: &str) -> bool {
        from_json::<T>(text.as_bytes()).is_ok()
    }
    for (text, i32_, i64_, u16_, u32_, u64_) in [
        ("-1", true, true, false, false, false),
        ("65536", true, true, false, true, true),
        ("2147483648", false, true, false, true, true),
        ("-2147483649", false, true, false, false, false),
        ("4294967296", false, true, false, false, true),
        ("9223372036854775808", false, false, false, false, true),
        ("18446744073709551616", false, false, false, false, false),
        ("0.5", false, false, false, false, false),
        ("1.00000000000000000001", false, false, false, false, false),
        ("5e0", true, true, true, true, true),
    ] {
        let found =
            (fits::<i32>(text), fits::<i64>(text), fits::<u16>(text), fits::<u32>(text), fits::<u64>(text));
        assert_eq!(found, (i32_, i64_, u16_, u32_, u64_), "{text}");
    }
}

#[test]
fn texts_of_formats_must_be_well_formed() {
    fn error<T: Decode + Debug>(text: &str) -> String {
        from_json::<T>(text.as_bytes()).unwrap_err().to_string()
    }
    assert_eq!(error::<Uuid>("\"x\""), "expected a UUID");
    assert_eq!(error::<Timestamp>("\"2024-01-01\""), "expected an RFC 3339 date and time");
    assert_eq!(error::<Date>("\"2024-02-30\""), "expected an RFC 3339 date");
    assert_eq!(error::<Base64>("\"aGk\""), "expected base64");
    assert_eq!(error::<Base64>("7"), "expected a string, found a number");
    assert_eq!(error::<NoError>("{}"), "the type has no alternative 0");
}

#[test]
fn the_unit_type_skips_any_value() {
    for text in ["", " ", "null", r#"{"a":[1]}"#] {
        let mut reader = JsonReader::strict(text.as_bytes());
        assert_eq!(<()>::decode(&mut reader), Ok(()), "{text}");
        assert_eq!(reader.finish(), Ok(()), "{text}");
    }
    assert_eq!(from_json::<Vec<()>>(b"[1, {}]"), Ok(vec![(), ()]));
}

#[test]
fn absence_passes_through_boxes() {
    assert!(Box::new(None::<i64>).is_absent());
    assert!(!Box::new(1_i64).is_absent());
    assert!(!Nullable::<i64>::Null.is_absent());
    let held = JsonReader::tolerant(br#"{"a":null}"#).read::<Map<Box<Option<i64>>>>();
    assert_eq!(held, Ok(Map::from([("a".to_owned(), Box::new(None))])));
}

#[test]
fn maps_of_a_tolerant_reader_take_the_last_and_no_null() {
    let map = JsonReader::tolerant(br#"{"a":1,"b":null,"a":2}"#).read::<Map<i64>>();
    assert_eq!(map, Ok(Map::from([("a".to_owned(), 2)])));
}
