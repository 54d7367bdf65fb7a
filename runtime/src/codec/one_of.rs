//! The decoding of generated unions: [`choose`](super::choose), with the value as the result.

use super::shape::choose_among;
use super::{Candidates, DecodeError, Reader, UnionShape, candidates};
use crate::types::Value;

/// Reads the next value as one of the union's variants.
///
/// `read` receives the index of a variant and reads the value as that variant.
///
/// # Errors
/// Returns the errors of [`choose`](super::choose).
pub fn one_of<T>(
    reader: &mut dyn Reader,
    union: &UnionShape,
    read: fn(usize, &mut dyn Reader) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let candidates = candidates(reader, union)?;
    one_among(reader, union, &candidates, read)
}

fn one_among<T>(
    reader: &mut dyn Reader,
    union: &UnionShape,
    candidates: &Candidates,
    read: fn(usize, &mut dyn Reader) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut value = None;
    choose_among(reader, union, candidates, &mut |variant, reader| {
        value = Some(read(variant, reader)?);
        Ok(())
    })?;
    value.ok_or_else(|| DecodeError::custom("internal error: the reader returned no variant"))
}

/// Reads the next value as one of the variants of an open union.
///
/// If no variant can be read and the reader is tolerant, `other` receives the raw value, unless the discriminator
/// selects a variant.
///
/// # Errors
/// Returns the errors of [`choose`](super::choose) if the reader is strict, or if the discriminator selects a variant.
/// Otherwise a tolerant reader fails only on malformed input.
pub fn one_of_or<T>(
    reader: &mut dyn Reader,
    union: &UnionShape,
    other: fn(Value) -> T,
    read: fn(usize, &mut dyn Reader) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let result = match candidates(reader, union) {
        Ok(candidates) if candidates.is_named() => return one_among(reader, union, &candidates, read),
        Ok(candidates) => one_among(reader, union, &candidates, read),
        Err(error) => Err(error),
    };
    match result {
        // A union that failed leaves the reader before the value.
        Err(_) if reader.is_tolerant() => reader.value().map(other),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Decode, Kinds, Shape, ValueReader};
    use serde_json::json;

    static UNION: UnionShape = UnionShape {
        name: "Size",
        variants: &[Shape::new("name", Kinds::STRING), Shape::new("pixels", Kinds::INTEGER)],
        discriminator: None,
    };

    #[derive(Debug, PartialEq)]
    enum Size {
        Name(String),
        Pixels(i64),
        Unknown(Value),
    }

    fn read(variant: usize, reader: &mut dyn Reader) -> Result<Size, DecodeError> {
        match variant {
            0 => String::decode(reader).map(Size::Name),
            1 => i64::decode(reader).map(Size::Pixels),
            unknown => Err(DecodeError::unknown_choice(unknown)),
        }
    }

    #[test]
    fn what_is_no_variant_is_kept_by_a_tolerant_reader_alone() {
        for (value, expected) in [
            (json!("large"), Some(Size::Name("large".to_owned()))),
            (json!(512), Some(Size::Pixels(512))),
            (json!([512]), None),
        ] {
            let strict = one_of_or(&mut ValueReader::strict(&value), &UNION, Size::Unknown, read);
            assert_eq!(strict.ok(), expected);
            let closed = one_of(&mut ValueReader::tolerant(&value), &UNION, read);
            assert_eq!(closed.ok(), expected);
            let open = one_of_or(&mut ValueReader::tolerant(&value), &UNION, Size::Unknown, read);
            assert_eq!(open.ok(), expected.or(Some(Size::Unknown(value))));
        }
    }
}
