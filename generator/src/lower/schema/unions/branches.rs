//! The branches of a union, and the variants that they become.

use crate::{
    diagnostics::Code,
    document::{Node, NodeRef, component_name},
    ir::{Schema, Type, TypeId},
    lower::{
        context::Reporting,
        place::Place,
        resolver::{
            flat::{Flat, Union},
            parts::Part,
        },
        schema::{state::Schemas, unions::texts::variant_texts},
    },
};

/// A branch of a union that becomes a variant.
pub(in crate::lower) struct Branch<'d> {
    /// The parts of the variant.
    pub parts: Vec<Part<'d>>,
    /// The component of the variant, if it is a component.
    pub component: Option<TypeId>,
    pub text: String,
}

impl<'d> Schemas<'d, '_> {
    /// Returns the distinct branches with the parts of each variant.
    ///
    /// The parts are the branch and, unless the union is the whole schema, the keywords next to the union.
    pub fn branches(
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
        let texts = variant_texts(&distinct);
        let nodes = distinct.iter().map(|node| self.branch_node(node).into_iter().collect());
        let siblings: Vec<_> = nodes.zip(texts.iter().map(String::as_str)).collect();
        let texts: Vec<String> =
            self.context().renames.texts(&siblings).into_iter().map(str::to_owned).collect();
        let beside = || {
            parts.iter().map(|part| {
                let mut part = part.clone();
                part.without.push(union.node.id());
                part
            })
        };
        let is_only = distinct.len() == 1;
        let branch = |(node, text): (NodeRef<'d>, String)| {
            let reference = node.get("$ref").and_then(Node::as_str);
            let name = reference.and_then(|reference| component_name(reference, "schemas"));
            let component = name.and_then(|name| self.resolver.components.find(&name));
            // Whether the `type` next to the union is redundant for this branch.
            let is_typed = component.is_some() || flat.kinds.is_none() || node.get("type").is_some();
            let home = if is_only { union.home.clone() } else { union.home.variant(text.clone()) };
            let own = Part::new(node, home);
            let parts = if bare && is_typed { vec![own] } else { beside().chain([own]).collect() };
            Branch { parts, component: component.filter(|_| bare), text }
        };
        distinct.into_iter().zip(texts).map(branch).collect()
    }

    /// Returns the component that a branch refers to, or an inline branch.
    fn branch_node(&self, branch: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let Some(reference) = branch.get("$ref").and_then(Node::as_str) else { return Some(branch) };
        let id = self.resolver.components.find(&component_name(reference, "schemas")?)?;
        self.resolver.components.get(id).map(|component| component.node)
    }

    /// Returns the union type with a variant per branch.
    pub fn variants(
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
}

/// Returns the branches of a union. A branch that is itself only an unnamed union is replaced by its
/// branches.
pub(in crate::lower) fn unfolded(branches: &[Node]) -> Vec<NodeRef<'_>> {
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
