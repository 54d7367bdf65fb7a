//! Compares two documents: the changes, and the programs that they break.
//!
//! Both documents are lowered, and their intermediate representations are compared. So the order of a text, the layout of
//! its references and the spelling of a schema make no difference. Each node is destructured without `..`: a new
//! field of the representation does not compile before it is compared or left out here.

#[cfg(feature = "review")]
mod accepted;
mod bodies;
mod callbacks;
mod compare;
mod follow;
mod json;
mod maps;
mod numbers;
mod operations;
mod parameters;
mod position;
mod print;
mod ranges;
mod reach;
mod renames;
mod report;
#[cfg(feature = "review")]
mod reporting;
mod responses;
mod rule;
mod rust;
mod schemas;
mod security;
mod structs;
#[cfg(test)]
mod tests;
mod types;
mod unions;
mod verdict;
mod words;

pub use reach::AffectedOperations;
pub use report::{Bump, Diff, DiffChange, SourceLocation};
#[cfg(feature = "review")]
pub use reporting::{Reporting, ReportingError, named};
pub use rule::{CallRule, Constraint, Effect, Flow, Rule, RustRule, ValueRule};
pub use verdict::{Audience, Verdict, Verdicts};

use crate::{
    Input, Read,
    diagnostics::Lints,
    document::Document,
    ir::{Api, Origin},
    options::{Options, UnusedSetting},
    report::Report,
    tree::Position,
};

use compare::{Compare, Found};

/// The result of comparing two documents.
#[derive(Debug)]
#[non_exhaustive]
pub struct Compared {
    /// The changes.
    ///
    /// `None` if one of the documents can't be read, see its report.
    pub diff: Option<Diff>,
    /// The errors and warnings of the old document.
    pub old: Report,
    /// The errors and warnings of the new document.
    pub new: Report,
    /// The options of the new document that match nothing in it. They may match what only the old document has.
    pub unused: Vec<UnusedSetting>,
}

/// Compares two documents, each with the options from which its crates are generated.
///
/// # Examples
/// ```
/// use openapi_crates::{Input, Options, Verdict, diff};
///
/// let old = "
/// openapi: 3.1.0
/// info: {title: Notes, version: 1.0.0}
/// paths:
///   /notes:
///     get:
///       operationId: listNotes
///       parameters: [{name: status, in: query, schema: {type: string}}]
///       responses: {'204': {description: None.}}
/// ";
/// let new = old.replace("in: query,", "in: query, required: true,");
/// let options = Options::new("notes", "notes.yaml");
/// let compared = diff((&Input::new("old.yaml", old), &options), (&Input::new("new.yaml", &new), &options));
/// let diff = compared.diff.ok_or("a document can't be read")?;
/// let first = diff.changes.first().ok_or("nothing changed")?;
/// assert_eq!(first.rule.name(), "parameter-became-required");
/// assert_eq!(first.verdicts.clients, Verdict::Breaking);
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn diff(
    (old, old_options): (&Input<'_>, &Options),
    (new, new_options): (&Input<'_>, &Options),
) -> Compared {
    let (from, old_report, _) = read(old, old_options);
    let (to, new_report, unused) = read(new, new_options);
    let diff = from.zip(to).map(|((old_document, from), (new_document, to))| {
        let mut compare = Compare::new(&from, &to);
        compare.document();
        compare.all_operations();
        compare.all_types();
        compare.unused_types();
        compare.rust(old_options, new_options);
        let locate = |Found { origins: (old, new), .. }: &Found| {
            match (location(&old_document, *old), location(&new_document, *new)) {
                // A change of the document as a whole, for example of a crate's name.
                (None, None) => (beginning(&old_document), beginning(&new_document)),
                locations => locations,
            }
        };
        Diff::new(&compare, &locate)
    });
    Compared { diff, old: old_report, new: new_report, unused }
}

fn read(input: &Input<'_>, options: &Options) -> (Option<(Document, Api)>, Report, Vec<UnusedSetting>) {
    let Read { document, api, report, unused } =
        crate::read(input.parse(), options, &Lints::default(), &|_| {});
    let report = report.with_strictness(options.strictness);
    let read = document.zip(api).filter(|_| !report.has_errors());
    (read, report, unused)
}

fn location(document: &Document, Origin(location): Origin) -> Option<SourceLocation> {
    let location = location?;
    let file = document.file(location.file.get())?.source.name.clone();
    let Position { line, column } = location.name.range().start;
    Some(SourceLocation { file, line, column })
}

/// Returns the first position of a document.
fn beginning(document: &Document) -> Option<SourceLocation> {
    document.file(0).map(|file| SourceLocation { file: file.source.name.clone(), line: 1, column: 1 })
}
