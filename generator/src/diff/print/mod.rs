//! Forms of the report: text, Markdown, JSON, SARIF, commands of GitHub Actions.

mod machine;
mod people;

#[cfg(feature = "review")]
pub(super) use machine::write_json;

use indexmap::{IndexMap, IndexSet};

use super::{Audience, Bump, Diff, DiffChange, Rule, RustRule, Verdict};
use crate::options::CrateKind;

/// A line of the report: changes with the same verdict for the same audience.
struct Line<'d> {
    first: &'d DiffChange,
    /// All changes.
    changes: Vec<&'d DiffChange>,
}

/// Returns the lines of the report, the most severe first, and accepted changes last.
///
/// Items of Rust that belong to one type are on one line: a setter joins its field, although only clients call it. So are
/// values of one enum, and operations that changed alike.
fn lines(diff: &Diff) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let (accepted, others): (Vec<_>, Vec<_>) =
        diff.changes.iter().partition(|change| change.accepted.is_some());
    for change in others.into_iter().chain(accepted) {
        let verdict = change.verdicts.worst();
        let same = lines.iter_mut().rev().take(64).find(|Line { first, .. }| {
            first.verdicts.worst() == verdict
                && first.accepted == change.accepted
                && change.verdicts.with(verdict).all(|audience| first.verdicts.of(audience) == verdict)
                && are_one_line(first, change)
        });
        match same {
            Some(line) => line.changes.push(change),
            None => lines.push(Line { first: change, changes: vec![change] }),
        }
    }
    lines
}

fn are_one_line(first: &DiffChange, other: &DiffChange) -> bool {
    use RustRule::{MethodErrorChanged, MethodOutputChanged};
    let is_same_rule = first.rule == other.rule;
    if first.subject == other.subject {
        let are_rust = [first, other].iter().all(|change| matches!(change.rule, Rule::Rust(_)));
        return are_rust || is_same_rule && (&first.old, &first.new) == (&other.old, &other.new);
    }
    let part = part_of_operation(&first.subject);
    let are_methods = matches!(first.rule, Rule::Rust(MethodErrorChanged | MethodOutputChanged));
    let is_same_part =
        part.is_some() && part == part_of_operation(&other.subject) && first.text() == other.text();
    let have_same_values = (&first.old_value, &first.new_value) == (&other.old_value, &other.new_value);
    is_same_rule && have_same_values && (are_methods || is_same_part)
}

/// Returns the part of an operation: ``query `limit` `` of ``GET /pets query `limit` ``.
fn part_of_operation(subject: &str) -> Option<&str> {
    let (_, path) = subject.split_once(" /")?;
    path.split_once(' ').map(|(_, part)| part)
}

impl Line<'_> {
    /// Returns the affected programs: `deployed clients`, `builds, clients`.
    fn whom(&self) -> String {
        let is_rust = self.changes.iter().all(|change| matches!(change.rule, Rule::Rust(_)));
        let verdicts = self.first.verdicts;
        let has = |audience| verdicts.of(audience) == verdicts.worst() && verdicts.worst() > Verdict::Fine;
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

    /// Returns the changes of the line: ``ListNotesInput: no `Default`; new(status)``.
    fn text(&self) -> String {
        let texts: Vec<String> = self.changes.iter().map(|change| change.text()).collect();
        let messages = joined(texts.iter().map(String::as_str));
        let subject = &self.first.subject;
        let is_of_one_subject = self.changes.iter().all(|change| change.subject == *subject);
        match (is_of_one_subject, part_of_operation(subject)) {
            (true, _) => format!("{subject}: {messages}"),
            (false, Some(part)) => format!("{part}: {messages}"),
            (false, None) => messages,
        }
    }

    /// Returns the operations that it affects: `createNote, updateNote and 3 more`. Empty if the subject names the only one.
    fn operations(&self) -> String {
        const SHOWN: usize = 4;
        let all: IndexSet<&str> = self.changes.iter().flat_map(|change| change.operations.iter()).collect();
        let is_named = self.first.subject.contains(" /") || self.first.subject.starts_with("webhook `");
        if is_named && all.len() < 2 {
            return String::new();
        }
        let shown = all.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        match all.len().saturating_sub(SHOWN) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

/// Joins messages. Those that differ only in a name become one: ``values `open`, `done` are new``.
fn joined<'m>(messages: impl Iterator<Item = &'m str>) -> String {
    let mut groups: IndexMap<(&str, &str), IndexSet<&str>> = IndexMap::new();
    for message in messages {
        let mut parts = message.splitn(3, '`');
        let around = match (parts.next(), parts.next(), parts.next()) {
            (Some(head), Some(name), Some(tail)) => (head, Some(name), tail),
            _ => (message, None, ""),
        };
        groups.entry((around.0, around.2)).or_default().extend(around.1);
    }
    let texts = groups.iter().map(|((head, tail), names)| {
        match names.iter().copied().collect::<Vec<_>>().as_slice() {
            [] => (*head).to_owned(),
            [name] => format!("{head}`{name}`{tail}"),
            names => several(head, names, tail),
        }
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// Returns a message about several names.
fn several(head: &str, names: &[&str], tail: &str) -> String {
    const SHOWN: usize = 20;
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let verbs = [(" is ", " are "), (" fails ", " fail "), (" returns ", " return ")];
    let verb = verbs.iter().find_map(|(one, many)| Some((many, tail.strip_prefix(one)?)));
    match (verb, head.strip_suffix(' ')) {
        (Some((verb, rest)), noun) => {
            let noun = noun.map_or_else(String::new, |noun| format!("{noun}s "));
            format!("{noun}{shown}{more}{verb}{}", rest.replace("lacks it", "lacks them"))
        }
        (None, _) => format!("{head}{shown}{more}{tail}"),
    }
}

/// Returns the next versions, as far as they are known: `document major; crates: models major, …`.
fn versions(diff: &Diff) -> String {
    let document = diff.document_bump().map(|bump| format!("document {}", bump.name()));
    let of_crate = |kind: &CrateKind| Some(format!("{} {}", kind.folder(), diff.crate_bump(*kind)?.name()));
    let crates: Vec<String> = CrateKind::ALL.iter().filter_map(of_crate).collect();
    let crates = (!crates.is_empty()).then(|| format!("crates: {}", crates.join(", ")));
    document.into_iter().chain(crates).collect::<Vec<_>>().join("; ")
}

/// Returns the number of changes of each verdict, and the audiences without a verdict:
/// `6 changes: 2 breaking, 1 risky, 2 fine, 1 accepted; not assessed: servers (3 more changes)`.
fn summary(diff: &Diff) -> String {
    let others: Vec<&str> = diff.not_assessed.iter().map(|audience| audience.name()).collect();
    let not_assessed = match (others.as_slice(), diff.left_out) {
        ([], _) => String::new(),
        (others, 0) => format!("; not assessed: {}", others.join(", ")),
        (others, 1) => format!("; not assessed: {} (1 more change)", others.join(", ")),
        (others, count) => format!("; not assessed: {} ({count} more changes)", others.join(", ")),
    };
    format!("{}{not_assessed}", counts(diff))
}

fn counts(diff: &Diff) -> String {
    let is_accepted = |change: &&DiffChange| change.accepted.is_some();
    let count = |verdict| {
        let of_verdict = |change: &&DiffChange| change.verdicts.worst() == verdict && !is_accepted(change);
        diff.changes.iter().filter(of_verdict).count()
    };
    let [breaking, risky, fine] = [Verdict::Breaking, Verdict::Risky, Verdict::Fine].map(count);
    let accepted = match diff.changes.iter().filter(is_accepted).count() {
        0 => String::new(),
        accepted => format!(", {accepted} accepted"),
    };
    let changes = match diff.changes.len() {
        0 => return "no changes for users".to_owned(),
        1 => "1 change".to_owned(),
        all => format!("{all} changes"),
    };
    format!("{changes}: {breaking} breaking, {risky} risky, {fine} fine{accepted}")
}

#[cfg(test)]
mod tests {
    use super::{Diff, DiffChange, Rule, Verdict, lines};
    use crate::diff::{RustRule, Verdicts, reach::AffectedOperations};

    #[test]
    fn a_line_has_the_operations_of_all_its_changes() {
        let ids = ["getPet", "listPets"].map(str::to_owned);
        let change = |reached: u64| DiffChange {
            rule: Rule::Rust(RustRule::FieldRemoved),
            verdicts: Verdicts { client_users: Verdict::Breaking, ..Verdicts::default() },
            subject: "common::Pet".to_owned(),
            message: "field `a` is removed".to_owned(),
            hint: None,
            old_value: None,
            new_value: None,
            old: None,
            new: None,
            operations: AffectedOperations { ids: ids.clone().into(), reached: [reached].into() },
            accepted: None,
            fingerprint: String::new(),
        };
        let diff = Diff { changes: vec![change(0b10), change(0b11)], ..Diff::default() };
        let lines = lines(&diff);
        assert_eq!(lines.iter().map(super::Line::operations).collect::<Vec<_>>(), ["listPets, getPet"]);
    }
}
