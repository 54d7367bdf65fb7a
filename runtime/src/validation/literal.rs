//! Comparison of values with the literals of a table. Numbers are equal by value: `1` is `1.0`.

use crate::codec::same;
use crate::table::Literal;

/// Whether `literal` is this boolean.
pub fn is_boolean(literal: &Literal, value: bool) -> bool {
    matches!(literal, Literal::Boolean(it) if *it == value)
}

/// Whether `literal` is this integer.
pub fn is_integer(literal: &Literal, value: i128) -> bool {
    match literal {
        Literal::Integer(it) => *it == value,
        Literal::Number(it) => is_whole(*it, value),
        _ => false,
    }
}

/// Whether a number is this integer. Seldom asked; inlined, the compiler would convert every value beforehand.
#[inline(never)]
fn is_whole(number: f64, value: i128) -> bool {
    number == value as f64
}

/// Whether `literal` is this number.
pub fn is_number(literal: &Literal, value: f64) -> bool {
    match literal {
        Literal::Integer(it) => *it as f64 == value,
        Literal::Number(it) => *it == value,
        _ => false,
    }
}

/// Whether `literal` is this string.
pub fn is_text(literal: &Literal, value: &str) -> bool {
    matches!(literal, Literal::Text(it) if same(it, value))
}
