//! Parses numbers without loss.
//!
//! A literal means the decimal number that it spells. An `f64` in memory means the shortest decimal number that is nearest
//! to it, which is also its written form. So a number is the same integer from a text and from a value.

use super::{DecodeError, Number};

/// Returns an `f64` as an integer, if it is one below 2^53 in magnitude.
///
/// From 2^53 on, several integers share one `f64`. A negative zero gives `None`, because an integer can't
/// keep its sign.
pub(super) fn whole(value: f64) -> Option<i64> {
    const TWO_53: f64 = 9_007_199_254_740_992.0;
    let is_whole = value.abs() < TWO_53 && value.fract() == 0.0 && (value != 0.0 || value.is_sign_positive());
    is_whole.then_some(value as i64)
}

impl Number {
    /// Parses a number in the syntax of JSON; returns `None` for any other text.
    ///
    /// A literal whose value is an integer within 64 bits becomes that integer, without rounding. `-0` is 0.
    ///
    /// ```
    /// use openapi_crates_runtime::codec::Number;
    ///
    /// assert_eq!(Number::parse("12.5e1"), Some(Number::Signed(125)));
    /// assert_eq!(Number::parse("18446744073709551615"), Some(Number::Unsigned(u64::MAX)));
    /// assert_eq!(Number::parse("0.5"), Some(Number::Float(0.5)));
    /// assert_eq!(Number::parse("+1"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((number, length)) = short(text.as_bytes())
            && length == text.len()
        {
            return Some(number);
        }
        (scan(text.as_bytes()) == Ok(text.len())).then(|| exact(text))
    }

    /// Returns the nearest `f64`; a number that is too large is an infinity.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Signed(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Returns the value if it is an integer within 64 bits.
    #[must_use]
    pub fn to_integer(self) -> Option<i128> {
        match self {
            Self::Signed(value) => Some(value.into()),
            Self::Unsigned(value) => Some(value.into()),
            Self::Float(_) => None,
        }
    }

    /// Returns whether the value is an integer of any size.
    ///
    /// A whole `Float` within 64 bits is not an integer: it is a fraction that was rounded.
    pub(crate) fn is_integer(self) -> bool {
        match self {
            Self::Signed(_) | Self::Unsigned(_) => true,
            Self::Float(value) => value >= 2.0 * TWO_63 || value <= -TWO_63,
        }
    }
}

/// An `f64` represents the bounds of integers exactly, because they are powers of two.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Signed(value)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Self::Unsigned(value), Self::Signed)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if let Some(whole) = whole(value) {
            return Self::Signed(whole);
        }
        // Beyond 2^64, it is not an integer within 64 bits.
        if value.fract() != 0.0 || value.abs() > 2.0 * TWO_63 {
            return Self::Float(value);
        }
        exact(zmij::Buffer::new().format_finite(value))
    }
}

impl From<&serde_json::Number> for Number {
    fn from(value: &serde_json::Number) -> Self {
        match (value.as_i64(), value.as_u64()) {
            (Some(value), _) => value.into(),
            (None, Some(value)) => value.into(),
            (None, None) => value.as_f64().unwrap_or(f64::NAN).into(),
        }
    }
}

/// Returns the length of the number at the start of `bytes`, or the offset of an error and its message.
pub(super) fn scan(bytes: &[u8]) -> Result<usize, (usize, &'static str)> {
    let after_digits = |start: usize| {
        let digits = bytes.iter().skip(start).take_while(|byte| byte.is_ascii_digit());
        Some(start + digits.count()).filter(|end| *end > start).ok_or((start, "expected a digit"))
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut at = after_digits(start)?;
    if at - start > 1 && bytes.get(start) == Some(&b'0') {
        return Err((start, "a number must not have leading zeros"));
    }
    if bytes.get(at) == Some(&b'.') {
        at = after_digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at = after_digits(at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-'))))?;
    }
    Ok(at)
}

/// Parses a short number at the start of `bytes`; also returns its length.
///
/// This is the fast path for the common case: at most 15 digits and no exponent.
#[inline]
pub(super) fn short(bytes: &[u8]) -> Option<(Number, usize)> {
    /// The number of digits up to which an `f64` represents every integer.
    ///
    /// The quotient of two such integers is therefore correctly rounded.
    const MAX_DIGITS: usize = 15;
    /// The powers of ten, by the number of fraction digits.
    const POWERS: [f64; MAX_DIGITS + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

    let is_negative = bytes.first() == Some(&b'-');
    let start = usize::from(is_negative);
    let (whole, end) = leading_digits(bytes, start);
    let length = end - start;
    let starts_with_zero = length > 1 && bytes.get(start) == Some(&b'0');
    if length == 0 || length > MAX_DIGITS || starts_with_zero {
        return None;
    }
    let signed = if is_negative { -whole } else { whole };
    if bytes.get(end) != Some(&b'.') {
        return ends_here(bytes, end).then_some((Number::Signed(signed), end));
    }
    let (fraction, last) = leading_digits(bytes, end + 1);
    let count = last - end - 1;
    if count == 0 || length + count > MAX_DIGITS || !ends_here(bytes, last) {
        return None;
    }
    if fraction == 0 {
        return Some((Number::Signed(signed), last));
    }
    let divisor = *POWERS.get(count)?;
    let magnitude = (whole as f64 * divisor + fraction as f64) / divisor;
    Some((Number::Float(if is_negative { -magnitude } else { magnitude }), last))
}

/// Returns the value of the digits from `start` on, and the position after them.
///
/// If there are too many, the value is wrong.
#[inline]
fn leading_digits(bytes: &[u8], start: usize) -> (i64, usize) {
    let (mut value, mut end) = (0_i64, start);
    while let Some(byte @ b'0'..=b'9') = bytes.get(end) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
        end += 1;
    }
    (value, end)
}

/// Returns whether a number ends at `end`: it has no exponent.
#[inline]
fn ends_here(bytes: &[u8], end: usize) -> bool {
    !matches!(bytes.get(end), Some(b'e' | b'E'))
}

/// Returns the value of a well-formed literal.
pub(super) fn exact(text: &str) -> Number {
    // Rust parses every float literal of JSON.
    integral(text).unwrap_or_else(|| Number::Float(text.parse().unwrap_or(f64::NAN)))
}

/// Returns the value of a well-formed literal if it is an integer within 64 bits.
fn integral(text: &str) -> Option<Number> {
    let Decimal { digits, exponent } = Decimal::parse(text)?;
    let magnitude = digits.checked_mul(10_u64.checked_pow(u32::try_from(exponent).ok()?)?)?;
    match text.starts_with('-') {
        true => 0_i64.checked_sub_unsigned(magnitude).map(Number::Signed),
        false => Some(magnitude.into()),
    }
}

/// The magnitude of a number: `digits` * 10^`exponent`.
///
/// The digits have no trailing zeros.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decimal {
    pub(crate) digits: u64,
    pub(crate) exponent: i64,
}

impl Decimal {
    /// Returns the magnitude of a well-formed literal; `None` if it has too many digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, power(exponent)),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        // Trailing zeros are counted in the exponent.
        let (mut digits, mut zeros) = (0_u64, 0_u32);
        for digit in whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit) {
            if digit == b'0' {
                zeros += u32::from(digits != 0);
                continue;
            }
            let shifted = digits.checked_mul(10_u64.checked_pow(zeros + 1)?)?;
            digits = shifted.checked_add(u64::from(digit - b'0'))?;
            zeros = 0;
        }
        if digits == 0 {
            return Some(Self { digits: 0, exponent: 0 });
        }
        let places = i64::try_from(fraction.len()).ok()?;
        Some(Self { digits, exponent: exponent.saturating_add(zeros.into()).saturating_sub(places) })
    }

    /// Returns the magnitude of a number; `None` if it has too many digits or is not finite.
    ///
    /// An `f64` has the shortest decimal number that is nearest to it.
    #[cfg(feature = "validation")]
    pub(crate) fn of(number: Number) -> Option<Self> {
        match number {
            Number::Signed(value) => Self::parse(itoa::Buffer::new().format(value)),
            Number::Unsigned(value) => Self::parse(itoa::Buffer::new().format(value)),
            Number::Float(value) if value.is_finite() => {
                Self::parse(zmij::Buffer::new().format_finite(value))
            }
            Number::Float(_) => None,
        }
    }
}

/// Returns the value of an exponent, clamped if it overflows.
fn power(digits: &str) -> i64 {
    digits.parse().unwrap_or(if digits.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 })
}

/// Parses a number; it becomes an integer only if it is written as one, or if an `f64` would lose digits of it.
pub(super) fn json_number(text: &str) -> Result<serde_json::Number, DecodeError> {
    let mut number = exact(text);
    if text.contains(['.', 'e', 'E']) || text == "-0" {
        let float = text.parse().unwrap_or(f64::NAN);
        if number == Number::from(float) {
            number = Number::Float(float);
        }
    }
    match number {
        Number::Signed(value) => Ok(value.into()),
        Number::Unsigned(value) => Ok(value.into()),
        Number::Float(value) => {
            serde_json::Number::from_f64(value).ok_or_else(|| DecodeError::out_of_range("a number"))
        }
    }
}

/// Returns a number as text, or `None` for NaN and infinities.
///
/// An integral number is `1` and not `1.0`, which some servers do not accept as an integer.
#[cfg(feature = "http")]
pub(crate) fn float_text(value: f64) -> Option<String> {
    let mut buffer = zmij::Buffer::new();
    let text = value.is_finite().then(|| buffer.format_finite(value))?;
    Some(text.strip_suffix(".0").unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integral_literals_are_integers_exactly() {
        for (text, expected) in [
            ("0", Number::Signed(0)),
            ("-0", Number::Signed(0)),
            ("0.000e-999999999999999999999", Number::Signed(0)),
            ("0e99999999999999999999", Number::Signed(0)),
            ("1.0", Number::Signed(1)),
            ("1e2", Number::Signed(100)),
            ("12.5e1", Number::Signed(125)),
            ("1000E-3", Number::Signed(1)),
            ("0.001e+3", Number::Signed(1)),
            ("-70.0", Number::Signed(-70)),
            ("100200.00", Number::Signed(100_200)),
            ("9223372036854775807", Number::Signed(i64::MAX)),
            ("-9223372036854775808", Number::Signed(i64::MIN)),
            ("-9223372036854775808.0", Number::Signed(i64::MIN)),
            ("9223372036854775808", Number::Unsigned(1 << 63)),
            ("18446744073709551615", Number::Unsigned(u64::MAX)),
            ("9007199254740993.0", Number::Signed(9_007_199_254_740_993)),
            ("18446744073709551616", Number::Float(18_446_744_073_709_551_616.0)),
            ("-9223372036854775809", Number::Float(-9_223_372_036_854_775_808.0)),
            ("1e20", Number::Float(1e20)),
            ("0.5", Number::Float(0.5)),
            ("1.25e1", Number::Float(12.5)),
            ("1e-400", Number::Float(0.0)),
            ("1e999", Number::Float(f64::INFINITY)),
            ("1e99999999999999999999", Number::Float(f64::INFINITY)),
            ("1e-99999999999999999999", Number::Float(0.0)),
        ] {
            assert_eq!(Number::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_number() {
        for text in [
            "", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e1", "1e", "1e+", "0x1", "1 ", " 1", "NaN",
            "inf", "1_0",
        ] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn floats_that_are_whole_are_integers() {
        for (value, expected) in [
            (7.0, Number::Signed(7)),
            (-0.0, Number::Signed(0)),
            (9_007_199_254_740_992.0, Number::Signed(1 << 53)),
            (33_269_988_463_665_648.0, Number::Signed(33_269_988_463_665_650)),
            (-33_269_988_463_665_648.0, Number::Signed(-33_269_988_463_665_650)),
            (9_223_372_036_854_774_784.0, Number::Signed(9_223_372_036_854_775_000)),
            // The shortest decimal number is 9223372036854776000.
            (9_223_372_036_854_775_808.0, Number::Unsigned(9_223_372_036_854_776_000)),
            (-9_223_372_036_854_775_808.0, Number::Float(-9_223_372_036_854_775_808.0)),
            (18_446_744_073_709_549_568.0, Number::Unsigned(18_446_744_073_709_550_000)),
            (18_446_744_073_709_551_616.0, Number::Float(18_446_744_073_709_551_616.0)),
            (0.5, Number::Float(0.5)),
            (f64::INFINITY, Number::Float(f64::INFINITY)),
        ] {
            assert_eq!(Number::from(value), expected, "{value}");
        }
        assert!(matches!(Number::from(f64::NAN), Number::Float(value) if value.is_nan()));
    }

    #[test]
    fn a_rounded_fraction_is_no_integer() {
        for (text, expected) in [
            ("1", true),
            ("1.00000000000000000001", false),
            ("33269988463665649.5", false),
            ("0.5", false),
            ("18446744073709551615", true),
            ("18446744073709551616", true),
            ("-9223372036854775809", true),
            ("1e999", true),
        ] {
            assert_eq!(Number::parse(text).map(Number::is_integer), Some(expected), "{text}");
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn writes_numbers_short() {
        for (value, text) in [
            (1.0, Some("1")),
            (-0.5, Some("-0.5")),
            (-0.0, Some("-0")),
            (1e15, Some("1000000000000000")),
            (1e300, Some("1e+300")),
            (123_456_789.0, Some("123456789")),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(float_text(value).as_deref(), text, "{value}");
        }
    }
}
