//! Conditions: what an object's fields may be asked beside the rules of each.

use super::Literal;

/// What can be asked of the fields of an object: which of them are there, and which are this or that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// The field is there, null or not.
    Given(&'static str),
    /// The field is there, and is this.
    Is(&'static str, Literal),
    /// All of these hold.
    All(&'static [Condition]),
    /// At least one of these holds.
    Any(&'static [Condition]),
    /// Exactly one of these holds.
    One(&'static [Condition]),
    /// This does not hold.
    Not(&'static Condition),
    /// Where the first holds, the second does.
    If(&'static Condition, &'static Condition),
}
