//! Where a change is: a path of steps, and the source locations on both sides.

use std::fmt;

use super::rule::Flow;
use crate::ir::Origin;

/// A position in both documents.
///
/// It borrows the position around it, so that nothing is allocated before there is a change.
#[derive(Clone, Copy)]
pub(super) struct Position<'p> {
    around: Option<&'p Position<'p>>,
    step: Step<'p>,
    /// The owner of the position: an operation, a type or the document.
    pub owner: Owner,
    /// The direction in which a value at this position is sent.
    pub flow: Flow,
    /// The nearest source location in the old document.
    pub old: Origin,
    /// The nearest source location in the new document.
    pub new: Origin,
}

/// The owner of a position. A change affects all operations that reach its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// The document.
    Document,
    /// The operation with this index in the list of pairs.
    Operation(usize),
    /// The webhook with this index in the list of pairs.
    Webhook(usize),
    /// The type with this index in the list of pairs.
    Type(usize),
}

/// A step of a position.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    /// The name of an owner, or a part of an operation: ``query `status` ``.
    Named(&'p str),
    /// A property.
    Property(&'p str),
    /// The items of an array.
    Items,
    /// An item of a tuple.
    Item(usize),
    /// The values of a map.
    Values,
    /// The names of a map.
    Names,
    /// An alternative of a union.
    Variant(&'p str),
}

impl<'p> Position<'p> {
    pub fn root(owner: Owner, name: &'p str, flow: Flow, (old, new): (Origin, Origin)) -> Self {
        Self { around: None, step: Step::Named(name), owner, flow, old, new }
    }

    pub fn at(&'p self, step: Step<'p>) -> Self {
        Self { around: Some(self), step, ..*self }
    }

    /// Returns the same position with these source locations, as far as they are known.
    pub fn located(self, old: Origin, new: Origin) -> Self {
        Self { old: old.or(self.old), new: new.or(self.new), ..self }
    }

    /// Returns the same position with these source locations, unless both are unknown.
    pub fn exactly(self, old: Origin, new: Origin) -> Self {
        if old.or(new).is_known() { Self { old, new, ..self } } else { self }
    }

    /// Returns the position of a part that only the new document has.
    pub fn added(self, new: Origin) -> Self {
        Self { old: Origin::default(), new: new.or(self.new), ..self }
    }

    /// Returns the position of a part that only the old document has.
    pub fn removed(self, old: Origin) -> Self {
        Self { old: old.or(self.old), new: Origin::default(), ..self }
    }

    /// Returns the same position in the other direction.
    pub fn flowing(self, flow: Flow) -> Self {
        Self { flow, ..self }
    }
}

impl fmt::Display for Position<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(around) = self.around {
            around.fmt(formatter)?;
        }
        match self.step {
            Step::Named(name) if self.around.is_none() => formatter.write_str(name),
            Step::Named(name) => write!(formatter, " {name}"),
            Step::Property(name) => write!(formatter, ".{name}"),
            Step::Items => formatter.write_str("[]"),
            Step::Item(index) => write!(formatter, "[{index}]"),
            Step::Values => formatter.write_str(".*"),
            Step::Names => formatter.write_str(" names"),
            Step::Variant(name) => write!(formatter, " variant {name}"),
        }
    }
}
