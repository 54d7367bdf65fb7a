//! Unions: which variant a value is, found by looking ahead.
//!
//! A discriminator's value decides, where there is one. Otherwise shape does: the value's kind must be the variant's;
//! an object must have all fields that the variant requires, and their constants; and of several variants, that one
//! comes first which knows more of the object's fields, then that which leaves fewer over, then the document's order.
//! The decoder and the validation walk both go by [`candidates`], so that they agree.

use super::{Fault, FaultKind, Item, Kind, Reader};

/// What a union's values look like from outside.
#[derive(Debug)]
pub struct UnionShape {
    /// The union's name, for messages.
    pub name: &'static str,
    /// Its variants, in the order of the document.
    pub variants: &'static [Shape],
    /// The field that tells which variant an object is.
    pub discriminator: Option<Discriminator>,
}

/// What a variant's values look like from outside.
#[derive(Debug)]
pub struct Shape {
    /// The variant's name, for messages.
    pub name: &'static str,
    /// The kinds its values may be of.
    pub kinds: Kinds,
    /// The fields that an object must have.
    pub required: &'static [&'static str],
    /// The fields that an object may have, the required ones among them.
    pub known: &'static [&'static str],
    /// The string fields that can only have one of a few values.
    pub constants: &'static [(&'static str, &'static [&'static str])],
    /// Whether an object may have no other fields.
    pub closed: bool,
}

impl Shape {
    /// A variant of these kinds, of whose objects nothing is known.
    #[must_use]
    pub const fn new(name: &'static str, kinds: Kinds) -> Self {
        Self { name, kinds, required: &[], known: &[], constants: &[], closed: false }
    }
}

/// The field that tells which variant an object is.
#[derive(Debug)]
pub struct Discriminator {
    /// The field.
    pub property: &'static str,
    /// Its values, and the variant that each stands for.
    pub mapping: &'static [(&'static str, usize)],
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
    /// Everything.
    pub const ANY: Self = Self(0x7f);

    /// The kinds of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are among these.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a value of this kind may be of these. Of a number, this says nothing on whether it is an integer; and
    /// text may be any scalar.
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

    /// Whether only those numbers fit that are integers.
    const fn wants_integer(self) -> bool {
        self.contains(Self::INTEGER) && !self.contains(Self::NUMBER)
    }
}

/// The variants that a value may be, the best first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Apart, so that a clear case allocates nothing.
    first: Option<usize>,
    others: Vec<usize>,
}

impl Candidates {
    /// The variants' places in the union, the best first.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.first.into_iter().chain(self.others.iter().copied())
    }

    /// The best one.
    #[must_use]
    pub const fn first(&self) -> Option<usize> {
        self.first
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    /// Whether the value is none of the variants.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl FromIterator<usize> for Candidates {
    fn from_iter<I: IntoIterator<Item = usize>>(variants: I) -> Self {
        let mut variants = variants.into_iter();
        Self { first: variants.next(), others: variants.collect() }
    }
}

/// Reads the value that stands next as one of the union's variants: tries the [`candidates`] one after the other by
/// `read`, which is given the variant's place and must read the value. Where this fails, the reader stands before the
/// value again, so that an open union can take it as it is.
///
/// # Errors
/// The only candidate's own fault; [`FaultKind::NoVariant`] where there are none or several; [`FaultKind::NotAllowed`]
/// where a strict reader finds a discriminator's value that stands for nothing.
pub fn choose(
    reader: &mut dyn Reader,
    union: &UnionShape,
    read: &mut dyn FnMut(usize, &mut dyn Reader) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let candidates = candidates(reader, union)?;
    let mut last = None;
    for index in candidates.iter() {
        match reader.attempt(&mut |reader| read(index, reader)) {
            Err(fault) if !fault.is_final() => last = Some(fault),
            read_or_final => return read_or_final,
        }
    }
    match last {
        Some(fault) if candidates.len() == 1 => Err(fault),
        _ => Err(no_variant(union, &candidates)),
    }
}

fn no_variant(union: &UnionShape, candidates: &Candidates) -> Fault {
    let names = candidates.iter().filter_map(|index| union.variants.get(index)).map(|shape| shape.name);
    Fault::new(FaultKind::NoVariant { union: union.name, candidates: names.collect() })
}

/// Which of the union's variants the value that stands next may be, the best first; consumes nothing.
///
/// # Errors
/// The input is malformed, or a strict reader finds a discriminator's value that stands for nothing.
pub fn candidates(reader: &mut dyn Reader, union: &UnionShape) -> Result<Candidates, Fault> {
    let kind = reader.peek()?;
    if kind == Kind::Object
        && let Some(discriminator) = &union.discriminator
        && let Some(tagged) = by_tag(reader, discriminator)?
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

/// Whether the number that stands next is an integer, of whatever size.
fn integer_ahead(reader: &mut dyn Reader) -> Result<bool, Fault> {
    let mut is_integer = false;
    reader.ahead(&mut |reader| {
        is_integer = reader.number()?.to_f64().fract() == 0.0;
        Ok(())
    })?;
    Ok(is_integer)
}

/// What the discriminator says, if it is there.
fn by_tag(reader: &mut dyn Reader, discriminator: &Discriminator) -> Result<Option<Candidates>, Fault> {
    let is_tolerant = reader.is_tolerant();
    let mut found = None;
    let mut look = |tag: &str| {
        let variant = discriminator.mapping.iter().find(|(value, _)| *value == tag);
        if variant.is_none() && !is_tolerant {
            let allowed: Vec<_> = discriminator.mapping.iter().map(|(value, _)| *value).collect();
            return Err(Fault::not_allowed(tag, allowed));
        }
        found = Some(variant.map(|(_, index)| *index).into_iter().collect());
        Ok(())
    };
    let looked = look_at_fields(reader, &mut |name, reader| {
        if name == discriminator.property && reader.peek()? == Kind::String {
            reader.str(&mut look)?;
            // The rest need not be read twice: in a tree of unions, that would be once more on each level.
            return Err(Fault::custom("the discriminator was found"));
        }
        reader.skip()
    });
    match looked {
        Err(fault) if found.is_none() || fault.is_final() => Err(fault),
        _ => Ok(found),
    }
}

/// Goes through the object that stands next, without consuming it.
fn look_at_fields(reader: &mut dyn Reader, look: &mut super::Entry<'_>) -> Result<(), Fault> {
    let read: &mut Item<'_> = &mut |reader| reader.entries(&mut |name, reader| look(name, reader));
    reader.ahead(read)
}

/// How well an object fits a variant.
struct Score {
    index: usize,
    shape: &'static Shape,
    is_out: bool,
    /// The required fields that were seen, one bit each; those beyond 128 are taken for granted.
    required: u128,
    known: usize,
    unknown: usize,
}

impl Score {
    const fn new(index: usize, shape: &'static Shape) -> Self {
        Self { index, shape, is_out: false, required: 0, known: 0, unknown: 0 }
    }

    /// Takes a field's name into account.
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

    /// The values that the field may have, if the variant restricts them.
    fn constants(&self, name: &str) -> Option<&'static [&'static str]> {
        let restricted = self.shape.constants.iter().find(|(property, _)| *property == name);
        restricted.map(|(_, values)| *values)
    }

    /// Takes the value of a field (nothing if it is no string) into account.
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

/// What the fields of the object that stands next say.
fn by_fields(reader: &mut dyn Reader, mut scores: Vec<Score>) -> Result<Candidates, Fault> {
    let is_tolerant = reader.is_tolerant();
    look_at_fields(reader, &mut |name, reader| {
        for score in &mut scores {
            score.see(name, is_tolerant);
        }
        if scores.iter().all(|score| score.constants(name).is_none()) {
            return reader.skip();
        }
        if matches!(reader.peek()?, Kind::String | Kind::Text) {
            return reader.str(&mut |value| {
                scores.iter_mut().for_each(|score| score.see_value(name, Some(value)));
                Ok(())
            });
        }
        scores.iter_mut().for_each(|score| score.see_value(name, None));
        reader.skip()
    })?;
    scores.retain(Score::fits);
    // The sort is stable: the document's order decides where nothing else does.
    scores.sort_by_key(|score| (std::cmp::Reverse(score.known), score.unknown));
    Ok(scores.iter().map(|score| score.index).collect())
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
