//! Compares the verdicts on samples.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::Value;

use crate::{
    Result, convert,
    known::{self, By, KNOWN, Known},
    program::{Program, Sample, Seen},
    readings::Reading,
    subjects::Generated,
};

/// The result for a document.
#[derive(Debug, Default)]
pub struct Row {
    /// The document's name.
    pub name: String,
    /// The number of schemas compared.
    pub schemas: usize,
    /// The number of instances compared.
    pub instances: usize,
    /// The number of instances that are valid.
    pub valid: usize,
    /// The number of known differences by name.
    pub known: BTreeMap<&'static str, usize>,
    /// The disagreements.
    pub disagreements: Vec<Disagreement>,
    /// The schemas that the other validator can't read, with its reason.
    pub unread: Vec<(String, String)>,
    /// The schemas without samples, with the kind of the samples.
    pub empty: Vec<(String, String)>,
}

/// An instance on which the verdicts differ.
#[derive(Debug)]
pub struct Disagreement {
    /// The schema.
    pub schema: String,
    /// The kind of the sample.
    pub kind: String,
    /// The instance, and the verdicts of both paths.
    pub seen: Seen,
    /// The verdict of the other validator.
    pub other: bool,
}

/// Draws samples of a document and compares the verdicts.
///
/// # Errors
/// The program fails.
pub fn compare(document: &Generated, program: &Program, seed: u64, count: usize) -> Result<Row> {
    let mut plain = document.json.clone();
    convert::document(&mut plain, document.is_3_0);
    let mut changed: Vec<Value> = Vec::new();
    for known in KNOWN {
        if let By::Reading(change) = known.by {
            let mut reading = plain.clone();
            change(&mut reading);
            changed.push(reading);
        }
    }
    let all = known::all(&plain);
    let names = KNOWN.iter().filter(|known| matches!(known.by, By::Reading(_))).map(|known| known.name);
    let mut others: Vec<(&'static str, Reading<'_>)> = names.zip(changed.iter().map(Reading::new)).collect();
    others.push(("several", Reading::new(&all)));
    let mut comparison = Comparison {
        document,
        plain: Reading::new(&plain),
        others,
        current: None,
        row: Row { name: document.name.clone(), schemas: document.subjects.len(), ..Row::default() },
    };
    program.run(&document.prefix, seed, count, &mut |sample| comparison.see(sample))?;
    comparison.row.schemas -= comparison.row.unread.len();
    Ok(comparison.row)
}

struct Comparison<'d> {
    document: &'d Generated,
    plain: Reading<'d>,
    others: Vec<(&'static str, Reading<'d>)>,
    current: Option<Current>,
    row: Row,
}

/// The schema whose samples are compared.
struct Current {
    number: usize,
    plain: Option<Validator>,
    /// The validators of the other readings, which are built when they are first needed.
    others: Vec<Option<Option<Validator>>>,
}

impl Comparison<'_> {
    fn see(&mut self, sample: Sample) {
        let Some(subject) = self.document.subjects.get(sample.schema) else { return };
        let label = subject.label.clone();
        if self.current.as_ref().is_none_or(|current| current.number != sample.schema) {
            let plain = match self.plain.validator(&subject.pointer) {
                Ok(validator) => Some(validator),
                Err(error) => {
                    self.row.unread.push((label.clone(), error.to_string()));
                    None
                }
            };
            let others = self.others.iter().map(|_| None).collect();
            self.current = Some(Current { number: sample.schema, plain, others });
        }
        let Some(seen) = sample.seen else {
            self.row.empty.push((label, sample.kind));
            return;
        };
        let other =
            self.current.as_ref().and_then(|it| it.plain.as_ref()).map(|it| it.is_valid(&seen.instance));
        let walked = seen.codes.is_empty();
        let paths_differ = seen.fast.is_some_and(|fast| fast != walked);
        if !paths_differ && other.is_none() {
            return;
        }
        self.row.instances += 1;
        self.row.valid += usize::from(walked);
        let other = other.unwrap_or(walked);
        if !paths_differ && other == walked {
            return;
        }
        if !paths_differ && let Some(name) = self.known(&seen) {
            *self.row.known.entry(name).or_default() += 1;
            return;
        }
        self.row.disagreements.push(Disagreement { schema: label, kind: sample.kind, seen, other });
    }

    /// Returns the known difference that explains the verdict of the crates.
    fn known(&mut self, seen: &Seen) -> Option<&'static str> {
        let walked = seen.codes.is_empty();
        let current = self.current.as_mut()?;
        let pointer = &self.document.subjects.get(current.number)?.pointer;
        let is_component = pointer.starts_with("/components/schemas/");
        let applies = |known: &&Known| match known.by {
            By::Code(code) => !walked && seen.codes.iter().all(|it| it == code),
            By::NullComponent => is_component && seen.instance.is_null() && !walked,
            By::Reading(_) => false,
        };
        if let Some(known) = KNOWN.iter().find(applies) {
            return Some(known.name);
        }
        let mut all = self.others.iter().zip(&mut current.others);
        all.find_map(|((name, reading), validator)| {
            let validator = validator.get_or_insert_with(|| reading.validator(pointer).ok());
            (validator.as_ref()?.is_valid(&seen.instance) == walked).then_some(*name)
        })
    }
}
