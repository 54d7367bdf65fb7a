//! Forms of the report: text, Markdown, JSON, SARIF, commands of GitHub Actions.

mod machine;
mod people;

pub(super) use machine::{github, json, sarif};
pub(super) use people::{markdown, text};

use super::{Audience, Diff, DiffChange, Rule, Verdict};

/// A line of the report: changes of one subject with the same verdict for the same audience.
struct Line<'d> {
    verdict: Verdict,
    audiences: Vec<Audience>,
    subject: &'d str,
    changes: Vec<&'d DiffChange>,
}

/// Returns the lines of the report, the most severe first.
///
/// Items of Rust that belong to one type are on one line.
fn lines(diff: &Diff) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for change in &diff.changes {
        let verdict = change.verdicts.worst();
        let audiences: Vec<Audience> = match verdict {
            Verdict::Fine => Vec::new(),
            _ => change.verdicts.with(verdict).collect(),
        };
        let is_rust = |change: &DiffChange| matches!(change.rule, Rule::Rust(_));
        let same = lines.iter_mut().rev().take(64).find(|line| {
            line.verdict == verdict
                && line.audiences == audiences
                && line.subject == change.subject
                && is_rust(change)
                && line.changes.iter().all(|other| is_rust(other))
        });
        match same {
            Some(line) => line.changes.push(change),
            None => lines.push(Line { verdict, audiences, subject: &change.subject, changes: vec![change] }),
        }
    }
    lines
}

impl Line<'_> {
    /// Returns whom it affects: `deployed clients`, `builds of clients`.
    fn whom(&self) -> String {
        let is_rust = self.changes.iter().all(|change| matches!(change.rule, Rule::Rust(_)));
        let has = |audience: Audience| self.audiences.contains(&audience);
        let of_wire = match (has(Audience::Clients), has(Audience::Servers)) {
            (true, true) => Some("deployed clients and servers"),
            (true, false) => Some("deployed clients"),
            (false, true) => Some("deployed servers"),
            (false, false) => None,
        };
        let of_rust = match (has(Audience::ClientUsers), has(Audience::Implementors)) {
            (true, true) if is_rust => Some("builds, both"),
            (true, false) if is_rust => Some("builds, clients"),
            (false, true) if is_rust => Some("builds, servers"),
            (true, true) => Some("client and server code"),
            (true, false) => Some("client code"),
            (false, true) => Some("server code"),
            (false, false) => None,
        };
        [of_wire, of_rust].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns what happened: `ListNotesInput: no Default; new(status)`.
    fn text(&self) -> String {
        let messages: Vec<&str> = self.changes.iter().map(|change| change.message.as_str()).collect();
        format!("{}: {}", self.subject, messages.join("; "))
    }

    /// Returns the operations that it affects: `createNote, updateNote and 3 more`, unless its subject says it.
    fn operations(&self) -> String {
        const SHOWN: usize = 4;
        let Some(change) = self.changes.first() else { return String::new() };
        let is_said = self.subject.contains(" /") || change.operations.is_empty();
        if is_said {
            return String::new();
        }
        let shown = change.operations.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        match change.operations.len().saturating_sub(SHOWN) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

/// Returns the word of a verdict in reports.
const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Breaking => "BREAKS",
        Verdict::Risky => "REVIEW",
        Verdict::Fine => "OK",
    }
}

/// Returns the versions that follow: `document major; models major, …`.
fn versions(diff: &Diff) -> String {
    let kinds = crate::options::CrateKind::ALL;
    let crates = kinds.iter().map(|kind| format!("{} {}", kind.folder(), diff.crate_bump(*kind).name()));
    format!("document {}; crates: {}", diff.document_bump().name(), crates.collect::<Vec<_>>().join(", "))
}

/// Returns the number of changes of each verdict: `3 break, 1 to review, 2 fine`.
fn summary(diff: &Diff) -> String {
    let count = |verdict| diff.changes.iter().filter(|change| change.verdicts.worst() == verdict).count();
    let [breaking, risky, fine] = [Verdict::Breaking, Verdict::Risky, Verdict::Fine].map(count);
    match breaking + risky + fine {
        0 => "no changes for users".to_owned(),
        1 => format!("1 change: {breaking} breaking, {risky} to review, {fine} fine"),
        all => format!("{all} changes: {breaking} breaking, {risky} to review, {fine} fine"),
    }
}
