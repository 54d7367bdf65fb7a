//! Parses JSONPaths (RFC 9535), and explains those that are wrong or select nothing.

use serde_json_path::JsonPath;

use super::{editor::Editor, repair::repaired};
use crate::{
    diagnostics::nearest,
    tree::{Node, Value},
};

/// The maximum length of a path, in bytes.
const MAX_BYTES: usize = 4_000;

/// The maximum number of nested brackets. The parser's time doubles with each nested filter.
const NESTED: usize = 8;

/// The maximum number of `..`. Each one can select every node below every selected one.
const DESCENDANTS: usize = 3;

/// Why a text is not a JSONPath that can be read.
#[derive(Debug)]
pub(super) struct PathError {
    pub message: String,
    pub help: Option<String>,
}

/// Parses a JSONPath.
pub(super) fn parse(text: &str) -> Result<JsonPath, PathError> {
    if let Some(message) = limit(text) {
        return Err(PathError { message, help: None });
    }
    JsonPath::parse(text).map_err(|error| {
        let (good, bad) = text.split_at_checked(error.position()).unwrap_or(("", text));
        let message = match (good, bad) {
            (_, "") => format!("invalid JSONPath: `{text}` is not complete"),
            ("", _) => format!("invalid JSONPath: `{text}` does not begin with `$`"),
            _ => format!("invalid JSONPath: `{bad}` can't follow `{good}`"),
        };
        let repaired = repaired(text).filter(|text| limit(text).is_none() && JsonPath::parse(text).is_ok());
        let help = repaired.map(|text| format!("in the syntax of RFC 9535, this may be `{text}`"));
        PathError { message, help }
    })
}

/// Returns the limit that a path exceeds.
fn limit(text: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return Some(format!("the JSONPath has more than {MAX_BYTES} bytes"));
    }
    let (mut nested, mut descendants) = (0_usize, 0);
    for (offset, letter) in unquoted(text) {
        match letter {
            '(' | '[' => nested += 1,
            ')' | ']' => nested = nested.saturating_sub(1),
            '.' if is_after_dot(text, offset) => descendants += 1,
            _ => {}
        }
        if nested > NESTED {
            return Some(format!("the JSONPath has more than {NESTED} nested brackets"));
        }
    }
    (descendants > DESCENDANTS).then(|| format!("the JSONPath has `..` more than {DESCENDANTS} times"))
}

/// Returns the characters outside of quotes, with their byte offsets.
pub(super) fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> + Clone {
    let (mut quote, mut is_escaped) = (None, false);
    text.char_indices().filter(move |(_, letter)| match quote {
        None => {
            quote = Some(*letter).filter(|letter| matches!(letter, '\'' | '"'));
            quote.is_none()
        }
        Some(end) => {
            if *letter == end && !is_escaped {
                quote = None;
            }
            is_escaped = *letter == '\\' && !is_escaped;
            false
        }
    })
}

/// Splits a path after `$` into its segments: `.paths`, `['/pets']`, `..get`.
///
/// A name after a dot may hold any character except `.` and `[`, also those that RFC 9535 forbids.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut nested = 0_usize;
    for (offset, letter) in unquoted(path) {
        match letter {
            '[' => {
                if nested == 0 && !is_after_dot(path, offset) {
                    starts.push(offset);
                }
                nested += 1;
            }
            ']' => nested = nested.saturating_sub(1),
            '.' if nested == 0 && !is_after_dot(path, offset) => starts.push(offset),
            _ => {}
        }
    }
    let ends = starts.iter().skip(1).copied().chain([path.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| path.get(*start..end)).collect()
}

fn is_after_dot(path: &str, offset: usize) -> bool {
    path.get(..offset).is_some_and(|before| before.ends_with('.'))
}

/// Returns the name in a segment that has nothing else: `get` in `.get` and in `['get']`.
fn name_of(segment: &str) -> Option<&str> {
    let bracketed = segment.strip_prefix("['").and_then(|rest| rest.strip_suffix("']"));
    let bracketed = bracketed
        .or_else(|| segment.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]")))
        .filter(|name| !name.contains(['\'', '"', '\\']));
    bracketed.or_else(|| {
        segment.strip_prefix('.').filter(|name| !name.is_empty() && !name.contains(['.', '*', '[']))
    })
}

/// Explains why a path selects nothing: the longest part that selects something, and what this lacks.
pub(super) fn missing(path: &str, editor: &Editor<'_>) -> Option<String> {
    let segments = segments(path.strip_prefix('$')?);
    (0..segments.len()).rev().find_map(|count| {
        let start = format!("${}", segments.get(..count)?.concat());
        let found = editor.select(&JsonPath::parse(&start).ok()?);
        let nodes: Vec<&Node> = found.iter().filter_map(|path| editor.node(path)).collect();
        let first = *nodes.first()?;
        let wanted = *segments.get(count)?;
        if let Some(reference) = nodes.iter().find_map(|node| node.get("$ref")?.as_str()) {
            return Some(format!(
                "`{start}` is a reference to `{reference}`; overlays are applied before references are resolved, so \
                 select its target"
            ));
        }
        let fields = nodes.iter().flat_map(|node| node.entries()).map(|(name, _)| name);
        let near = name_of(wanted).and_then(|name| nearest(name, fields));
        let near = near.map_or_else(String::new, |near| format!("; a field with a similar name exists: `{near}`"));
        Some(match (nodes.len(), first.value()) {
            (1, Value::Object(_) | Value::Array(_)) => format!("`{start}` exists, but has no `{wanted}`{near}"),
            (1, _) => format!("`{start}` exists, but is {}", first.kind_name()),
            (count, _) => format!("`{start}` selects {count} nodes, but none has `{wanted}`{near}"),
        })
    })
}
