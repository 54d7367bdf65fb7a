use super::*;
use crate::ir::{Engine, Pattern};

#[test]
fn patterns_that_can_and_can_not_be_checked() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "A: {type: string, pattern: '^\\d+$'}\nB: {type: string, pattern: '(?=a)\\d'}\nC: {type: string, pattern: '(?i)a'}",
    ));
    let of = |pattern: &Pattern| (pattern.written.clone(), pattern.engine, pattern.source.clone());
    let patterns: Vec<_> = api.patterns.iter().map(of).collect();
    let expected = [(r"^\d+$", Engine::Regex, "^[0-9]+$"), (r"(?=a)\d", Engine::Fancy, "(?=a)[0-9]")];
    assert_eq!(
        patterns,
        expected.map(|(written, engine, source)| (written.to_owned(), engine, source.to_owned()))
    );
    assert!(matches!(&alias_named(&api, "C").ty, Type::Text(rules) if rules.pattern.is_none()));
    assert_eq!(report.matches("warning[invalid-pattern]").count(), 1, "{report}");
    assert!(report.contains("character 1 of the pattern: "), "{report}");
}

#[test]
fn a_large_repetition_is_checked_as_limits_of_the_length() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "A: {type: string, pattern: '^.{2,5000}$', minLength: 1, maxLength: 4000}\n\
         B: {type: string, pattern: '^.{2,5000}$', minLength: 3}\n\
         C: {type: object, patternProperties: {'^.{0,262144}$': {type: string}}, additionalProperties: false}",
    ));
    let lengths = |name: &str| match &alias_named(&api, name).ty {
        Type::Text(rules) => (rules.min_length, rules.max_length, rules.pattern.is_some()),
        other => panic!("{other:?}"),
    };
    assert_eq!(lengths("A"), (Some(2), Some(4000), true));
    assert_eq!(lengths("B"), (Some(3), Some(5000), true));
    assert_eq!(report.matches("warning[invalid-pattern]").count(), 1, "names have no length: {report}");
}

#[test]
fn a_pattern_of_names_has_no_limits_of_a_length_even_if_its_schema_is_a_string() {
    let schema = "A: {not: {patternProperties: {'^.{0,262144}$': junk}, additionalProperties: false}}";
    let (_, report) = lowered(&with_schemas("3.1.0", schema));
    assert_eq!(report.matches("warning[invalid-pattern]").count(), 1, "{report}");
}
