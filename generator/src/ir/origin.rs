//! The source location of a part of the representation.

use crate::tree::{Location, Node, NodeRef};

/// The source location of a part of the document, for reports.
///
/// Two origins are always equal: the representation of a document depends on what it says, and not on where.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin(pub(crate) Option<Location>);

impl Origin {
    /// Returns the origin of a node.
    pub(crate) fn of(node: &Node) -> Self {
        Self(node.location())
    }

    /// Returns the origin of a field of a node, if the node has it.
    pub(crate) fn of_field(node: &Node, name: &str) -> Self {
        node.get(name).map_or_else(Self::default, Self::of)
    }

    /// Returns whether the document has a text.
    pub(crate) const fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// Returns this origin, or else the other one.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

/// The source locations of the fields of an object, by name. That of the object itself has no name.
///
/// Like two origins, two of these are always equal.
#[derive(Debug, Clone, Default)]
pub struct Origins(Vec<(&'static str, Origin)>);

impl Origins {
    /// Returns the origins of an object, of which some fields can be those of another one.
    pub(crate) fn new<'d>(
        whole: NodeRef<'d>,
        fields: impl IntoIterator<Item = (&'static str, Option<NodeRef<'d>>)>,
    ) -> Self {
        let fields = fields.into_iter().filter_map(|(name, node)| Some((name, node?)));
        Self::of_fields(std::iter::once(("", whole)).chain(fields))
    }

    /// Returns the origins of fields of several objects.
    pub(crate) fn of_fields<'d>(fields: impl IntoIterator<Item = (&'static str, NodeRef<'d>)>) -> Self {
        Self(fields.into_iter().map(|(name, node)| (name, Origin::of(node))).collect())
    }

    /// Returns the origins of something that is not in the document.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the origin of the object.
    pub(crate) fn whole(&self) -> Origin {
        self.of("")
    }

    /// Returns the origin of a field, or else that of the object.
    pub(crate) fn of(&self, name: &str) -> Origin {
        let named = |name: &str| self.fields().find(|(field, _)| *field == name);
        named(name).or_else(|| named("")).map_or_else(Origin::default, |(_, origin)| origin)
    }

    /// Returns the origins of all fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static str, Origin)> {
        let Self(fields) = self;
        fields.iter().copied()
    }
}

impl PartialEq for Origins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origins {}
