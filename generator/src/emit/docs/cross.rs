//! Constraints across fields in words: ``If `kind` is `print`, `paper` must be `matte`.``

use super::rules::{capitalised, count};
use super::{Text, code, literal_text};
use crate::ir::{Condition, CrossRule, Literal};

/// The maximum number of fields in a condition.
///
/// The documentation omits a longer condition, because nobody can read it.
const MOST_PARTS: usize = 12;

/// Appends the constraints across an object's fields as a list.
pub(in crate::emit) fn list(text: Text, rules: &[CrossRule]) -> Text {
    let lines: Vec<String> =
        rules.iter().filter_map(sentence).map(|sentence| format!("- {}", capitalised(&sentence))).collect();
    if lines.is_empty() { text } else { text.paragraph("Constraints across fields:").block(lines) }
}

fn sentence(rule: &CrossRule) -> Option<String> {
    Some(match rule {
        CrossRule::When { when, require, .. } => {
            let (when, require) = (each(when, "is").join(" and "), each(require, "must be").join(" and "));
            format!("if {when}, {require}.")
        }
        CrossRule::NotTogether { fields, .. } => format!("at most one of {} may be set.", names(fields)),
        CrossRule::AtLeastOne { fields, above: None, .. } => {
            format!("at least one of {} is required.", names(fields))
        }
        CrossRule::AtLeastOne { fields, above: Some(above), .. } => {
            format!("at least one of {} must be greater than {above}.", names(fields))
        }
        CrossRule::ExactlyOne { fields, .. } => format!("exactly one of {} is required.", names(fields)),
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let count = count(*minimum, *maximum, "item", "items")?;
            format!("{} together hold {}", names(fields), super::rules::lowercased(&count))
        }
        CrossRule::Holds { condition, .. } => {
            (condition.fields().len() <= MOST_PARTS).then(|| format!("{}.", words(&simplified(condition))))?
        }
    })
}

fn names(fields: &[String]) -> String {
    fields.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// Returns ``` `name` is `value` ``` for each pair, with `verb` in the middle.
fn each(pairs: &[(String, Literal)], verb: &str) -> Vec<String> {
    pairs.iter().map(|(name, literal)| compare(name, verb, literal)).collect()
}

fn compare(name: &str, verb: &str, literal: &Literal) -> String {
    format!("{} {verb} {}", code(name), code(&literal_text(literal)))
}

/// Returns the condition in words. [`MOST_PARTS`] bounds the depth of the recursion.
fn words(condition: &Condition) -> String {
    let joined = |several: &[Condition], operator: &str| {
        several.iter().map(operand).collect::<Vec<_>>().join(operator)
    };
    match condition {
        Condition::Given(name) => format!("{} is present", code(name)),
        Condition::Is(name, literal) => compare(name, "is", literal),
        Condition::All(several) => joined(several, " and "),
        Condition::Any(several) => joined(several, " or "),
        Condition::One(several) => format!("exactly one holds: {}", joined(several, "; ")),
        Condition::Not(inner) => match &**inner {
            Condition::Given(name) => format!("{} is absent", code(name)),
            Condition::Is(name, literal) => compare(name, "is not", literal),
            Condition::One(several) => format!("not exactly one holds: {}", joined(several, "; ")),
            other => format!("not {}", operand(other)),
        },
        Condition::If(when, then) => format!("if {}, then {}", clause(when), clause(then)),
    }
}

/// Moves negations inwards.
///
/// The result is "`a` is absent or `b` is absent" instead of "not (`a` is present and `b` is present)".
fn simplified(condition: &Condition) -> Condition {
    let each = |several: &[Condition]| several.iter().map(simplified).collect();
    let none = |several: &[Condition]| several.iter().map(negated).collect();
    match condition {
        Condition::Given(_) | Condition::Is(..) => condition.clone(),
        Condition::All(several) => Condition::All(each(several)),
        Condition::Any(several) => Condition::Any(each(several)),
        Condition::One(several) => Condition::One(each(several)),
        Condition::If(when, then) => Condition::If(Box::new(simplified(when)), Box::new(simplified(then))),
        Condition::Not(inner) => match &**inner {
            Condition::Not(condition) => simplified(condition),
            Condition::All(several) => Condition::Any(none(several)),
            Condition::Any(several) => Condition::All(none(several)),
            Condition::If(when, then) => Condition::All(vec![simplified(when), negated(then)]),
            other => Condition::Not(Box::new(simplified(other))),
        },
    }
}

fn negated(condition: &Condition) -> Condition {
    simplified(&Condition::Not(Box::new(condition.clone())))
}

/// Returns the words of a condition within another, in parentheses if needed.
fn operand(condition: &Condition) -> String {
    match condition {
        Condition::Given(_) | Condition::Is(..) => words(condition),
        Condition::Not(inner) if matches!(**inner, Condition::Given(_) | Condition::Is(..)) => {
            words(condition)
        }
        _ => format!("({})", words(condition)),
    }
}

/// Returns the words of one side of an `if`.
///
/// Parentheses avoid ambiguous commas and semicolons.
fn clause(condition: &Condition) -> String {
    match condition {
        Condition::If(..) | Condition::One(_) => operand(condition),
        _ => words(condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_in_words() {
        let sentence_of = |rule: CrossRule| list(Text::new(), &[rule]).into_lines().pop().unwrap_or_default();
        let fields = vec!["a".to_owned(), "b".to_owned()];
        let name = String::new;
        let text = |value: &str| Literal::Text(value.to_owned());
        let when = CrossRule::When {
            name: name(),
            when: vec![("kind".to_owned(), text("print"))],
            require: vec![("paper".to_owned(), text("matte"))],
        };
        assert_eq!(sentence_of(when), "- If `kind` is `print`, `paper` must be `matte`.");
        assert_eq!(
            sentence_of(CrossRule::NotTogether { name: name(), fields: fields.clone() }),
            "- At most one of `a`, `b` may be set."
        );
        let above = CrossRule::AtLeastOne { name: name(), fields: fields.clone(), above: Some(0.0) };
        assert_eq!(sentence_of(above), "- At least one of `a`, `b` must be greater than 0.");
        let total = CrossRule::TotalItems { name: name(), fields, minimum: Some(1), maximum: Some(5) };
        assert_eq!(sentence_of(total), "- `a`, `b` together hold 1 to 5 items.");
        let given = |name: &str| Condition::Given(name.to_owned());
        let condition = Condition::If(
            Box::new(given("a")),
            Box::new(Condition::Any(vec![given("b"), Condition::Not(Box::new(given("c")))])),
        );
        let holds = CrossRule::Holds { name: name(), condition };
        assert_eq!(sentence_of(holds), "- If `a` is present, then `b` is present or `c` is absent.");
        let either = Condition::Any(vec![given("a"), given("b")]);
        let neither = Condition::All(vec![either, Condition::Not(Box::new(given("c")))]);
        assert_eq!(
            sentence_of(CrossRule::Holds { name: name(), condition: neither.clone() }),
            "- (`a` is present or `b` is present) and `c` is absent."
        );
        assert_eq!(
            sentence_of(CrossRule::Holds { name: name(), condition: Condition::Not(Box::new(neither)) }),
            "- (`a` is absent and `b` is absent) or `c` is present."
        );
        let large = Condition::All((0..20).map(|_| given("a")).collect());
        assert_eq!(sentence_of(CrossRule::Holds { name: name(), condition: large }), "");
    }
}
