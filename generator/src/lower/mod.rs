//! Makes the intermediate representation: reads a document's meaning, decides every name, settles every doubt.
//!
//! 1. Ids for all components, before any of them is read, so that references in any direction have a target.
//! 2. Components, then operations: each schema becomes an [`ir::Schema`], and a type where Rust needs one.
//! 3. Passes over the whole (`finish`): names, cycles, shapes of unions, openness, order.
//!
//! What is wrong is reported and read in the nearest sensible way, so that one run tells everything.

mod all_of;
mod arrays;
mod bodies;
mod bounds;
mod callbacks;
mod checks;
mod components;
mod conditions;
mod docs;
mod enums;
mod errors;
mod examples;
mod families;
mod finish;
mod flat;
mod inheritance;
mod keywords;
mod literals;
mod maps;
mod media;
mod nullable;
mod objects;
mod operations;
mod parameters;
mod patterns;
mod permanent;
mod place;
mod rejections;
mod responses;
mod restated;
mod rules;
mod scalars;
mod schemas;
mod security;
mod selection;
mod stated;
mod streams;
mod templates;
mod unfit;
mod unions;
mod variants;
mod webhooks;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::{
    diagnostics::{Code, Diagnostic, Diagnostics, nearest},
    document::{Document, Node, Version},
    ir::{self, Kind, Module, Schema, Type, TypeId},
    options::{Options, Unfit},
};
use components::{Components, Target};
use families::Families;
use place::Place;

/// What a document means.
#[derive(Debug)]
pub struct Lowered<'d> {
    /// The API.
    pub api: ir::Api,
    /// All examples that the document gives of schemas.
    pub examples: Vec<Shown<'d>>,
    /// The options that nothing in the document fits.
    pub unfit: Vec<Unfit>,
}

/// An example, and the schema that it must fit.
#[derive(Debug)]
pub struct Shown<'d> {
    /// The schema.
    pub schema: Schema,
    /// The example.
    pub node: &'d Node,
    /// Whether it fits, as far as can be told before the generated code runs.
    pub fits: bool,
}

/// Lowers a document.
#[must_use]
pub fn lower<'d>(document: &'d Document, options: &Options, diagnostics: &mut Diagnostics) -> Lowered<'d> {
    let mut lowering = Lowering::new(document, options, diagnostics);
    lowering.check_root();
    lowering.find_heirs();
    lowering.components();
    let shared = lowering.shared_responses();
    lowering.webhooks();
    let schemes = lowering.security_schemes();
    let (mut operations, uses) = lowering.operations(&schemes, &shared);
    let shared_errors = lowering.shared_errors(&shared, &mut operations, &uses);
    let mut api = lowering.api(schemes, shared_errors);
    api.operations = operations;
    lowering.finish(api)
}

/// The state of lowering one document.
struct Lowering<'d, 'x> {
    document: &'d Document,
    options: &'x Options,
    diagnostics: &'x mut Diagnostics,
    /// Paths and methods whose requests a server can't tell.
    unroutable: HashSet<(&'d str, &'d str)>,
    /// What was said of which node; nodes are read more than once.
    said: HashSet<(usize, Code)>,
    families: Families,
    components: Components<'d>,
    targets: HashMap<&'d str, Option<Target<'d>>>,
    types: Vec<Draft<'d>>,
    /// The types made of inline nodes, by the nodes' addresses.
    made: HashMap<usize, TypeId>,
    /// Inline nodes that are being read because a reference leads into the midst of something.
    reading: HashSet<usize>,
    /// The schemas, by address, that are being read for their own sake and not as a part of another.
    open: HashSet<usize>,
    patterns: Vec<patterns::Draft<'d>>,
    known_patterns: HashMap<(usize, Module), ir::PatternId>,
    /// How many schemas may still be read; a document that merges itself over and over runs out of it.
    fuel: usize,
    /// Formats that were told of, and whether of numbers.
    formats: HashSet<(&'d str, bool)>,
    /// The types of the caller's that strings have, by their places in the options.
    foreign: BTreeSet<usize>,
    /// Whether nodes allow null, by their addresses.
    nullables: HashMap<usize, bool>,
    /// Defaults, to be read when all types are known.
    defaults: Vec<literals::Default<'d>>,
    /// Types that come with webhooks.
    received: Vec<TypeId>,
    /// Which components extend which.
    heirs: inheritance::Heirs,
    /// Discriminators, to be read when all types are known.
    discriminators: Vec<unions::Discriminator<'d>>,
    /// `x-permanent`s, to be checked when all types are known.
    permanents: Vec<permanent::Permanent<'d>>,
    /// The examples that the document gives for each operation.
    examples: Vec<examples::Written>,
    /// All examples of the document.
    shown: Vec<Shown<'d>>,
}

/// A type in the making.
#[derive(Debug)]
struct Draft<'d> {
    place: Place<'d>,
    docs: ir::Docs,
    /// `None`: not read yet.
    kind: Option<Kind>,
    node: Option<&'d Node>,
}

impl<'d, 'x> Lowering<'d, 'x> {
    fn new(document: &'d Document, options: &'x Options, diagnostics: &'x mut Diagnostics) -> Self {
        let families = Families::read(document, options, diagnostics);
        let components = Components::read(document, &families, diagnostics);
        let mut nodes = 0_usize;
        document.walk(&mut |_| nodes += 1);
        let types = components
            .schemas
            .iter()
            .map(|component| Draft {
                place: component.place.clone(),
                docs: ir::Docs::default(),
                kind: None,
                node: Some(component.node),
            })
            .collect();
        Self {
            document,
            options,
            diagnostics,
            unroutable: HashSet::new(),
            said: HashSet::new(),
            families,
            components,
            targets: HashMap::new(),
            types,
            made: HashMap::new(),
            reading: HashSet::new(),
            open: HashSet::new(),
            patterns: Vec::new(),
            known_patterns: HashMap::new(),
            fuel: nodes.saturating_mul(4).saturating_add(2_000),
            formats: HashSet::new(),
            foreign: BTreeSet::new(),
            nullables: HashMap::new(),
            defaults: Vec::new(),
            received: Vec::new(),
            heirs: inheritance::Heirs::default(),
            discriminators: Vec::new(),
            permanents: Vec::new(),
            examples: Vec::new(),
            shown: Vec::new(),
        }
    }

    fn is_3_1(&self) -> bool {
        self.document.version() >= Version::V3_1
    }

    /// Adds a warning, unless the same was said of this node.
    fn warn(&mut self, code: Code, node: &Node, message: impl Into<String>) -> Option<&mut Diagnostic> {
        let new = self.said.insert((node.address(), code));
        new.then(|| self.diagnostics.warning(code, node, message))
    }

    /// Adds an error, unless the same was said of this node.
    fn error(&mut self, code: Code, node: &Node, message: impl Into<String>) -> Option<&mut Diagnostic> {
        let new = self.said.insert((node.address(), code));
        new.then(|| self.diagnostics.error(code, node, message))
    }

    /// An error where the specification wants another type of node.
    fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let found = match node {
            Node::Number(_) | Node::Boolean(_) => format!("`{}`", node.to_json()),
            _ => node.kind_name().to_owned(),
        };
        let message = format!("{what} must be {expected}, not {found}");
        self.error(Code::WrongType, node, message);
    }

    /// The node, if it is an object; an error if it is something else.
    fn object(&mut self, node: &'d Node, what: &str) -> Option<&'d Node> {
        if node.is_object() {
            return Some(node);
        }
        self.wrong_type(node, what, "an object");
        None
    }

    /// The string in a field, if there is one; an error if it is something else.
    fn text(&mut self, node: &'d Node, name: &str) -> Option<&'d str> {
        let value = node.get(name)?;
        if value.as_str().is_none() && !value.is_null() {
            self.wrong_type(value, &format!("`{name}`"), "a string");
        }
        value.as_str()
    }

    /// Follows `$ref`s of anything but schemas; an error if they lead nowhere.
    fn follow(&mut self, node: &'d Node) -> Option<&'d Node> {
        match self.document.resolve(node) {
            Ok(resolved) => Some(resolved.node),
            Err(error) => {
                self.leads_nowhere(node, error.to_string());
                None
            }
        }
    }

    /// An error about the `$ref` of a node, with what was meant, perhaps.
    fn leads_nowhere(&mut self, node: &'d Node, message: String) {
        let at = node.get("$ref").unwrap_or(node);
        let near = at.as_str().and_then(|text| self.near_component(text));
        let said = self.error(Code::UnknownRef, at, message);
        if let (Some(said), Some(near)) = (said, near) {
            said.help(format!("Did you mean `{near}`?"));
        }
    }

    /// A component of the same section with a name like that of a reference.
    fn near_component(&self, reference: &str) -> Option<&'d str> {
        let (section, name) = reference.strip_prefix("#/components/")?.split_once('/')?;
        nearest(name, self.document.components(section).map(|(name, _)| name))
    }

    /// A new type at this place, to be filled by [`fill`](Self::fill).
    fn reserve(&mut self, place: &Place<'d>, node: Option<&'d Node>) -> TypeId {
        self.types.push(Draft { place: place.clone(), docs: ir::Docs::default(), kind: None, node });
        TypeId(self.types.len() - 1)
    }

    fn fill(&mut self, id: TypeId, docs: ir::Docs, kind: Kind) {
        if let Some(draft) = self.types.get_mut(id.0) {
            draft.docs = docs;
            draft.kind = Some(kind);
        }
    }

    fn named(id: TypeId) -> Schema {
        Schema::new(Type::Named { id, boxed: false })
    }

    /// The module of what belongs to an operation.
    fn home(family: ir::FamilyId) -> Module {
        Module::Family(family)
    }
}

#[cfg(test)]
mod tests;
