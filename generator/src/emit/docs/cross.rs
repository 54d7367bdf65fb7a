//! Rules over several fields in words: ``Where `kind` is `print`: `paper` is `matte`.``

use super::rules::{capitalised, count};
use super::{Text, code, literal_text};
use crate::ir::{Condition, CrossRule, Literal};

/// A condition of more parts is not told in words.
const MOST_PARTS: usize = 12;

/// The rules over several fields of an object, as a list.
pub(in crate::emit) fn list(text: Text, rules: &[CrossRule]) -> Text {
    let lines: Vec<String> =
        rules.iter().filter_map(sentence).map(|sentence| format!("- {}", capitalised(&sentence))).collect();
    if lines.is_empty() { text } else { text.paragraph("Rules across its fields:").block(lines) }
}

fn sentence(rule: &CrossRule) -> Option<String> {
    Some(match rule {
        CrossRule::When { when, require, .. } => format!("where {}: {}.", pairs(when), pairs(require)),
        CrossRule::NotTogether { fields, .. } => format!("not together: {}.", names(fields)),
        CrossRule::AtLeastOne { fields, above: None, .. } => format!("at least one of {}.", names(fields)),
        CrossRule::AtLeastOne { fields, above: Some(above), .. } => {
            format!("at least one of {} above {above}.", names(fields))
        }
        CrossRule::ExactlyOne { fields, .. } => format!("exactly one of {}.", names(fields)),
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let count = count(*minimum, *maximum, "item", "items")?;
            format!("{} together: {}", names(fields), super::rules::lowercased(&count))
        }
        CrossRule::Holds { condition, .. } => {
            (condition.fields().len() <= MOST_PARTS).then(|| format!("{}.", words(condition)))?
        }
    })
}

fn names(fields: &[String]) -> String {
    fields.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

fn pairs(pairs: &[(String, Literal)]) -> String {
    let each = pairs.iter().map(|(name, literal)| is(name, literal));
    each.collect::<Vec<_>>().join(" and ")
}

fn is(name: &str, literal: &Literal) -> String {
    format!("{} is {}", code(name), code(&literal_text(literal)))
}

/// The condition in words; how deep it goes is bounded by how many parts it has.
fn words(condition: &Condition) -> String {
    let all = |several: &[Condition], and: &str| several.iter().map(words).collect::<Vec<_>>().join(and);
    match condition {
        Condition::Given(name) => format!("{} is given", code(name)),
        Condition::Is(name, literal) => is(name, literal),
        Condition::All(several) => all(several, " and "),
        Condition::Any(several) => all(several, " or "),
        Condition::One(several) => format!("exactly one of these: {}", all(several, "; ")),
        Condition::Not(inner) => format!("not: {}", words(inner)),
        Condition::If(when, then) => format!("where {}: {}", words(when), words(then)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told() {
        let told = |rule: CrossRule| list(Text::new(), &[rule]).into_lines().pop().unwrap_or_default();
        let fields = vec!["a".to_owned(), "b".to_owned()];
        let name = String::new;
        let text = |value: &str| Literal::Text(value.to_owned());
        let when = CrossRule::When {
            name: name(),
            when: vec![("kind".to_owned(), text("print"))],
            require: vec![("paper".to_owned(), text("matte"))],
        };
        assert_eq!(told(when), "- Where `kind` is `print`: `paper` is `matte`.");
        assert_eq!(
            told(CrossRule::NotTogether { name: name(), fields: fields.clone() }),
            "- Not together: `a`, `b`."
        );
        let above = CrossRule::AtLeastOne { name: name(), fields: fields.clone(), above: Some(0.0) };
        assert_eq!(told(above), "- At least one of `a`, `b` above 0.");
        let total = CrossRule::TotalItems { name: name(), fields, minimum: Some(1), maximum: Some(5) };
        assert_eq!(told(total), "- `a`, `b` together: 1 to 5 items.");
        let given = |name: &str| Condition::Given(name.to_owned());
        let condition = Condition::If(
            Box::new(given("a")),
            Box::new(Condition::Any(vec![given("b"), Condition::Not(Box::new(given("c")))])),
        );
        let holds = CrossRule::Holds { name: name(), condition };
        assert_eq!(told(holds), "- Where `a` is given: `b` is given or not: `c` is given.");
        let large = Condition::All((0..20).map(|_| given("a")).collect());
        assert_eq!(told(CrossRule::Holds { name: name(), condition: large }), "");
    }
}
