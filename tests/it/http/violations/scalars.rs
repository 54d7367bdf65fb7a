//! The constraints of integers, numbers and strings, with values on both sides.

use openapi_crates_runtime::table::{Integer, Number, Schema, Text, Type, Width};

use super::{
    rows::{Form, Rule},
    rules::type_of,
    samples::formatted,
};
use crate::http::json::Json;

/// The smallest distance of numbers from their bounds.
const STEP: f64 = 0.001_953_125;

/// Returns a value that is valid except that it is not in the allowed list.
pub fn not_among(schema: &'static Schema, allowed: &[Json]) -> Option<Json> {
    match type_of(schema) {
        Type::Integer(rules) => {
            let known: Vec<i128> =
                allowed.iter().filter_map(Json::as_f64).map(|value| value as i128).collect();
            let most = known.iter().max().copied().unwrap_or(0) + 1;
            Some(Json::number(rules.maximum.map_or(most, |bound| bound.min(most))))
        }
        Type::Number(_) => {
            let most = allowed.iter().filter_map(Json::as_f64).fold(0.0, f64::max);
            Some(Json::number(most + 1.0))
        }
        Type::Text(rules) => {
            let least = usize::try_from(rules.min_length.unwrap_or(0)).expect("texts fit memory");
            Some(Json::String(format!("{:-<least$}", "no-such-value")))
        }
        Type::Boolean => [true, false].map(Json::Boolean).into_iter().find(|value| !allowed.contains(value)),
        _ => None,
    }
}

/// Returns the constraints of an integer.
///
/// With a list of allowed values, that constraint covers the values.
pub fn integer(rules: &Integer, is_limited: bool) -> Vec<Rule> {
    let mut out = Vec::new();
    let mut add = |rule: &str, words: &str, bound: Option<i128>, violating: i128, satisfying: i128| {
        if let Some(bound) = bound {
            let expected = format!("must be {words} {bound}");
            let satisfying =
                [Json::number(bound + satisfying), Json::Number(format!("{}.0", bound + satisfying))];
            out.push(Rule::new(rule, expected, Json::number(bound + violating), satisfying.to_vec()));
        }
    };
    add("minimum", "at least", rules.minimum, -1, 0);
    add("exclusiveMinimum", "greater than", rules.exclusive_minimum, 0, 1);
    add("maximum", "at most", rules.maximum, 1, 0);
    add("exclusiveMaximum", "less than", rules.exclusive_maximum, 0, -1);
    add("multipleOf", "a multiple of", rules.multiple_of, 1, 0);
    out.push(Rule::new("integer", "must be an integer", Json::number(0.5), Vec::new()));
    let (least, most) = match rules.width {
        Width::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Width::I64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
        Width::U32 => (0, i128::from(u32::MAX)),
        Width::U64 => (0, i128::from(u64::MAX)),
        _ => unreachable!("the tests know every kind of row"),
    };
    let is_free = |bounds: [Option<i128>; 2]| !is_limited && bounds == [None, None];
    let satisfies_least = is_free([rules.minimum, rules.exclusive_minimum]).then(|| Json::number(least));
    let satisfies_most = is_free([rules.maximum, rules.exclusive_maximum]).then(|| Json::number(most));
    let range = |rule, violating, satisfying: Option<Json>| {
        Rule::new(
            rule,
            format!("must be between {least} and {most}"),
            Json::number(violating),
            satisfying.into_iter().collect(),
        )
    };
    out.push(range("range: below", least - 1, satisfies_least));
    out.push(range("range: above", most + 1, satisfies_most));
    out
}

/// Returns the constraints of a number.
pub fn number(rules: &Number) -> Vec<Rule> {
    let mut out = Vec::new();
    let mut add = |rule: &str, words: &str, bound: Option<f64>, violating: f64, satisfying: f64| {
        if let Some(bound) = bound {
            let expected = format!("must be {words} {bound}");
            out.push(Rule::new(
                rule,
                expected,
                Json::number(bound + violating),
                vec![Json::number(bound + satisfying)],
            ));
        }
    };
    add("minimum", "at least", rules.minimum, -STEP, 0.0);
    add("exclusiveMinimum", "greater than", rules.exclusive_minimum, 0.0, STEP);
    add("maximum", "at most", rules.maximum, STEP, 0.0);
    add("exclusiveMaximum", "less than", rules.exclusive_maximum, 0.0, -STEP);
    if let Some(step) = rules.multiple_of {
        add("multipleOf", "a multiple of", Some(step), step / 2.0, 0.0);
    }
    out.push(Rule::new("range", "must be a finite number", Json::Number("1e400".to_owned()), Vec::new()));
    out
}

/// Returns the constraints of a string. `value` satisfies them.
pub fn text(rules: &Text, value: &Json, form: Form) -> Vec<Rule> {
    let mut out = Vec::new();
    if let Some(least) = rules.min_length
        && let Some(shorter) = least.checked_sub(1)
    {
        let expected = format!("must be at least {least} character");
        out.push(Rule::new(
            "minLength",
            expected,
            of_length(rules, shorter, 'a'),
            vec![of_length(rules, least, 'a')],
        ));
    }
    if let Some(most) = rules.max_length {
        let expected = format!("must be at most {most} character");
        let mut satisfying = vec![of_length(rules, most, 'a')];
        if form == Form::Json && rules.format.is_none() && rules.pattern.is_none() {
            // One character is four bytes in UTF-8 and two units in UTF-16.
            satisfying.push(of_length(rules, most, '𝄞'));
        }
        out.push(Rule::new("maxLength", expected, of_length(rules, most + 1, 'a'), satisfying));
    }
    if let Some(pattern) = rules.pattern {
        let most = rules.max_length.unwrap_or(u64::MAX);
        let violating = ["", "#", "no match", "-1", "ÄÖÜ", "A1!"].into_iter().find(|text| {
            let length = text.chars().count() as u64;
            !pattern.is_match(text) && (rules.min_length.unwrap_or(0)..=most).contains(&length)
        });
        let expected = format!("must match the pattern {}", pattern.written());
        let violating = violating.expect("something doesn't match the pattern");
        out.push(Rule::new("pattern", expected, Json::string(violating), vec![value.clone()]));
    }
    if let Some(format) = rules.format {
        let satisfying = vec![Json::String(formatted(format, 7))];
        out.push(Rule::new(
            format!("format: {format:?}"),
            "must be ",
            Json::string("no such form"),
            satisfying,
        ));
    }
    out
}

/// Returns a text of this length that satisfies the other constraints if possible.
fn of_length(rules: &Text, length: u64, character: char) -> Json {
    let length = usize::try_from(length).expect("texts fit memory");
    let start = rules.format.map(|format| formatted(format, 1)).filter(|start| start.len() <= length);
    let start = start.unwrap_or_default();
    let more = length - start.len();
    Json::String(start.chars().chain(std::iter::repeat_n(character, more)).collect())
}
