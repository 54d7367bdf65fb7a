//! The formats that the crates check by default.

use openapi_crates_runtime::{codec::Format, table::Schema, validation::violations_of};
use serde_json::{Value, json};

/// A check of a text.
type Check = fn(&str) -> bool;

/// The formats whose check is lenient or not part of JSON Schema. Here, both sides use the runtime's check.
///
/// `own-date` and `own-date-time` are only in a reading of [`KNOWN`](crate::known::KNOWN).
pub const OWN: [(&str, Check); 5] = [
    ("own-base64", |text| is(&BASE64, text)),
    ("own-date", |text| is(&DATE, text)),
    ("own-date-time", |text| is(&DATE_TIME, text)),
    ("own-email", |text| is(&EMAIL, text)),
    ("own-uri", |text| is(&URI, text)),
];

static BASE64: Schema = Schema::format(Format::Base64);
static DATE: Schema = Schema::format(Format::Date);
static DATE_TIME: Schema = Schema::format(Format::DateTime);
static EMAIL: Schema = Schema::format(Format::Email);
static URI: Schema = Schema::format(Format::Uri);

fn is(row: &'static Schema, text: &str) -> bool {
    violations_of(row, &text.into()).is_empty()
}

/// Returns the name under which the other validator checks a format, `None` if it is an annotation.
pub fn checked(name: &str) -> Option<&'static str> {
    Some(match name {
        "date-time" => "date-time",
        "date" => "date",
        "uuid" => "uuid",
        "ipv4" => "ipv4",
        "ipv6" => "ipv6",
        "byte" | "base64" | "own-base64" => "own-base64",
        "email" | "own-email" => "own-email",
        "uri" | "url" | "own-uri" => "own-uri",
        _ => return None,
    })
}

/// Holds the least and the greatest integer of a schema's format.
pub const RANGE: &str = "x-agree-range";

/// Returns the least and the greatest integer of a format.
pub fn range(name: &str) -> Option<Value> {
    let (least, most): (i128, i128) = match name {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" => (0, u64::MAX.into()),
        _ => return None,
    };
    Some(json!([least, most]))
}
