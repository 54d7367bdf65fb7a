//! The constraints on scalars.
//!
//! Both paths call these functions, so they can't disagree.

use super::json_schema::Context;
use super::kind::{Bound, ViolationKind};
use super::{formats, number};
use crate::table::{Integer, Literal, Matched, Number, Text, Width};

/// Returns whether the Rust type of an integer can hold this value.
#[inline]
pub const fn fits(width: Width, value: i128) -> bool {
    let (least, most) = range(width);
    least <= value && value <= most
}

/// Returns the least and the greatest value of the Rust type of an integer.
#[inline]
pub const fn range(width: Width) -> (i128, i128) {
    match width {
        Width::I32 => (i32::MIN as i128, i32::MAX as i128),
        Width::I64 => (i64::MIN as i128, i64::MAX as i128),
        Width::U32 => (0, u32::MAX as i128),
        Width::U64 => (0, u64::MAX as i128),
    }
}

/// Reports the constraints that an integer violates, except the range of its type.
#[inline]
pub fn integer(rules: &Integer, value: i128, mut report: impl FnMut(ViolationKind)) {
    let limits = [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum];
    limited(limits, value, Bound::Integer, &mut report);
    if let Some(step) =
        rules.multiple_of.filter(|step| value.checked_rem(*step).is_some_and(|rest| rest != 0))
    {
        report(ViolationKind::MultipleOf(Bound::Integer(step)));
    }
}

/// Reports the constraints that a number violates.
#[inline]
pub fn number(rules: &Number, value: f64, mut report: impl FnMut(ViolationKind)) {
    if !value.is_finite() {
        report(ViolationKind::OutOfRange(None));
        return;
    }
    let limits = [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum];
    limited(limits, value, Bound::Number, &mut report);
    if let Some(step) =
        rules.multiple_of.filter(|step| !number::is_multiple(value.into(), &Literal::Number(*step)))
    {
        report(ViolationKind::MultipleOf(Bound::Number(step)));
    }
}

/// Reports the limits that a value violates: its minimum, exclusive minimum, maximum and exclusive maximum.
#[inline]
fn limited<T: PartialOrd + Copy>(
    [minimum, exclusive_minimum, maximum, exclusive_maximum]: [Option<T>; 4],
    value: T,
    bound: fn(T) -> Bound,
    report: &mut impl FnMut(ViolationKind),
) {
    if let Some(limit) = minimum.filter(|limit| value < *limit) {
        report(ViolationKind::Minimum(bound(limit)));
    }
    if let Some(limit) = exclusive_minimum.filter(|limit| value <= *limit) {
        report(ViolationKind::ExclusiveMinimum(bound(limit)));
    }
    if let Some(limit) = maximum.filter(|limit| value > *limit) {
        report(ViolationKind::Maximum(bound(limit)));
    }
    if let Some(limit) = exclusive_maximum.filter(|limit| value >= *limit) {
        report(ViolationKind::ExclusiveMaximum(bound(limit)));
    }
}

/// Reports the constraints that a string violates: length, format, then pattern.
///
/// The pattern costs most, so it is not tried on a string that is too long.
#[inline]
pub fn text(context: &Context, rules: &Text, value: &str, mut report: impl FnMut(ViolationKind)) {
    if let Some(limit) = rules.min_length.filter(|limit| is_shorter(value, *limit)) {
        report(ViolationKind::MinLength(limit));
    }
    let too_long = rules.max_length.filter(|limit| is_longer(value, *limit));
    if let Some(limit) = too_long {
        report(ViolationKind::MaxLength(limit));
    }
    if let Some(format) = rules.format.filter(|format| !formats::is(*format, value)) {
        report(ViolationKind::Format(format));
    }
    if let Some(pattern) = rules.pattern.filter(|_| too_long.is_none()) {
        match context.matches(pattern, value) {
            Matched::Yes => {}
            Matched::No => report(ViolationKind::Pattern(pattern.written())),
            Matched::Unknown => report(ViolationKind::PatternLimit(pattern.written())),
        }
    }
}

/// Returns whether `value` has fewer code points than `limit`.
///
/// The length in bytes usually decides, because a code point has one to four bytes.
#[inline]
pub fn is_shorter(value: &str, limit: u64) -> bool {
    let bytes = value.len() as u64;
    bytes < limit || (bytes < limit.saturating_mul(4) && (value.chars().count() as u64) < limit)
}

/// Returns whether `value` has more code points than `limit`.
#[inline]
pub fn is_longer(value: &str, limit: u64) -> bool {
    let bytes = value.len() as u64;
    bytes > limit && (bytes > limit.saturating_mul(4) || value.chars().count() as u64 > limit)
}

/// Reports whether an array has too few or too many items.
#[inline]
pub fn items(rules: &crate::table::Array, count: u64, mut report: impl FnMut(ViolationKind)) {
    if let Some(limit) = rules.min_items.filter(|limit| count < *limit) {
        report(ViolationKind::MinItems(limit));
    }
    if let Some(limit) = rules.max_items.filter(|limit| count > *limit) {
        report(ViolationKind::MaxItems(limit));
    }
}

/// Returns whether an object has constraints on its number of fields.
pub const fn counts_properties(rules: &crate::table::Object) -> bool {
    rules.min_properties.is_some() || rules.max_properties.is_some()
}

/// Reports whether an object has too few or too many fields.
#[inline]
pub fn properties(rules: &crate::table::Object, count: u64, mut report: impl FnMut(ViolationKind)) {
    if let Some(limit) = rules.min_properties.filter(|limit| count < *limit) {
        report(ViolationKind::MinProperties(limit));
    }
    if let Some(limit) = rules.max_properties.filter(|limit| count > *limit) {
        report(ViolationKind::MaxProperties(limit));
    }
}
