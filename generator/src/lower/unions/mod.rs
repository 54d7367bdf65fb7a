//! Unions: `oneOf`, `anyOf`, and several types at once.

mod fill;
mod listed;

pub(super) use fill::{same_rust_type, without_rules};

use super::{
    Lowering,
    all_of::Part,
    conditions::{Assertion, speaks_of_presence},
    flat::{Flat, Union},
    place::Place,
    schemas::JsonKind,
};
use crate::{
    diagnostics::Code,
    document::{Node, NodeRef, component_name},
    ir::{Schema, Type, TypeId},
};

/// A discriminator that is read when all types are known.
#[derive(Debug)]
pub(super) struct Discriminator<'d> {
    /// The union.
    pub id: TypeId,
    pub node: NodeRef<'d>,
    pub property: &'d str,
    /// The values in `mapping`, with the components that they refer to.
    pub mapping: Vec<(&'d str, NodeRef<'d>, Option<TypeId>)>,
    /// The component of each variant, if it is a component.
    pub components: Vec<Option<TypeId>>,
}

/// A branch of a union that becomes a variant.
struct Branch<'d> {
    /// The parts of the variant.
    parts: Vec<Part<'d>>,
    /// The component of the variant, if it is a component.
    component: Option<TypeId>,
    text: String,
}

/// The maximum number of combinations of several unions in one schema.
const MAX_COMBINATIONS: usize = 32;

impl<'d> Lowering<'d, '_> {
    /// Returns the type of a schema with `oneOf` or `anyOf`.
    ///
    /// Returns `None` if these do not affect the type, and removes them.
    pub fn union(
        &mut self,
        flat: &mut Flat<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Option<Schema> {
        let unions = self.real_unions(flat);
        let union = match unions.as_slice() {
            [] => return None,
            [union] => union.clone(),
            several => match self.outermost(several) {
                Some(union) => union,
                None => return Some(Schema::new(Type::Any)),
            },
        };
        let branches = unfolded(union.node.items());
        flat.nullable |= branches.iter().any(|branch| Self::is_null(branch));
        let branches: Vec<NodeRef<'d>> =
            branches.into_iter().filter(|branch| !Self::is_null(branch)).collect();
        let bare = unions.len() == 1 && flat.is_bare();
        if branches.is_empty() {
            return flat.nullable.then(|| Schema::new(Type::Any));
        }
        if branches
            .iter()
            .any(|branch| branch.as_bool() == Some(true) || branch.is_object() && branch.entries().len() == 0)
            && bare
        {
            return Some(Schema::new(Type::Any));
        }
        if bare && let Some(schema) = self.union_of_strings(flat, &branches, parts, place, target) {
            return Some(schema);
        }
        if unions.len() == 1
            && flat.is_bare_but_format()
            && let Some(schema) = self.union_of_integers(flat, &branches, parts, place, target)
        {
            return Some(schema);
        }
        let branches = self.branches(&branches, flat, &union, parts, bare);
        let key = union.node.address();
        if !bare && !self.reading.insert(key) {
            self.warn(
                Code::RecursiveAlias,
                union.node,
                "the union contains itself; any JSON value is accepted here",
            );
            return Some(Schema::new(Type::Any));
        }
        let schema = match branches.as_slice() {
            [only] => self.schema_of(&only.parts, &place.retold(), target),
            _ => self.variants(flat, &branches, &union, parts, place, target),
        };
        if !bare {
            self.reading.remove(&key);
        }
        let nullable = schema.ty != Type::Any && (flat.nullable || schema.nullable);
        Some(Schema { nullable, ..schema })
    }

    /// Returns the unions that affect the type.
    ///
    /// Unions that only state which properties are required become conditions.
    fn real_unions(&mut self, flat: &mut Flat<'d>) -> Vec<Union<'d>> {
        let mut unions = Vec::with_capacity(flat.unions.len());
        for union in std::mem::take(&mut flat.unions) {
            let branches = union.node.items();
            if branches.is_empty() {
                self.warn(Code::Unsupported, union.node, "an empty union has no effect");
            } else if branches.iter().all(speaks_of_presence) {
                let schema = flat.node.unwrap_or(union.node);
                flat.assertions.push(Assertion { keyword: union.keyword, node: union.node, schema });
            } else {
                unions.push(union);
            }
        }
        unions
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
        let message = format!(
            "the unions have {count} combinations, more than {MAX_COMBINATIONS}; any JSON value is accepted here"
        );
        self.warn(Code::Unsupported, second.node, message);
        None
    }

    /// Returns the distinct branches with the parts of each variant.
    ///
    /// The parts are the branch and, unless the union is the whole schema, the keywords next to the union.
    fn branches(
        &mut self,
        nodes: &[NodeRef<'d>],
        flat: &Flat<'d>,
        union: &Union<'d>,
        parts: &[Part<'d>],
        bare: bool,
    ) -> Vec<Branch<'d>> {
        let mut distinct = Vec::with_capacity(nodes.len());
        let mut seen = std::collections::HashSet::new();
        for node in nodes {
            let reference = node.get("$ref").and_then(Node::as_str);
            if reference.is_some_and(|reference| !seen.insert(reference)) {
                self.warn(Code::UnionOverlap, node, "duplicate variant in the union");
            } else {
                distinct.push(*node);
            }
        }
        let texts = self.variant_texts(&distinct);
        let beside = || {
            parts.iter().map(|part| {
                let mut part = part.clone();
                part.without.push(union.node.address());
                part
            })
        };
        let is_only = distinct.len() == 1;
        let branch = |(node, text): (NodeRef<'d>, String)| {
            let reference = node.get("$ref").and_then(Node::as_str);
            let name = reference.and_then(|reference| component_name(reference, "schemas"));
            let component = name.and_then(|name| self.components.find(&name));
            // Whether the `type` next to the union is redundant for this branch.
            let is_typed = component.is_some() || flat.kinds.is_none() || node.get("type").is_some();
            let home = if is_only { union.home.clone() } else { union.home.variant(text.clone()) };
            let own = Part::new(node, home);
            let parts = if bare && is_typed { vec![own] } else { beside().chain([own]).collect() };
            Branch { parts, component: component.filter(|_| bare), text }
        };
        distinct.into_iter().zip(texts).map(branch).collect()
    }

    fn variants(
        &mut self,
        flat: &Flat<'d>,
        branches: &[Branch<'d>],
        union: &Union<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Schema {
        let id = self.new_type(parts, place, target);
        let mut found: Vec<(String, Schema, Option<TypeId>)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let here = place.variant(branch.text.clone());
            let schema = self.schema_of(&branch.parts, &here, None);
            found.push((branch.text.clone(), schema, branch.component));
        }
        let schema = self.union_type(id, flat, found, union.node);
        if let (Some(node), Type::Named { .. }) = (flat.discriminator, &schema.ty) {
            self.note_discriminator(id, node);
        }
        schema
    }

    /// Returns a union of the kinds that `type` lists.
    pub fn union_of_kinds(
        &mut self,
        kinds: &[JsonKind],
        flat: &Flat<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Schema {
        let id = self.new_type(parts, place, target);
        let mut found = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let text = format!("{kind:?}");
            let here = place.variant(text.clone());
            let schema = self.of_kind(*kind, flat, &[], &here, None);
            found.push((text, schema, None));
        }
        match flat.node {
            Some(node) => self.union_type(id, flat, found, node),
            None => Schema::new(Type::Any),
        }
    }
}

/// Returns the branches of a union. A branch that is itself only an unnamed union is replaced by its
/// branches.
fn unfolded(branches: &[Node]) -> Vec<NodeRef<'_>> {
    let mut found = Vec::with_capacity(branches.len());
    let mut open: Vec<NodeRef<'_>> = branches.iter().rev().collect();
    while let Some(branch) = open.pop() {
        let mut keywords =
            branch.entries().filter(|(name, _)| *name != "description" && !name.starts_with("x-"));
        match (keywords.next(), keywords.next()) {
            (Some(("oneOf" | "anyOf", inner)), None) if !inner.items().is_empty() => {
                open.extend(inner.items().iter().rev());
            }
            _ => found.push(branch),
        }
    }
    found
}
