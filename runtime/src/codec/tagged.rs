//! Discriminators that are filled in while a value of a union is written.

use super::{
    Discriminator, Encode, Entries, Kind, UnionShape, Value, Writer, to_value,
    view::{View, outermost},
};

/// The value of a union's variant, which is written with a discriminator that selects this variant.
///
/// An object keeps its own discriminator if it selects the variant. Otherwise it gets the first of the variant's tags.
pub struct Tagged<'a> {
    union: &'static UnionShape,
    index: usize,
    value: &'a dyn Encode,
}

impl<'a> Tagged<'a> {
    /// Creates the value of the variant with this index.
    #[must_use]
    pub const fn new(union: &'static UnionShape, index: usize, value: &'a dyn Encode) -> Self {
        Self { union, index, value }
    }

    /// Returns the field to write and its value, unless the fields select the variant.
    fn missing(&self, fields: &[(&'static str, &dyn Encode)]) -> Option<(&'static str, Tag)> {
        let Discriminator { property, kind } = self.union.discriminator?;
        let own = self.union.variants.get(self.index)?;
        let first = Tag { kind, text: own.tags.first()? };
        let given = fields.iter().find(|(name, value)| *name == property && !value.is_absent());
        let is_given = match given.map(|(_, value)| to_value(*value)) {
            // Each value that selects no other variant is one of the default.
            Some(given) if own.default => {
                let mut others = self.union.tags().filter(|tag| !own.tags.contains(tag));
                !others.any(|text| Tag { kind, text }.is(&given))
            }
            Some(given) => own.tags.iter().any(|text| Tag { kind, text }.is(&given)),
            None => own.default,
        };
        (!is_given).then_some((property, first))
    }

    /// Writes an object with its discriminator.
    fn object(
        &self,
        fields: &[(&'static str, &dyn Encode)],
        rest: Option<&mut Entries<'_>>,
        writer: &mut dyn Writer,
    ) {
        let Some((property, tag)) = self.missing(fields) else { return writer.object(fields, rest) };
        let is_open = self.union.variants.get(self.index).is_some_and(|shape| !shape.closed);
        let mut all = fields.to_vec();
        match all.iter_mut().find(|(name, _)| *name == property) {
            Some((_, value)) => *value = &tag,
            // Kept additional properties can have the discriminator.
            None if rest.is_none() && is_open => all.push((property, &tag)),
            None => {}
        }
        writer.object(&all, rest);
    }
}

/// A value of a discriminator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    kind: Kind,
    text: &'static str,
}

impl UnionShape {
    /// Returns the values of the discriminator that select the variant with this index.
    #[cfg(feature = "samples")]
    pub(crate) fn tags_of(&self, index: usize) -> Vec<Tag> {
        let texts = self.variants.get(index).map(|shape| shape.tags).unwrap_or_default();
        let discriminator = self.discriminator.iter();
        discriminator.flat_map(|it| texts.iter().map(|text| Tag { kind: it.kind, text })).collect()
    }
}

impl Tag {
    /// Returns whether this is the value that was written.
    pub(crate) fn is(self, written: &Value) -> bool {
        match written {
            Value::String(text) => self.kind == Kind::String && text == self.text,
            written => to_value(&self) == *written,
        }
    }
}

impl Encode for Tag {
    fn encode(&self, writer: &mut dyn Writer) {
        match (self.kind, self.text.parse()) {
            (Kind::Number, Ok(integer)) => writer.i64(integer),
            (Kind::Boolean, _) => writer.boolean(self.text == "true"),
            _ => writer.str(self.text),
        }
    }
}

impl Encode for Tagged<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        let is_written = outermost(self.value, |view| match view {
            View::Object(fields, rest) => {
                self.object(fields, rest, writer);
                true
            }
            View::Variant(index, value) => {
                writer.variant(index, &Tagged { value, ..*self });
                true
            }
            _ => false,
        });
        if is_written != Some(true) {
            self.value.encode(writer);
        }
    }
}

/// Passes the value of a union to [`Writer::variant`], with its discriminator if the union has one.
pub(super) fn pass_variant<W: Writer + ?Sized>(
    writer: &mut W,
    union: &'static UnionShape,
    index: usize,
    value: &dyn Encode,
) {
    match union.discriminator {
        Some(_) => writer.variant(index, &Tagged::new(union, index, value)),
        None => writer.variant(index, value),
    }
}
