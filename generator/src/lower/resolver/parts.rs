//! `allOf` and `$ref`: the parts that a schema is composed of.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    lower::{
        position::SchemaPosition,
        resolver::{components::Target, state::Resolver, table::Keywords},
    },
    tree::{Node, NodeId, NodeRef},
};

/// A schema object that is one part of a composed schema.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Part<'d> {
    pub node: NodeRef<'d>,
    /// The position that names the types of its inline schemas.
    pub home: SchemaPosition<'d>,
    /// The `oneOf` and `anyOf` nodes to skip.
    ///
    /// They are skipped while one of their variants is being read.
    pub without: Vec<NodeId>,
    /// Whether to skip what the part requires.
    pub is_loose: bool,
}

impl<'d> Part<'d> {
    /// Creates the part that is the whole schema `node`.
    pub fn new(node: NodeRef<'d>, home: SchemaPosition<'d>) -> Self {
        Self { node, home, without: Vec::new(), is_loose: false }
    }
}

/// A part after reading it.
#[derive(Debug)]
pub(in crate::lower) enum Piece<'d> {
    /// A reference that is not resolved yet, and whether to skip the unions of its target.
    Reference(Target<'d>, NodeRef<'d>, bool),
    /// The keywords of a schema object.
    Own(Box<Own<'d>>),
}

/// The keywords of a part.
#[derive(Debug)]
pub(in crate::lower) struct Own<'d> {
    pub keywords: Keywords<'d>,
    pub home: SchemaPosition<'d>,
    pub without: Vec<NodeId>,
    /// Whether the part is next to a union, of which a variant is being read.
    pub is_outer: bool,
    /// Whether the part belongs to the schema itself and not to the target of a reference.
    pub direct: bool,
    /// The index of the part that it belongs to.
    pub part: usize,
}

impl<'d> Resolver<'d, '_> {
    /// Returns the pieces of a schema with references resolved.
    ///
    /// A part that occurs twice or refers to itself is included once.
    pub fn followed(&mut self, parts: &[Part<'d>]) -> Vec<Own<'d>> {
        self.pieces(parts, true).into_iter().filter_map(Piece::own).collect()
    }

    /// Returns the pieces of a schema in document order, with or without resolving references.
    pub fn pieces(&mut self, parts: &[Part<'d>], follow: bool) -> Vec<Piece<'d>> {
        enum Step<'d> {
            Part(Part<'d>, bool, usize),
            Piece(Piece<'d>),
        }
        let mut seen = HashSet::new();
        let mut pieces = Vec::new();
        let mut steps: Vec<Step<'d>> = parts
            .iter()
            .enumerate()
            .rev()
            .map(|(index, part)| Step::Part(part.clone(), true, index))
            .collect();
        while let Some(step) = steps.pop() {
            let (part, direct, index) = match step {
                Step::Part(part, direct, index) => (part, direct, index),
                Step::Piece(piece) => {
                    pieces.push(piece);
                    continue;
                }
            };
            if !seen.insert(part.node.id()) {
                continue;
            }
            let mut keywords = Keywords::read(part.node);
            keywords.required = keywords.required.filter(|_| !part.is_loose);
            self.report_keyword_errors(&mut keywords);
            if let Some(reference) = keywords.reference {
                if !self.is_3_1() {
                    self.warn_siblings(part.node, reference);
                }
                let Part { without, is_loose, .. } = part.clone();
                match self.target(reference) {
                    Some(target) if follow => {
                        let Target { node, position: home, .. } = target;
                        steps.push(Step::Part(Part { node, home, without, is_loose }, false, index));
                    }
                    Some(target) => pieces.push(Piece::Reference(target, reference, !without.is_empty())),
                    None => {}
                }
                if !self.is_3_1() {
                    keywords = keywords.beside_reference();
                    if !keywords.nullable {
                        continue;
                    }
                }
            }
            let members = keywords.all_of.map_or(&[][..], Node::items);
            let Part { home, without, is_loose, .. } = part;
            let members: Vec<Part<'d>> = members
                .iter()
                .map(|node| Part { node, home: home.clone(), without: without.clone(), is_loose })
                .collect();
            let is_outer = !without.is_empty();
            // A schema that extends the union in which it is a variant is not that union.
            let listed = [keywords.one_of, keywords.any_of].into_iter().flatten();
            let own_union = listed.filter(|union| self.lists(union, &|node| seen.contains(&node.id())));
            let without = own_union.map(Node::id).chain(without).collect();
            let own = Own { keywords, home, without, is_outer, direct, part: index };
            steps.push(Step::Piece(Piece::Own(Box::new(own))));
            steps.extend(members.into_iter().rev().map(|member| Step::Part(member, direct, index)));
        }
        pieces
    }

    /// Returns whether a branch of a union refers to one of these schemas.
    pub fn lists(&self, union: NodeRef<'d>, schema: &dyn Fn(NodeRef<'d>) -> bool) -> bool {
        let referred = |branch: &'d Node| self.components.get(self.components.referred(branch)?);
        union.items().iter().filter_map(referred).any(|component| schema(component.node))
    }

    fn warn_siblings(&mut self, node: NodeRef<'d>, reference: NodeRef<'d>) {
        let words =
            ["$ref", "description", "title", "summary", "example", "deprecated", "externalDocs", "xml"];
        let is_ignored = |name: &&str| !words.contains(name) && !name.starts_with("x-");
        let siblings: Vec<&str> = node.entries().map(|(name, _)| name).filter(is_ignored).collect();
        if let Some(name) = siblings.iter().find(|name| **name != "nullable") {
            let message = format!("OpenAPI 3.0 ignores `{name}` next to `$ref`; put the `$ref` into `allOf`");
            self.warn(Code::RefSibling, reference, message);
        } else if !siblings.is_empty() {
            let message = "OpenAPI 3.0 ignores `nullable` next to `$ref`, but null is accepted here; put the `$ref` into \
                           `allOf` for other tools";
            self.warn(Code::RefSibling, reference, message);
        }
    }
}

impl<'d> Piece<'d> {
    /// Returns the keywords, unless the piece is a reference.
    pub fn own(self) -> Option<Own<'d>> {
        match self {
            Self::Own(own) => Some(*own),
            Self::Reference(..) => None,
        }
    }
}
