//! Texts that match a pattern.
//!
//! A walk over the syntax tree of the pattern makes a text. Anchors and look-around are ignored, so the caller checks
//! the text with the pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::random::Random;
use crate::table::Pattern;

/// The maximum length of a text, in bytes.
const MAX_BYTES: usize = 16 << 10;

/// Returns a text that probably matches.
///
/// `stretch` is the number of repetitions that a part without a maximum may have beyond its minimum.
pub fn text(pattern: &Pattern, stretch: u32, random: &mut Random) -> Option<String> {
    let parse = |source: &str| regex_syntax::parse(source).ok();
    let tree = parse(pattern.source()).or_else(|| parse(&without_look_around(pattern.source())))?;
    let mut text = String::new();
    walk(&tree, stretch, random, &mut text).then_some(text)
}

/// Appends a text of this part; returns false if there is none.
fn walk(tree: &Hir, stretch: u32, random: &mut Random, text: &mut String) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(literal) => {
                text.push_str(literal);
                true
            }
            Err(_) => false,
        },
        HirKind::Class(class) => match character(class, random) {
            Some(character) => {
                text.push(character);
                true
            }
            None => false,
        },
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(stretch));
            let span = usize::try_from(most.saturating_sub(repetition.min)).unwrap_or_default();
            let more = u32::try_from(random.below(span.saturating_add(1))).unwrap_or_default();
            (0..repetition.min.saturating_add(more)).all(|_| walk(&repetition.sub, stretch, random, text))
        }
        HirKind::Capture(capture) => walk(&capture.sub, stretch, random, text),
        HirKind::Concat(parts) => parts.iter().all(|part| walk(part, stretch, random, text)),
        HirKind::Alternation(parts) => {
            random.pick(parts).is_some_and(|part| walk(part, stretch, random, text))
        }
    }
}

/// Returns a character of a class, mostly a printable one of ASCII.
fn character(class: &Class, random: &mut Random) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let printable: Vec<(char, char)> = ranges
        .iter()
        .map(|(start, end)| ((*start).max(' '), (*end).min('~')))
        .filter(|(start, end)| start <= end)
        .collect();
    let ranges = if printable.is_empty() || random.once_in(32) { &ranges } else { &printable };
    let (start, end) = *random.pick(ranges)?;
    let code = random.between(i128::from(u32::from(start)), i128::from(u32::from(end)));
    u32::try_from(code).ok().and_then(char::from_u32).or(Some(start))
}

/// Removes `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`.
fn without_look_around(source: &str) -> String {
    const OPEN: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
    let mut kept = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if OPEN.iter().any(|open| rest.starts_with(open)) {
            rest = rest.get(group(rest)..).unwrap_or_default();
            continue;
        }
        let length = if first == '\\' { escape(rest) } else { first.len_utf8() };
        kept.push_str(rest.get(..length).unwrap_or(rest));
        rest = rest.get(length..).unwrap_or_default();
    }
    kept
}

/// Returns the length of an escaped character.
fn escape(text: &str) -> usize {
    text.chars().take(2).map(char::len_utf8).sum()
}

/// Returns the length of the group that the text begins with.
fn group(text: &str) -> usize {
    let (mut depth, mut at, mut is_class) = (0_usize, 0, false);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += if first == '\\' { text.get(at..).map_or(1, escape) } else { first.len_utf8() };
        match first {
            '[' => is_class = true,
            ']' => is_class = false,
            '(' if !is_class => depth += 1,
            ')' if !is_class => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_around_is_removed() {
        for (source, expected) in [
            ("^(?!a)b$", "^b$"),
            (r"(?=[)(](?:x))\(?<=y", r"\(?<=y"),
            (r"a(?<!\))b", "ab"),
            ("(?:a)(?<n>b)", "(?:a)(?<n>b)"),
        ] {
            assert_eq!(without_look_around(source), expected);
        }
    }
}
