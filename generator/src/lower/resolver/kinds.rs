//! Kinds of JSON values: those that a schema allows.

use crate::{ir::Kinds, lower::resolver::flat::Flat, options::Untyped, tree::Node};

/// A kind of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum JsonKind {
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// Returns the kinds that a schema allows: those of `type`, else those of its keywords.
///
/// Returns none if any kind is allowed.
pub(in crate::lower) fn kinds_of(flat: &Flat<'_>, untyped: Untyped) -> Kinds {
    if let Some(kinds) = flat.kinds {
        return kinds;
    }
    if untyped == Untyped::Any {
        return Kinds::default();
    }
    let implied = flat.merged.implied();
    let object = implied.object || flat.closed;
    let array = implied.array;
    let format = flat.merged.format.and_then(Node::as_str).unwrap_or_default();
    let integer =
        matches!(format, "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64");
    let number = matches!(format, "float" | "double") || implied.number;
    let string = implied.string || (!format.is_empty() && !integer && !number);
    let none = Kinds::default();
    if object {
        Kinds { object, ..none }
    } else if array {
        Kinds { array, ..none }
    } else if string {
        Kinds { string, ..none }
    } else {
        Kinds { integer, number: number && !integer, ..none }
    }
}

/// Returns the kinds of a set. A number includes the integers.
pub(in crate::lower) fn list(kinds: Kinds) -> Vec<JsonKind> {
    [
        (kinds.boolean, JsonKind::Boolean),
        (kinds.integer && !kinds.number, JsonKind::Integer),
        (kinds.number, JsonKind::Number),
        (kinds.string, JsonKind::String),
        (kinds.array, JsonKind::Array),
        (kinds.object, JsonKind::Object),
    ]
    .into_iter()
    .filter_map(|(allowed, kind)| allowed.then_some(kind))
    .collect()
}

/// Returns the kinds in both sets. An integer is also a number.
pub(in crate::lower) fn common(one: Kinds, other: Kinds) -> Kinds {
    let integer = (one.integer && (other.integer || other.number)) || (other.integer && one.number);
    let number = one.number && other.number && !integer;
    Kinds { integer, number, ..one.zip(other, |one, other| one && other) }
}
