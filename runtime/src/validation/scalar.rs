//! The constraints on scalars.
//!
//! Both paths call these functions, so they can't disagree.

use super::json_schema::Context;
use super::kind::{Bound, ViolationKind};
use super::{formats, number};
use crate::table::{Integer, Literal, Matched, Number, Text, Width};

/// Returns whether the Rust type of an integer can hold this value.
#[inline]
pub fn fits(width: Width, value: i128) -> bool {
    match width {
        Width::I32 => i32::try_from(value).is_ok(),
        Width::I64 => i64::try_from(value).is_ok(),
        Width::U32 => u32::try_from(value).is_ok(),
        Width::U64 => u64::try_from(value).is_ok(),
    }
}

/// Reports the constraints that an integer violates, except the range of its type.
#[inline]
pub fn integer(rules: &Integer, value: i128, mut report: impl FnMut(ViolationKind)) {
    if let Some(bound) = rules.minimum.filter(|bound| value < *bound) {
        report(ViolationKind::Minimum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.exclusive_minimum.filter(|bound| value <= *bound) {
        report(ViolationKind::ExclusiveMinimum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.maximum.filter(|bound| value > *bound) {
        report(ViolationKind::Maximum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.exclusive_maximum.filter(|bound| value >= *bound) {
        report(ViolationKind::ExclusiveMaximum(Bound::Integer(bound)));
    }
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
    if let Some(bound) = rules.minimum.filter(|bound| value < *bound) {
        report(ViolationKind::Minimum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.exclusive_minimum.filter(|bound| value <= *bound) {
        report(ViolationKind::ExclusiveMinimum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.maximum.filter(|bound| value > *bound) {
        report(ViolationKind::Maximum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.exclusive_maximum.filter(|bound| value >= *bound) {
        report(ViolationKind::ExclusiveMaximum(Bound::Number(bound)));
    }
    if let Some(step) =
        rules.multiple_of.filter(|step| !number::is_multiple(value.into(), &Literal::Number(*step)))
    {
        report(ViolationKind::MultipleOf(Bound::Number(step)));
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
