//! The result of a comparison: changes with the operations that they affect, and the next versions.

use std::fmt;

use indexmap::IndexMap;

use super::{
    Found,
    compare::{Compare, location, type_name},
    operations,
    position::Owner,
    reach::{AffectedOperations, Reach},
    rule::{Rule, RustRule},
    verdict::{Audience, Verdict, Verdicts},
};
use crate::{
    ir::{Kind, TypeDef},
    options::CrateKind,
};

/// The changes between two documents.
///
/// `Display` writes a human-readable report, with the most severe changes first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Diff {
    /// The changes, the most severe first.
    pub changes: Vec<DiffChange>,
    /// The audiences whose verdicts were left out, by [`for_audiences`](Self::for_audiences).
    pub not_assessed: Vec<Audience>,
    /// The number of changes that were left out, because they concern only these audiences.
    pub left_out: usize,
}

/// A change between two documents.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffChange {
    /// The kind of change.
    pub rule: Rule,
    /// What it means for each audience.
    pub verdicts: Verdicts,
    /// What changed: ``GET /notes query `status` ``, `Note.priority`, `notes::ListNotesInput`.
    pub subject: String,
    /// The change in words: `is now required`.
    pub message: String,
    /// The probable counterpart of a part that only one document has: ``renamed to `b`?``.
    pub hint: Option<String>,
    /// The value in the old document.
    pub old_value: Option<String>,
    /// The value in the new document.
    pub new_value: Option<String>,
    /// Where it is in the old document.
    pub old: Option<SourceLocation>,
    /// Where it is in the new document.
    pub new: Option<SourceLocation>,
    /// The operations that it affects, and the webhooks. Empty if it belongs to no single one.
    pub operations: AffectedOperations,
    /// Why the change is accepted, if it is.
    pub accepted: Option<String>,
    /// The identity of the change: its rule, its subject and its values, but not its source locations.
    pub fingerprint: String,
}

impl DiffChange {
    /// Returns the message with its hint: ``is removed (renamed to `b`?)``.
    pub(super) fn text(&self) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
        format!("{}{hint}", self.message)
    }
}

/// A source location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The part of a version that the next release has to increase. Below 1.0.0, a major change increases the minor version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bump {
    /// Nothing changed that a user can observe.
    Patch,
    /// Something is new, and nothing breaks.
    Minor,
    /// Something breaks.
    Major,
}

impl Bump {
    /// Returns the name: `major`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// Returns the source locations of a change in the old and the new document.
pub(super) type Locate<'l> = dyn Fn(&Found) -> (Option<SourceLocation>, Option<SourceLocation>) + 'l;

impl Diff {
    pub(super) fn new(compare: &Compare<'_>, locate: &Locate<'_>) -> Self {
        let ids = compare.operations.iter().map(|(_, to)| to.id.clone());
        let mut reach = Reach::of(ids, &compare.webhooks, &compare.types);
        let mut changes: Vec<DiffChange> =
            groups(compare).iter().filter_map(|group| change(compare, group, &mut reach, locate)).collect();
        changes.sort_by_key(|change| std::cmp::Reverse(change.verdicts.worst()));
        changes.dedup();
        Self { changes, ..Self::default() }
    }

    /// Returns the changes that concern these audiences: those not fine for one of them, and those fine for everybody.
    #[must_use]
    pub fn for_audiences(mut self, audiences: &[Audience]) -> Self {
        let is_left_out = |audience: &Audience| !audiences.contains(audience);
        self.not_assessed = Audience::ALL.into_iter().filter(is_left_out).collect();
        let all = self.changes.len();
        self.changes.retain_mut(|change| {
            let is_fine_for_all = change.verdicts.worst() == Verdict::Fine;
            change.verdicts = change.verdicts.only(audiences);
            is_fine_for_all || change.verdicts.worst() > Verdict::Fine
        });
        self.left_out += all - self.changes.len();
        self.changes.sort_by_key(|change| std::cmp::Reverse(change.verdicts.worst()));
        self
    }

    /// Returns whether a change that is not accepted has this verdict or a worse one.
    #[must_use]
    pub fn fails(&self, verdict: Verdict) -> bool {
        self.changes.iter().any(|change| change.accepted.is_none() && change.verdicts.worst() >= verdict)
    }

    /// Returns the part of the document's version that the changes increase. `None` if an audience that decides it was not
    /// assessed.
    #[must_use]
    pub fn document_bump(&self) -> Option<Bump> {
        self.bump(&[Audience::Clients])
    }

    /// Returns the part of a crate's version that the changes increase. `None` if an audience that decides it was not
    /// assessed.
    #[must_use]
    pub fn crate_bump(&self, kind: CrateKind) -> Option<Bump> {
        self.bump(match kind {
            CrateKind::Models | CrateKind::Validation => &[Audience::ClientUsers, Audience::Implementors],
            CrateKind::Server => &[Audience::Implementors],
            CrateKind::Client => &[Audience::ClientUsers],
        })
    }

    fn bump(&self, audiences: &[Audience]) -> Option<Bump> {
        let breaks = |change: &DiffChange| {
            audiences.iter().any(|audience| change.verdicts.of(*audience) == Verdict::Breaking)
        };
        if self.changes.iter().any(breaks) {
            return Some(Bump::Major);
        }
        let is_assessed = !audiences.iter().any(|audience| self.not_assessed.contains(audience));
        let has_changes = !self.changes.is_empty() || self.left_out > 0;
        is_assessed.then_some(if has_changes { Bump::Minor } else { Bump::Patch })
    }
}

/// Changes with one cause, for example of a response that many operations refer to, or of a property that many types have by
/// `allOf`.
struct Group<'f> {
    found: Vec<&'f Found>,
    /// What changed, without the operation or the type.
    part: &'f str,
}

/// Returns the changes by their cause, in the order in which they were found.
fn groups<'f>(compare: &'f Compare<'_>) -> Vec<Group<'f>> {
    let mut groups: IndexMap<_, Group<'f>> = IndexMap::new();
    for (index, found) in compare.found.iter().enumerate() {
        let part = part(compare, found);
        let locations = part.map(|_| match found.rule {
            // Its name identifies an item. Its location can be that of an operation.
            Rule::Rust(_) => [None; 2],
            _ => found.locations(),
        });
        let alone = if locations.is_some() { None } else { Some(index) };
        let key = (alone, locations, found.rule, found.verdicts, &found.message, &found.values, part);
        let part = part.unwrap_or_default();
        groups.entry(key).or_insert_with(|| Group { found: Vec::new(), part }).found.push(found);
    }
    groups.into_values().collect()
}

/// Returns the part of an operation or a type that changed: `response 503`, `.color`, or an item of Rust. `None` if it is the
/// operation or the type as a whole, or neither.
fn part<'f>(compare: &Compare<'_>, found: &'f Found) -> Option<&'f str> {
    match found.owner {
        Owner::Document | Owner::Webhook(_) => None,
        // An item has a name of its own.
        _ if matches!(found.rule, Rule::Rust(_)) => Some(&found.subject),
        Owner::Operation(index) => {
            let (_, operation) = compare.operations.get(index)?;
            found.subject.strip_prefix(&operations::name(operation))?.strip_prefix(' ')
        }
        Owner::Type(index) => {
            let pair = compare.types.get(index)?;
            let (old, new) = compare.old.type_def(pair.old).zip(compare.new.type_def(pair.new))?;
            // A keyword of the type itself can be written in a part of `allOf`.
            let own = [old, new].map(|def| location(def.docs.origin));
            let is_own = |part: &&str| part.is_empty() && found.locations() == own;
            let part = found.subject.strip_prefix(&type_name(new)).filter(|part| !is_own(part))?;
            (found.locations() != [None; 2]).then_some(part)
        }
    }
}

/// Returns the type whose schema has the text of a change. Other types can have its properties, by `allOf`.
fn written<'a>(compare: &Compare<'a>, found: &Found) -> Option<&'a TypeDef> {
    let (api, at) = match found.locations() {
        [Some(old), None] => (compare.old, old),
        [_, new] => (compare.new, new?),
    };
    let is_here = |origin| location(origin) == Some(at);
    let has_text = |def: &&TypeDef| match &def.kind {
        _ if is_here(def.docs.origin) => true,
        Kind::Struct(body) => {
            body.origins.fields().any(|(_, origin)| is_here(origin))
                || body.fields.iter().any(|field| is_here(field.docs.origin) || is_here(field.required_at))
        }
        _ => false,
    };
    let is_before =
        |def: &&TypeDef| location(def.docs.origin).is_some_and(|(file, start)| file == at.0 && start <= at.1);
    api.types.iter().filter(has_text).filter(is_before).max_by_key(|def| location(def.docs.origin))
}

fn change(
    compare: &Compare<'_>,
    Group { found, part }: &Group<'_>,
    reach: &mut Reach,
    locate: &Locate<'_>,
) -> Option<DiffChange> {
    let first = found.first()?;
    let (old, new) = locate(first);
    let subject = match (first.rule, first.owner) {
        _ if found.len() == 1 => None,
        (Rule::Rust(_), _) => None,
        (_, Owner::Type(_)) => written(compare, first).map(|def| format!("{}{part}", type_name(def))),
        _ => Some((*part).to_owned()),
    };
    let subject = subject.unwrap_or_else(|| first.subject.clone());
    let owners: Vec<Owner> = match first.rule {
        // The new type of a pair can have more users than the removed one.
        Rule::Rust(rule) if rule != RustRule::TypeRemoved => {
            found.iter().flat_map(|found| reach.owners_of_item(found.owner)).collect()
        }
        _ => found.iter().map(|found| found.owner).collect(),
    };
    Some(DiffChange {
        rule: first.rule,
        verdicts: first.verdicts,
        message: first.message.clone(),
        hint: first.hint.clone(),
        old_value: first.values.0.clone(),
        new_value: first.values.1.clone(),
        old,
        new,
        operations: reach.operations(owners.into_iter()),
        accepted: None,
        fingerprint: fingerprint(found),
        subject,
    })
}

/// Returns the identity of a change as 16 hexadecimal digits (FNV-1a).
///
/// It has no source location, so that it survives other edits of the file. It has the subject of each operation, so that an
/// accepted change of one operation accepts nothing of another one. The message is a part of it only if there are no values
/// that distinguish one change from another.
fn fingerprint(found: &[&Found]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let name = first.rule.name();
    let values = [first.values.0.as_deref(), first.values.1.as_deref()];
    let sides = values.map(|value| if value.is_some() { "value" } else { "none" });
    let values: Vec<&str> = values.into_iter().flatten().collect();
    let message = if values.is_empty() { first.message.as_str() } else { "" };
    let mut subjects: Vec<&str> = found.iter().map(|found| found.subject.as_str()).collect();
    subjects.sort_unstable();
    // A type that both requests and responses contain is found twice.
    subjects.dedup();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in [name.as_str(), message].into_iter().chain(sides).chain(values).chain(subjects) {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
