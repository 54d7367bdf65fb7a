//! The report for people: text for a terminal, Markdown for a comment.

use std::fmt::Write as _;

use super::{Diff, Line, Verdict, lines, summary, versions, word};

/// Returns the report for a terminal.
pub(in crate::diff) fn text(diff: &Diff) -> String {
    let lines = lines(diff);
    let width = lines.iter().map(|line| line.whom().chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for line in &lines {
        let whom = line.whom();
        let operations = line.operations();
        let operations = if operations.is_empty() { operations } else { format!("  ({operations})") };
        // A string accepts every text.
        let _ = writeln!(text, "{:6}  {whom:width$}  {}{operations}", word(line.verdict), line.text());
        let indent = width + 10;
        let locations = locations(line);
        let _ = writeln!(text, "{:indent$}{locations}{}", "", rules(line));
    }
    if !lines.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{}", summary(diff));
    if !lines.is_empty() {
        let _ = writeln!(text, "next version: {}", versions(diff));
    }
    text
}

/// Returns where it is: `old.yaml:3:7 → new.yaml:4:7 `.
fn locations(line: &Line<'_>) -> String {
    let Some(change) = line.changes.first() else { return String::new() };
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{old} → {new} "),
        (Some(old), None) => format!("{old} "),
        (None, Some(new)) => format!("{new} "),
        (None, None) => String::new(),
    }
}

/// Returns the rules of a line in brackets: `[parameter-became-required]`.
fn rules(line: &Line<'_>) -> String {
    let mut names: Vec<String> = line.changes.iter().map(|change| change.rule.name()).collect();
    names.dedup();
    format!("[{}]", names.join(", "))
}

/// Returns the report as Markdown.
pub(in crate::diff) fn markdown(diff: &Diff) -> String {
    let lines = lines(diff);
    let mut text = format!("**{}**\n", summary(diff));
    if lines.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\nNext version: {}.", versions(diff));
    for (verdict, title) in
        [(Verdict::Breaking, "Breaks"), (Verdict::Risky, "To review"), (Verdict::Fine, "Fine")]
    {
        let some: Vec<&Line<'_>> = lines.iter().filter(|line| line.verdict == verdict).collect();
        if some.is_empty() {
            continue;
        }
        let is_folded = verdict == Verdict::Fine;
        let _ = match is_folded {
            true => writeln!(text, "\n<details><summary>{title} ({})</summary>\n", some.len()),
            false => writeln!(text, "\n### {title}\n"),
        };
        let _ = writeln!(text, "| whom | change | operations | where |\n|---|---|---|---|");
        for line in some {
            let cells =
                [line.whom(), line.text(), line.operations(), location(line)].map(|cell| cell_text(&cell));
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if is_folded {
            text.push_str("\n</details>\n");
        }
    }
    text
}

/// Returns where it is in the new document, or else in the old one.
fn location(line: &Line<'_>) -> String {
    let Some(change) = line.changes.first() else { return String::new() };
    let location = change.new.as_ref().or(change.old.as_ref());
    location.map_or_else(String::new, |location| format!("`{location}`"))
}

/// Returns a text for a cell of a table: on one line, and without characters that end the cell or start HTML.
fn cell_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}
