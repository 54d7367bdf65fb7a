//! Positions of schemas, which determine the names and modules of their types.

use std::rc::Rc;

use crate::{
    ir::{Module, Provenance},
    names::{self, Strength},
};

/// The maximum nesting depth of schemas. Deeper ones become [`Type::Any`](crate::ir::Type::Any).
pub(in crate::lower) const MAX_DEPTH: usize = 48;

/// The position of a schema. It is cheap to clone; names are only built when a type is created.
#[derive(Debug, Clone)]
pub(in crate::lower) struct SchemaPosition<'d>(Rc<Inner<'d>>);

#[derive(Debug)]
struct Inner<'d> {
    step: Step<'d>,
    module: Module,
    owner: usize,
    depth: usize,
    role: Role,
    shared: bool,
}

/// The use of a schema, as far as it affects the Rust type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::lower) enum Role {
    /// JSON, or a use that does not affect the type.
    #[default]
    Plain,
    /// A multipart body, a field in it, or the items of that field. Binary strings are files.
    Multipart,
    /// An event of `text/event-stream`.
    Event,
    /// The `data` field of an event. Its type is that of the value encoded in the text.
    EventData,
}

impl Role {
    /// Returns the role of a property of a value with this role.
    pub fn of_property(self, name: &str) -> Self {
        match self {
            Self::Multipart => Self::Multipart,
            Self::Event if name == "data" => Self::EventData,
            Self::Plain | Self::Event | Self::EventData => Self::Plain,
        }
    }

    /// Returns the role of the items of an array with this role.
    pub fn of_items(self) -> Self {
        if self == Self::Multipart { self } else { Self::Plain }
    }

    /// Returns the role of a variant of a union with this role.
    fn of_variant(self) -> Self {
        if self == Self::Multipart { Self::Plain } else { self }
    }
}

#[derive(Debug)]
enum Step<'d> {
    Root(Root),
    Property(SchemaPosition<'d>, &'d str),
    Items(SchemaPosition<'d>),
    Values(SchemaPosition<'d>),
    Variant(SchemaPosition<'d>, String),
    Reread(SchemaPosition<'d>),
}

/// A position that is not within another schema.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Root {
    /// The name of a type at this position.
    pub name: String,
    /// The name of the type if another type claims the first one.
    pub long: String,
    /// The strength of the claim to the name.
    pub strength: Strength,
    /// Where it is in the document.
    pub provenance: Provenance,
}

impl<'d> SchemaPosition<'d> {
    /// Creates a root. `owner` is the sort key of the types: components first, then operations.
    pub fn root(module: Module, owner: usize, root: Root) -> Self {
        Self(Rc::new(Inner {
            step: Step::Root(root),
            module,
            owner,
            depth: 0,
            role: Role::Plain,
            shared: false,
        }))
    }

    fn child(&self, step: Step<'d>) -> Self {
        let Inner { module, owner, depth, role, shared, .. } = *self.0;
        let role = match &step {
            Step::Variant(..) => role.of_variant(),
            Step::Reread(_) => role,
            Step::Root(_) | Step::Property(..) | Step::Items(_) | Step::Values(_) => Role::Plain,
        };
        Self(Rc::new(Inner { step, module, owner, depth: depth + 1, role, shared }))
    }

    /// Returns the position of a property.
    pub fn property(&self, name: &'d str) -> Self {
        self.child(Step::Property(self.clone(), name))
    }

    /// Returns the position of an array's items.
    pub fn items(&self) -> Self {
        self.child(Step::Items(self.clone()))
    }

    /// Returns the position of a map's values.
    pub fn values(&self) -> Self {
        self.child(Step::Values(self.clone()))
    }

    /// Returns the position of a union's variant.
    pub fn variant(&self, name: String) -> Self {
        self.child(Step::Variant(self.clone(), name))
    }

    /// Returns the same position one level deeper.
    ///
    /// For a branch that is read in place of its union. The depth still grows, so that reading ends.
    pub fn reread(&self) -> Self {
        self.child(Step::Reread(self.clone()))
    }

    /// Returns this position with a role.
    pub fn in_role(&self, role: Role) -> Self {
        if role == self.0.role {
            return self.clone();
        }
        let Inner { module, owner, depth, shared, .. } = *self.0;
        let step = Step::Reread(self.clone());
        Self(Rc::new(Inner { step, module, owner, depth, role, shared }))
    }

    /// Returns this position for a node that several owners read, each with types of its own.
    pub fn shared(&self) -> Self {
        let Inner { module, owner, depth, role, .. } = *self.0;
        let step = Step::Reread(self.clone());
        Self(Rc::new(Inner { step, module, owner, depth, role, shared: true }))
    }

    /// Returns the module of types at this position.
    pub fn module(&self) -> Module {
        self.0.module
    }

    /// Returns the sort key of types at this position.
    pub fn owner(&self) -> usize {
        self.0.owner
    }

    /// Returns whether the position is too deep for another type.
    pub fn is_too_deep(&self) -> bool {
        self.0.depth > MAX_DEPTH
    }

    /// Returns the role of the position.
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// Returns whether several owners read the node at this position.
    pub fn is_shared(&self) -> bool {
        self.0.shared
    }

    /// Returns the strength of the claim to the name.
    pub fn strength(&self) -> Strength {
        match &self.0.step {
            Step::Root(root) => root.strength,
            Step::Reread(position) => position.strength(),
            _ => Strength::Nested,
        }
    }

    /// Returns the name of a type at this position.
    pub fn name(&self) -> String {
        match &self.0.step {
            Step::Root(root) => root.name.clone(),
            Step::Property(parent, name) => names::joined(&parent.name(), name),
            Step::Items(parent) => format!("{}Item", parent.name()),
            Step::Values(parent) => format!("{}Value", parent.name()),
            Step::Variant(parent, name) => names::joined(&parent.name(), name),
            Step::Reread(position) => position.name(),
        }
    }

    /// Returns the name of a type at this position if another type claims [`name`](Self::name).
    pub fn long_name(&self) -> String {
        match &self.0.step {
            Step::Root(root) => root.long.clone(),
            Step::Property(..) => format!("{}Field", self.name()),
            Step::Items(parent) => format!("{}ArrayItem", parent.name()),
            Step::Values(parent) => format!("{}MapValue", parent.name()),
            Step::Variant(..) => format!("{}Variant", self.name()),
            Step::Reread(position) => position.long_name(),
        }
    }

    /// Returns where the position is in the document.
    pub fn provenance(&self) -> Provenance {
        match &self.0.step {
            Step::Root(root) => root.provenance.clone(),
            Step::Reread(position) => position.provenance(),
            Step::Variant(parent, name) => Provenance::Variant(name.clone(), Box::new(parent.provenance())),
            Step::Property(..) | Step::Items(_) | Step::Values(_) => {
                let mut trail = String::new();
                let base = self.trail(&mut trail).provenance();
                Provenance::Inner(trail, Box::new(base))
            }
        }
    }

    /// Returns the root of this position, and writes the steps from there to `trail`.
    fn trail(&self, trail: &mut String) -> &Self {
        let (parent, text) = match &self.0.step {
            Step::Root(_) | Step::Variant(..) => return self,
            Step::Reread(position) => return position.trail(trail),
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

    /// Returns a text that is unique for this position.
    pub fn identity(&self) -> String {
        self.provenance().to_string()
    }
}
