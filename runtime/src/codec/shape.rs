//! The shapes of unions: the properties by which the variant of a value is recognized.

use super::{Kind, Kinds};

/// The properties of a union by which the variant of a value is found.
#[derive(Debug, PartialEq)]
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
    pub const fn discriminator(self, property: &'static str) -> Self {
        self.discriminator_of(Kind::String, property)
    }

    /// Sets the field `discriminator` to one whose values are integers.
    #[must_use]
    pub const fn integer_discriminator(self, property: &'static str) -> Self {
        self.discriminator_of(Kind::Number, property)
    }

    /// Sets the field `discriminator` to one whose values are booleans.
    #[must_use]
    pub const fn boolean_discriminator(self, property: &'static str) -> Self {
        self.discriminator_of(Kind::Boolean, property)
    }

    const fn discriminator_of(mut self, kind: Kind, property: &'static str) -> Self {
        self.discriminator = Some(Discriminator { property, kind });
        self
    }

    /// Returns whether a value of a variant can be null.
    #[must_use]
    pub const fn holds_null(&self) -> bool {
        let mut shapes = self.variants;
        while let [shape, others @ ..] = shapes {
            if shape.kinds.contains(Kinds::NULL) {
                return true;
            }
            shapes = others;
        }
        false
    }

    /// Returns the values of the discriminator, each of which selects a variant.
    pub fn tags(&self) -> impl Iterator<Item = &'static str> {
        self.variants.iter().flat_map(|shape| shape.tags).copied()
    }
}

/// The field whose value determines the variant of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Discriminator {
    /// The name of the field.
    pub property: &'static str,
    /// The kind of the values: strings, numbers or booleans. All numbers are integers.
    pub kind: Kind,
}

/// The properties of a variant by which its values are recognized.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Shape {
    /// The variant's name, for messages.
    pub name: &'static str,
    /// The kinds that its values may have.
    pub kinds: Kinds,
    /// The values of the union's discriminator that select the variant.
    ///
    /// An integer is in decimal, a boolean is `true` or `false`.
    pub tags: &'static [&'static str],
    /// Whether it is the default variant.
    ///
    /// Objects belong to it if they lack the discriminator, or if its value selects no other variant.
    pub default: bool,
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
        Self {
            name,
            kinds,
            tags: &[],
            default: false,
            required: &[],
            known: &[],
            constants: &[],
            closed: false,
        }
    }

    /// Creates a variant whose values are objects.
    #[must_use]
    pub const fn object(name: &'static str) -> Self {
        Self::new(name, Kinds::OBJECT)
    }

    /// Sets the field `tags`.
    #[must_use]
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// Sets the field `default` to `true`.
    #[must_use]
    pub const fn default(mut self) -> Self {
        self.default = true;
        self
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
