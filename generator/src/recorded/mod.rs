//! Compares recorded bodies with the schema that an operation has for them, and repairs the document.
//!
//! The schema is evaluated as JSON Schema by the crate `jsonschema`. Every difference becomes a diagnostic at the keyword
//! that the bodies break. An overlay makes the document describe the bodies.

mod body;
mod bundle;
mod difference;
mod repair;

use indexmap::IndexMap;
use serde_json::Value;
use thiserror::Error;

use crate::{
    Input, Report, Source,
    diagnostics::Diagnostics,
    document::{Document, NodeId},
};
use bundle::Bundle;
use difference::{Difference, Kind};

/// The number of times that an overlay is extended: in a union, a repair can show what is to be repaired next.
const ROUNDS: usize = 8;

/// The body of an operation that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The body of requests.
    Request,
    /// The body of responses with this status, or with the first status of success that has a body in JSON.
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
    /// The differences, each at the place of the document that the bodies break.
    pub report: Report,
    /// The number of recordings that differ from the document.
    pub differing: usize,
    /// An overlay with which the document describes the bodies. `None` if there is no difference that it can repair.
    pub overlay: Option<String>,
}

/// The reason why bodies can't be compared with a document.
#[derive(Debug, Error)]
pub enum CompareError {
    /// The document can't be read.
    #[error("the document can't be read; `lint` without `--against` says why")]
    Unreadable,
    /// No operation has this id.
    #[error("no operation has the id `{id}`{hint}")]
    UnknownOperation {
        /// The id.
        id: String,
        /// What to do, as the end of the sentence.
        hint: String,
    },
    /// The operation has no such body.
    #[error("`{id}` has no {body}")]
    NoBody {
        /// The operation's id.
        id: String,
        /// What it lacks: `response 404 with a schema in JSON`.
        body: String,
    },
    /// The schema is not valid.
    #[error("the schema can't be evaluated: {0}")]
    Schema(String),
}

/// Compares recordings with the body of the operation with this id.
///
/// # Errors
/// See [`CompareError`].
pub fn compare(
    input: &Input<'_>,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<Comparison, CompareError> {
    let document = read(input)?;
    let (differences, differing) = differences(&document, operation, side, recordings)?;
    let mut diagnostics = Diagnostics::default();
    for difference in &differences {
        difference.report(&document, recordings, &mut diagnostics);
    }
    let overlay = overlay(input, operation, side, recordings)?;
    Ok(Comparison { report: diagnostics.report(&document), differing, overlay })
}

fn read(input: &Input<'_>) -> Result<Document, CompareError> {
    let parsed = input.parse();
    let is_readable = !parsed.diagnostics.has_errors() || crate::is_openapi(&parsed);
    parsed.document.filter(|_| is_readable).ok_or(CompareError::Unreadable)
}

/// Returns the differences, and the number of recordings that have any.
fn differences<'d>(
    document: &'d Document,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<(Vec<Difference<'d>>, usize), CompareError> {
    let schema = body::schema(document, operation, side)?;
    let bundle = Bundle::of(document, schema, side);
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .build(&bundle.schema)
        .map_err(|error| CompareError::Schema(error.to_string()))?;
    let mut found: IndexMap<(NodeId, Kind), Difference<'d>> = IndexMap::new();
    let mut differing = 0;
    for (index, recording) in recordings.iter().enumerate() {
        let before = found.values().map(|difference| difference.at.len()).sum::<usize>();
        for error in validator.iter_errors(&recording.body) {
            for (node, kind, at, sample) in difference::of(&error, &bundle) {
                let difference = found.entry((node.id(), kind.clone())).or_insert_with(|| Difference {
                    node,
                    kind,
                    sample,
                    at: Vec::new(),
                });
                difference.at.push((index, at));
            }
        }
        differing +=
            usize::from(found.values().map(|difference| difference.at.len()).sum::<usize>() > before);
    }
    Ok((found.into_values().collect(), differing))
}

/// Returns an overlay that repairs all differences that an overlay can repair.
fn overlay(
    input: &Input<'_>,
    operation: &str,
    side: Side,
    recordings: &[Recording],
) -> Result<Option<String>, CompareError> {
    let mut actions = String::new();
    for _ in 0..ROUNDS {
        let mut overlays = input.overlays.to_vec();
        if !actions.is_empty() {
            overlays.push(Source::new("repairs", &repair::overlay(input.name, &actions)));
        }
        let document = read(&Input { overlays: &overlays, ..*input })?;
        let (differences, _) = differences(&document, operation, side, recordings)?;
        let more: String = repair::actions(&document, &differences);
        if more.is_empty() {
            break;
        }
        actions += &more;
    }
    Ok((!actions.is_empty()).then(|| repair::overlay(input.name, &actions)))
}

#[cfg(test)]
mod tests;
