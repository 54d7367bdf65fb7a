//! The rules of scalars. Both paths judge by these functions, so they can't disagree.

use super::formats;
use super::problem::{Bound, Problem};
use crate::table::{Integer, Number, Text, Width};

/// Whether the Rust type of an integer holds this value.
#[inline]
pub fn fits(width: Width, value: i128) -> bool {
    match width {
        Width::I32 => i32::try_from(value).is_ok(),
        Width::I64 => i64::try_from(value).is_ok(),
        Width::U32 => u32::try_from(value).is_ok(),
        Width::U64 => u64::try_from(value).is_ok(),
    }
}

/// Reports which rules this integer breaks, beside the range of its Rust type.
#[inline]
pub fn integer(rules: &Integer, value: i128, mut report: impl FnMut(Problem)) {
    if let Some(bound) = rules.minimum.filter(|bound| value < *bound) {
        report(Problem::Minimum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.exclusive_minimum.filter(|bound| value <= *bound) {
        report(Problem::ExclusiveMinimum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.maximum.filter(|bound| value > *bound) {
        report(Problem::Maximum(Bound::Integer(bound)));
    }
    if let Some(bound) = rules.exclusive_maximum.filter(|bound| value >= *bound) {
        report(Problem::ExclusiveMaximum(Bound::Integer(bound)));
    }
    if let Some(step) =
        rules.multiple_of.filter(|step| value.checked_rem(*step).is_some_and(|rest| rest != 0))
    {
        report(Problem::MultipleOf(Bound::Integer(step)));
    }
}

/// Reports which rules this number breaks.
#[inline]
pub fn number(rules: &Number, value: f64, mut report: impl FnMut(Problem)) {
    if !value.is_finite() {
        report(Problem::OutOfRange(None));
        return;
    }
    if let Some(bound) = rules.minimum.filter(|bound| value < *bound) {
        report(Problem::Minimum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.exclusive_minimum.filter(|bound| value <= *bound) {
        report(Problem::ExclusiveMinimum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.maximum.filter(|bound| value > *bound) {
        report(Problem::Maximum(Bound::Number(bound)));
    }
    if let Some(bound) = rules.exclusive_maximum.filter(|bound| value >= *bound) {
        report(Problem::ExclusiveMaximum(Bound::Number(bound)));
    }
    if let Some(step) = rules.multiple_of.filter(|step| !is_multiple(value, *step)) {
        report(Problem::MultipleOf(Bound::Number(step)));
    }
}

/// Whether `value` is a multiple of `step`, as far as 64-bit numbers can tell: `0.3` is one of `0.1`, although neither
/// is exactly what it says. The quotient may differ from an integer by what three roundings make of it, four units in
/// its last place. Where that is more than a half (a quotient above 10^15), every number passes.
fn is_multiple(value: f64, step: f64) -> bool {
    let quotient = value / step;
    if !quotient.is_finite() {
        return true;
    }
    (quotient - quotient.round()).abs() <= 4.0 * f64::EPSILON * quotient.abs().max(1.0)
}

/// Reports which rules this string breaks: its length, then its form, then its pattern, which costs most and is not
/// tried on a string that is too long.
#[inline]
pub fn text(rules: &Text, value: &str, mut report: impl FnMut(Problem)) {
    if let Some(limit) = rules.min_length.filter(|limit| is_shorter(value, *limit)) {
        report(Problem::MinLength(limit));
    }
    let too_long = rules.max_length.filter(|limit| is_longer(value, *limit));
    if let Some(limit) = too_long {
        report(Problem::MaxLength(limit));
    }
    if let Some(format) = rules.format.filter(|format| !formats::is(*format, value)) {
        report(Problem::Format(format));
    }
    if let Some(pattern) = rules.pattern.filter(|pattern| too_long.is_none() && !pattern.is_match(value)) {
        report(Problem::Pattern(pattern.source()));
    }
}

/// Whether `value` has fewer code points than `limit`. Most often its length in bytes tells: a code point has one to
/// four.
#[inline]
fn is_shorter(value: &str, limit: u64) -> bool {
    let bytes = value.len() as u64;
    bytes < limit || (bytes < limit.saturating_mul(4) && (value.chars().count() as u64) < limit)
}

/// Whether `value` has more code points than `limit`.
#[inline]
fn is_longer(value: &str, limit: u64) -> bool {
    let bytes = value.len() as u64;
    bytes > limit && (bytes > limit.saturating_mul(4) || value.chars().count() as u64 > limit)
}

/// Reports whether a number of items is too small or too large.
#[inline]
pub fn items(rules: &crate::table::Array, count: u64, mut report: impl FnMut(Problem)) {
    if let Some(limit) = rules.min_items.filter(|limit| count < *limit) {
        report(Problem::MinItems(limit));
    }
    if let Some(limit) = rules.max_items.filter(|limit| count > *limit) {
        report(Problem::MaxItems(limit));
    }
}

/// Reports whether a number of fields is too small or too large.
#[inline]
pub fn properties(rules: &crate::table::Object, count: u64, mut report: impl FnMut(Problem)) {
    if let Some(limit) = rules.min_properties.filter(|limit| count < *limit) {
        report(Problem::MinProperties(limit));
    }
    if let Some(limit) = rules.max_properties.filter(|limit| count > *limit) {
        report(Problem::MaxProperties(limit));
    }
}
