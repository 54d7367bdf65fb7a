//! Slots, into which a reader puts the values of an object's fields.

use super::{AdditionalProperties, Decode, DecodeError, Encode, Kind, Reader, Writer, text::same};

/// A slot for the value of one field, whose type the reader does not know.
///
/// [`Option`] implements it: an empty slot is `None`.
pub trait Fill {
    /// Reads the next value into this slot.
    ///
    /// # Errors
    /// Fails if the slot's type can't hold the value.
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError>;

    /// Returns whether this slot holds a value already.
    fn is_filled(&self) -> bool;
}

impl<T: Decode> Fill for Option<T> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        if !T::HOLDS_NULL && reader.is_tolerant() && reader.peek()? == Kind::Null {
            return reader.null();
        }
        *self = Some(T::decode(reader)?);
        Ok(())
    }

    fn is_filled(&self) -> bool {
        self.is_some()
    }
}

/// The slot of an optional field in which null stands for an absent value.
pub struct NullIsAbsent<'a, T>(pub &'a mut Option<T>);

impl<T: Decode> Fill for NullIsAbsent<'_, T> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        *self.0 = Option::decode(reader)?;
        Ok(())
    }

    fn is_filled(&self) -> bool {
        self.0.is_some()
    }
}

/// The slot of a required field.
///
/// A null is an error of the type, and not an absent field.
pub struct Needed<'a, T>(pub &'a mut Option<T>);

impl<T: Decode> Fill for Needed<'_, T> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        *self.0 = Some(T::decode(reader)?);
        Ok(())
    }

    fn is_filled(&self) -> bool {
        self.0.is_some()
    }
}

/// The value of a required field, which is never [absent](Encode::is_absent).
///
/// So `None` is written as null.
pub struct Present<'a, T>(pub &'a T);

impl<T: Encode> Encode for Present<'_, T> {
    fn encode(&self, writer: &mut dyn Writer) {
        self.0.encode(writer);
    }
}

/// Returns the index of `name`, which is expected at `next` or soon after it.
#[inline]
fn index_of(names: &[&'static str], name: &str, next: usize) -> Option<usize> {
    let (before, behind) = names.split_at_checked(next)?;
    match behind.iter().position(|known| same(known, name)) {
        Some(index) => Some(next + index),
        None => before.iter().position(|known| same(known, name)),
    }
}

/// Reads the value of the field `name` into its slot, or treats it as `rest` says.
///
/// `next` is the index in `names` at which `name` is expected. Returns the index at which the next name is
/// expected.
#[inline]
pub(crate) fn fill_field(
    reader: &mut dyn Reader,
    name: &str,
    names: &[&'static str],
    slots: &mut [&mut dyn Fill],
    rest: &mut AdditionalProperties<'_>,
    next: usize,
) -> Result<usize, DecodeError> {
    let Some((index, slot)) =
        index_of(names, name, next).and_then(|index| Some((index, slots.get_mut(index)?)))
    else {
        match rest {
            AdditionalProperties::Closed if !reader.is_tolerant() => return Err(DecodeError::unknown(name)),
            AdditionalProperties::Ignore | AdditionalProperties::Closed => reader.skip_field(),
            AdditionalProperties::Keep(entry) => entry(name, reader),
        }
        .map_err(|error| error.in_field(name.to_owned()))?;
        return Ok(next);
    };
    fill_slot(reader, name, *slot)?;
    Ok(index + 1)
}

/// Reads the value of the field `name` into its slot.
#[inline]
pub(crate) fn fill_slot(reader: &mut dyn Reader, name: &str, slot: &mut dyn Fill) -> Result<(), DecodeError> {
    if slot.is_filled() && !reader.is_tolerant() {
        return Err(DecodeError::duplicate(name));
    }
    slot.fill(reader).map_err(|error| error.in_field(name.to_owned()))
}
