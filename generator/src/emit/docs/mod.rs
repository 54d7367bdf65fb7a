//! Documentation of generated items: what the document says, its rules in words, and where it comes from.

mod cross;
mod inline;
mod markdown;
mod rules;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Direction, Docs, Field, Literal, NameRules, Schema, Type};

pub(super) use cross::list as cross_rules;
pub(super) use inline::code;
pub(super) use markdown::sanitise;

use super::scope::Scope;

/// Documentation under construction: paragraphs, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    lines: Vec<String>,
}

impl Text {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds what the document says, in its own Markdown.
    pub(super) fn foreign(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.block(sanitise(text)),
            None => self,
        }
    }

    /// Adds a paragraph of our own; an empty one is left out.
    pub(super) fn paragraph(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = if text.is_empty() { Vec::new() } else { inline::wrap(&text, 0) };
        self.block(lines)
    }

    /// Adds lines as they are: a list, a code block.
    pub(super) fn block(mut self, lines: Vec<String>) -> Self {
        if !lines.is_empty() && !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.extend(lines);
        self
    }

    /// Adds summary and description, of which the one may repeat the other.
    pub(super) fn said(self, docs: &Docs) -> Self {
        let description = docs.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let summary = docs.summary.as_deref().map(str::trim).filter(|summary| {
            !summary.is_empty()
                && description.is_none_or(|text| !text.starts_with(summary.trim_end_matches('.')))
        });
        self.foreign(summary.map(sentence).as_deref()).foreign(description)
    }

    /// Adds direction, origin and deprecation.
    pub(super) fn status(self, docs: &Docs) -> Self {
        let direction = match docs.direction {
            Some(Direction::Request) => "Only in requests.",
            Some(Direction::Response) => "Only in responses.",
            None => "",
        };
        let deprecated = if docs.deprecated { "**Deprecated.**" } else { "" };
        self.paragraph(direction).paragraph(origin(&docs.origin)).paragraph(deprecated)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }

    /// The doc comment.
    pub(super) fn attributes(&self) -> TokenStream {
        let lines =
            self.lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
        quote!(#(#[doc = #lines])*)
    }
}

/// A doc comment of one paragraph.
pub(super) fn line(text: impl Into<String>) -> TokenStream {
    Text::new().paragraph(text).attributes()
}

/// Documentation of a field: description (its own, else that of the schema it refers to), its place in the message
/// (`note`), rules, default, example.
///
/// ```text
/// /// The text to speak.
/// ///
/// /// 1 to 40000 characters. Default: `Hello`.
/// ```
pub(super) fn field(scope: &Scope<'_>, field: &Field, note: &str) -> Text {
    let rules = value(scope, &field.schema, field.default.as_ref(), &field.docs);
    let description = description(&field.docs).or_else(|| referenced_description(scope, &field.schema));
    // "The body." need not stand in front of "The body, `application/json`."
    let description = description.filter(|text| !note.starts_with(text.trim_end_matches('.')));
    let text = Text::new().foreign(description).paragraph([note, &rules].join(" ").trim());
    let is_renamed = field.ident.0.trim_start_matches("r#") != field.wire;
    let text = match text.is_empty() {
        true => text.paragraph(format!("The field {}.", code(&field.wire))),
        false if is_renamed && note.is_empty() => {
            text.paragraph(format!("On the wire: {}.", code(&field.wire)))
        }
        false => text,
    };
    text.status(&field.docs)
}

/// What the document says of a node: its description, else its summary.
fn description(docs: &Docs) -> Option<&str> {
    let texts = [docs.description.as_deref(), docs.summary.as_deref()];
    texts.into_iter().flatten().map(str::trim).find(|text| !text.is_empty())
}

/// The first paragraph of what the document says of the schema that is referred to.
fn referenced_description<'a>(scope: &Scope<'a>, schema: &Schema) -> Option<&'a str> {
    let Type::Named { id, .. } = schema.ty else { return None };
    let text = description(&scope.api.type_def(id)?.docs)?;
    text.split("\n\n").next()
}

/// Rules, default and example of a value, in one paragraph.
pub(super) fn value(scope: &Scope<'_>, schema: &Schema, default: Option<&Literal>, docs: &Docs) -> String {
    let mut sentences = rules::sentences(scope.api, schema);
    sentences.extend(default.map(|default| format!("Default: {}.", code(&literal_text(default)))));
    let example = docs
        .example
        .as_ref()
        .map(|example| example.as_str().map_or_else(|| example.to_string(), str::to_owned));
    let short = example.filter(|example| example.chars().count() <= 80 && !example.is_empty());
    sentences.extend(short.map(|example| format!("Example: {}.", code(&example))));
    sentences.join(" ")
}

/// The rules on the names of what an object holds beside its fields.
pub(super) fn name_rules(scope: &Scope<'_>, names: &NameRules) -> String {
    rules::names(scope.api, names).join(" ")
}

/// A constant as it is written in prose.
pub(super) fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Number(value) => value.to_string(),
        Literal::Text(value) => value.clone(),
        Literal::Json(value) => value.to_string(),
    }
}

/// The text with a full stop, unless it ends a sentence already.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', ':', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// What of an item is chosen here.
fn origin(origin: &[String]) -> String {
    let parts: Vec<_> = origin.iter().map(String::as_str).filter(|part| *part != "chosen").collect();
    match (origin.is_empty(), parts.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "Not in the API's reference; chosen.".to_owned(),
        (false, false) => {
            inline::escape(&format!("Not in the API's reference; chosen: {}.", parts.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_not_repeated() {
        let docs = |summary: &str, description: &str| Docs {
            summary: Some(summary.to_owned()),
            description: Some(description.to_owned()),
            ..Docs::default()
        };
        let lines = |docs: &Docs| Text::new().said(docs).into_lines();
        assert_eq!(lines(&docs("Makes it", "Makes it, and more.")), ["Makes it, and more."]);
        assert_eq!(lines(&docs("Makes it", "Slowly.")), ["Makes it.", "", "Slowly."]);
        assert_eq!(lines(&docs("Makes it", "")), ["Makes it."]);
    }

    #[test]
    fn origin_in_words() {
        let words = |parts: &[&str]| origin(&parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&[]), "");
        assert_eq!(words(&["chosen"]), "Not in the API's reference; chosen.");
        assert_eq!(words(&["maximum", "default"]), "Not in the API's reference; chosen: maximum, default.");
    }
}
