//! Discriminators that are filled in while a value of a union is written.

use super::{
    ByteStream, Bytes, Discriminator, Encode, Entries, File, Format, Items, Kind, UnionShape, Value, Writer,
    to_value,
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

    /// Returns whether an object of the variant may have fields that its type does not name.
    fn is_open(&self) -> bool {
        self.union.variants.get(self.index).is_some_and(|shape| !shape.closed)
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
        self.value.encode(&mut TagWriter { tagged: self, writer });
    }
}

/// A writer that passes everything on, and adds the discriminator to the outermost object.
struct TagWriter<'a, 'w> {
    tagged: &'a Tagged<'a>,
    writer: &'w mut dyn Writer,
}

impl Writer for TagWriter<'_, '_> {
    fn null(&mut self) {
        self.writer.null();
    }

    fn boolean(&mut self, value: bool) {
        self.writer.boolean(value);
    }

    fn i64(&mut self, value: i64) {
        self.writer.i64(value);
    }

    fn u64(&mut self, value: u64) {
        self.writer.u64(value);
    }

    fn f64(&mut self, value: f64) {
        self.writer.f64(value);
    }

    fn str(&mut self, value: &str) {
        self.writer.str(value);
    }

    fn formatted(&mut self, format: Format, value: &str) {
        self.writer.formatted(format, value);
    }

    fn rewritten(&mut self, value: &str) {
        self.writer.rewritten(value);
    }

    fn bytes(&mut self, value: &Bytes) {
        self.writer.bytes(value);
    }

    fn file(&mut self, value: &File) {
        self.writer.file(value);
    }

    fn byte_stream(&mut self, value: &ByteStream) {
        self.writer.byte_stream(value);
    }

    fn items(&mut self, items: &dyn Items) {
        self.writer.items(items);
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.writer.array(items);
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        let Some((property, tag)) = self.tagged.missing(fields) else {
            return self.writer.object(fields, rest);
        };
        let mut all = fields.to_vec();
        match all.iter_mut().find(|(name, _)| *name == property) {
            Some((_, value)) => *value = &tag,
            // Kept additional properties can have the discriminator.
            None if rest.is_none() && self.tagged.is_open() => all.push((property, &tag)),
            None => {}
        }
        self.writer.object(&all, rest);
    }

    fn variant(&mut self, index: usize, value: &dyn Encode) {
        self.writer.variant(index, &Tagged { value, ..*self.tagged });
    }

    fn choice(&mut self, index: usize, value: &dyn Encode) {
        self.writer.choice(index, value);
    }

    fn value(&mut self, value: &Value) {
        self.writer.value(value);
    }
}
