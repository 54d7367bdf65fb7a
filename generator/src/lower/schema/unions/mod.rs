//! Unions: `oneOf`, `anyOf`, and several types at once.

mod branches;
mod fill;
mod listed;
mod overlaps;
pub(super) mod same;
mod texts;

use crate::{
    diagnostics::Code,
    ir::{Schema, Type},
    lower::{
        resolver::{
            flat::{Assertion, Flat, Union},
            kinds::JsonKind,
            nullable::{accepts_all, is_never, is_null},
        },
        schema::{read::Reading, state::Schemas, unions::branches::unfolded},
    },
    tree::NodeRef,
};

/// The maximum number of combinations of several unions in one schema.
const MAX_COMBINATIONS: usize = 32;

impl<'d> Schemas<'d, '_> {
    /// Returns the type of a schema with `oneOf` or `anyOf`.
    ///
    /// Returns `None` if there are none.
    pub fn union(&mut self, flat: &mut Flat<'d>, reading: Reading<'_, 'd>) -> Option<Schema> {
        let unions = std::mem::take(&mut flat.unions);
        let mut union = match unions.as_slice() {
            [] => return None,
            [union] => union.clone(),
            several => match self.outermost(several) {
                Some(union) => union,
                None => return Some(Schema::new(Type::Any)),
            },
        };
        // A discriminator of the parts without a union of their own.
        union.discriminator = union.discriminator.or(flat.discriminator);
        let branches = unfolded(union.node.items());
        let has_discriminator = union.discriminator.is_some();
        let is_exclusive = self.are_exclusive(&branches, &union.home, has_discriminator);
        self.needs_json_schema |= !is_exclusive && union.keyword == "oneOf";
        flat.nullable |= branches.iter().any(|branch| is_null(branch));
        let branches: Vec<NodeRef<'d>> = branches.into_iter().filter(|branch| !is_null(branch)).collect();
        let bare = unions.len() == 1 && flat.is_bare();
        if branches.is_empty() {
            self.needs_json_schema = true;
            return flat.nullable.then(|| Schema::new(Type::Any));
        }
        if bare && branches.iter().any(|branch| accepts_all(branch)) {
            return Some(Schema::new(Type::Any));
        }
        if bare && let Some(schema) = self.union_of_strings(flat, &branches, reading) {
            return Some(schema);
        }
        if unions.len() == 1
            && flat.is_bare_but_format()
            && let Some(schema) = self.union_of_integers(flat, &branches, reading)
        {
            return Some(schema);
        }
        self.needs_json_schema |= !is_exclusive;
        let mut branches = self.branches(&branches, flat, &union, reading.parts, bare);
        if union.keyword == "anyOf" && !is_exclusive && union.discriminator.is_none() && branches.len() > 1 {
            branches.extend(self.overlap(&branches));
        }
        if !bare && !self.open_targets.insert(union.node.id()) {
            self.needs_json_schema = true;
            self.warn(
                Code::RecursiveAlias,
                union.node,
                "the union contains itself, so the Rust type is any JSON value",
            );
            return Some(Schema::new(Type::Any));
        }
        let schema = match branches.as_slice() {
            [only] => {
                self.read(Reading { parts: &only.parts, position: &reading.position.reread(), ..reading })
            }
            _ => self.variants(flat, &branches, &union, reading),
        };
        if !bare {
            self.open_targets.remove(&union.node.id());
        }
        let nullable = schema.ty != Type::Any && (flat.nullable || schema.nullable);
        Some(Schema { nullable, ..schema })
    }

    /// Keeps only the unions that affect the type.
    ///
    /// Unions that only state which properties are required become assertions.
    pub fn keep_real_unions(&mut self, flat: &mut Flat<'d>) {
        for union in std::mem::take(&mut flat.unions) {
            let branches = union.node.items();
            if branches.is_empty() {
                self.warn(Code::Unsupported, union.node, "an empty union has no effect");
            } else if branches.iter().all(is_about_presence) {
                let schema = flat.node.unwrap_or(union.node);
                let Union { keyword, node, is_outer, .. } = union;
                flat.assertions.push(Assertion { keyword, node, schema, is_outer });
            } else {
                flat.unions.push(union);
            }
        }
    }

    /// Returns the union whose variants become unions of the other unions in the schema.
    ///
    /// Returns `None` if there are too many combinations.
    fn outermost(&mut self, unions: &[Union<'d>]) -> Option<Union<'d>> {
        let count = unions.iter().fold(1_usize, |all, union| all.saturating_mul(union.node.items().len()));
        let first = unions.iter().find(|union| union.keyword == "oneOf").or(unions.first())?;
        if count <= MAX_COMBINATIONS {
            return Some(first.clone());
        }
        let second = unions.iter().find(|union| !std::ptr::eq(union.node, first.node)).unwrap_or(first);
        self.needs_json_schema = true;
        let message = format!(
            "the unions have {count} combinations, more than {MAX_COMBINATIONS}, so the Rust type is any JSON value"
        );
        self.warn(Code::Unsupported, second.node, message);
        None
    }

    /// Returns a union of the kinds that `type` lists.
    pub fn union_of_kinds(
        &mut self,
        kinds: &[JsonKind],
        flat: &Flat<'d>,
        reading: Reading<'_, 'd>,
    ) -> Schema {
        let id = self.new_type(reading);
        let mut found = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let text = format!("{kind:?}");
            let here = reading.position.variant(text.clone());
            let schema = self.of_kind(*kind, flat, Reading { parts: &[], position: &here, target: None });
            found.push((text, schema, None));
        }
        match flat.node {
            Some(node) => self.union_type(id, flat, found, node),
            None => Schema::new(Type::Any),
        }
    }
}

/// The maximum nesting depth of a schema that only states which properties are required. A deeper one becomes a type.
const MAX_STEPS: usize = 8;

/// Returns whether a schema only states which properties are required, such as `{required: [a]}`.
pub(crate) fn is_about_presence(node: NodeRef<'_>) -> bool {
    states_presence(node, MAX_STEPS) && node.entries().any(|(name, _)| PRESENCE.contains(&name))
}

/// The keywords that state which properties are required.
const PRESENCE: &[&str] =
    &["required", "not", "anyOf", "oneOf", "allOf", "maxProperties", "dependentRequired"];

fn states_presence(node: NodeRef<'_>, steps: usize) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    node.is_object()
        && node.entries().all(|(name, value)| match name {
            "required" => value.items().iter().all(|item| item.as_str().is_some()),
            "dependentRequired" | "title" | "description" => true,
            "type" => value.as_str() == Some("object"),
            "not" => states_presence(value, steps),
            "anyOf" | "oneOf" | "allOf" => value.items().iter().all(|one| states_presence(one, steps)),
            "maxProperties" => value.as_u64() == Some(0),
            "properties" => value.entries().all(|(_, schema)| accepts_all(schema) || is_never(schema)),
            _ => name.starts_with("x-"),
        })
}
