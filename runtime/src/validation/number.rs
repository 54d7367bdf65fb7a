//! Exact arithmetic on numbers.
//!
//! A comparison rounds no integer within 64 bits. Multiples are decided on the decimal numbers that are written.

use std::cmp::Ordering;

use crate::codec::{Decimal, Number};
use crate::table::Literal;

/// Compares a number with a literal by their values.
///
/// Returns `None` if the literal is not a number, or if one of the two is NaN.
pub fn compare(number: Number, literal: &Literal) -> Option<Ordering> {
    match (number.to_integer(), *literal) {
        (Some(value), Literal::Integer(other)) => Some(value.cmp(&other)),
        (Some(value), Literal::Number(other)) => match Number::from(other).to_integer() {
            Some(other) => Some(value.cmp(&other)),
            None => compare_mixed(value, other),
        },
        (None, Literal::Integer(other)) if (i64::MIN.into()..=u64::MAX.into()).contains(&other) => {
            compare_mixed(other, number.to_f64()).map(Ordering::reverse)
        }
        // An integer beyond 64 bits was rounded when it was read, so the literal is rounded too.
        (None, Literal::Integer(other)) => number.to_f64().partial_cmp(&(other as f64)),
        (None, Literal::Number(other)) => number.to_f64().partial_cmp(&other),
        _ => None,
    }
}

/// Returns whether a number equals a literal.
pub fn equals(number: Number, literal: &Literal) -> bool {
    compare(number, literal) == Some(Ordering::Equal)
}

/// Compares an integer with a floating-point number.
pub fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
    // An `f64` represents both bounds of `i128` exactly.
    const END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float.is_nan() {
        None
    } else if float >= END {
        Some(Ordering::Less)
    } else if float < -END {
        Some(Ordering::Greater)
    } else {
        let whole = float.trunc();
        Some(integer.cmp(&(whole as i128)).then(if whole < float {
            Ordering::Less
        } else if whole > float {
            Ordering::Greater
        } else {
            Ordering::Equal
        }))
    }
}

/// Returns whether a number is a multiple of a literal above 0.
///
/// A multiple of a fraction may differ by the error of a few roundings. For example, a program that adds `0.1` and `0.2`
/// sends `0.30000000000000004`, which is a multiple of `0.1` here.
pub fn is_multiple(number: Number, step: &Literal) -> bool {
    let (step, float) = match *step {
        Literal::Integer(step) => match number.to_integer() {
            Some(value) => return value.checked_rem(step).is_none_or(|rest| rest == 0),
            None => (Decimal::parse(itoa::Buffer::new().format(step)), step as f64),
        },
        Literal::Number(step) => (Decimal::of(Number::Float(step)), step),
        _ => return true,
    };
    if float.fract() != 0.0 && is_nearly_multiple(number.to_f64(), float) {
        return true;
    }
    match (Decimal::of(number), step) {
        (Some(value), Some(step)) => is_multiple_of(value, step),
        // An integer step or value beyond 64 bits.
        _ => float.fract() == 0.0 && number.to_f64() % float == 0.0,
    }
}

/// Returns whether the quotient differs from an integer only by the error of a few roundings.
///
/// Large quotients are too imprecise for a decision.
fn is_nearly_multiple(value: f64, step: f64) -> bool {
    const LARGEST: f64 = 1e9;
    let quotient = value / step;
    let error = (quotient - quotient.round()).abs();
    quotient.abs() < LARGEST && error <= 4.0 * f64::EPSILON * quotient.abs().max(1.0)
}

fn is_multiple_of(value: Decimal, step: Decimal) -> bool {
    if value.digits == 0 || step.digits == 0 {
        return value.digits == 0;
    }
    // The quotient is `value.digits` * 10^`shift` / `step.digits`.
    let shift = value.exponent.saturating_sub(step.exponent);
    if shift >= 0 {
        let modulus = u128::from(step.digits);
        let scaled = (u128::from(value.digits) % modulus) * power_of_ten(shift.unsigned_abs(), modulus);
        return scaled.is_multiple_of(modulus);
    }
    let power = u32::try_from(shift.unsigned_abs()).ok().and_then(|shift| 10_u64.checked_pow(shift));
    let scaled = power.and_then(|power| power.checked_mul(step.digits));
    scaled.is_some_and(|step| value.digits.is_multiple_of(step))
}

/// Returns the remainder of 10^`exponent`, by repeated squaring.
///
/// The modulus has at most 64 bits, so that no product overflows.
const fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let (mut power, mut base) = (1 % modulus, 10 % modulus);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent /= 2;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_do_not_round() {
        const TWO_53: i128 = 9_007_199_254_740_992;
        for (integer, float, expected) in [
            (TWO_53 + 1, 9_007_199_254_740_992.0, Ordering::Greater),
            (TWO_53, 9_007_199_254_740_992.0, Ordering::Equal),
            (-TWO_53 - 1, -9_007_199_254_740_992.0, Ordering::Less),
            (3, 3.5, Ordering::Less),
            (-3, -3.5, Ordering::Greater),
            (0, -0.0, Ordering::Equal),
            (0, 5e-324, Ordering::Less),
            (i128::MAX, 1e39, Ordering::Less),
            (i128::MIN, -1e39, Ordering::Greater),
            (i128::MIN, i128::MIN as f64, Ordering::Equal),
            (i128::MAX, i128::MAX as f64, Ordering::Less),
            (1, f64::NEG_INFINITY, Ordering::Greater),
        ] {
            assert_eq!(compare_mixed(integer, float), Some(expected), "{integer} {float}");
        }
        assert_eq!(compare_mixed(0, f64::NAN), None);
        assert!(
            equals(Number::from(1.0), &Literal::Integer(1))
                && !equals(Number::from(1.5), &Literal::Integer(1))
        );
        assert_eq!(compare(Number::from(1.0), &Literal::Text("1")), None);
        // Both mean the decimal number that is written, not the nearest `f64`, which is two less.
        let written = Number::parse("3.326998846366565e16").unwrap();
        assert!(equals(written, &Literal::Integer(33_269_988_463_665_650)));
        assert!(equals(written, &Literal::Number(3.326998846366565e16)));
        // Both are rounded alike.
        let large = Number::parse("1180591620717411303425").unwrap();
        assert!(
            equals(large, &Literal::Integer((1 << 70) + 1)) && !equals(large, &Literal::Integer(1 << 71))
        );
    }

    #[test]
    fn multiples_are_those_of_the_written_numbers() {
        let float = Literal::Number;
        for (value, step, expected) in [
            (Number::from(0.3), float(0.1), true),
            (Number::from(0.1 + 0.2), float(0.1), true),
            (Number::from(0.35), float(0.1), false),
            (Number::from(-1.1), float(0.1), true),
            (Number::from(0.0), float(0.1), true),
            (Number::from(1e308), float(0.123_456_789), false),
            (Number::from(1e308), float(0.5), true),
            (Number::from(1e23), float(10.0), true),
            (Number::from(1e300), float(1e-300), true),
            (Number::from(1.5e-300), float(1e-300), false),
            (Number::from(0.0075), float(0.0001), true),
            (Number::from(0.00751), float(0.0001), false),
            (Number::from(3.000_000_000_000_000_4), Literal::Integer(1), false),
            (Number::from(3.000_000_000_000_000_4), float(1.0), false),
            (Number::from(4.5), float(1.5), true),
            (Number::from(9_007_199_254_740_993_i64), Literal::Integer(2), false),
            (Number::from(9_007_199_254_740_993_i64), float(2.0), false),
            (Number::from(1e30), Literal::Integer(7), false),
            (Number::from(1e30), Literal::Integer(100_000_000_000_000_000_000), true),
            (Number::from(1e30), Literal::Integer(i128::MAX), false),
            (Number::from(7_i64), Literal::Integer(0), true),
            (Number::from(u64::MAX), Literal::Integer(5), true),
            (Number::from(u64::MAX), float(0.5), true),
            (Number::from(5e-324), float(1.0), false),
            (Number::from(f64::INFINITY), float(0.1), false),
        ] {
            assert_eq!(is_multiple(value, &step), expected, "{value:?} {step:?}");
        }
    }
}
