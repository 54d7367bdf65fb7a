//! Conditions over the fields of an object.

use super::Literal;

/// A condition over the fields of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// The field is present. Its value may be null.
    Given(&'static str),
    /// The field is present and has this value.
    Is(&'static str, Literal),
    /// All of these conditions hold.
    All(&'static [Condition]),
    /// At least one of these conditions holds.
    Any(&'static [Condition]),
    /// Exactly one of these conditions holds.
    One(&'static [Condition]),
    /// This condition does not hold.
    Not(&'static Condition),
    /// If the first condition holds, the second holds too.
    If(&'static Condition, &'static Condition),
}
