//! Unions: finds the variant of a value by looking ahead.
//!
//! If an object has the union's discriminator, the discriminator's value decides. If it must have it, but does not, it
//! is no value of the union. Otherwise the shape decides:
//! - the kind of the value must be one of the variant's kinds;
//! - an object must have all fields that the variant requires, and an allowed value or null in each constant field;
//! - to a strict reader, an object must have no fields that a closed variant does not name.
//!
//! If several variants remain, they are ordered by the number of the object's fields that they name, then by
//! the number of fields that they do not name, fewest first, then by their order in the document. The decoder
//! and the validation walk both use [`candidates`], so they agree.

use super::{DecodeError, DecodeErrorKind, Item, Kind, Reader};

/// The properties of a union by which the variant of a value is found.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnionShape {
    /// The union's name, for messages.
    pub name: &'static str,
    /// The variants, in the order of the document.
    pub variants: &'static [Shape],
    /// The discriminator, if the union has one.
    pub discriminator: Option<Discriminator>,
}

impl UnionShape {
    /// Creates the shape of a union without a discriminator.
    #[must_use]
    pub const fn new(name: &'static str, variants: &'static [Shape]) -> Self {
        Self { name, variants, discriminator: None }
    }

    /// Sets the field `discriminator`.
    #[must_use]
    pub const fn discriminator(
        self,
        property: &'static str,
        mapping: &'static [(&'static str, usize)],
    ) -> Self {
        self.discriminator_of(Kind::String, property, mapping)
    }

    /// Sets the field `discriminator` to one whose values are integers.
    #[must_use]
    pub const fn integer_discriminator(
        self,
        property: &'static str,
        mapping: &'static [(&'static str, usize)],
    ) -> Self {
        self.discriminator_of(Kind::Number, property, mapping)
    }

    /// Sets the field `discriminator` to one whose values are booleans.
    #[must_use]
    pub const fn boolean_discriminator(
        self,
        property: &'static str,
        mapping: &'static [(&'static str, usize)],
    ) -> Self {
        self.discriminator_of(Kind::Boolean, property, mapping)
    }

    const fn discriminator_of(
        mut self,
        kind: Kind,
        property: &'static str,
        mapping: &'static [(&'static str, usize)],
    ) -> Self {
        self.discriminator = Some(Discriminator { property, kind, mapping, default: None });
        self
    }

    /// Sets the variant of objects whose discriminator is absent or has a value that is not in the mapping.
    #[must_use]
    pub const fn default_variant(mut self, index: usize) -> Self {
        if let Some(discriminator) = &mut self.discriminator {
            discriminator.default = Some(index);
        }
        self
    }
}

/// The properties of a variant by which its values are recognized.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shape {
    /// The variant's name, for messages.
    pub name: &'static str,
    /// The kinds that its values may have.
    pub kinds: Kinds,
    /// The fields that an object must have.
    pub required: &'static [&'static str],
    /// The fields that an object may have, including the required ones.
    pub known: &'static [&'static str],
    /// The fields that are restricted to a few strings, integers or booleans, with these values.
    ///
    /// An integer is in decimal, a boolean is `true` or `false`.
    pub constants: &'static [(&'static str, &'static [&'static str])],
    /// Whether additional properties are forbidden.
    pub closed: bool,
}

impl Shape {
    /// Creates a variant of these kinds, without any knowledge of its objects' fields.
    #[must_use]
    pub const fn new(name: &'static str, kinds: Kinds) -> Self {
        Self { name, kinds, required: &[], known: &[], constants: &[], closed: false }
    }

    /// Sets the field `required`.
    #[must_use]
    pub const fn required(mut self, required: &'static [&'static str]) -> Self {
        self.required = required;
        self
    }

    /// Sets the field `known`.
    #[must_use]
    pub const fn known(mut self, known: &'static [&'static str]) -> Self {
        self.known = known;
        self
    }

    /// Sets the field `constants`.
    #[must_use]
    pub const fn constants(mut self, constants: &'static [(&'static str, &'static [&'static str])]) -> Self {
        self.constants = constants;
        self
    }

    /// Sets the field `closed` to `true`.
    #[must_use]
    pub const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }
}

/// The field whose value determines the variant of an object.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Discriminator {
    /// The name of the field.
    pub property: &'static str,
    /// The kind of the values: strings, numbers or booleans. All numbers are integers.
    pub kind: Kind,
    /// The values of the field, each with the index of its variant.
    ///
    /// An integer is in decimal, a boolean is `true` or `false`.
    pub mapping: &'static [(&'static str, usize)],
    /// The index of the variant of objects without the field, and of those with another value.
    pub default: Option<usize>,
}

/// A set of JSON kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// `null`.
    pub const NULL: Self = Self(1);
    /// Booleans.
    pub const BOOLEAN: Self = Self(1 << 1);
    /// Numbers that are integers.
    pub const INTEGER: Self = Self(1 << 2);
    /// All numbers.
    pub const NUMBER: Self = Self(1 << 3 | Self::INTEGER.0);
    /// Strings.
    pub const STRING: Self = Self(1 << 4);
    /// Arrays.
    pub const ARRAY: Self = Self(1 << 5);
    /// Objects.
    pub const OBJECT: Self = Self(1 << 6);
    /// All kinds.
    pub const ANY: Self = Self(0x7f);

    /// Returns the kinds of both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether this set contains all kinds of `other`.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether a value of this kind may belong to this set.
    ///
    /// A number may belong to [`INTEGER`](Self::INTEGER), whether or not it is an integer. Text may be any
    /// scalar.
    ///
    /// ```
    /// use openapi_crates_runtime::codec::{Kind, Kinds};
    ///
    /// let kinds = Kinds::STRING.or(Kinds::NULL);
    /// assert!(kinds.fits(Kind::Null) && kinds.fits(Kind::Text));
    /// assert!(!kinds.fits(Kind::Array));
    /// ```
    #[must_use]
    pub const fn fits(self, kind: Kind) -> bool {
        let kinds = match kind {
            Kind::Null => Self::NULL,
            Kind::Boolean => Self::BOOLEAN,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
            Kind::Text => Self::NULL.or(Self::BOOLEAN).or(Self::NUMBER).or(Self::STRING),
        };
        self.0 & kinds.0 != 0
    }

    /// Returns whether the only numbers in this set are integers.
    const fn wants_integer(self) -> bool {
        self.contains(Self::INTEGER) && !self.contains(Self::NUMBER)
    }
}

/// The variants that a value may be, best match first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// A field of its own, so that a single candidate needs no allocation.
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
}

impl FromIterator<usize> for Candidates {
    fn from_iter<I: IntoIterator<Item = usize>>(variants: I) -> Self {
        let mut variants = variants.into_iter();
        Self { first: variants.next(), others: variants.collect(), is_named: false }
    }
}

/// Reads the next value as one of the union's variants.
///
/// Tries the [`candidates`] in order. `read` receives the index of a variant and must read the value as that
/// variant. If no candidate can be read, the reader is again before the value, so that an open union can keep
/// the raw value.
///
/// # Errors
/// - The candidate's own error if there is only one candidate.
/// - [`DecodeErrorKind::NoVariant`] if there is no candidate, or if there are several and none can be read.
/// - [`DecodeErrorKind::Missing`] if the object lacks the discriminator, and all variants require it.
/// - [`DecodeErrorKind::NotAllowed`] if a strict reader finds a discriminator value that maps to no variant.
/// - [`DecodeErrorKind::Syntax`] or [`DecodeErrorKind::TooDeep`] as soon as it occurs.
pub fn choose(
    reader: &mut dyn Reader,
    union: &UnionShape,
    read: &mut dyn FnMut(usize, &mut dyn Reader) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let candidates = candidates(reader, union)?;
    choose_among(reader, union, &candidates, read)
}

/// Reads the next value as one of these candidates, as [`choose`] does.
pub(super) fn choose_among(
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
        _ => Err(no_variant(union, candidates)),
    }
}

fn no_variant(union: &UnionShape, candidates: &Candidates) -> DecodeError {
    let names = candidates.iter().filter_map(|index| union.variants.get(index)).map(|shape| shape.name);
    DecodeError::new(DecodeErrorKind::NoVariant { union: union.name, candidates: names.collect() })
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
    let is_integer = if kind == Kind::Number && union.variants.iter().any(|shape| shape.kinds.wants_integer())
    {
        integer_ahead(reader)?
    } else {
        true
    };
    let fits = |shape: &Shape| shape.kinds.fits(kind) && (is_integer || !shape.kinds.wants_integer());
    let fitting = || union.variants.iter().enumerate().filter(|(_, shape)| fits(shape));
    if kind == Kind::Object && fitting().nth(1).is_some() {
        return by_fields(reader, fitting().map(|(index, shape)| Score::new(index, shape)).collect());
    }
    Ok(fitting().map(|(index, _)| index).collect())
}

/// Returns whether the next number is an integer of any size.
fn integer_ahead(reader: &mut dyn Reader) -> Result<bool, DecodeError> {
    let mut is_integer = false;
    reader.ahead(&mut |reader| {
        is_integer = reader.number()?.to_f64().fract() == 0.0;
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
    let by_default = || Candidates { first: discriminator.default, others: Vec::new(), is_named: false };
    let mut look = |tag: &str| {
        let variant = discriminator.mapping.iter().find(|(value, _)| *value == tag);
        if variant.is_none() && discriminator.default.is_none() && !is_tolerant {
            let allowed: Vec<_> = discriminator.mapping.iter().map(|(value, _)| *value).collect();
            return Err(DecodeError::not_allowed(tag, allowed));
        }
        let first = variant.map(|(_, index)| *index);
        found = Some(match first {
            Some(_) => Candidates { first, others: Vec::new(), is_named: true },
            None => by_default(),
        });
        Ok(())
    };
    let looked = look_at_fields(reader, &mut |name, reader| {
        if name != discriminator.property {
            return reader.skip();
        }
        // The property may be nullable.
        if reader.peek()? == Kind::Null {
            is_null = true;
            return reader.skip();
        }
        read_scalar(reader, discriminator.kind, &mut look)?;
        // Stops here: in a tree of unions, each level would read the remaining fields once more.
        Err(DecodeError::custom("the discriminator was found"))
    });
    match looked {
        Err(error) if found.is_none() || error.is_final() => Err(error),
        Ok(()) if !is_null && is_required(union, discriminator) => {
            Err(DecodeError::missing(discriminator.property))
        }
        _ => Ok(found.or_else(|| discriminator.default.map(|_| by_default()))),
    }
}

/// Reads a string, a number or a boolean, and calls `look` with the text that shapes have for it.
fn read_scalar(
    reader: &mut dyn Reader,
    kind: Kind,
    look: &mut dyn FnMut(&str) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    match kind {
        Kind::Number => {
            let number = reader.number()?;
            let integer = number.to_integer().map(|integer| integer.to_string());
            look(&integer.unwrap_or_else(|| number.to_f64().to_string()))
        }
        Kind::Boolean => look(if reader.boolean()? { "true" } else { "false" }),
        _ => reader.str(look),
    }
}

/// Returns whether all objects of a union have the discriminator.
fn is_required(union: &UnionShape, discriminator: &Discriminator) -> bool {
    let mut objects = union.variants.iter().filter(|shape| shape.kinds.contains(Kinds::OBJECT));
    discriminator.default.is_none() && objects.all(|shape| shape.required.contains(&discriminator.property))
}

/// Calls `look` for each entry of the next object, without consuming the object.
fn look_at_fields(reader: &mut dyn Reader, look: &mut super::Entry<'_>) -> Result<(), DecodeError> {
    let read: &mut Item<'_> = &mut |reader| reader.entries(&mut |name, reader| look(name, reader));
    reader.ahead(read)
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
    fn see(&mut self, name: &str, is_tolerant: bool) {
        if self.shape.known.contains(&name) {
            self.known += 1;
        } else {
            self.unknown += 1;
            self.is_out |= self.shape.closed && !is_tolerant;
        }
        if let Some(place) = self.shape.required.iter().position(|required| *required == name) {
            self.required |= bit(place);
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
        let wanted = (0..self.shape.required.len()).fold(0, |wanted, place| wanted | bit(place));
        !self.is_out && self.required == wanted
    }
}

fn bit(place: usize) -> u128 {
    u32::try_from(place).ok().and_then(|place| 1_u128.checked_shl(place)).unwrap_or(0)
}

/// Returns the candidates that match the fields of the next object.
fn by_fields(reader: &mut dyn Reader, mut scores: Vec<Score>) -> Result<Candidates, DecodeError> {
    let is_tolerant = reader.is_tolerant();
    look_at_fields(reader, &mut |name, reader| {
        for score in &mut scores {
            score.see(name, is_tolerant);
        }
        if scores.iter().all(|score| score.constants(name).is_none()) {
            return reader.skip();
        }
        let mut see = |value: Option<&str>| scores.iter_mut().for_each(|score| score.see_value(name, value));
        match reader.peek()? {
            // The field may be nullable. If it is not, the variant can't be read.
            Kind::Null => reader.skip(),
            Kind::Array | Kind::Object => {
                see(None);
                reader.skip()
            }
            kind => read_scalar(reader, kind, &mut |value| {
                see(Some(value));
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
#[path = "shape_tests.rs"]
mod tests;
