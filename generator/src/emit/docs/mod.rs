//! Documentation of generated items: descriptions, constraints and sources.

mod conditions;
mod cross;
mod inline;
mod markdown;
mod rules;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Direction, Docs, Field, Literal, Schema, Type};

pub(super) use conditions::list as added;
pub(super) use cross::list as cross_rules;
pub(super) use inline::code;
pub(super) use markdown::sanitise;
pub(super) use rules::{any_of, capitalised, names as name_rules};

use super::scope::Scope;

/// A doc comment under construction, as paragraphs in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    lines: Vec<String>,
}

impl Text {
    /// Creates an empty text.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a text of the OpenAPI document, which is Markdown.
    pub(super) fn foreign(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.block(sanitise(text)),
            None => self,
        }
    }

    /// Adds a paragraph that the generator wrote. An empty one adds nothing.
    pub(super) fn paragraph(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = if text.is_empty() { Vec::new() } else { inline::wrap(&text, 0) };
        self.block(lines)
    }

    /// Adds lines unchanged, such as a list or a code block.
    pub(super) fn block(mut self, lines: Vec<String>) -> Self {
        if !lines.is_empty() && !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.extend(lines);
        self
    }

    /// Adds summary and description. Skips the summary if the description begins with it.
    pub(super) fn described(self, docs: &Docs) -> Self {
        let description = docs.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let summary = docs.summary.as_deref().map(str::trim).filter(|summary| {
            !summary.is_empty()
                && description.is_none_or(|text| !text.starts_with(summary.trim_end_matches('.')))
        });
        self.foreign(summary.map(sentence).as_deref()).foreign(description)
    }

    /// Adds the direction and the deprecation.
    pub(super) fn status(self, docs: &Docs) -> Self {
        let direction = match docs.direction {
            Some(Direction::Request) => "Present only in requests.",
            Some(Direction::Response) => "Present only in responses.",
            None => "",
        };
        let deprecated = if docs.deprecated { "**Deprecated.**" } else { "" };
        self.paragraph(direction).paragraph(deprecated)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the lines.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }

    /// Returns the doc comment as attributes.
    pub(super) fn attributes(&self) -> TokenStream {
        let lines =
            self.lines.iter().map(|line| if line.is_empty() { String::new() } else { format!(" {line}") });
        quote!(#(#[doc = #lines])*)
    }
}

/// Returns a doc comment of one paragraph.
pub(super) fn line(text: impl Into<String>) -> TokenStream {
    Text::new().paragraph(text).attributes()
}

/// Returns the documentation of a field.
///
/// It has the description, the location in the message (`note`), constraints, default and example.
///
/// Without a description of its own, the field has the first sentence of the referenced schema's description. It has
/// no documentation if the document has none.
///
/// ```text
/// /// The text to speak.
/// ///
/// /// 1 to 40000 characters. Default: `Hello`.
/// ```
pub(super) fn field(scope: &Scope<'_>, field: &Field, note: &str) -> Text {
    let rules = value(scope, &field.schema, field.default.as_ref(), &field.docs);
    let description = description(&field.docs).or_else(|| referenced_description(scope, &field.schema));
    // A description such as "Request body." would repeat the note "Request body, `application/json`."
    let description = description.filter(|text| !note.starts_with(text.trim_end_matches('.')));
    let text = Text::new().foreign(description).paragraph([note, &rules].join(" ").trim());
    let is_renamed = field.ident.0.trim_start_matches("r#") != field.wire;
    let renamed = (is_renamed && note.is_empty()).then(|| format!("Serialized as {}.", code(&field.wire)));
    text.paragraph(renamed.unwrap_or_default()).status(&field.docs)
}

/// Returns the description of a node, or its summary if it has no description.
fn description(docs: &Docs) -> Option<&str> {
    let texts = [docs.description.as_deref(), docs.summary.as_deref()];
    texts.into_iter().flatten().map(str::trim).find(|text| !text.is_empty())
}

/// Returns the first sentence of the referenced schema's description. The rest is in that type's documentation.
fn referenced_description<'a>(scope: &Scope<'a>, schema: &Schema) -> Option<&'a str> {
    let Type::Named { id, .. } = schema.ty else { return None };
    let text = description(&scope.api.type_def(id)?.docs)?;
    let paragraph = text.split("\n\n").next()?;
    // A link can contain a full stop, so the text is cut where a sentence certainly begins.
    let end = paragraph
        .match_indices(". ")
        .find(|(at, _)| !paragraph.get(..*at).is_some_and(|text| text.contains(['[', '`', '<', '*'])));
    end.and_then(|(at, _)| paragraph.get(..=at)).or(Some(paragraph))
}

/// Returns constraints, default and example of a value in one paragraph.
pub(super) fn value(scope: &Scope<'_>, schema: &Schema, default: Option<&Literal>, docs: &Docs) -> String {
    let mut sentences = rules::sentences(scope.api, schema);
    sentences.extend(default.map(|default| format!("Default: {}.", code(&default.to_string()))));
    let example = docs
        .example
        .as_ref()
        .map(|example| example.as_str().map_or_else(|| example.to_string(), str::to_owned));
    let short = example.filter(|example| example.chars().count() <= 80 && !example.is_empty());
    sentences.extend(short.map(|example| format!("Example: {}.", code(&example))));
    sentences.join(" ")
}

/// Returns the text with a full stop, unless it already ends with a punctuation mark.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', ':', '…']) { text.to_owned() } else { format!("{text}.") }
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
        let lines = |docs: &Docs| Text::new().described(docs).into_lines();
        assert_eq!(lines(&docs("Makes it", "Makes it, and more.")), ["Makes it, and more."]);
        assert_eq!(lines(&docs("Makes it", "Slowly.")), ["Makes it.", "", "Slowly."]);
        assert_eq!(lines(&docs("Makes it", "")), ["Makes it."]);
    }
}
