//! Slots: where a reader puts a field's value while an object is being read.

use super::{Decode, Fault, Kind, Reader, Rest, text::same};

/// A place for one field's value, seen by a reader that does not know its type.
pub trait Fill {
    /// Reads the value that stands next into this place.
    ///
    /// # Errors
    /// Those of the value's type.
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), Fault>;

    /// Whether a value was read already.
    fn is_filled(&self) -> bool;
}

impl<T: Decode> Fill for Option<T> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), Fault> {
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

/// Reads the value of the field `name` into its slot, or does with it what `rest` says. `next` is the place where the
/// name is expected; returns where the one behind it is.
#[inline]
pub(crate) fn fill_field<R: Reader>(
    reader: &mut R,
    name: &str,
    names: &[&'static str],
    slots: &mut [&mut dyn Fill],
    rest: &mut Rest<'_>,
    next: usize,
) -> Result<usize, Fault> {
    let index = if names.get(next).is_some_and(|expected| same(expected, name)) {
        Some(next)
    } else {
        names.iter().position(|known| *known == name)
    };
    let Some((index, slot)) = index.and_then(|index| Some((index, slots.get_mut(index)?))) else {
        match rest {
            Rest::Closed if !reader.is_tolerant() => return Err(Fault::unknown(name)),
            Rest::Ignore | Rest::Closed => reader.skip(),
            Rest::Keep(entry) => entry(name, reader),
        }
        .map_err(|fault| fault.in_field(name.to_owned()))?;
        return Ok(next);
    };
    fill_slot(reader, name, *slot)?;
    Ok(index + 1)
}

/// Reads the value of the field `name` into its slot.
#[inline]
pub(crate) fn fill_slot<R: Reader>(reader: &mut R, name: &str, slot: &mut dyn Fill) -> Result<(), Fault> {
    if slot.is_filled() && !reader.is_tolerant() {
        return Err(Fault::duplicate(name));
    }
    slot.fill(reader).map_err(|fault| fault.in_field(name.to_owned()))
}
