//! Finds what differs between two schemas as JSON Schema means them, and whether fewer or more values are valid.

use std::collections::HashMap;

use super::{
    json::{Settled, are_same, are_same_schemas},
    rule::Effect,
};
use crate::ir::{Api, JsonSchema, JsonSchemaId, Keyword, Literal, StructDef};

/// A difference between two schemas.
#[derive(Clone)]
pub(super) struct Difference {
    /// Whether fewer or more values are valid.
    pub effect: Effect,
    /// The first keyword that differs: `anyOf/properties/name/maxLength`.
    pub path: String,
}

/// What the comparison of Rust types says already.
#[derive(Clone, Copy)]
pub(super) enum Covered<'c> {
    /// Nothing.
    Nothing,
    /// Properties, and which of them are required.
    Struct(&'c StructDef),
    /// The alternatives of a union.
    Union,
}

impl Covered<'_> {
    fn covers(self, keyword: &Keyword) -> bool {
        match (self, keyword) {
            (Self::Nothing, _) => false,
            (_, Keyword::Type(_)) => true,
            (Self::Struct(_), Keyword::Properties { patterns, .. }) => patterns.is_empty(),
            (
                Self::Struct(_),
                Keyword::Required(_) | Keyword::Count("minProperties" | "maxProperties", _),
            ) => true,
            _ => false,
        }
    }

    /// Returns whether values of the old struct are valid for a keyword that is new: one of several lists of required
    /// properties, of which it always had one.
    fn satisfies(self, keyword: &Keyword) -> bool {
        let Self::Struct(StructDef { fields, .. }) = self else { return false };
        let (Keyword::AnyOf(several) | Keyword::OneOf(several)) = keyword else { return false };
        let is_one = matches!(keyword, Keyword::OneOf(_));
        let has = |name: &String| fields.iter().any(|field| field.required && field.wire == *name);
        let knows = |name: &String| fields.iter().any(|field| field.wire == *name);
        let lists: Option<Vec<_>> = several.iter().map(required).collect();
        let Some(lists) = lists else { return false };
        let (always, others): (Vec<_>, Vec<_>) = lists.into_iter().partition(|list| list.iter().all(has));
        match is_one {
            true => always.len() == 1 && others.iter().all(|list| !list.iter().all(knows)),
            false => !always.is_empty(),
        }
    }
}

fn schema(api: &Api, id: Option<JsonSchemaId>) -> Option<&JsonSchema> {
    Some(&api.json_schemas.get(id?.0)?.schema)
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

/// Returns how the keywords of a position changed, or `None` if they say the same.
pub(super) fn difference(
    (old_api, old): (&Api, Option<JsonSchemaId>),
    (new_api, new): (&Api, Option<JsonSchemaId>),
    covered: Covered<'_>,
    settled: &mut Settled,
) -> Option<Difference> {
    let anything = JsonSchema::default();
    let mut differences = Differences { old: old_api, new: new_api, settled, known: HashMap::new() };
    if let Some((old, new)) = old.zip(new) {
        return differences.references(old, new, covered);
    }
    let (from, to) = (schema(old_api, old), schema(new_api, new));
    let found = differences.schemas(from.unwrap_or(&anything), to.unwrap_or(&anything), covered)?;
    // The type of the value is said by the Rust type.
    let path = from.or(to).and_then(uncommon).map_or(found.path, str::to_owned);
    Some(Difference { effect: found.effect, path })
}

struct Differences<'a> {
    old: &'a Api,
    new: &'a Api,
    settled: &'a mut Settled,
    /// The references that were compared, and those that are being compared, which differ in nothing else.
    known: HashMap<(JsonSchemaId, JsonSchemaId, bool), Option<Difference>>,
}

impl Differences<'_> {
    fn references(
        &mut self,
        old: JsonSchemaId,
        new: JsonSchemaId,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let ids = (old, new, matches!(covered, Covered::Nothing));
        if let Some(known) = self.known.get(&ids) {
            return known.clone();
        }
        self.known.insert(ids, None);
        let (old, new) = (self.old.json_schemas.get(old.0)?, self.new.json_schemas.get(new.0)?);
        let found = self.schemas(&old.schema, &new.schema, covered);
        self.known.insert(ids, found.clone());
        found
    }

    fn is_same(&mut self, old: &JsonSchema, new: &JsonSchema) -> bool {
        are_same_schemas((self.old, old), (self.new, new), self.settled)
    }

    /// Compares two schemas keyword by keyword.
    fn schemas(
        &mut self,
        JsonSchema(old): &JsonSchema,
        JsonSchema(new): &JsonSchema,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let (old_api, new_api) = (self.old, self.new);
        let mut is_same =
            |old: &Keyword, new: &Keyword| are_same((old_api, old), (new_api, new), self.settled);
        let counts = |keyword: &&Keyword| !covered.covers(keyword);
        let removed: Vec<&Keyword> =
            old.iter().filter(counts).filter(|old| !new.iter().any(|new| is_same(old, new))).collect();
        let mut added: Vec<&Keyword> =
            new.iter().filter(counts).filter(|new| !old.iter().any(|old| is_same(old, new))).collect();
        let mut found = Vec::new();
        for keyword in removed {
            let name = keyword.name();
            found.push(match added.iter().position(|other| other.name() == name) {
                Some(index) => {
                    self.keywords(keyword, added.remove(index), covered).map(|inner| within(name, inner))
                }
                None => one(Effect::Loosened, name),
            });
        }
        added.retain(|keyword| !covered.satisfies(keyword));
        found.extend(added.iter().map(|keyword| one(Effect::Tightened, keyword.name())));
        together(found)
    }

    /// Compares two keywords of one name that don't say the same.
    fn keywords(&mut self, old: &Keyword, new: &Keyword, covered: Covered<'_>) -> Option<Difference> {
        match (old, new) {
            (Keyword::Ref(old), Keyword::Ref(new)) => self.references(*old, *new, covered),
            (Keyword::AllOf(old), Keyword::AllOf(new)) => self.several(old, new, Effect::Tightened, covered),
            (Keyword::AnyOf(_), Keyword::AnyOf(_)) | (Keyword::OneOf(_), Keyword::OneOf(_))
                if matches!(covered, Covered::Union) =>
            {
                None
            }
            (Keyword::AnyOf(old), Keyword::AnyOf(new)) => {
                self.several(old, new, Effect::Loosened, Covered::Nothing)
            }
            (Keyword::OneOf(old), Keyword::OneOf(new))
                if old.len() == new.len() || all_constants(old, new) =>
            {
                let found = self.several(old, new, Effect::Loosened, Covered::Nothing)?;
                let effect = if all_constants(old, new) { found.effect } else { Effect::Changed };
                Some(Difference { effect, ..found })
            }
            (Keyword::Not(old), Keyword::Not(new)) => {
                self.schemas(old, new, Covered::Nothing).map(Difference::inverse)
            }
            (Keyword::PropertyNames(old), Keyword::PropertyNames(new))
            | (Keyword::UnevaluatedItems(old), Keyword::UnevaluatedItems(new))
            | (Keyword::UnevaluatedProperties(old), Keyword::UnevaluatedProperties(new)) => {
                self.schemas(old, new, Covered::Nothing)
            }
            (Keyword::DependentSchemas(old), Keyword::DependentSchemas(new)) => self.by_name(old, new),
            (
                Keyword::Properties { listed, patterns, others },
                Keyword::Properties { listed: new_listed, patterns: new_patterns, others: new_others },
            ) if patterns.is_empty() && new_patterns.is_empty() => {
                let is_open = others.is_none() && new_others.is_none();
                let same_names =
                    || listed.iter().map(|(name, _)| name).eq(new_listed.iter().map(|(name, _)| name));
                match is_open || same_names() {
                    true => together([
                        self.by_name(listed, new_listed),
                        self.optional(others.as_deref(), new_others.as_deref()),
                    ]),
                    false => one(Effect::Changed, ""),
                }
            }
            (
                Keyword::Items { prefix, others },
                Keyword::Items { prefix: new_prefix, others: new_others },
            ) if prefix.len() == new_prefix.len() => {
                let mut found: Vec<_> = prefix
                    .iter()
                    .zip(new_prefix)
                    .map(|(old, new)| self.schemas(old, new, Covered::Nothing))
                    .collect();
                found.push(self.optional(others.as_deref(), new_others.as_deref()));
                together(found)
            }
            (
                Keyword::Contains { schema, minimum, maximum },
                Keyword::Contains { schema: new_schema, minimum: new_minimum, maximum: new_maximum },
            ) if self.is_same(schema, new_schema) => {
                let effects = [
                    Effect::of_bound(Some(minimum), Some(new_minimum), |old, new| new > old),
                    Effect::of_bound(*maximum, *new_maximum, |old, new| new < old),
                ];
                together(effects.map(|effect| effect.and_then(|effect| one(effect, ""))))
            }
            _ => one(own(old, new), ""),
        }
    }

    /// Compares schemas of which all or any apply. `added` is the effect of one more.
    fn several(
        &mut self,
        old: &[JsonSchema],
        new: &[JsonSchema],
        added: Effect,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let says_more = |schema: &&JsonSchema| schema.0.iter().any(|keyword| !covered.covers(keyword));
        let only_old: Vec<_> = old
            .iter()
            .filter(says_more)
            .filter(|old| !new.iter().any(|new| self.is_same(old, new)))
            .collect();
        let only_new: Vec<_> = new
            .iter()
            .filter(says_more)
            .filter(|new| !old.iter().any(|old| self.is_same(old, new)))
            .collect();
        if only_old.len() == only_new.len() {
            return together(
                only_old.into_iter().zip(only_new).map(|(old, new)| self.schemas(old, new, covered)),
            );
        }
        match (only_old.is_empty(), only_new.is_empty()) {
            (true, _) => one(added, ""),
            (_, true) => one(inverse(added), ""),
            _ => one(Effect::Changed, ""),
        }
    }

    fn by_name(&mut self, old: &[(String, JsonSchema)], new: &[(String, JsonSchema)]) -> Option<Difference> {
        let mut found = Vec::new();
        for (name, from) in old {
            let to = new.iter().find(|(other, _)| other == name);
            let inner = to.map_or_else(
                || one(Effect::Loosened, ""),
                |(_, to)| self.schemas(from, to, Covered::Nothing),
            );
            found.push(inner.map(|inner| within(name, inner)));
        }
        let is_new = |(name, _): &&(String, JsonSchema)| !old.iter().any(|(other, _)| other == name);
        found.extend(new.iter().filter(is_new).map(|(name, _)| one(Effect::Tightened, name)));
        together(found)
    }

    fn optional(&mut self, old: Option<&JsonSchema>, new: Option<&JsonSchema>) -> Option<Difference> {
        match (old, new) {
            (Some(old), Some(new)) => self.schemas(old, new, Covered::Nothing),
            (old, new) => one(Effect::of_bound(old.map(|_| ()), new.map(|_| ()), |(), ()| false)?, ""),
        }
    }
}

impl Difference {
    fn inverse(self) -> Self {
        Self { effect: inverse(self.effect), ..self }
    }
}

const fn inverse(effect: Effect) -> Effect {
    match effect {
        Effect::Tightened => Effect::Loosened,
        Effect::Loosened => Effect::Tightened,
        Effect::Changed => Effect::Changed,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "differences are optional wherever they are joined")]
fn one(effect: Effect, path: &str) -> Option<Difference> {
    Some(Difference { effect, path: path.to_owned() })
}

/// Returns a difference within a keyword or a property.
fn within(name: &str, inner: Difference) -> Difference {
    let path = if inner.path.is_empty() { name.to_owned() } else { format!("{name}/{}", inner.path) };
    Difference { path, ..inner }
}

/// Joins differences that all apply. The path is that of the first one.
fn together(all: impl IntoIterator<Item = Option<Difference>>) -> Option<Difference> {
    all.into_iter().flatten().reduce(|first, next| {
        let effect = if first.effect == next.effect { first.effect } else { Effect::Changed };
        Difference { effect, ..first }
    })
}

/// Returns whether all alternatives are constants, which exclude each other.
fn all_constants(old: &[JsonSchema], new: &[JsonSchema]) -> bool {
    let is_constant = |JsonSchema(keywords): &JsonSchema| {
        keywords.iter().any(|keyword| matches!(keyword, Keyword::Enum(_)))
    };
    old.iter().chain(new).all(is_constant)
}

/// Returns the effect of a keyword without schemas.
fn own(old: &Keyword, new: &Keyword) -> Effect {
    let subset = |less: bool, more: bool| match (less, more) {
        (true, _) => Effect::Tightened,
        (_, true) => Effect::Loosened,
        _ => Effect::Changed,
    };
    let bound = |name: &str, old: Option<f64>, new: Option<f64>| match (old, new) {
        (Some(old), Some(new)) if name.starts_with("max") || name == "exclusiveMaximum" => {
            subset(new < old, new > old)
        }
        (Some(old), Some(new)) if name.starts_with("min") || name == "exclusiveMinimum" => {
            subset(new > old, new < old)
        }
        _ => Effect::Changed,
    };
    match (old, new) {
        (Keyword::Type(old), Keyword::Type(new)) => {
            let covers = |more: &crate::ir::Kinds, less| *more == more.zip(less, |more, less| more || less);
            subset(covers(old, *new), covers(new, *old))
        }
        (Keyword::Enum(old), Keyword::Enum(new)) => {
            let covers = |more: &[Literal], less: &[Literal]| less.iter().all(|value| more.contains(value));
            subset(covers(old, new), covers(new, old))
        }
        (Keyword::Required(old), Keyword::Required(new)) => {
            let covers = |more: &[String], less: &[String]| less.iter().all(|name| more.contains(name));
            subset(covers(new, old), covers(old, new))
        }
        (Keyword::DependentRequired(old), Keyword::DependentRequired(new)) => {
            type Each = [(String, Vec<String>)];
            let covers = |more: &Each, less: &Each| {
                less.iter().all(|(name, required)| {
                    more.iter()
                        .any(|(other, more)| other == name && required.iter().all(|name| more.contains(name)))
                })
            };
            subset(covers(new, old), covers(old, new))
        }
        (Keyword::Bound(name, old), Keyword::Bound(_, new)) => bound(name, number(old), number(new)),
        #[expect(clippy::cast_precision_loss, reason = "counts that only differ beyond 2^53 are not judged")]
        (Keyword::Count(name, old), Keyword::Count(_, new)) => {
            bound(name, Some(*old as f64), Some(*new as f64))
        }
        _ => Effect::Changed,
    }
}

fn number(value: &Literal) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "bounds that only differ beyond 2^53 are not judged")]
        Literal::Integer(value) => Some(*value as f64),
        Literal::Number(value) => Some(*value),
        _ => None,
    }
}
