//! Compares recorded bodies with the schema that an operation has for them, and repairs the document.
//!
//! Every difference becomes a diagnostic at the keyword that the bodies break. An overlay makes the document describe the
//! bodies.

mod body;
mod difference;
mod repair;
mod walker;

use indexmap::IndexMap;
use serde_json::Value;
use thiserror::Error;

use crate::{
    Input, Report, Source,
    diagnostics::Diagnostics,
    document::{Document, Parsed},
    tree::NodeId,
};
use difference::{Difference, Kind};
use walker::Walker;

/// The number of times that an overlay is extended: in a union, a repair can show what is to be repaired next.
const ROUNDS: usize = 16;

/// The bodies of an operation that were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The bodies of requests.
    Request,
    /// The bodies of responses with this status, or with the first status of success that has a body in JSON.
    Response(Option<u16>),
}

/// A recorded body.
#[derive(Debug)]
pub struct Recording {
    /// The name of its file.
    pub name: String,
    /// The body.
    pub body: Value,
}

/// The result of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// The differences, each at the keyword that the bodies break, and the diagnostics of reading the document.
    pub report: Report,
    /// The number of differences.
    pub differences: usize,
    /// The number of recordings that differ from the document.
    pub differing: usize,
}

/// An overlay with which a document describes recorded bodies.
#[derive(Debug)]
pub struct Repair {
    /// The text in YAML. `None` if no difference can be repaired.
    pub overlay: Option<String>,
    /// The number of differences that remain.
    pub remaining: usize,
}

/// The reason why bodies can't be compared with a document.
#[derive(Debug, Error)]
pub enum CompareError {
    /// The document can't be read.
    #[error("the document can't be read; `lint` without `--against` reports why")]
    Unreadable,
    /// No operation has this id.
    #[error("no operation has the id `{id}`{hint}")]
    UnknownOperation {
        /// The id.
        id: String,
        /// The next step for the user, as the end of the sentence.
        hint: String,
    },
    /// The operation has no such body.
    #[error("`{id}` has no {body}")]
    NoBody {
        /// The operation's id.
        id: String,
        /// The missing part: `response 404 with a schema in JSON`.
        body: String,
    },
}

/// Compares recordings with a body of an operation, which is named by its id, or as `GET /pets`.
///
/// # Errors
/// See [`CompareError`].
pub fn compare(
    input: &Input<'_>,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<Comparison, CompareError> {
    let (document, mut diagnostics) = read(input)?;
    let (found, differing) = differences(&document, operation, side, recordings)?;
    for difference in &found {
        difference.report(&document, recordings, &mut diagnostics);
    }
    Ok(Comparison { report: diagnostics.report(&document), differences: found.len(), differing })
}

/// Returns an overlay that repairs all differences that an overlay can repair.
///
/// # Errors
/// See [`CompareError`].
pub fn repair(
    input: &Input<'_>,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<Repair, CompareError> {
    let mut actions = String::new();
    let mut rounds = 0;
    loop {
        let mut overlays = input.overlays.to_vec();
        if !actions.is_empty() {
            overlays.push(Source::new("repairs", &repair::overlay(input.name, &actions)));
        }
        let (document, _) = read(&Input { overlays: &overlays, ..*input })?;
        let (differences, _) = differences(&document, operation, side, recordings)?;
        let more = repair::actions(&document, &differences);
        rounds += 1;
        if more.is_empty() || rounds > ROUNDS {
            let overlay = (!actions.is_empty()).then(|| repair::overlay(input.name, &actions));
            return Ok(Repair { overlay, remaining: differences.len() });
        }
        actions += &more;
    }
}

fn read(input: &Input<'_>) -> Result<(Document, Diagnostics), CompareError> {
    let parsed = input.parse();
    if parsed.diagnostics.has_errors() && !crate::is_openapi(&parsed) {
        return Err(CompareError::Unreadable);
    }
    let Parsed { document, diagnostics, .. } = parsed;
    Ok((document.ok_or(CompareError::Unreadable)?, diagnostics))
}

/// Returns the differences, and the number of recordings that have any.
fn differences<'d>(
    document: &'d Document,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<(Vec<Difference<'d>>, usize), CompareError> {
    let schema = body::schema(document, operation, side)?;
    let walker = Walker::new(document, side);
    let mut differences: IndexMap<(NodeId, Kind), Difference<'d>> = IndexMap::new();
    let mut differing = 0;
    for (index, recording) in recordings.iter().enumerate() {
        let found = walker.differences(schema, &recording.body);
        differing += usize::from(!found.is_empty());
        for one in found {
            let key = (one.node.id(), one.kind.clone());
            let new = || Difference { first: one, recording: index, count: 0 };
            differences.entry(key).or_insert_with(new).count += 1;
        }
    }
    Ok((differences.into_values().collect(), differing))
}

#[cfg(test)]
mod tests;
