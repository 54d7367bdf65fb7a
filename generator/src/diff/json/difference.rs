//! A difference between two schemas, and how differences are joined.

use crate::{diff::rule::Effect, ir::JsonSchemaId};

/// A difference between two schemas.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    /// Whether fewer or more values are valid.
    pub effect: Effect,
    /// The first keyword that differs: `anyOf/properties/name/maxLength`.
    pub path: String,
    /// The part of `allOf` that differs, if it has a name: the schema in both documents, and the path in it.
    pub part: Option<([Option<JsonSchemaId>; 2], String)>,
}

impl Difference {
    pub fn inverse(self) -> Self {
        Self { effect: inverse(self.effect), ..self }
    }
}

/// Returns a difference whose effect on the whole keyword is unknown.
pub(super) fn changed(_: Difference) -> Difference {
    Difference { effect: Effect::Changed, path: String::new(), part: None }
}

pub(super) const fn inverse(effect: Effect) -> Effect {
    match effect {
        Effect::Tightened => Effect::Loosened,
        Effect::Loosened => Effect::Tightened,
        Effect::Changed => Effect::Changed,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "differences are optional wherever they are joined")]
pub(super) fn one(effect: Effect, path: &str) -> Option<Difference> {
    Some(Difference { effect, path: path.to_owned(), part: None })
}

/// Returns a difference within a keyword or a property.
pub(super) fn within(name: &str, inner: Difference) -> Difference {
    let path = if inner.path.is_empty() { name.to_owned() } else { format!("{name}/{}", inner.path) };
    // Other keywords apply to a part of the value, or under a condition.
    let part = inner.part.filter(|_| ["allOf", "$ref"].contains(&name));
    Difference { path, part, ..inner }
}

/// Joins differences that all apply. The path is that of the first one.
pub(super) fn together(all: impl IntoIterator<Item = Option<Difference>>) -> Option<Difference> {
    all.into_iter().flatten().reduce(|first, next| {
        let effect = if first.effect == next.effect { first.effect } else { Effect::Changed };
        let part = first.part.filter(|part| next.part.as_ref() == Some(part));
        Difference { effect, part, ..first }
    })
}
