//! The bridge to serde: implements its traits for models through their codec.
//!
//! Serializing writes straight into the serializer, fields in their order. Deserializing builds a [`Value`]
//! first and reads it tolerantly, as a client does, because a model that is deserialized by hand was usually
//! stored or received.

use serde::{
    Deserialize as _, Deserializer, Serialize, Serializer,
    de::Error as _,
    ser::{SerializeMap as _, SerializeSeq as _},
};

use super::{Bytes, Decode, Encode, Entries, Value, ValueReader, Writer, scalars::bytes_text};

/// Serializes a value through its own codec.
///
/// [`serde_bridge!`](crate::serde_bridge) implements `Serialize` with this function.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn serialize<S: Serializer>(value: &dyn Encode, serializer: S) -> Result<S::Ok, S::Error> {
    let mut writer = SerdeWriter { state: State::Ready(serializer) };
    value.encode(&mut writer);
    match writer.state {
        State::Done(result) => result,
        // `encode` must make one call to the writer; a value that makes none is null.
        State::Ready(serializer) => serializer.serialize_unit(),
        State::Busy => Err(serde::ser::Error::custom("internal error: the serializer returned no result")),
    }
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

/// A [`Writer`] that writes one value into a serializer.
struct SerdeWriter<S: Serializer> {
    state: State<S>,
}

enum State<S: Serializer> {
    Ready(S),
    Busy,
    Done(Result<S::Ok, S::Error>),
}

impl<S: Serializer> SerdeWriter<S> {
    /// Passes the serializer, which can be used once, to `write`.
    fn write(&mut self, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) {
        self.state = match std::mem::replace(&mut self.state, State::Busy) {
            State::Ready(serializer) => State::Done(write(serializer)),
            other => other,
        };
    }
}

impl<S: Serializer> Writer for SerdeWriter<S> {
    fn null(&mut self) {
        self.write(S::serialize_unit);
    }

    fn boolean(&mut self, value: bool) {
        self.write(|serializer| serializer.serialize_bool(value));
    }

    fn i64(&mut self, value: i64) {
        self.write(|serializer| serializer.serialize_i64(value));
    }

    fn u64(&mut self, value: u64) {
        self.write(|serializer| serializer.serialize_u64(value));
    }

    fn f64(&mut self, value: f64) {
        if value.is_finite() {
            self.write(|serializer| serializer.serialize_f64(value));
        } else {
            self.null();
        }
    }

    fn str(&mut self, value: &str) {
        self.write(|serializer| serializer.serialize_str(value));
    }

    fn bytes(&mut self, value: &Bytes) {
        self.str(&bytes_text(value));
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.write(|serializer| {
            let mut sequence = serializer.serialize_seq(Some(items.len()))?;
            for item in items {
                sequence.serialize_element(&Nested(item))?;
            }
            sequence.end()
        });
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        self.write(|serializer| {
            let present = || fields.iter().filter(|(_, value)| !value.is_absent());
            let length = rest.is_none().then(|| present().count());
            let mut map = serializer.serialize_map(length)?;
            for (name, value) in present() {
                map.serialize_entry(name, &Nested(*value))?;
            }
            for (name, value) in rest.into_iter().flatten() {
                map.serialize_entry(name, &Nested(value))?;
            }
            map.end()
        });
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        self.write(|serializer| value.serialize(serializer));
    }
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
