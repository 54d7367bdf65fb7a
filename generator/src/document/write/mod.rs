//! Writes a value as the text of a document, JSON or YAML in block style.
//!
//! A scalar of YAML is plain only if no reader, of YAML 1.1 or 1.2, can take it for anything else than the string.

use serde_json::Value as Json;

use super::{Source, read::is_json};

/// The format of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentFormat {
    /// JSON, indented by two spaces.
    Json,
    /// YAML, with an indentation of two spaces.
    Yaml,
}

impl DocumentFormat {
    /// Returns the format of a text, as the reader of documents decides it.
    pub(crate) fn of(source: &Source) -> Self {
        if is_json(source) { Self::Json } else { Self::Yaml }
    }

    /// Writes a value.
    pub(crate) fn write(self, value: &Json) -> String {
        match self {
            Self::Json => format!("{value:#}\n"),
            Self::Yaml => {
                let mut text = String::new();
                entry(value, 0, &mut text);
                text
            }
        }
    }
}

/// The maximum length of a field's name without a question mark in front: YAML allows 1024 characters.
const MAX_SIMPLE_KEY_BYTES: usize = 1000;

/// Returns whether a value is an array or object with something in it.
fn is_filled(value: &Json) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
        || value.as_object().is_some_and(|fields| !fields.is_empty())
}

/// Writes the lines of an array or object.
fn block(value: &Json, indent: usize, text: &mut String) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| {
            start(indent, text);
            text.push_str("- ");
            entry(item, indent + 2, text);
        }),
        Json::Object(fields) => fields.iter().for_each(|(name, field)| {
            start(indent, text);
            let key = key(name);
            if key.len() > MAX_SIMPLE_KEY_BYTES {
                text.push_str("? ");
                text.push_str(&key);
                text.push('\n');
                start(indent, text);
            } else {
                text.push_str(&key);
            }
            text.push(':');
            match field {
                field if is_filled(field) => {
                    text.push('\n');
                    // The items of an array are indented as the name is.
                    block(field, indent + if field.is_array() { 0 } else { 2 }, text);
                }
                scalar_field => {
                    text.push(' ');
                    text.push_str(&scalar(scalar_field, indent + 2));
                    text.push('\n');
                }
            }
        }),
        _ => {}
    }
}

/// Writes a value where a line has begun. So the first line of an object in an array is on the line of the dash.
fn entry(value: &Json, indent: usize, text: &mut String) {
    if is_filled(value) {
        block(value, indent, text);
    } else {
        text.push_str(&scalar(value, indent));
        text.push('\n');
    }
}

/// Indents a line, unless it has begun with a dash.
fn start(indent: usize, text: &mut String) {
    if text.is_empty() || text.ends_with('\n') {
        text.extend(std::iter::repeat_n(' ', indent));
    }
}

fn scalar(value: &Json, indent: usize) -> String {
    match value {
        Json::String(text) if is_literal(text) => literal(text, indent),
        Json::String(text) => key(text),
        Json::Array(_) => "[]".to_owned(),
        Json::Object(_) => "{}".to_owned(),
        Json::Number(value) if value.is_f64() => float(&value.to_string()),
        other => other.to_string(),
    }
}

/// Returns the text of a number with a fraction or an exponent.
///
/// YAML 1.1 reads `1e30` as a string: an exponent needs a fraction before it, and a sign.
fn float(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else { return text.to_owned() };
    let fraction = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    format!("{digits}{fraction}e{sign}{exponent}")
}

/// Returns the name of a field, or a string, on one line.
fn key(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    let is_simple = text.chars().all(is_printable);
    if is_simple {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter if is_printable(letter) => quoted.push(letter),
            letter if u32::from(letter) <= 0xffff => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(letter)))
            }
            letter => quoted.push_str(&format!("\\U{:08x}", u32::from(letter))),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns whether a character can stand in a line as it is.
fn is_printable(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns whether a text can be written without quotes.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"];
    let starts =
        text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '/' | '$' | '('));
    let allowed = |letter: char| letter.is_alphanumeric() || " _-./$()+=;^<>'\"&*%@!?,:#|".contains(letter);
    starts
        && !text.ends_with([' ', ':'])
        && text.chars().all(allowed)
        && !text.contains(": ")
        && !text.contains(" #")
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns whether a text of several lines can be written as lines.
fn is_literal(text: &str) -> bool {
    let lines = || text.split('\n');
    text.contains('\n')
        && lines().all(|line| line.chars().all(|letter| letter == '\t' || is_printable(letter)))
        && lines().all(|line| line.is_empty() || !line.trim_matches([' ', '\t']).is_empty())
        && lines().next().is_some_and(|first| !first.is_empty() && !first.starts_with([' ', '\t']))
        && !text.starts_with(['-', '#'])
}

fn literal(text: &str, indent: usize) -> String {
    let body = text.trim_end_matches('\n');
    let keep = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let mut written = keep.to_owned();
    // The last line break is written by the caller.
    let lines = if text.len() > body.len() { text.strip_suffix('\n').unwrap_or(text) } else { text };
    for line in lines.split('\n') {
        written.push('\n');
        if !line.is_empty() {
            written.extend(std::iter::repeat_n(' ', indent));
            written.push_str(line);
        }
    }
    written
}

#[cfg(test)]
mod tests;
