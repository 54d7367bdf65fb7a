//! Compares JSON Schema keywords that the Rust types can't express.

mod difference;
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
use crate::ir::{Api, JsonSchema, JsonSchemaId, Keyword, Origin, StructDef};

use difference::Difference;
use differences::Differences;

/// The differences of references that are certain, so that no schema is compared twice.
#[derive(Debug, Default)]
pub(super) struct Settled(HashMap<(JsonSchemaId, JsonSchemaId), Option<Difference>>);

/// The parts that the comparison of Rust types already reports.
#[derive(Clone, Copy)]
pub(super) enum Covered<'c> {
    /// The comparison of types reports no part.
    Nothing,
    /// Properties, and which of them are required, in the old and the new document.
    Struct(&'c StructDef, &'c StructDef),
    /// The alternatives of a union.
    Union,
    /// The alternatives of a union in one document. The type in the other document is one of them.
    Alternative,
}

impl Compare<'_> {
    /// Compares the JSON Schema keywords that the types do not express.
    pub(super) fn json_schemas(
        &mut self,
        old: Option<JsonSchemaId>,
        new: Option<JsonSchemaId>,
        covered: Covered<'_>,
        at: &Position<'_>,
    ) {
        let found = self.difference(old, new, covered);
        let is_certain = found.is_some();
        // A difference in covered keywords is reported only if the types have no other change.
        let found = found.or_else(|| self.difference(old, new, Covered::Nothing));
        let Some(Difference { effect, path, part }) = found else { return };
        let (at, path) = match part {
            None => (*at, path),
            Some(([old, new], path)) => {
                let origin = |api: &Api, id: Option<JsonSchemaId>| {
                    id.and_then(|id| api.json_schemas.get(id.0))
                        .map_or_else(Origin::default, |def| def.origin)
                };
                (at.exactly(origin(self.old, old), origin(self.new, new)), path)
            }
        };
        let how = match effect {
            Effect::Tightened => "stricter",
            Effect::Loosened => "less strict",
            Effect::Changed => "different",
        };
        let message = format!("other keywords are {how}: {path}");
        self.add(Rule::Keyword(Constraint::Json, at.flow, effect), &at, message);
        if !is_certain {
            self.doubtful.extend(self.found.pop());
        }
    }

    /// Returns how the keywords of a position changed, or `None` if they mean the same.
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
        // The Rust type already expresses `type`, so the path names another keyword.
        let path = from
            .or(to)
            .and_then(|schema| uncommon(schema).next())
            .map_or(found.path, |keyword| keyword.name().to_owned());
        let part = match (from, to) {
            (Some(schema), _) => only_part(old_api, schema).map(|(id, path)| ([Some(id), None], path)),
            (None, schema) => only_part(new_api, schema?).map(|(id, path)| ([None, Some(id)], path)),
        };
        let part = part.map(|(ids, path)| (ids, path.to_owned()));
        Some(Difference { effect: found.effect, path, part })
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

    /// Returns whether a keyword accepts all values of the document that lacks it.
    ///
    /// This is known for lists of required properties, if one of them is always complete.
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

/// Returns the only part of a schema with a keyword that is not about a type and its parts, and the keyword.
fn only_part(api: &Api, schema: &JsonSchema) -> Option<(JsonSchemaId, &'static str)> {
    let target = |id: &JsonSchemaId| api.json_schemas.get(id.0).map(|def| &def.schema);
    let mut found = None;
    let mut schema = schema;
    // References of a document that apply to one value can't form a cycle, but a bound costs nothing.
    for _ in 0..64 {
        let mut all = uncommon(schema);
        let (Some(Keyword::AllOf(parts)), None) = (all.next(), all.next()) else { break };
        let mut own = parts.iter().filter_map(|part| match part.0.as_slice() {
            [Keyword::Ref(id)] => uncommon(target(id)?).next().map(|keyword| Some((*id, keyword.name()))),
            _ => uncommon(part).next().map(|_| None),
        });
        let (Some(Some(part)), None) = (own.next(), own.next()) else { break };
        found = Some(part);
        schema = target(&part.0)?;
    }
    found
}

/// Returns the keywords of a schema that are not about a type and its parts.
fn uncommon(JsonSchema(keywords): &JsonSchema) -> impl Iterator<Item = &Keyword> {
    let is_common = |keyword: &&Keyword| {
        matches!(
            keyword,
            Keyword::Type(_) | Keyword::Properties { .. } | Keyword::Required(_) | Keyword::Items { .. }
        )
    };
    keywords.iter().filter(move |keyword| !is_common(keyword))
}

/// Returns the required properties, if a schema has no other keywords than `type`.
fn required(JsonSchema(keywords): &JsonSchema) -> Option<&[String]> {
    let mut keywords = keywords.iter().filter(|keyword| !matches!(keyword, Keyword::Type(_)));
    match (keywords.next(), keywords.next()) {
        (Some(Keyword::Required(names)), None) => Some(names),
        _ => None,
    }
}
