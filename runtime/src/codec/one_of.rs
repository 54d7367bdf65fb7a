//! The decoding of unions.

use super::{Candidates, DecodeError, DecodeErrorKind, Reader, UnionShape, candidates};
use crate::codec::Value;

/// A function that reads a value as one variant of a union.
type Variant<T> = fn(&mut dyn Reader) -> Result<T, DecodeError>;

/// Reads the next value as one of the union's variants.
///
/// Tries the [`candidates`] in order. `variants` are the functions that read them, in the order of their shapes. If no
/// variant can be read and the reader is tolerant, `other` receives the raw value, unless the discriminator selects a
/// variant.
///
/// # Errors
/// - The candidate's own error if there is only one candidate.
/// - [`DecodeErrorKind::NoVariant`] if there is no candidate, or if there are several and none can be read.
/// - [`DecodeErrorKind::Missing`] if the object lacks the discriminator, and all variants require it.
/// - [`DecodeErrorKind::NotAllowed`] if a strict reader finds a discriminator value that selects no variant.
/// - [`DecodeErrorKind::Syntax`] or [`DecodeErrorKind::TooDeep`] as soon as it occurs.
pub fn one_of<T>(
    reader: &mut dyn Reader,
    union: &UnionShape,
    variants: &[Variant<T>],
    other: Option<fn(Value) -> T>,
) -> Result<T, DecodeError> {
    let mut value = None;
    let candidates = candidates(reader, union);
    let is_named = matches!(&candidates, Ok(candidates) if candidates.is_named());
    let chosen = candidates.and_then(|candidates| {
        choose(reader, union, &candidates, &mut |index, reader| {
            let read = variants.get(index).ok_or_else(|| DecodeError::unknown_choice(index))?;
            value = Some(read(reader)?);
            Ok(())
        })
    });
    match other.filter(|_| chosen.is_err() && !is_named && reader.is_tolerant()) {
        // A union that failed leaves the reader before the value.
        Some(other) => reader.value().map(other),
        None => chosen.and_then(|()| value.ok_or_else(|| DecodeError::custom("no variant was read"))),
    }
}

/// Reads the next value as the first of these candidates that `read` can read.
///
/// If there is none, the reader is again before the value.
pub(super) fn choose(
    reader: &mut dyn Reader,
    union: &UnionShape,
    candidates: &Candidates,
    read: &mut dyn FnMut(usize, &mut dyn Reader) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut last = None;
    for index in candidates.iter() {
        match reader.attempt(&mut |reader| read(index, reader)) {
            Err(error) if !error.is_final() => last = Some(error),
            read_or_final => return read_or_final,
        }
    }
    match last {
        Some(error) if candidates.len() == 1 => Err(error),
        _ => {
            let shapes = candidates.iter().filter_map(|index| union.variants.get(index));
            let candidates = shapes.map(|shape| shape.name).collect();
            Err(DecodeError::new(DecodeErrorKind::NoVariant { union: union.name, candidates }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Decode, Kinds, Shape, ValueReader, to_value};
    use serde_json::json;

    #[derive(Debug, PartialEq)]
    enum Closed {
        Name(Option<String>),
        Pixels(i64),
    }

    crate::union! {
        Closed;
        Name => Shape::new("name", Kinds::STRING.or(Kinds::NULL)),
        Pixels => Shape::new("pixels", Kinds::INTEGER),
    }

    #[derive(Debug, PartialEq)]
    enum Open {
        Name(String),
        Pixels(i64),
        Unknown(Value),
    }

    crate::union! {
        Open + Unknown;
        Name => Shape::new("name", Kinds::STRING),
        Pixels => Shape::new("pixels", Kinds::INTEGER),
    }

    #[test]
    fn only_a_tolerant_reader_keeps_values_of_no_variant() {
        for (value, open, closed) in [
            (
                json!("large"),
                Some(Open::Name("large".to_owned())),
                Some(Closed::Name(Some("large".to_owned()))),
            ),
            (json!(512), Some(Open::Pixels(512)), Some(Closed::Pixels(512))),
            (json!([512]), None, None),
        ] {
            assert_eq!(Open::decode(&mut ValueReader::strict(&value)).ok(), open);
            assert_eq!(Closed::decode(&mut ValueReader::tolerant(&value)).ok(), closed);
            let open = open.unwrap_or_else(|| Open::Unknown(value.clone()));
            assert_eq!(Open::decode(&mut ValueReader::tolerant(&value)), Ok(open));
        }
    }

    #[test]
    fn a_union_holds_null_if_a_variant_does() {
        const { assert!(Closed::HOLDS_NULL && !Open::HOLDS_NULL) }
        assert_eq!(Closed::decode(&mut ValueReader::tolerant(&Value::Null)), Ok(Closed::Name(None)));
    }

    #[test]
    fn a_variant_is_written_as_its_value() {
        for value in [json!("large"), json!(512), json!([512])] {
            let read = Open::decode(&mut ValueReader::tolerant(&value)).unwrap();
            assert_eq!(to_value(&read), value);
        }
    }
}
