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
pub(in crate::lower) struct SchemaPosition<'d> {
    step: Rc<Step<'d>>,
    /// The module of types at this position.
    pub module: Module,
    /// The sort key of types at this position: components first, then operations.
    pub owner: usize,
    depth: usize,
    pub role: Role,
    /// Whether several owners read the node at this position.
    pub is_shared: bool,
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
    Property(Rc<Self>, &'d str),
    Items(Rc<Self>),
    Values(Rc<Self>),
    Variant(Rc<Self>, String),
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
    /// Creates a position that is not within another one.
    pub fn root(module: Module, owner: usize, root: Root) -> Self {
        let step = Rc::new(Step::Root(root));
        Self { step, module, owner, depth: 0, role: Role::Plain, is_shared: false }
    }

    fn child(&self, step: impl FnOnce(Rc<Step<'d>>) -> Step<'d>) -> Self {
        let step = Rc::new(step(Rc::clone(&self.step)));
        Self { step, depth: self.depth + 1, role: Role::Plain, ..*self }
    }

    /// Returns the position of a property.
    pub fn property(&self, name: &'d str) -> Self {
        self.child(|parent| Step::Property(parent, name))
    }

    /// Returns the position of an array's items.
    pub fn items(&self) -> Self {
        self.child(Step::Items)
    }

    /// Returns the position of a map's values.
    pub fn values(&self) -> Self {
        self.child(Step::Values)
    }

    /// Returns the position of a union's variant.
    pub fn variant(&self, name: String) -> Self {
        Self { role: self.role.of_variant(), ..self.child(|parent| Step::Variant(parent, name)) }
    }

    /// Returns the same position one level deeper.
    ///
    /// For a branch that is read in place of its union. The depth still grows, so that reading ends.
    pub fn reread(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }

    /// Returns this position with a role.
    pub fn in_role(&self, role: Role) -> Self {
        Self { role, ..self.clone() }
    }

    /// Returns this position for a node that several owners read, each with types of its own.
    pub fn shared(&self) -> Self {
        Self { is_shared: true, ..self.clone() }
    }

    /// Returns whether the position is too deep for another type.
    pub fn is_too_deep(&self) -> bool {
        self.depth > MAX_DEPTH
    }

    /// Returns the strength of the claim to the name.
    pub fn strength(&self) -> Strength {
        match &*self.step {
            Step::Root(root) => root.strength,
            _ => Strength::Nested,
        }
    }

    /// Returns the name of a type at this position.
    pub fn name(&self) -> String {
        self.step.name()
    }

    /// Returns the name of a type at this position if another type claims [`name`](Self::name).
    pub fn long_name(&self) -> String {
        match &*self.step {
            Step::Root(root) => root.long.clone(),
            Step::Property(..) => format!("{}Field", self.name()),
            Step::Items(parent) => format!("{}ArrayItem", parent.name()),
            Step::Values(parent) => format!("{}MapValue", parent.name()),
            Step::Variant(..) => format!("{}Variant", self.name()),
        }
    }

    /// Returns where the position is in the document.
    pub fn provenance(&self) -> Provenance {
        self.step.provenance()
    }

    /// Returns a text that is unique for this position.
    pub fn identity(&self) -> String {
        self.provenance().to_string()
    }
}

impl Step<'_> {
    fn name(&self) -> String {
        match self {
            Self::Root(root) => root.name.clone(),
            Self::Property(parent, name) => names::joined(&parent.name(), name),
            Self::Items(parent) => format!("{}Item", parent.name()),
            Self::Values(parent) => format!("{}Value", parent.name()),
            Self::Variant(parent, name) => names::joined(&parent.name(), name),
        }
    }

    fn provenance(&self) -> Provenance {
        match self {
            Self::Root(root) => root.provenance.clone(),
            Self::Variant(parent, name) => Provenance::Variant(name.clone(), Box::new(parent.provenance())),
            Self::Property(..) | Self::Items(_) | Self::Values(_) => {
                let mut trail = String::new();
                let base = self.trail(&mut trail).provenance();
                Provenance::Inner(trail, Box::new(base))
            }
        }
    }

    /// Returns the root or variant that the step is within, and writes the steps from there to `trail`.
    fn trail(&self, trail: &mut String) -> &Self {
        let (parent, text) = match self {
            Self::Root(_) | Self::Variant(..) => return self,
            Self::Property(parent, name) => (parent, *name),
            Self::Items(parent) => (parent, "[]"),
            Self::Values(parent) => (parent, ".*"),
        };
        let base = parent.trail(trail);
        if matches!(self, Self::Property(..)) && !trail.is_empty() {
            trail.push('.');
        }
        trail.push_str(text);
        base
    }
}
