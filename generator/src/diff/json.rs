//! Compares schemas as JSON Schema means them: whether keywords that the Rust types can't express say the same.

use std::collections::HashSet;

use crate::ir::{Api, JsonSchema, JsonSchemaId, Keyword, PatternId};

/// The references that were compared, so that no schema is compared twice.
#[derive(Debug, Default)]
pub(super) struct Settled {
    same: HashSet<(JsonSchemaId, JsonSchemaId)>,
    different: HashSet<(JsonSchemaId, JsonSchemaId)>,
}

/// Returns whether two keywords say the same.
pub(super) fn are_same(
    (old_api, old): (&Api, &Keyword),
    (new_api, new): (&Api, &Keyword),
    settled: &mut Settled,
) -> bool {
    settle(old_api, new_api, settled, |same| same.keywords(old, new))
}

/// Returns whether two schemas say the same.
pub(super) fn are_same_schemas(
    (old_api, old): (&Api, &JsonSchema),
    (new_api, new): (&Api, &JsonSchema),
    settled: &mut Settled,
) -> bool {
    settle(old_api, new_api, settled, |same| same.schemas(old, new))
}

/// Compares, and remembers the references that were found to say the same.
///
/// A reference that says the same may do so because others do, which are being compared. So all of them count once the
/// comparison ends well. A difference is certain at once.
fn settle(old: &Api, new: &Api, settled: &mut Settled, compare: impl FnOnce(&mut Same<'_>) -> bool) -> bool {
    let mut same = Same { old, new, settled, assumed: HashSet::new() };
    let is_same = compare(&mut same);
    if is_same {
        let assumed = std::mem::take(&mut same.assumed);
        same.settled.same.extend(assumed);
    }
    is_same
}

/// Whether schemas of both documents say the same.
struct Same<'a> {
    old: &'a Api,
    new: &'a Api,
    settled: &'a mut Settled,
    /// The references that are being compared, which say the same unless shown otherwise.
    assumed: HashSet<(JsonSchemaId, JsonSchemaId)>,
}

impl Same<'_> {
    fn references(&mut self, old: JsonSchemaId, new: JsonSchemaId) -> bool {
        let ids = (old, new);
        if self.settled.different.contains(&ids) {
            return false;
        }
        if self.settled.same.contains(&ids) || !self.assumed.insert(ids) {
            return true;
        }
        let is_same = match (self.old.json_schemas.get(old.0), self.new.json_schemas.get(new.0)) {
            (Some(old), Some(new)) => self.schemas(&old.schema, &new.schema),
            _ => false,
        };
        if !is_same {
            self.settled.different.insert(ids);
        }
        is_same
    }

    fn schemas(&mut self, JsonSchema(old): &JsonSchema, JsonSchema(new): &JsonSchema) -> bool {
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| self.keywords(old, new))
    }

    fn keywords(&mut self, old: &Keyword, new: &Keyword) -> bool {
        let parts = (old.schemas(), new.schemas());
        parts.0.len() == parts.1.len()
            && self.own(old, new)
            && parts.0.into_iter().zip(parts.1).all(|(old, new)| self.schemas(old, new))
    }

    /// Compares what a keyword says beside the schemas in it.
    fn own(&mut self, old: &Keyword, new: &Keyword) -> bool {
        match (old, new) {
            (Keyword::Pattern(old), Keyword::Pattern(new)) => self.patterns(*old, *new),
            (Keyword::Ref(old), Keyword::Ref(new)) => self.references(*old, *new),
            (
                Keyword::Properties { listed, patterns, others },
                Keyword::Properties { listed: new_listed, patterns: new_patterns, others: new_others },
            ) => {
                let names = listed.iter().map(|(name, _)| name);
                names.eq(new_listed.iter().map(|(name, _)| name))
                    && patterns.len() == new_patterns.len()
                    && patterns.iter().zip(new_patterns).all(|((old, _), (new, _))| self.patterns(*old, *new))
                    && others.is_some() == new_others.is_some()
            }
            (
                Keyword::Items { prefix, others },
                Keyword::Items { prefix: new_prefix, others: new_others },
            ) => prefix.len() == new_prefix.len() && others.is_some() == new_others.is_some(),
            (
                Keyword::Contains { schema: _, minimum, maximum },
                Keyword::Contains { schema: _, minimum: new_minimum, maximum: new_maximum },
            ) => (minimum, maximum) == (new_minimum, new_maximum),
            (Keyword::DependentSchemas(old), Keyword::DependentSchemas(new)) => {
                old.iter().map(|(name, _)| name).eq(new.iter().map(|(name, _)| name))
            }
            (
                Keyword::If { condition: _, then, otherwise },
                Keyword::If { condition: _, then: new_then, otherwise: new_otherwise },
            ) => (then.is_some(), otherwise.is_some()) == (new_then.is_some(), new_otherwise.is_some()),
            // The order makes no difference.
            (Keyword::Enum(old), Keyword::Enum(new)) => is_same_set(old, new),
            (Keyword::Required(old), Keyword::Required(new)) => is_same_set(old, new),
            (
                Keyword::False
                | Keyword::Type(_)
                | Keyword::Bound(..)
                | Keyword::Count(..)
                | Keyword::Format(_)
                | Keyword::Flag(_)
                | Keyword::DependentRequired(_),
                _,
            ) => old == new,
            // Their schemas say all.
            (
                Keyword::PropertyNames(_)
                | Keyword::AllOf(_)
                | Keyword::AnyOf(_)
                | Keyword::OneOf(_)
                | Keyword::Not(_)
                | Keyword::UnevaluatedItems(_)
                | Keyword::UnevaluatedProperties(_),
                _,
            ) => std::mem::discriminant(old) == std::mem::discriminant(new),
            _ => false,
        }
    }

    fn patterns(&self, old: PatternId, new: PatternId) -> bool {
        let old = self.old.patterns.get(old.0).map(|pattern| &pattern.written);
        old.is_some() && old == self.new.patterns.get(new.0).map(|pattern| &pattern.written)
    }
}

fn is_same_set<T: PartialEq>(old: &[T], new: &[T]) -> bool {
    old.len() == new.len() && old.iter().all(|value| new.contains(value))
}
