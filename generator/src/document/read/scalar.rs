//! The values of YAML scalars.
//!
//! Plain scalars follow the core schema of YAML 1.2: `yes` and `012` are strings. In addition, `0b1` is an
//! integer. An integer beyond 64 bits is a floating-point number, as in JSON. JSON has no numbers for `.nan` and
//! `.inf`: these are strings.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};
use serde_json::Number;

use crate::tree::{self, Value};

/// The message about an array or object as field name.
pub(super) const NO_NAME: &str = "a field name must be a string, not an array or an object";

/// Returns the value of a scalar, or why its tag does not fit.
pub(super) fn value(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    let resolves = style == ScalarStyle::Plain;
    let Some(tag) = tag else {
        return Ok(if resolves { plain(text) } else { Value::String(text.into_owned()) });
    };
    let name = format!("{}{}", tag.handle(), tag.suffix());
    let (value, expected) = match name.strip_prefix("tag:yaml.org,2002:") {
        Some("null") => ((text.is_empty() || is_null(&text)).then_some(Value::Null), "null"),
        Some("bool") => (boolean(&text).map(Value::Boolean), "a boolean"),
        Some("int") => (integer(&text), "an integer"),
        Some("float") => (float(&text).map(|value| number(&text, value)), "a number"),
        // A local tag, such as `!secret`, means nothing here.
        None if resolves && name.starts_with('!') => return Ok(plain(text)),
        _ => return Ok(Value::String(text.into_owned())),
    };
    value.ok_or_else(|| format!("`{text}` is not {expected}"))
}

/// Returns the field name that a value stands for.
///
/// YAML reads some names as other scalars: `200:`, `true:`.
pub(super) fn name(value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok("null".to_owned()),
        value => value.as_written().ok_or_else(|| NO_NAME.to_owned()),
    }
}

/// Returns the value of a scalar without quotes and tag.
fn plain(text: Cow<'_, str>) -> Value {
    if text.is_empty() || is_null(&text) {
        return Value::Null;
    }
    // Most scalars are words.
    let is_word = text.starts_with(|first: char| !matches!(first, '0'..='9' | '+' | '-' | '.'));
    let decimal = || Some(number(&text, float(&text).filter(|_| !has_leading_zero(&text))?));
    let found = if is_word { boolean(&text).map(Value::Boolean) } else { integer(&text).or_else(decimal) };
    found.unwrap_or_else(|| Value::String(text.into_owned()))
}

fn is_null(text: &str) -> bool {
    matches!(text, "null" | "Null" | "NULL" | "~")
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Returns whether the text is an identifier, such as `007`.
fn has_leading_zero(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn integer(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)))
        .unwrap_or((digits, 10));
    if digits.starts_with(['-', '+']) || has_leading_zero(text) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "readers of JSON round such integers too")]
    let (number, nearest) = if sign.is_empty() {
        let value = u128::from_str_radix(digits, radix).ok()?;
        (Number::from_u128(value), value as f64)
    } else {
        let value = i128::from_str_radix(&format!("-{digits}"), radix).ok()?;
        (Number::from_i128(value), value as f64)
    };
    Some(number.map_or_else(|| rounded(text, nearest), |number| written(text, number)))
}

fn float(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    // Rust reads `inf` and `nan` too, and reads what is too large as infinite.
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Returns the value of a number that is written with a fraction or an exponent.
///
/// From 2^53 on, several integers share one `f64`, so an integer within 64 bits is read from its digits.
pub(super) fn number(text: &str, value: f64) -> Value {
    const TWO_53: f64 = 9_007_199_254_740_992.0;
    let exact = if value.abs() < TWO_53 { None } else { whole(text).and_then(Number::from_i128) };
    exact.map_or_else(|| rounded(text, value), |number| written(text, number))
}

/// Returns the value of a decimal number, if it is an integer within 128 bits.
fn whole(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits: i128 = format!("{integer}{fraction}").parse().ok()?;
    let scale = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_i128.checked_pow(scale.unsigned_abs())?;
    if scale >= 0 { digits.checked_mul(power) } else { (digits % power == 0).then(|| digits / power) }
}

fn rounded(text: &str, value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), |number| written(text, number))
}

fn written(text: &str, number: Number) -> Value {
    Value::Number(tree::Number::written(number, text))
}
