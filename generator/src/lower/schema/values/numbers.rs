//! Integers and numbers.

use crate::{
    document::{Node, NodeRef},
    ir::{IntegerRules, NumberRules, Type, Width},
    lower::{resolver::flat::Flat, schema::state::Schemas},
};

/// Formats of numbers.
pub(in crate::lower) const NUMERIC: &[&str] = &[
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "decimal",
    "decimal128",
    "number",
    "integer",
    "int",
    "long",
    "bigint",
    "int128",
    "duration",
    "unix-time",
    "unixtime",
    "timestamp",
];

/// Returns the bounds of a format that is narrower than its Rust type.
fn narrow(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        _ => return None,
    })
}

impl<'d> Schemas<'d, '_> {
    /// Returns the type of an integer.
    pub fn integer(&mut self, flat: &Flat<'d>) -> Type {
        let format = flat.format.and_then(Node::as_str).unwrap_or_default();
        let maximum = floor(flat.maximum);
        let beyond_i64 = maximum.is_some_and(|maximum| maximum > i128::from(i64::MAX))
            && floor(flat.minimum).is_some_and(|minimum| minimum >= 0);
        self.note_format(flat.format, NUMERIC, "number");
        let width = match format {
            "int8" | "int16" | "int32" => Width::I32,
            "uint8" | "uint16" | "uint32" => Width::U32,
            "uint64" => Width::U64,
            _ if beyond_i64 => Width::U64,
            _ => Width::I64,
        };
        let mut rules = IntegerRules {
            width,
            minimum: ceil(flat.minimum),
            exclusive_minimum: floor(flat.exclusive_minimum),
            maximum,
            exclusive_maximum: ceil(flat.exclusive_maximum),
            multiple_of: None,
        };
        if let Some((least, most)) = narrow(format) {
            rules.minimum = Some(rules.minimum.map_or(least, |minimum| minimum.max(least)));
            rules.maximum = Some(rules.maximum.map_or(most, |maximum| maximum.min(most)));
        }
        if let Some(node) = flat.multiple_of {
            rules.multiple_of = node.as_i128().filter(|step| *step > 0);
            // A fraction has no place in the row of an integer.
            self.says_more |= rules.multiple_of.is_none() && node.as_f64().is_some_and(|step| step > 0.0);
        }
        Type::Integer(rules)
    }

    /// Returns the constraints of a number.
    pub fn number(&mut self, flat: &Flat<'d>) -> NumberRules {
        self.note_format(flat.format, NUMERIC, "number");
        let value = |node: Option<NodeRef<'_>>| node.and_then(Node::as_f64);
        NumberRules {
            minimum: value(flat.minimum),
            exclusive_minimum: value(flat.exclusive_minimum),
            maximum: value(flat.maximum),
            exclusive_maximum: value(flat.exclusive_maximum),
            multiple_of: value(flat.multiple_of).filter(|step| *step > 0.0),
        }
    }
}

/// Returns the smallest integer that is not less than a bound.
fn ceil(bound: Option<NodeRef<'_>>) -> Option<i128> {
    let bound = bound?;
    bound.as_i128().or_else(|| integral(bound.as_f64()?.ceil()))
}

/// Returns the greatest integer that is not greater than a bound.
fn floor(bound: Option<NodeRef<'_>>) -> Option<i128> {
    let bound = bound?;
    bound.as_i128().or_else(|| integral(bound.as_f64()?.floor()))
}

fn integral(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "it is integral and within i128's range")]
    (value.abs() < 1e38).then_some(value as i128)
}
