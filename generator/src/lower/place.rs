//! Places: where a schema stands, and so what a type that is made there is called and where it goes.

use std::rc::Rc;

use crate::{
    ir::Module,
    names::{self, Strength},
};

/// How deep schemas may stand within each other before they become [`Type::Any`](crate::ir::Type::Any).
pub(super) const MAX_DEPTH: usize = 48;

/// Where a schema stands. Cheap to copy; names are only put together where a type is made.
#[derive(Debug, Clone)]
pub(super) struct Place<'d>(Rc<Inner<'d>>);

#[derive(Debug)]
struct Inner<'d> {
    step: Step<'d>,
    module: Module,
    owner: usize,
    depth: usize,
    multipart: bool,
    shared: bool,
}

#[derive(Debug)]
enum Step<'d> {
    Root(Root),
    Property(Place<'d>, &'d str),
    Items(Place<'d>),
    Values(Place<'d>),
    Variant(Place<'d>, String),
    Retold(Place<'d>),
}

/// A place that is not within another schema.
#[derive(Debug, Clone)]
pub(super) struct Root {
    /// The name of a type made here.
    pub name: String,
    /// Its name if another claims that one.
    pub long: String,
    /// How strong its claim is.
    pub strength: Strength,
    /// What it is, for people: `schema `Pet``, `the body of `POST /pets``.
    pub origin: String,
}

impl<'d> Place<'d> {
    /// A root. `owner` orders the types: components first, then operations.
    pub fn root(module: Module, owner: usize, root: Root) -> Self {
        Self(Rc::new(Inner {
            step: Step::Root(root),
            module,
            owner,
            depth: 0,
            multipart: false,
            shared: false,
        }))
    }

    fn child(&self, step: Step<'d>) -> Self {
        let Inner { module, owner, depth, shared, .. } = *self.0;
        Self(Rc::new(Inner { step, module, owner, depth: depth + 1, multipart: false, shared }))
    }

    /// The place of a property.
    pub fn property(&self, name: &'d str) -> Self {
        self.child(Step::Property(self.clone(), name))
    }

    /// The place of an array's items; a multipart array of binaries is an array of files.
    pub fn items(&self) -> Self {
        self.child(Step::Items(self.clone()))
    }

    /// The place of a map's values.
    pub fn values(&self) -> Self {
        self.child(Step::Values(self.clone()))
    }

    /// The place of a union's variant.
    pub fn variant(&self, name: String) -> Self {
        self.child(Step::Variant(self.clone(), name))
    }

    /// The same place, one level deeper, for what is read again as a part of itself.
    pub fn retold(&self) -> Self {
        self.child(Step::Retold(self.clone()))
    }

    /// This place, within a multipart body.
    pub fn in_multipart(&self, multipart: bool) -> Self {
        if !multipart {
            return self.clone();
        }
        let Inner { module, owner, depth, shared, .. } = *self.0;
        let step = Step::Retold(self.clone());
        Self(Rc::new(Inner { step, module, owner, depth, multipart, shared }))
    }

    /// This place, whose node is read for several owners, each of which gets types of its own.
    pub fn shared(&self) -> Self {
        let Inner { module, owner, depth, multipart, .. } = *self.0;
        let step = Step::Retold(self.clone());
        Self(Rc::new(Inner { step, module, owner, depth, multipart, shared: true }))
    }

    /// The module of types made here.
    pub fn module(&self) -> Module {
        self.0.module
    }

    /// What orders the types made here.
    pub fn owner(&self) -> usize {
        self.0.owner
    }

    /// Whether the place is too deep for another type.
    pub fn is_too_deep(&self) -> bool {
        self.0.depth > MAX_DEPTH
    }

    /// Whether this is a body, or a field of a body, whose binaries are files.
    pub fn is_multipart(&self) -> bool {
        self.0.multipart
    }

    /// Whether the node that stands here is read for several owners.
    pub fn is_shared(&self) -> bool {
        self.0.shared
    }

    /// How strong the claim of a type made here is.
    pub fn strength(&self) -> Strength {
        match &self.0.step {
            Step::Root(root) => root.strength,
            Step::Retold(place) => place.strength(),
            _ => Strength::Nested,
        }
    }

    /// The name of a type made here.
    pub fn name(&self) -> String {
        match &self.0.step {
            Step::Root(root) => root.name.clone(),
            Step::Property(parent, name) => names::joined(&parent.name(), name),
            Step::Items(parent) => format!("{}Item", parent.name()),
            Step::Values(parent) => format!("{}Value", parent.name()),
            Step::Variant(parent, name) => names::joined(&parent.name(), name),
            Step::Retold(place) => place.name(),
        }
    }

    /// The name of a type made here if another claims [`name`](Self::name).
    pub fn long_name(&self) -> String {
        match &self.0.step {
            Step::Root(root) => root.long.clone(),
            Step::Property(..) => format!("{}Field", self.name()),
            Step::Items(parent) => format!("{}ArrayItem", parent.name()),
            Step::Values(parent) => format!("{}MapValue", parent.name()),
            Step::Variant(..) => format!("{}Variant", self.name()),
            Step::Retold(place) => place.long_name(),
        }
    }

    /// Where this is, for people: ``Schema `Pet`.``, ``Property `owner` of schema `Pet`.``
    pub fn provenance(&self) -> String {
        let sentence = self.sentence();
        let mut characters = sentence.chars();
        characters.next().map_or_else(String::new, |first| {
            format!("{}{}.", first.to_uppercase().collect::<String>(), characters.as_str())
        })
    }

    fn sentence(&self) -> String {
        match &self.0.step {
            Step::Root(root) => root.origin.clone(),
            Step::Retold(place) => place.sentence(),
            Step::Variant(parent, name) => format!("variant `{name}` of {}", parent.sentence()),
            Step::Property(..) | Step::Items(_) | Step::Values(_) => {
                let mut trail = String::new();
                let base = self.trail(&mut trail).sentence();
                format!("`{trail}` in {base}")
            }
        }
    }

    /// The steps that lead here through properties, items and values, and where they begin.
    fn trail(&self, trail: &mut String) -> &Self {
        let (parent, text) = match &self.0.step {
            Step::Root(_) | Step::Variant(..) => return self,
            Step::Retold(place) => return place.trail(trail),
            Step::Property(parent, name) => (parent, *name),
            Step::Items(parent) => (parent, "[]"),
            Step::Values(parent) => (parent, ".*"),
        };
        let base = parent.trail(trail);
        if matches!(self.0.step, Step::Property(..)) && !trail.is_empty() {
            trail.push('.');
        }
        trail.push_str(text);
        base
    }

    /// What tells this place from all others.
    pub fn identity(&self) -> String {
        self.sentence()
    }
}
