//! Follows references with the current bindings, and decides the target of each.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    super::read::most_nodes,
    schemas::{applied, lone_reference, sites},
    scopes::{Bindings, Scopes, target},
};
use crate::diagnostics::{Code, Diagnostics};
use crate::tree::{Node, NodeId, NodeRef};

/// The maximum number of schemas that are visited to find the names that others need.
const MAX_STEPS: usize = 200_000;

/// The target of a reference.
#[derive(Debug, Clone, Copy)]
pub enum Goal<'d> {
    /// A schema where it stands.
    Schema(NodeRef<'d>),
    /// The copy with this index.
    Copy(usize),
    /// Any value, because there is no target, or there are too many copies.
    Any,
}

/// The goals of references that change, by the nodes of their strings.
pub type Goals<'d> = HashMap<NodeId, Goal<'d>>;

/// A schema with bindings of its own.
pub struct Copy<'d> {
    pub schema: NodeRef<'d>,
    /// The bindings of the names that make a difference.
    pub bindings: Bindings<'d>,
    pub goals: Goals<'d>,
    /// The component that consists of a reference to the copy, and so is the copy.
    pub owner: Option<NodeRef<'d>>,
    /// Whether a reference means the copy, and not only a schema that extends it.
    pub is_whole: bool,
}

/// The copies of a document, and the references to them.
pub struct Bound<'d> {
    pub copies: Vec<Copy<'d>>,
    /// The references of the document.
    pub goals: Goals<'d>,
}

/// A schema, and what the names that it needs are bound to.
type Key<'d> = (NodeId, Vec<(&'d str, NodeId)>);

pub struct Binder<'s, 'd> {
    scopes: &'s Scopes<'d>,
    copies: Vec<Copy<'d>>,
    known: HashMap<Key<'d>, usize>,
    /// The result for each schema that is entered with bindings.
    entered: HashMap<Key<'d>, Goal<'d>>,
    /// The number of nodes that can still be copied.
    left: usize,
    steps: usize,
}

impl<'s, 'd> Binder<'s, 'd> {
    pub fn new(scopes: &'s Scopes<'d>) -> Self {
        let length = scopes.document.files().map(|file| file.source.text.len()).sum();
        Self {
            scopes,
            copies: Vec::new(),
            known: HashMap::new(),
            entered: HashMap::new(),
            left: most_nodes(length),
            steps: MAX_STEPS,
        }
    }

    /// Decides about all references, those of copies included.
    pub fn bind(mut self, diagnostics: &mut Diagnostics) -> Bound<'d> {
        self.find_owners();
        let mut goals = Goals::new();
        for schema in &self.scopes.schemas {
            let bindings = self.scopes.lexical_bindings(schema);
            self.references(schema, &bindings, &mut goals, diagnostics);
        }
        let mut next = 0;
        while let Some((root, outer)) = self.copies.get(next).map(|copy| (copy.schema, copy.bindings.clone()))
        {
            let mut goals = Goals::new();
            for schema in applied(root) {
                let bindings = self.scopes.below(&outer, root, schema);
                self.references(schema, &bindings, &mut goals, diagnostics);
            }
            if let Some(copy) = self.copies.get_mut(next) {
                copy.goals = goals;
            }
            next += 1;
        }
        Bound { copies: self.copies, goals }
    }

    /// Gives copies to the components that consist of a reference to them, so that no type is an alias.
    fn find_owners(&mut self) {
        let document = self.scopes.document;
        for (_, component) in document.components("schemas") {
            let reference = lone_reference(component).and_then(Node::as_str);
            let Some(target) = reference.and_then(|text| target(document, text)) else { continue };
            let goal = self.goal(target, &self.scopes.lexical_bindings(component));
            if let Goal::Copy(index) = goal
                && let Some(copy) = self.copies.get_mut(index)
            {
                copy.owner.get_or_insert(component);
            }
        }
    }

    /// Decides about the references of a schema with these bindings.
    fn references(
        &mut self,
        schema: NodeRef<'d>,
        bindings: &Bindings<'d>,
        goals: &mut Goals<'d>,
        diagnostics: &mut Diagnostics,
    ) {
        let is_whole = self.scopes.is_whole(schema);
        for (node, is_dynamic) in sites(schema) {
            let Some((target, _)) = self.follow((node, is_dynamic), schema, bindings) else {
                if is_dynamic {
                    let name = node.as_str().unwrap_or_default();
                    let message = format!("unknown schema reference `{name}`");
                    diagnostics.error(Code::UnknownRef, node, message);
                    goals.insert(node.id(), Goal::Any);
                }
                continue;
            };
            let goal = self.goal(target, bindings);
            match goal {
                Goal::Schema(_) if !is_dynamic => continue,
                Goal::Schema(_) => {}
                Goal::Copy(index) => {
                    if let Some(copy) = self.copies.get_mut(index) {
                        copy.is_whole |= is_whole;
                    }
                }
                Goal::Any => {
                    let message =
                        "the document binds too many `$dynamicAnchor`s, so the Rust type is any JSON value";
                    diagnostics
                        .warning(Code::Unsupported, node, message)
                        .help("write a schema for each binding, without `$dynamicRef`");
                }
            }
            goals.insert(node.id(), goal);
        }
    }

    /// Returns the schema that a reference names, and the name that is bound to it, if it is a dynamic one.
    fn follow(
        &self,
        (node, is_dynamic): (NodeRef<'d>, bool),
        schema: NodeRef<'d>,
        bindings: &Bindings<'d>,
    ) -> Option<(NodeRef<'d>, Option<&'d str>)> {
        let text = node.as_str()?;
        if is_dynamic {
            return self.scopes.follow(text, schema, bindings);
        }
        target(self.scopes.document, text).map(|target| (target, None))
    }

    /// Returns what a schema becomes that is reached with these bindings.
    fn goal(&mut self, schema: NodeRef<'d>, outer: &Bindings<'d>) -> Goal<'d> {
        let (lexical, here) = (self.scopes.lexical_bindings(schema), self.scopes.enter(outer, schema));
        if ids(&lexical) == ids(&here) || self.scopes.is_static(schema) {
            return Goal::Schema(schema);
        }
        let key = (schema.id(), ids(&here));
        if let Some(goal) = self.entered.get(&key) {
            return *goal;
        }
        let needed = self.needed(schema, &here);
        let needs = |bindings: Bindings<'d>| -> Bindings<'d> {
            bindings.into_iter().filter(|(name, _)| needed.contains(name)).collect()
        };
        let (lexical, here) = (needs(lexical), needs(here));
        let goal = if ids(&lexical) == ids(&here) { Goal::Schema(schema) } else { self.copy(schema, here) };
        self.entered.insert(key, goal);
        goal
    }

    /// Returns the copy of a schema with these bindings.
    fn copy(&mut self, schema: NodeRef<'d>, bindings: Bindings<'d>) -> Goal<'d> {
        let key = (schema.id(), ids(&bindings));
        if let Some(index) = self.known.get(&key) {
            return Goal::Copy(*index);
        }
        let Some(left) = self.left.checked_sub(schema.nodes()) else { return Goal::Any };
        self.left = left;
        let index = self.copies.len();
        self.known.insert(key, index);
        let goals = Goals::new();
        self.copies.push(Copy { schema, bindings, goals, owner: None, is_whole: false });
        Goal::Copy(index)
    }

    /// Returns the names whose bindings decide what a schema means that is reached with these.
    fn needed(&mut self, schema: NodeRef<'d>, outer: &Bindings<'d>) -> BTreeSet<&'d str> {
        let mut needed = BTreeSet::new();
        let mut seen: HashSet<Key<'d>> = HashSet::new();
        let mut waiting = vec![(schema, outer.clone())];
        while let Some((root, outer)) = waiting.pop() {
            let here = self.scopes.enter(&outer, root);
            if !seen.insert((root.id(), ids(&here))) || self.scopes.is_static(root) {
                continue;
            }
            for schema in applied(root) {
                let Some(steps) = self.steps.checked_sub(1) else { return outer.into_keys().collect() };
                self.steps = steps;
                let bindings = self.scopes.below(&outer, root, schema);
                for site in sites(schema) {
                    if let Some((target, name)) = self.follow(site, schema, &bindings) {
                        needed.extend(name);
                        waiting.push((target, bindings.clone()));
                    }
                }
            }
        }
        needed
    }
}

/// Returns bindings in a form that can be compared.
pub fn ids<'d>(bindings: &Bindings<'d>) -> Vec<(&'d str, NodeId)> {
    bindings.iter().map(|(name, node)| (*name, node.id())).collect()
}
