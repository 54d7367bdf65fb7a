//! Writes JSON values in memory.

use super::{
    Encode, Entries, Number, Value,
    number::whole,
    scalars::bytes_text,
    view::{View, outermost},
};

/// Returns a value as a tree.
///
/// The conversions are those of [`to_json`](super::to_json).
#[must_use]
pub fn to_value(value: &dyn Encode) -> Value {
    let written = outermost(value, |view| match view {
        View::Null => Value::Null,
        View::Boolean(value) => value.into(),
        View::Number(number, _) => number.into(),
        View::Float(value) => whole(value).map_or_else(|| value.into(), Value::from),
        View::UntypedNumber(number) => Value::Number(number.clone()),
        View::Text(text, _) => text.into(),
        View::Bytes(bytes) => bytes_text(bytes).into(),
        View::File(file) => bytes_text(&file.data).into(),
        View::Stream(stream) => bytes_text(&stream.held().unwrap_or_default()).into(),
        View::Items(items) => items.ready().into(),
        View::Array(items) => items.map(to_value).collect(),
        View::List(items) => items.into(),
        View::Object(fields, rest) => object_value(fields, rest),
        View::Map(fields) => fields.clone().into(),
        View::Variant(_, value) | View::Choice(_, value) => to_value(value),
    });
    written.unwrap_or_default()
}

/// Returns the fields of an object as a tree.
pub(crate) fn object_value(fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) -> Value {
    let present = fields.iter().filter(|(_, value)| !value.is_absent());
    let fields = present.map(|(name, value)| ((*name).to_owned(), to_value(*value)));
    let rest = rest.into_iter().flatten().map(|(name, value)| (name.to_owned(), to_value(value)));
    Value::Object(fields.chain(rest).collect())
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Signed(value) => value.into(),
            Number::Unsigned(value) => value.into(),
            Number::Float(value) => value.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::codec::{Bytes, arbitrary, to_json};

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
