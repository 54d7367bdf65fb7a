//! Integers and numbers within their bounds.

use super::random::Random;
use crate::table::{Integer, Number};
use crate::types::Value;
use crate::validation::scalar;

/// The number of tries for a number.
const TRIES: usize = 32;

/// Returns an integer within the bounds: often the least, the greatest, or a small one.
pub fn integer(rules: &Integer, random: &mut Random) -> Option<i128> {
    let (least, most) = range(rules);
    let step = rules.multiple_of.unwrap_or(1).max(1);
    // The range in steps.
    let first = least.div_euclid(step) + i128::from(least.rem_euclid(step) != 0);
    let last = most.div_euclid(step);
    if first > last {
        return None;
    }
    let small = 0_i128.clamp(first, last);
    let factor = match random.below(8) {
        0 => first,
        1 => last,
        2 => small,
        3 => random.between(first, last),
        _ => random.between(small.saturating_sub(20).max(first), small.saturating_add(120).min(last)),
    };
    factor.checked_mul(step)
}

/// Returns the least and the greatest integer within the bounds and the range of the type.
fn range(rules: &Integer) -> (i128, i128) {
    let (least, most) = scalar::range(rules.width);
    let least = [rules.minimum, rules.exclusive_minimum.map(|it| it.saturating_add(1))]
        .into_iter()
        .flatten()
        .fold(least, i128::max);
    let most = [rules.maximum, rules.exclusive_maximum.map(|it| it.saturating_sub(1))]
        .into_iter()
        .flatten()
        .fold(most, i128::min);
    (least, most)
}

/// Returns an integer as JSON; beyond 64 bits, as the nearest number.
pub fn json_integer(value: i128) -> Value {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => (value as f64).into(),
    }
}

/// Returns a number within the bounds, with few decimals if possible.
pub fn number(rules: &Number, random: &mut Random) -> Option<f64> {
    let least = [rules.minimum, rules.exclusive_minimum].into_iter().flatten().reduce(f64::max);
    let most = [rules.maximum, rules.exclusive_maximum].into_iter().flatten().reduce(f64::min);
    let (low, high) = match (least, most) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low + 1000.0),
        (None, Some(high)) => (high - 1000.0, high),
        (None, None) => (-100.0, 1000.0),
    };
    let is_valid = |value: f64| {
        let mut is_valid = true;
        scalar::number(rules, value, |_| is_valid = false);
        is_valid
    };
    (0..TRIES)
        .map(|_| match (rules.multiple_of, random.below(8)) {
            (_, 0) => low,
            (_, 1) => high,
            (Some(step), _) => multiple(low, high, step, random),
            (None, 2..5) => (low + random.unit() * (high - low)).round(),
            (None, 5..7) => ((low + random.unit() * (high - low)) * 100.0).round() / 100.0,
            (None, _) => low + random.unit() * (high - low),
        })
        .find(|value| is_valid(*value))
}

/// Returns a multiple of `step`, with the decimals of `step`.
fn multiple(low: f64, high: f64, step: f64, random: &mut Random) -> f64 {
    let value = ((low + random.unit() * (high - low)) / step).round() * step;
    let text = step.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// Returns a number as JSON: usually as an integer, if it is one.
pub fn json_number(value: f64, random: &mut Random) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT && !random.once_in(4) {
        return json_integer(value as i128);
    }
    value.into()
}
