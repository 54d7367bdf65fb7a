//! Compares schemas as JSON Schema means them: what the Rust types can't express.

mod differences;
mod effects;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::{
    compare::Compare,
    position::Position,
    rule::{Constraint, Effect, Rule},
};
use crate::ir::{JsonSchema, JsonSchemaId, Keyword, StructDef};

use differences::Differences;

/// A difference between two schemas.
#[derive(Debug, Clone)]
struct Difference {
    /// Whether fewer or more values are valid.
    effect: Effect,
    /// The first keyword that differs: `anyOf/properties/name/maxLength`.
    path: String,
}

/// The differences of references that are certain, so that no schema is compared twice.
#[derive(Debug, Default)]
pub(super) struct Settled(HashMap<(JsonSchemaId, JsonSchemaId), Option<Difference>>);

/// What the comparison of Rust types says already.
#[derive(Clone, Copy)]
pub(super) enum Covered<'c> {
    /// Nothing.
    Nothing,
    /// Properties, and which of them are required, in the old and the new document.
    Struct(&'c StructDef, &'c StructDef),
    /// The alternatives of a union.
    Union,
    /// The alternatives of a union in one document, of which the type in the other one is one.
    Alternative,
}

impl Compare<'_> {
    /// Compares what JSON Schema says beside the types.
    pub(super) fn json_schemas(
        &mut self,
        old: Option<JsonSchemaId>,
        new: Option<JsonSchemaId>,
        covered: Covered<'_>,
        at: &Position<'_>,
    ) {
        let found = self.difference(old, new, covered);
        let is_certain = found.is_some();
        // What the types say can differ by what they can't say.
        let found = found.or_else(|| self.difference(old, new, Covered::Nothing));
        let Some(Difference { effect, path }) = found else { return };
        let how = match effect {
            Effect::Tightened => "stricter",
            Effect::Loosened => "less strict",
            Effect::Changed => "different",
        };
        let message = format!("other keywords are {how}: {path}");
        self.add(Rule::Keyword(Constraint::Json, at.flow, effect), at, message);
        if !is_certain {
            self.doubtful.extend(self.found.pop());
        }
    }

    /// Returns how the keywords of a position changed, or `None` if they say the same.
    fn difference(
        &mut self,
        old: Option<JsonSchemaId>,
        new: Option<JsonSchemaId>,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let (old_api, new_api) = (self.old, self.new);
        let mut differences = Differences::new(old_api, new_api, &mut self.settled);
        if let Some((old, new)) = old.zip(new) {
            return differences.references(old, new, covered);
        }
        let from = old.and_then(|id| old_api.json_schemas.get(id.0)).map(|def| &def.schema);
        let to = new.and_then(|id| new_api.json_schemas.get(id.0)).map(|def| &def.schema);
        let anything = JsonSchema::default();
        let found = differences.schemas(from.unwrap_or(&anything), to.unwrap_or(&anything), covered)?;
        // The type of the value is said by the Rust type.
        let path = from.or(to).and_then(uncommon).map_or(found.path, str::to_owned);
        Some(Difference { effect: found.effect, path })
    }
}

impl Covered<'_> {
    fn covers(self, keyword: &Keyword) -> bool {
        match (self, keyword) {
            (Self::Nothing, _) => false,
            (_, Keyword::Type(_)) | (Self::Union | Self::Alternative, Keyword::AnyOf(_)) => true,
            (Self::Struct(..), Keyword::Properties { patterns, .. }) => patterns.is_empty(),
            (
                Self::Struct(..),
                Keyword::Required(_) | Keyword::Count("minProperties" | "maxProperties", _),
            ) => true,
            _ => false,
        }
    }

    /// Returns whether values of the document that lacks a keyword are valid for it: it is one of several lists of required
    /// properties, of which these values always have one.
    fn satisfies(self, keyword: &Keyword, is_new: bool) -> bool {
        let Self::Struct(old, new) = self else { return false };
        let StructDef { fields, .. } = if is_new { old } else { new };
        let (Keyword::AnyOf(several) | Keyword::OneOf(several)) = keyword else { return false };
        let Some(lists) = several.iter().map(required).collect::<Option<Vec<_>>>() else { return false };
        let is_one = matches!(keyword, Keyword::OneOf(_));
        let names: HashMap<&str, bool> =
            fields.iter().map(|field| (field.wire.as_str(), field.required)).collect();
        let has = |name: &String| names.get(name.as_str()) == Some(&true);
        let knows = |name: &String| names.contains_key(name.as_str());
        let (always, others): (Vec<_>, Vec<_>) = lists.into_iter().partition(|list| list.iter().all(has));
        match is_one {
            true => always.len() == 1 && others.iter().all(|list| !list.iter().all(knows)),
            false => !always.is_empty(),
        }
    }
}

/// Returns the first keyword of a schema that is not about a type and its parts.
fn uncommon(JsonSchema(keywords): &JsonSchema) -> Option<&'static str> {
    let is_common = |keyword: &&Keyword| {
        matches!(
            keyword,
            Keyword::Type(_) | Keyword::Properties { .. } | Keyword::Required(_) | Keyword::Items { .. }
        )
    };
    keywords.iter().find(|keyword| !is_common(keyword)).map(Keyword::name)
}

/// Returns the required properties, if a schema says nothing else.
fn required(JsonSchema(keywords): &JsonSchema) -> Option<&[String]> {
    let mut keywords = keywords.iter().filter(|keyword| !matches!(keyword, Keyword::Type(_)));
    match (keywords.next(), keywords.next()) {
        (Some(Keyword::Required(names)), None) => Some(names),
        _ => None,
    }
}
