//! The human-readable report: text for a terminal, Markdown for a comment.

use std::fmt::{self, Write as _};

use indexmap::IndexSet;

use super::{Diff, Line, Verdict, lines, summary, versions};
use crate::escape::escape_line;

/// The width of the column that names the affected users.
const WIDTH: usize = 24;

impl fmt::Display for Diff {
    /// Writes the report for a terminal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = lines(self);
        // A longer label moves its own line only.
        let width = lines.iter().map(|line| line.whom().chars().count().min(WIDTH)).max().unwrap_or_default();
        for line in &lines {
            let whom = line.whom();
            let operations = line.operations();
            let operations = if operations.is_empty() { operations } else { format!("  ({operations})") };
            let change = format!(
                "{:8}  {whom:width$}  {}{operations}",
                line.first.verdicts.worst().name(),
                line.text()
            );
            let indent = width + 12;
            let locations = locations(line);
            let accepted = line
                .first
                .accepted
                .as_ref()
                .map_or_else(String::new, |reason| format!(" accepted: {reason}"));
            let below = format!("{:indent$}{locations}[{}]{accepted}", "", rules(line).join(", "));
            writeln!(formatter, "{}\n{}", escape_line(&change), escape_line(&below))?;
        }
        let between = if lines.is_empty() { "" } else { "\n" };
        writeln!(formatter, "{between}{}", summary(self))?;
        match versions(self) {
            versions if lines.is_empty() || versions.is_empty() => Ok(()),
            versions => writeln!(formatter, "next version: {versions}"),
        }
    }
}

/// Returns where it is: `old.yaml:3:7 → new.yaml:4:7 `, with the side if only one document has it.
fn locations(line: &Line<'_>) -> String {
    match (&line.first.old, &line.first.new) {
        (Some(old), Some(new)) => format!("{old} → {new} "),
        (Some(old), None) => format!("{old} (old) "),
        (None, Some(new)) => format!("{new} (new) "),
        (None, None) => String::new(),
    }
}

fn rules(line: &Line<'_>) -> Vec<String> {
    let names: IndexSet<String> = line.changes.iter().map(|change| change.rule.name()).collect();
    names.into_iter().collect()
}

impl Diff {
    /// Returns the report as Markdown, for a comment in a pull request.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let lines = lines(self);
        // A string accepts every text.
        let mut text = format!("**{}**\n", summary(self));
        if lines.is_empty() {
            return text;
        }
        let versions = versions(self);
        if !versions.is_empty() {
            let _ = writeln!(text, "\nNext version: {versions}.");
        }
        let is_accepted = |line: &&Line<'_>| line.first.accepted.is_some();
        let (accepted, others): (Vec<_>, Vec<_>) = lines.iter().partition(is_accepted);
        let of = |verdict| {
            others.iter().copied().filter(|line| line.first.verdicts.worst() == verdict).collect::<Vec<_>>()
        };
        for (title, lines, is_folded) in [
            ("Breaking", of(Verdict::Breaking), false),
            ("Risky", of(Verdict::Risky), false),
            ("Accepted", accepted, true),
            ("Fine", of(Verdict::Fine), true),
        ] {
            if !lines.is_empty() {
                section(&mut text, title, &lines, is_folded);
            }
        }
        text
    }
}

/// Writes a table of changes below its title.
fn section(text: &mut String, title: &str, lines: &[&Line<'_>], is_folded: bool) {
    let _ = match is_folded {
        true => writeln!(text, "\n<details><summary>{title} ({})</summary>\n", lines.len()),
        false => writeln!(text, "\n### {title}\n"),
    };
    let _ = writeln!(text, "| whom | change | operations | where | rule |\n|---|---|---|---|---|");
    for line in lines {
        let change = match &line.first.accepted {
            Some(reason) => format!("{} (accepted: {reason})", line.text()),
            None => line.text(),
        };
        let rules = rules(line).iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ");
        let cells = [line.whom(), change, line.operations(), location(line), rules];
        let cells = cells.map(|cell| cell_text(&cell));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    if is_folded {
        text.push_str("\n</details>\n");
    }
}

/// Returns where it is in the new document, or else in the old one.
fn location(line: &Line<'_>) -> String {
    let location = line.first.new.as_ref().or(line.first.old.as_ref());
    location.map_or_else(String::new, |location| format!("`{location}`"))
}

/// Returns a text for a cell of a table: on one line, with escaped markup, and without mentions of people and issues.
fn cell_text(text: &str) -> String {
    let line = escape_line(text);
    // Without a partner, the last backtick starts no code.
    let (line, rest) = match line.matches('`').count() % 2 {
        0 => (&*line, None),
        _ => line.rsplit_once('`').map_or((&*line, None), |(line, rest)| (line, Some(rest))),
    };
    let mut cell = String::new();
    for (index, part) in line.split('`').enumerate() {
        match index % 2 {
            0 => cell.push_str(&prose(part)),
            // A table splits cells before it knows code.
            _ => cell.push_str(&format!("`{}`", part.replace('|', "\\|"))),
        }
    }
    if let Some(rest) = rest {
        cell.push_str("\\`");
        cell.push_str(&prose(rest));
    }
    cell
}

/// Escapes the characters that mean something in Markdown or HTML.
fn prose(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\\' | '|' | '*' | '_' | '[' | ']' | '~' | '$' => escaped.extend(['\\', char]),
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            // An invisible space: `@name` would notify a person, and `#1` would appear in an issue.
            '@' | '#' => escaped.extend([char, '\u{200b}']),
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::cell_text;

    #[test]
    fn cells_of_tables() {
        for (text, cell) in [
            ("Note.a_b: Option<Vec<T>> → `Option<T>`", "Note.a\\_b: Option&lt;Vec&lt;T>> → `Option<T>`"),
            ("query `a|b` \n is removed", "query `a\\|b` \\\\n is removed"),
            ("Person.@type #1 $ref", "Person.@\u{200b}type #\u{200b}1 \\$ref"),
            ("`a\u{1b}\r` \u{202e}", "`a\\u{1b}\\r` \\\\u{202e}"),
            ("a ` b", "a \\` b"),
            ("`a` ` *", "`a` \\` \\*"),
        ] {
            assert_eq!(cell_text(text), cell);
        }
    }
}
