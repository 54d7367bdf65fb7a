//! Comparison of values with the literals of a table.
//!
//! Numbers compare by value: `1` equals `1.0`.

use crate::codec::{Number, same};
use crate::table::Literal;

/// Returns whether `literal` equals a boolean.
pub fn is_boolean(literal: &Literal, value: bool) -> bool {
    matches!(literal, Literal::Boolean(it) if *it == value)
}

/// Returns whether `literal` equals an integer.
pub fn is_integer(literal: &Literal, value: i128) -> bool {
    match literal {
        Literal::Integer(it) => *it == value,
        Literal::Number(it) => is_whole(*it, value),
        _ => false,
    }
}

/// Returns whether a number equals an integer.
///
/// It is rarely called, so it is not inlined.
#[inline(never)]
fn is_whole(number: f64, value: i128) -> bool {
    Number::from(number).to_integer() == Some(value)
}

/// Returns whether `literal` equals a number, which was rounded if it was a large integer.
pub fn is_number(literal: &Literal, value: f64) -> bool {
    match literal {
        Literal::Integer(it) => *it as f64 == value,
        Literal::Number(it) => *it == value,
        _ => false,
    }
}

/// Returns whether `literal` equals a string.
pub fn is_text(literal: &Literal, value: &str) -> bool {
    matches!(literal, Literal::Text(it) if same(it, value))
}
