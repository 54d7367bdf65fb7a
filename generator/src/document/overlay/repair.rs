//! Rewrites frequent mistakes in JSONPaths to the syntax of RFC 9535.

use std::ops::Range;

use super::path::{segments, unquoted};
use crate::document::decode_step;

/// Returns the path that is probably meant by one that can't be parsed. It may still be wrong.
pub(super) fn repaired(path: &str) -> Option<String> {
    let path = from_root(path.trim());
    let rest = path.strip_prefix('$')?;
    Some(format!("${}", whole_names(&segments(rest)).iter().map(|part| segment(part)).collect::<String>()))
}

/// Makes a path begin with `$`: `paths.x`, `.paths.x`, `@.paths.x`, `#/paths/x` and `/paths/x` all mean `$.paths.x`.
fn from_root(path: &str) -> String {
    if let Some(pointer) = path.strip_prefix("#/").or_else(|| path.strip_prefix('/')) {
        return format!("${}", pointer.split('/').map(|step| named(&decode_step(step))).collect::<String>());
    }
    let path = path.strip_prefix('@').unwrap_or(path);
    match path.chars().next() {
        Some('$') => path.to_owned(),
        Some('.' | '[') => format!("${path}"),
        _ => format!("$.{path}"),
    }
}

/// Joins the parts of names that contain dots: `./v1`, `.0/users`.
///
/// A part after a path template belongs to it, unless it can be a name by itself.
fn whole_names(segments: &[&str]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for segment in segments {
        match whole.last_mut() {
            Some(last) if last.starts_with("./") && !is_segment(segment) => last.push_str(segment),
            _ => whole.push((*segment).to_owned()),
        }
    }
    whole
}

/// Returns whether RFC 9535 allows a segment of this form.
fn is_segment(segment: &str) -> bool {
    let name = segment.trim_start_matches('.');
    segment.starts_with('[') || name.starts_with('[') || name == "*" || is_shorthand(name)
}

/// Returns whether a name may follow a dot.
pub(in crate::document) fn is_shorthand(name: &str) -> bool {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || !letter.is_ascii();
    name.starts_with(is_first) && name.chars().all(|letter| is_first(letter) || letter.is_ascii_digit())
}

/// Repairs a segment.
fn segment(segment: &str) -> String {
    let dots = segment.len() - segment.trim_start_matches('.').len();
    let (dots, name) = segment.split_at(dots);
    if name.starts_with('[') {
        return format!("{}{}", dots, filter(name));
    }
    match (dots, name.trim()) {
        (_, name) if name == "*" || is_shorthand(name) => format!("{dots}{name}"),
        ("..", name) => format!("..{}", quoted(name)),
        (_, name) => named(name),
    }
}

/// Writes a name as a segment.
fn named(name: &str) -> String {
    let name = name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(name);
    if name.is_empty() || is_shorthand(name) || name == "*" { format!(".{name}") } else { quoted(name) }
}

/// Writes a name in brackets. A short number is probably the index of an item.
fn quoted(name: &str) -> String {
    let is_index = name.len() < 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_index && !name.is_empty() { format!("[{name}]") } else { format!("[{}]", quoted_name(name)) }
}

/// Writes a name in quotes.
pub(crate) fn quoted_name(name: &str) -> String {
    let mut quoted = String::from("'");
    for character in name.chars() {
        match character {
            '\\' | '\'' => quoted.extend(['\\', character]),
            control if control.is_ascii_control() => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(control)))
            }
            other => quoted.push(other),
        }
    }
    quoted + "'"
}

/// Repairs the operators and names in a filter.
fn filter(brackets: &str) -> String {
    let mut text = brackets.to_owned();
    for (word, operator) in [(" and ", " && "), (" or ", " || ")] {
        while let Some(at) = find(&text, word) {
            text.replace_range(at..at + word.len(), operator);
        }
    }
    while let Some(at) = find(&text, " in ") {
        let Some((range, comparisons)) = membership(&text, at) else { break };
        text.replace_range(range, &comparisons);
    }
    names(&text)
}

/// Returns where a word stands outside of quotes.
fn find(text: &str, word: &str) -> Option<usize> {
    unquoted(text).map(|(at, _)| at).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(word)))
}

/// Rewrites `x in ['a', 'b']`, whose ` in ` is at this offset, to `(x == 'a' || x == 'b')`, and `'a' in x` to
/// `x[?@ == 'a']`.
///
/// Returns the range to replace, and the new text.
fn membership(text: &str, at: usize) -> Option<(Range<usize>, String)> {
    let ends_left = |letter: char| matches!(letter, '(' | '&' | '|' | '!' | '?' | ',');
    let before = text.get(..at)?;
    let start = unquoted(before).filter(|(_, letter)| ends_left(*letter)).last().map_or(0, |(at, _)| at + 1);
    let start = start + before.get(start..)?.chars().take_while(|letter| *letter == ' ').count();
    let left = before.get(start..)?;
    let (left, not) = left.strip_suffix(" not").map_or((left, ""), |left| (left, "!"));
    let right = text.get(at + " in ".len()..)?.trim_start();
    let (end, comparison) = if right.starts_with('[') {
        let end = unquoted(right).find(|(_, letter)| *letter == ']')?.0 + 1;
        let comparison = one_of(left, right.get(1..end - 1)?);
        let is_enclosed = before.get(..start)?.ends_with('(') && right.get(end..)?.starts_with(')');
        (end, if is_enclosed && not.is_empty() { comparison } else { format!("{not}({comparison})") })
    } else {
        let ends_right = |letter: char| letter.is_whitespace() || matches!(letter, ')' | '&' | '|' | ']');
        let end = unquoted(right).find(|(_, letter)| ends_right(*letter)).map_or(right.len(), |(at, _)| at);
        (end, format!("{not}{}[?@ == {left}]", right.get(..end)?))
    };
    Some((start..text.len() - right.len() + end, comparison))
}

/// Compares a value with each of these, which are separated by commas: `x == 'a' || x == 'b'`.
fn one_of(value: &str, items: &str) -> String {
    let commas = unquoted(items).filter(|(_, letter)| *letter == ',').map(|(at, _)| at);
    let starts = std::iter::once(0).chain(commas.clone().map(|comma| comma + 1));
    let items = starts.zip(commas.chain([items.len()])).filter_map(|(start, end)| items.get(start..end));
    items.map(|item| format!("{value} == {}", item.trim())).collect::<Vec<_>>().join(" || ")
}

/// Quotes the names after dots that need it: `@.x-tag` becomes `@['x-tag']`.
fn names(filter: &str) -> String {
    let ends = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/' | '{' | '}'));
    let mut repaired = String::with_capacity(filter.len());
    let mut copied = 0;
    for (at, letter) in unquoted(filter) {
        let rest = filter.get(at + 1..).unwrap_or_default();
        let name = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        // A digit before the dot is that of a number.
        let is_number = filter.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()));
        if letter == '.' && at >= copied && !name.is_empty() && !is_shorthand(name) && !is_number {
            repaired.push_str(filter.get(copied..at).unwrap_or_default());
            repaired.push_str(&quoted(name));
            copied = at + 1 + name.len();
        }
    }
    repaired + filter.get(copied..).unwrap_or_default()
}
