//! Constraints across fields in words: ``If `kind` is `print`, `paper` must be `matte`.``

use super::rules::{capitalised, count, lowercased};
use super::{Text, code};
use crate::ir::{CrossRule, Literal};

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
            format!("{} together hold {}", names(fields), lowercased(&count))
        }
    })
}

fn names(fields: &[String]) -> String {
    fields.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// Returns ``` `name` is `value` ``` for each pair, with `verb` in the middle.
fn each(pairs: &[(String, Literal)], verb: &str) -> Vec<String> {
    let one =
        |(name, value): &(String, Literal)| format!("{} {verb} {}", code(name), code(&value.to_string()));
    pairs.iter().map(one).collect()
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
    }
}
