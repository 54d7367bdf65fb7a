//! Unions: finds the variant of a value by looking ahead.
//!
//! If an object has the union's discriminator, the discriminator's value decides. An object without a required
//! discriminator is not a value of the union. Otherwise the shape decides:
//! - the kind of the value must be one of the variant's kinds;
//! - an object must have all fields that the variant requires, and an allowed value or null in each constant field;
//! - to a strict reader, an object must have no fields that a closed variant does not name.
//!
//! If several variants of an object remain, the order is:
//! 1. variants that name more of its fields;
//! 2. variants that leave fewer of its fields unnamed;
//! 3. the order in the document.
//!
//! An integer (`2`, also `2.0`) belongs to a variant of integers before one of all numbers, which would round large
//! integers.
//!
//! The decoder and the validation walk both use [`candidates`], so they agree.

use super::{DecodeError, Discriminator, Entry, Kind, Kinds, Reader, Shape, UnionShape};

/// The variants that a value may be, best match first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// A separate field, so that a single candidate needs no allocation.
    first: Option<usize>,
    others: Vec<usize>,
    is_named: bool,
}

impl Candidates {
    /// Returns the indices of the variants in the union, best match first.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    /// Returns the index of the best match.
    #[must_use]
    pub const fn first(&self) -> Option<usize> {
        self.first
    }

    /// Returns the number of candidates.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// Returns whether the discriminator selected the only candidate.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns whether the value matches none of the variants.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Creates the only candidate of an object with a discriminator.
    const fn of_tag(first: Option<usize>, is_named: bool) -> Self {
        Self { first, others: Vec::new(), is_named }
    }
}

impl FromIterator<usize> for Candidates {
    fn from_iter<I: IntoIterator<Item = usize>>(variants: I) -> Self {
        let mut variants = variants.into_iter();
        Self { first: variants.next(), others: variants.collect(), is_named: false }
    }
}

/// Returns the union's variants that the next value may be, and consumes nothing.
///
/// # Errors
/// Fails if the input is malformed, if the discriminator has a value of another kind, if it is missing and all
/// variants require it, or if a strict reader finds a value of it that maps to no variant.
pub fn candidates(reader: &mut dyn Reader, union: &UnionShape) -> Result<Candidates, DecodeError> {
    let kind = reader.peek()?;
    if kind == Kind::Object
        && let Some(discriminator) = &union.discriminator
        && let Some(tagged) = by_tag(reader, union, discriminator)?
    {
        return Ok(tagged);
    }
    let fitting = || union.variants.iter().enumerate().filter(|(_, shape)| shape.kinds.fits(kind));
    if matches!(kind, Kind::Number | Kind::Text)
        && union.variants.iter().any(|shape| shape.kinds.wants_integer())
    {
        // Only the variant that reads a text knows whether it is an integer.
        let is_integer = kind == Kind::Text || integer_ahead(reader)?;
        let numbers = fitting().filter(|(_, shape)| is_integer || !shape.kinds.wants_integer());
        return Ok(integers_first(numbers.collect()).into_iter().collect());
    }
    if kind == Kind::Object && fitting().nth(1).is_some() {
        return by_fields(reader, fitting().map(|(index, shape)| Score::new(index, shape)).collect());
    }
    Ok(fitting().map(|(index, _)| index).collect())
}

/// Moves variants of integers before the first variant of all numbers.
fn integers_first(mut variants: Vec<(usize, &Shape)>) -> impl IntoIterator<Item = usize> {
    let is_number = |(_, shape): &(usize, &Shape)| shape.kinds.contains(Kinds::NUMBER);
    let numbers = variants.iter().position(is_number).unwrap_or(variants.len());
    // The sort is stable, so all others keep the document's order.
    if let Some(rest) = variants.get_mut(numbers..) {
        rest.sort_by_key(|(_, shape)| !shape.kinds.wants_integer());
    }
    variants.into_iter().map(|(index, _)| index)
}

/// Returns whether the next number is an integer of any size.
fn integer_ahead(reader: &mut dyn Reader) -> Result<bool, DecodeError> {
    let mut is_integer = false;
    reader.ahead(&mut |reader| {
        is_integer = reader.number()?.is_integer();
        Ok(())
    })?;
    Ok(is_integer)
}

/// Returns the candidates by the discriminator, or `None` if the object lacks it and may lack it.
fn by_tag(
    reader: &mut dyn Reader,
    union: &UnionShape,
    discriminator: &Discriminator,
) -> Result<Option<Candidates>, DecodeError> {
    let is_tolerant = reader.is_tolerant();
    let mut found = None;
    let mut is_null = false;
    let by_default = || Candidates::of_tag(union.variants.iter().position(|shape| shape.default), false);
    let mut each = |tag: &str| {
        let variant = union.variants.iter().position(|shape| shape.tags.contains(&tag));
        let selected = variant.map_or_else(by_default, |variant| Candidates::of_tag(Some(variant), true));
        if selected.is_empty() && !is_tolerant {
            return Err(DecodeError::not_allowed(tag, union.tags().collect::<Vec<_>>()));
        }
        found = Some(selected);
        Ok(())
    };
    let peeked = peek_fields(reader, &mut |name, reader| {
        if name != discriminator.property {
            return reader.skip();
        }
        // The property may be nullable.
        if reader.peek()? == Kind::Null {
            is_null = true;
            return reader.skip();
        }
        read_scalar(reader, discriminator.kind, &mut each)?;
        // Stops here: in a tree of unions, each level would read the remaining fields again.
        Err(DecodeError::custom("the discriminator was found"))
    });
    match peeked {
        Err(error) if found.is_none() || error.is_final() => Err(error),
        Ok(()) if !is_null && is_required(union, discriminator) => {
            Err(DecodeError::missing(discriminator.property))
        }
        _ => Ok(found.or_else(|| Some(by_default()).filter(|default| !default.is_empty()))),
    }
}

/// Reads a string, a number or a boolean, and calls `each` with the text that shapes have for it.
fn read_scalar(
    reader: &mut dyn Reader,
    kind: Kind,
    each: &mut dyn FnMut(&str) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    match kind {
        Kind::Number => {
            let number = reader.number()?;
            let integer = number.to_integer().map(|integer| integer.to_string());
            each(&integer.unwrap_or_else(|| number.to_f64().to_string()))
        }
        Kind::Boolean => each(if reader.boolean()? { "true" } else { "false" }),
        _ => reader.str(each),
    }
}

/// Returns whether all objects of a union have the discriminator.
fn is_required(union: &UnionShape, discriminator: &Discriminator) -> bool {
    let mut objects = union.variants.iter().filter(|shape| shape.kinds.contains(Kinds::OBJECT));
    objects.all(|shape| !shape.default && shape.required.contains(&discriminator.property))
}

/// Calls `each` for each entry of the next object, without consuming the object.
fn peek_fields(reader: &mut dyn Reader, each: &mut Entry<'_>) -> Result<(), DecodeError> {
    reader.ahead(&mut |reader| reader.entries(&mut |name, reader| each(name, reader)))
}

/// The degree to which an object matches a variant.
struct Score {
    index: usize,
    shape: &'static Shape,
    is_out: bool,
    /// The required fields that were seen, one bit each. Only the first 128 count.
    required: u128,
    known: usize,
    unknown: usize,
}

impl Score {
    const fn new(index: usize, shape: &'static Shape) -> Self {
        Self { index, shape, is_out: false, required: 0, known: 0, unknown: 0 }
    }

    /// Counts a field by its name.
    fn observe_field(&mut self, name: &str, is_tolerant: bool) {
        if self.shape.known.contains(&name) {
            self.known += 1;
        } else {
            self.unknown += 1;
            self.is_out |= self.shape.closed && !is_tolerant;
        }
        if let Some(index) = self.shape.required.iter().position(|required| *required == name) {
            self.required |= bit(index);
        }
    }

    /// Returns the allowed values of a field, if the variant restricts them.
    fn constants(&self, name: &str) -> Option<&'static [&'static str]> {
        let restricted = self.shape.constants.iter().find(|(property, _)| *property == name);
        restricted.map(|(_, values)| *values)
    }

    /// Checks the value of a field; `None` if it is an array or object.
    fn see_value(&mut self, name: &str, value: Option<&str>) {
        if let Some(values) = self.constants(name) {
            self.is_out |= !value.is_some_and(|value| values.contains(&value));
        }
    }

    fn fits(&self) -> bool {
        let wanted = (0..self.shape.required.len()).fold(0, |wanted, index| wanted | bit(index));
        !self.is_out && self.required == wanted
    }
}

fn bit(index: usize) -> u128 {
    u32::try_from(index).ok().and_then(|index| 1_u128.checked_shl(index)).unwrap_or(0)
}

/// Returns the candidates that match the fields of the next object.
fn by_fields(reader: &mut dyn Reader, mut scores: Vec<Score>) -> Result<Candidates, DecodeError> {
    let is_tolerant = reader.is_tolerant();
    peek_fields(reader, &mut |name, reader| {
        for score in &mut scores {
            score.observe_field(name, is_tolerant);
        }
        if scores.iter().all(|score| score.constants(name).is_none()) {
            return reader.skip();
        }
        let mut observe_field =
            |value: Option<&str>| scores.iter_mut().for_each(|score| score.see_value(name, value));
        match reader.peek()? {
            // The field may be nullable. If it is not, the variant can't be read.
            Kind::Null => reader.skip(),
            Kind::Array | Kind::Object => {
                observe_field(None);
                reader.skip()
            }
            kind => read_scalar(reader, kind, &mut |value| {
                observe_field(Some(value));
                Ok(())
            }),
        }
    })?;
    scores.retain(Score::fits);
    // The sort is stable, so ties keep the document's order.
    scores.sort_by_key(|score| (std::cmp::Reverse(score.known), score.unknown));
    Ok(scores.iter().map(|score| score.index).collect())
}

#[cfg(test)]
#[path = "tests/candidates.rs"]
mod tests;
