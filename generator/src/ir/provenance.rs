//! The position of a type's schema in the document.

use std::fmt;

/// The position of a schema in the document. `Display` writes it for sentences: `` `owner.role` in schema `Pet` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    /// A schema of `components`, by its name.
    Component(String),
    /// An operation: `POST /pets`.
    Operation(String),
    /// The union of the bodies of all webhooks.
    AnyWebhook,
    /// Something else, in words: ``the shared response `Gone` ``.
    Other(String),
    /// A part of an operation or of something else: `the body`.
    Part(String, Box<Self>),
    /// A property of a schema, its items or its values: `owner.role`, `tags[]`, `labels.*`.
    Inner(String, Box<Self>),
    /// An alternative of a union.
    Variant(String, Box<Self>),
}

impl Provenance {
    /// Returns a sentence for docs: ``Schema `Pet`.``
    pub fn sentence(&self) -> String {
        let text = self.to_string();
        let mut characters = text.chars();
        characters.next().map_or_else(String::new, |first| {
            format!("{}{}.", first.to_uppercase().collect::<String>(), characters.as_str())
        })
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(name) => write!(formatter, "schema `{name}`"),
            Self::Operation(name) => write!(formatter, "`{name}`"),
            Self::AnyWebhook => formatter.write_str("the body of any webhook"),
            Self::Other(text) => formatter.write_str(text),
            Self::Part(part, of) => write!(formatter, "{part} of {of}"),
            Self::Inner(path, of) => write!(formatter, "`{path}` in {of}"),
            Self::Variant(name, of) => write!(formatter, "variant `{name}` of {of}"),
        }
    }
}
