//! Integers and numbers.

use crate::{
    diagnostics::Code,
    ir::{IntegerRules, NumberRules, Type, Width},
    lower::{resolver::flat::Flat, schema::state::Schemas},
    tree::{Node, NodeRef},
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

/// Returns the least and the greatest value of a format.
fn range(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// Returns the narrowest type that holds a range, or the closest one. Without a format, it is a type of 64 bits.
fn width(least: Option<i128>, most: Option<i128>, has_format: bool) -> Width {
    let holds = |(low, high): (i128, i128)| {
        least.is_none_or(|least| least >= low) && most.is_none_or(|most| most <= high)
    };
    let is_unsigned = least.is_some_and(|least| least >= 0);
    let fits = |format| range(format).is_some_and(holds);
    match has_format {
        true if fits("int32") => Width::I32,
        true if is_unsigned && fits("uint32") => Width::U32,
        _ if !is_unsigned || fits("int64") => Width::I64,
        _ => Width::U64,
    }
}

impl<'d> Schemas<'d, '_> {
    /// Returns the type of an integer.
    ///
    /// Bounds beyond the range of the format count more than the format.
    pub fn integer(&mut self, flat: &Flat<'d>) -> Type {
        let format = flat.merged.format.and_then(Node::as_str).unwrap_or_default();
        self.note_format(flat.merged.format, NUMERIC, "number");
        let mut rules = IntegerRules {
            width: Width::I64,
            minimum: ceil(flat.merged.minimum),
            exclusive_minimum: floor(flat.merged.exclusive_minimum),
            maximum: floor(flat.merged.maximum),
            exclusive_maximum: ceil(flat.merged.exclusive_maximum),
            multiple_of: None,
        };
        let least = rules.minimum.max(rules.exclusive_minimum.map(|bound| bound.saturating_add(1)));
        let below = rules.exclusive_maximum.map(|bound| bound.saturating_sub(1));
        let most = [rules.maximum, below].into_iter().flatten().min();
        let range = range(format).filter(|range| !self.exceeds(format, *range, (least, most), flat));
        rules.width = match (range, format) {
            (Some(_), "int8" | "int16" | "int32") => Width::I32,
            (Some(_), "uint8" | "uint16" | "uint32") => Width::U32,
            (Some(_), "uint64") => Width::U64,
            (Some(_), _) => Width::I64,
            (None, _) => match self::range(format) {
                Some((low, high)) => width(least.or(Some(low)), most.or(Some(high)), true),
                None => width(least, most, false),
            },
        };
        if let Some((low, high)) = range.filter(|_| matches!(format, "int8" | "int16" | "uint8" | "uint16")) {
            rules.minimum = Some(rules.minimum.map_or(low, |minimum| minimum.max(low)));
            rules.maximum = Some(rules.maximum.map_or(high, |maximum| maximum.min(high)));
        }
        if let Some(node) = flat.merged.multiple_of {
            rules.multiple_of = node.as_i128().filter(|step| *step > 0);
            // The row of an integer can't hold a fraction.
            self.needs_json_schema |=
                rules.multiple_of.is_none() && node.as_f64().is_some_and(|step| step > 0.0);
        }
        Type::Integer(rules)
    }

    /// Returns whether bounds exceed the range of the format, and reports that.
    ///
    /// A bound that is the end of the range as a rounded `f64` does not: tools write `9223372036854776000` for 2^63-1.
    fn exceeds(
        &mut self,
        format: &str,
        (low, high): (i128, i128),
        (least, most): (Option<i128>, Option<i128>),
        flat: &Flat<'d>,
    ) -> bool {
        let is_below = least.filter(|least| *least < low && !is_rounded(*least, low)).is_some();
        let is_above = most.filter(|most| *most > high && !is_rounded(*most, high)).is_some();
        let bound = if is_above { flat.merged.maximum.or(flat.merged.exclusive_maximum) } else { None };
        let bound = bound.or(flat.merged.minimum.or(flat.merged.exclusive_minimum).filter(|_| is_below));
        if let Some(bound) = bound {
            let message = format!(
                "the bound is outside of the range of `format: {format}`, so the bounds choose the Rust type instead"
            );
            self.warn(Code::BadBounds, bound, message);
        }
        is_below || is_above
    }

    /// Returns the constraints of a number.
    pub fn number(&mut self, flat: &Flat<'d>) -> NumberRules {
        self.note_format(flat.merged.format, NUMERIC, "number");
        let value = |node: Option<NodeRef<'_>>| node.and_then(Node::as_f64);
        NumberRules {
            minimum: value(flat.merged.minimum),
            exclusive_minimum: value(flat.merged.exclusive_minimum),
            maximum: value(flat.merged.maximum),
            exclusive_maximum: value(flat.merged.exclusive_maximum),
            multiple_of: value(flat.merged.multiple_of).filter(|step| *step > 0.0),
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

/// Returns whether a bound is an end of a range that was rounded to an `f64`.
#[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "this is the rounding that it looks for")]
fn is_rounded(bound: i128, end: i128) -> bool {
    bound as f64 == end as f64
}

fn integral(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "it is integral and within i128's range")]
    (value.abs() < 1e38).then_some(value as i128)
}
