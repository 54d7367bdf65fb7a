//! Writes JSON values in memory.

use std::mem::take;

use super::{Bytes, Encode, Entries, Value, Writer, number::whole, scalars::bytes_text};

/// A writer of one value as a tree.
#[derive(Debug, Default)]
pub struct ValueWriter {
    written: Value,
}

/// Returns a value as a tree.
///
/// The conversions are those of [`to_json`](super::to_json).
#[must_use]
pub fn to_value(value: &dyn Encode) -> Value {
    let mut writer = ValueWriter::default();
    writer.nested(value)
}

impl ValueWriter {
    /// Creates an empty writer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value that was written, or null if there is none.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.written
    }

    fn nested(&mut self, value: &dyn Encode) -> Value {
        value.encode(self);
        take(&mut self.written)
    }
}

impl Writer for ValueWriter {
    fn null(&mut self) {
        self.written = Value::Null;
    }

    fn boolean(&mut self, value: bool) {
        self.written = value.into();
    }

    fn i64(&mut self, value: i64) {
        self.written = value.into();
    }

    fn u64(&mut self, value: u64) {
        self.written = value.into();
    }

    fn f64(&mut self, value: f64) {
        self.written = whole(value).map_or_else(|| value.into(), Value::from);
    }

    fn str(&mut self, value: &str) {
        self.written = value.into();
    }

    fn bytes(&mut self, value: &Bytes) {
        self.written = bytes_text(value).into();
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.written = Value::Array(items.map(|item| self.nested(item)).collect());
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        let mut object = serde_json::Map::new();
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_absent()) {
            object.insert((*name).to_owned(), self.nested(*value));
        }
        for (name, value) in rest.into_iter().flatten() {
            object.insert(name.to_owned(), self.nested(value));
        }
        self.written = Value::Object(object);
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        self.written = value.clone();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::codec::{arbitrary, to_json};

    #[test]
    fn trees() {
        for (value, expected) in [
            (&7.0_f64 as &dyn Encode, json!(7)),
            (&f64::NAN, json!(null)),
            (&u64::MAX, json!(u64::MAX)),
            (&vec![vec![1_i64], vec![]], json!([[1], []])),
            (&Bytes::from_static(&[0xff, 0xfe]), json!("//4=")),
            (&(), json!(null)),
        ] {
            assert_eq!(to_value(value), expected);
        }
        assert_eq!(ValueWriter::new().into_value(), Value::Null);
    }

    proptest! {
        #[test]
        fn text_and_tree_agree(value in arbitrary::value()) {
            let tree = to_value(&value);
            prop_assert_eq!(&serde_json::from_slice::<Value>(&to_json(&value)).unwrap(), &tree);
            prop_assert_eq!(tree, value);
        }
    }
}
