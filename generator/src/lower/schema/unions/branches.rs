//! The branches of a union, and the variants that they become.

use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type},
    lower::{
        resolver::{
            components::Target,
            flat::{Flat, Union},
            parts::Part,
        },
        schema::{read::Reading, state::Schemas, unions::texts::variant_texts},
    },
    tree::{Node, NodeRef},
};

/// A branch of a union that becomes a variant.
pub(in crate::lower) struct Branch<'d> {
    /// The parts of the variant.
    pub parts: Vec<Part<'d>>,
    /// The schema that the branch refers to.
    pub target: Option<Target<'d>>,
    pub text: String,
    /// Whether it has the objects that match several other branches.
    pub is_overlap: bool,
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
        // The nodes that the options can name: inline branches, and components.
        let components = &self.components;
        let nodes = distinct.iter().map(|node| match node.get("$ref") {
            Some(reference) => Vec::from_iter(
                components.named(reference).and_then(|id| components.get(id)).map(|it| it.node),
            ),
            None => vec![*node],
        });
        let siblings: Vec<_> = nodes.zip(texts.iter().map(String::as_str)).collect();
        let texts: Vec<String> = self.renames.texts(&siblings).into_iter().map(str::to_owned).collect();
        let beside = || {
            parts.iter().map(|part| {
                let mut part = part.clone();
                part.without.push(union.node.id());
                part
            })
        };
        let is_only = distinct.len() == 1;
        let branch = |(node, text): (NodeRef<'d>, String)| {
            let target = self.target_of(node);
            let is_component =
                node.get("$ref").is_some() && target.as_ref().is_some_and(|target| target.id.is_some());
            // Whether the `type` next to the union is redundant for this branch.
            let is_typed = is_component || flat.kinds.is_none() || node.get("type").is_some();
            let home = if is_only { union.home.clone() } else { union.home.variant(text.clone()) };
            let own = Part::new(node, home);
            let is_whole = bare && is_typed || target.is_some() && self.extends(&own, parts);
            let parts = if is_whole { vec![own] } else { beside().chain([own]).collect() };
            Branch { parts, target, text, is_overlap: false }
        };
        distinct.into_iter().zip(texts).map(branch).collect()
    }

    /// Returns whether all of these parts are parts of a branch anyway.
    fn extends(&mut self, branch: &Part<'d>, parts: &[Part<'d>]) -> bool {
        let owns = self.followed(std::slice::from_ref(branch));
        let is_present = |part: &Part<'d>| {
            owns.iter().any(|own| own.keywords.node.is_some_and(|node| node.id() == part.node.id()))
        };
        parts.iter().all(is_present)
    }

    /// Returns the schema that a branch refers to: by `$ref`, or by the only `$ref` in its `allOf`.
    fn target_of(&mut self, branch: NodeRef<'d>) -> Option<Target<'d>> {
        let mut members = branch.get("allOf").into_iter().flat_map(Node::items);
        let mut references = members.by_ref().filter_map(|member| member.get("$ref"));
        let reference = match branch.get("$ref") {
            Some(reference) => reference,
            None => references.next().filter(|_| references.next().is_none())?,
        };
        self.target(reference)
    }

    /// Returns the union type with a variant per branch.
    pub fn variants(
        &mut self,
        flat: &Flat<'d>,
        branches: &[Branch<'d>],
        union: &Union<'d>,
        reading: Reading<'_, 'd>,
    ) -> Schema {
        let id = self.new_type(reading);
        let mut found: Vec<(String, Schema, Option<Target<'d>>)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let here = reading.position.variant(branch.text.clone());
            let schema = self.schema_of(&branch.parts, &here);
            found.push((branch.text.clone(), schema, branch.target.clone()));
        }
        let schema = self.union_type(id, flat, found, union.node);
        if let (Some(node), Type::Named { .. }) = (union.discriminator, &schema.ty) {
            self.note_discriminator(id, node);
        }
        // It has no variant of its own if another branch has its type.
        if let Some(branch) = branches.last().filter(|branch| branch.is_overlap)
            && let Some(Kind::Union(body)) = self.types.kind_mut(id)
        {
            body.overlap = body.variants.iter().rposition(|variant| variant.shape.name == branch.text);
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
