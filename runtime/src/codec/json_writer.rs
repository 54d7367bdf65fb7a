//! Writes JSON text.

use super::{
    Bytes, Encode, Entries, Format, Value, Writer, number::whole, scalars::bytes_text, text::plain_len,
};

/// A writer of one JSON document, without white space.
#[derive(Debug, Default)]
pub struct JsonWriter {
    out: Vec<u8>,
    /// Whether a number was written as null, because it is not finite.
    has_lost_number: bool,
}

/// Returns a value as JSON text, without white space.
///
/// NaN and the infinities become `null`. A float that is an integer below 2^53 in magnitude is written as an
/// integer.
///
/// ```
/// use openapi_crates_runtime::codec::to_json;
///
/// assert_eq!(to_json(&vec![1.0, 0.5]), b"[1,0.5]");
/// ```
#[must_use]
pub fn to_json(value: &dyn Encode) -> Vec<u8> {
    let mut writer = JsonWriter::new();
    value.encode(&mut writer);
    writer.into_bytes()
}

impl JsonWriter {
    /// Creates a writer with an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self { out: Vec::with_capacity(128), has_lost_number: false }
    }

    /// Returns the buffer with everything that was written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn float(&mut self, value: f64) {
        if value.is_finite() {
            self.raw(zmij::Buffer::new().format_finite(value));
        } else {
            self.has_lost_number = true;
            self.null();
        }
    }

    /// Returns whether a number was written as null, because it is NaN or infinite.
    #[cfg(feature = "server")]
    pub(crate) const fn has_lost_number(&self) -> bool {
        self.has_lost_number
    }

    /// Writes a string that needs no escapes.
    fn plain(&mut self, value: &str) {
        self.out.reserve(value.len() + 2);
        self.out.push(b'"');
        self.raw(value);
        self.out.push(b'"');
    }

    #[inline(never)]
    fn escaped(&mut self, value: &str) {
        const HEX: &[u8; 16] = b"0123456789abcdef";

        self.out.push(b'"');
        let mut rest = value.as_bytes();
        loop {
            let (plain, behind) = rest.split_at_checked(plain_len(rest)).unwrap_or((rest, &[]));
            self.out.extend_from_slice(plain);
            let Some((&byte, behind)) = behind.split_first() else { break };
            match byte {
                b'"' | b'\\' => self.out.extend([b'\\', byte]),
                0x08 => self.raw("\\b"),
                0x0c => self.raw("\\f"),
                b'\n' => self.raw("\\n"),
                b'\r' => self.raw("\\r"),
                b'\t' => self.raw("\\t"),
                control => {
                    self.raw("\\u00");
                    let digits = [control >> 4, control & 15];
                    self.out.extend(digits.iter().filter_map(|&digit| HEX.get(usize::from(digit))));
                }
            }
            rest = behind;
        }
        self.out.push(b'"');
    }

    /// Writes the name of a field, after a comma unless it is the first.
    fn name(&mut self, name: &str, is_first: bool) {
        if !is_first {
            self.out.push(b',');
        }
        self.str(name);
        self.out.push(b':');
    }
}

impl Writer for JsonWriter {
    fn null(&mut self) {
        self.raw("null");
    }

    fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    fn i64(&mut self, value: i64) {
        self.raw(itoa::Buffer::new().format(value));
    }

    fn u64(&mut self, value: u64) {
        self.raw(itoa::Buffer::new().format(value));
    }

    /// Writes an integral value as `1`, not `1.0`, because that is the usual form.
    fn f64(&mut self, value: f64) {
        match whole(value) {
            Some(whole) => self.i64(whole),
            None => self.float(value),
        }
    }

    fn str(&mut self, value: &str) {
        if plain_len(value.as_bytes()) == value.len() {
            self.plain(value);
        } else {
            self.escaped(value);
        }
    }

    /// Writes dates and UUIDs, which need no escapes, without looking at them.
    fn formatted(&mut self, format: Format, value: &str) {
        match format {
            Format::Date | Format::DateTime | Format::Uuid => self.plain(value),
            _ => self.str(value),
        }
    }

    fn bytes(&mut self, value: &Bytes) {
        self.str(&bytes_text(value));
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.out.push(b'[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            item.encode(self);
        }
        self.out.push(b']');
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        self.out.push(b'{');
        let mut is_first = true;
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_absent()) {
            self.name(name, is_first);
            value.encode(self);
            is_first = false;
        }
        for (name, value) in rest.into_iter().flatten() {
            self.name(name, is_first);
            value.encode(self);
            is_first = false;
        }
        self.out.push(b'}');
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.boolean(*value),
            Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => self.i64(value),
                (_, Some(value)) => self.u64(value),
                // A number that was read as a float stays a float.
                _ => self.float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => self.str(text),
            Value::Array(items) => self.array(&mut items.iter().map(|item| item as &dyn Encode)),
            Value::Object(fields) => {
                let mut entries = fields.iter().map(|(name, value)| (name.as_str(), value as &dyn Encode));
                self.object(&[], Some(&mut entries));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::Map;

    fn text(value: &dyn Encode) -> String {
        String::from_utf8(to_json(value)).unwrap()
    }

    #[test]
    fn scalars() {
        for (value, expected) in [
            (&true as &dyn Encode, "true"),
            (&-7_i64, "-7"),
            (&i64::MIN, "-9223372036854775808"),
            (&u64::MAX, "18446744073709551615"),
            (&7.0_f64, "7"),
            (&-7.0_f64, "-7"),
            (&9_007_199_254_740_991.0_f64, "9007199254740991"),
            (&9_007_199_254_740_992.0_f64, "9007199254740992.0"),
            (&-9_007_199_254_740_992.0_f64, "-9007199254740992.0"),
            (&0.1_f64, "0.1"),
            (&-0.0_f64, "-0.0"),
            (&1e300_f64, "1e+300"),
            (&f64::NAN, "null"),
            (&f64::NEG_INFINITY, "null"),
            (
                &"a\"b\\c/\n\t\r\u{8}\u{c}\u{1}\u{1f}\u{7f}ä😀",
                "\"a\\\"b\\\\c/\\n\\t\\r\\b\\f\\u0001\\u001f\u{7f}ä😀\"",
            ),
            (&"", "\"\""),
            (&None::<i64>, "null"),
            (&(), "null"),
            (&Bytes::from_static(b"plain"), "\"plain\""),
            (&Bytes::from_static(&[0xff, 0xfe]), "\"//4=\""),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    struct Pair {
        a: Option<i64>,
        b: Vec<bool>,
        rest: Map<i64>,
    }

    impl Encode for Pair {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("a", &self.a), ("b", &self.b)], Some(&mut crate::codec::entries(&self.rest)));
        }
    }

    #[test]
    fn objects_leave_out_what_is_absent() {
        let rest = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 1)).collect();
        for (pair, expected) in [
            (Pair { a: None, b: vec![], rest: rest(&[]) }, r#"{"b":[]}"#),
            (
                Pair { a: Some(1), b: vec![true, false], rest: rest(&["c", "d\""]) },
                r#"{"a":1,"b":[true,false],"c":1,"d\"":1}"#,
            ),
        ] {
            assert_eq!(text(&pair), expected);
        }
    }

    proptest! {
        #[test]
        fn strings_round_trip(value in any::<String>()) {
            let back: String = serde_json::from_slice(&to_json(&value)).unwrap();
            prop_assert_eq!(back, value);
        }

        #[test]
        fn floats_round_trip(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            prop_assert_eq!(text(&value).parse::<f64>().unwrap(), value);
        }

        #[test]
        fn values_round_trip(value in crate::codec::arbitrary::value()) {
            prop_assert_eq!(serde_json::from_slice::<Value>(&to_json(&value)).unwrap(), value);
        }
    }
}
