//! The bridge to serde: implements its traits for models through their codec.
//!
//! Serializing writes straight into the serializer, fields in their order. Deserializing builds a [`Value`]
//! first and reads it tolerantly, as a client does, because a model that is deserialized by hand was usually
//! stored or received.

use serde::{Deserialize as _, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeMap as _};

use super::{
    Decode, Encode, Entries, Number, Value, ValueReader,
    scalars::bytes_text,
    view::{View, outermost},
};

/// Serializes a value through its own codec.
///
/// [`serde_bridge!`](crate::serde_bridge) implements `Serialize` with this function.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn serialize<S: Serializer>(value: &dyn Encode, serializer: S) -> Result<S::Ok, S::Error> {
    let mut serializer = Some(serializer);
    let result = outermost(value, |view| {
        let serializer = serializer.take()?;
        Some(match view {
            View::Null => serializer.serialize_unit(),
            View::Boolean(value) => serializer.serialize_bool(value),
            View::Number(Number::Signed(value), _) => serializer.serialize_i64(value),
            View::Number(Number::Unsigned(value), _) => serializer.serialize_u64(value),
            View::Number(Number::Float(value), _) | View::Float(value) if value.is_finite() => {
                serializer.serialize_f64(value)
            }
            View::Number(..) | View::Float(_) => serializer.serialize_unit(),
            View::UntypedNumber(number) => number.serialize(serializer),
            View::Text(text, _) => serializer.serialize_str(text),
            View::Bytes(bytes) => serializer.serialize_str(&bytes_text(bytes)),
            View::File(file) => serializer.serialize_str(&bytes_text(&file.data)),
            View::Stream(stream) => serializer.serialize_str(&bytes_text(&stream.held().unwrap_or_default())),
            View::Items(items) => items.ready().serialize(serializer),
            View::Array(items) => serializer.collect_seq(items.map(Nested)),
            View::List(items) => items.serialize(serializer),
            View::Object(fields, rest) => serialize_object(fields, rest, serializer),
            View::Map(fields) => fields.serialize(serializer),
            View::Variant(_, value) | View::Choice(_, value) => serialize(value, serializer),
        })
    });
    match (result.flatten(), serializer) {
        (Some(result), _) => result,
        // `encode` must make one call to the writer; a value that makes none is null.
        (None, Some(serializer)) => serializer.serialize_unit(),
        (None, None) => Err(serde::ser::Error::custom("internal error: the serializer returned no result")),
    }
}

fn serialize_object<S: Serializer>(
    fields: &[(&'static str, &dyn Encode)],
    rest: Option<&mut Entries<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let present = || fields.iter().filter(|(_, value)| !value.is_absent());
    let mut map = serializer.serialize_map(rest.is_none().then(|| present().count()))?;
    for (name, value) in present() {
        map.serialize_entry(name, &Nested(*value))?;
    }
    for (name, value) in rest.into_iter().flatten() {
        map.serialize_entry(name, &Nested(value))?;
    }
    map.end()
}

/// Deserializes a value through its own codec, with a tolerant reader.
///
/// [`serde_bridge!`](crate::serde_bridge) implements `Deserialize` with this function.
///
/// # Errors
/// Returns the errors of the deserializer, and the decode errors of the value.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    T::decode(&mut ValueReader::tolerant(&value)).map_err(D::Error::custom)
}

/// Implements `serde::Serialize` and `serde::Deserialize` for models.
///
/// Both implementations use the model's own [`Encode`](crate::codec::Encode) and
/// [`Decode`](crate::codec::Decode). Deserializing is tolerant, see
/// [`codec::deserialize`](crate::codec::deserialize).
///
/// ```
/// use openapi_crates_runtime::codec::{Decode, Encode, DecodeError, Reader, Writer};
///
/// struct Name(String);
///
/// impl Decode for Name {
///     fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
///         String::decode(reader).map(Self)
///     }
/// }
///
/// impl Encode for Name {
///     fn encode(&self, writer: &mut dyn Writer) {
///         self.0.encode(writer);
///     }
/// }
///
/// openapi_crates_runtime::serde_bridge!(Name);
///
/// let name: Name = serde_json::from_str(r#""Mia""#)?;
/// assert_eq!(serde_json::to_string(&name)?, r#""Mia""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! serde_bridge {
    ($($model:ty),+ $(,)?) => {$(
        impl $crate::serde::Serialize for $model {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::codec::serialize(self, serializer)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $model {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codec::deserialize(deserializer)
            }
        }
    )+};
}

/// A value inside another value.
struct Nested<'a>(&'a dyn Encode);

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        codec::{AdditionalProperties, Decode, DecodeError, Encode, Reader, Writer, entries},
        types::{Map, Value},
    };

    #[derive(Debug, PartialEq)]
    struct Model {
        z: i64,
        a: Option<f64>,
        nested: Vec<Model>,
        rest: Map<Value>,
    }

    impl Decode for Model {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let (mut z, mut a, mut nested, mut rest) = (None, None, None, Map::new());
            reader.object(
                &["z", "a", "nested"],
                &mut [&mut z, &mut a, &mut nested],
                AdditionalProperties::Keep(&mut |name, reader| crate::codec::keep(&mut rest, name, reader)),
            )?;
            Ok(Self {
                z: z.ok_or_else(|| DecodeError::missing("z"))?,
                a,
                nested: nested.unwrap_or_default(),
                rest,
            })
        }
    }

    impl Encode for Model {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(
                &[("z", &self.z), ("a", &self.a), ("nested", &self.nested)],
                Some(&mut entries(&self.rest)),
            );
        }
    }

    crate::serde_bridge!(Model);

    #[test]
    fn both_ways_in_the_order_of_the_fields() {
        let text = r#"{"z":1,"a":7.0,"nested":[{"z":18,"nested":[],"x":null}],"b":{"c":[1,2.0]}}"#;
        let model: Model = serde_json::from_str(text).unwrap();
        assert_eq!(model.a, Some(7.0));
        assert_eq!(serde_json::to_string(&model).unwrap(), text);
        assert_eq!(serde_json::to_value(&model).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn decode_errors_become_errors_of_serde() {
        let error = serde_json::from_str::<Model>(r#"{"z":1,"nested":[{"z":"1"}]}"#).unwrap_err();
        assert_eq!(error.to_string(), "nested[0].z: expected a number, found a string");
    }

    #[test]
    fn numbers_that_are_none_are_null() {
        let model = Model { z: 1, a: Some(f64::NAN), nested: vec![], rest: Map::new() };
        assert_eq!(serde_json::to_string(&model).unwrap(), r#"{"z":1,"a":null,"nested":[]}"#);
    }
}
