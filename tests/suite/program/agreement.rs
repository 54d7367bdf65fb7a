//! Draws samples of the schemas of documents, and prints the verdicts of both paths of validation.
//!
//! The package `openapi-crates-suite` copies this file into the target folder, next to the generated `schemas.rs`,
//! and compiles it there.
//!
//! The arguments are the prefix of a document, the seed and the number of samples of each kind. Each line of output is
//! a JSON array with these items:
//! - the number of the schema;
//! - the kind of the sample;
//! - the sample as text, or null if there is no sample of this kind;
//! - the verdict of the fast path, or null if it leaves the verdict to the walk;
//! - the codes of the violations that the walk finds.

mod schemas;

use std::{
    env,
    error::Error,
    io::{self, BufWriter, Write},
};

use openapi_crates_runtime::{
    codec::{Decode, Encode, JsonReader, Reader},
    samples,
    table::{Operation, Schema},
    validation::{Position, Verdict, Violations, check_decoded, walk},
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

type Fast = fn(&'static Schema, &str) -> Option<bool>;

type Operations = &'static [&'static [&'static Operation]];

/// A schema: its row, and the fast path for its type.
pub struct Entry {
    row: Option<&'static Schema>,
    fast: Fast,
}

impl Entry {
    pub fn component<T: Decode + Encode>(row: &'static Schema) -> Self {
        Self { row: Some(row), fast: fast::<T> }
    }

    pub fn body<T: Decode + Encode>(
        operations: Operations,
        method: &str,
        path: &str,
        content: usize,
    ) -> Self {
        let mut all = operations.iter().copied().flatten();
        let operation = all.find(|it| it.method == method && it.path == path);
        let body = operation.and_then(|operation| operation.body.as_ref());
        let content = body.and_then(|body| body.contents.get(content));
        Self { row: content.map(|content| content.schema), fast: fast::<T> }
    }
}

/// Decodes strictly and checks, as a server does.
fn fast<T: Decode + Encode>(row: &'static Schema, text: &str) -> Option<bool> {
    let mut reader = JsonReader::strict(text.as_bytes());
    let Ok(value) = T::decode(&mut reader) else { return Some(false) };
    if reader.finish().is_err() {
        return Some(false);
    }
    match check_decoded(row, &value, reader.has_skipped()) {
        Verdict::Valid => Some(true),
        Verdict::Invalid => Some(false),
        _ => None,
    }
}

fn walked(row: &'static Schema, text: &str) -> Vec<&'static str> {
    let mut violations = Violations::new();
    let mut reader = JsonReader::strict(text.as_bytes());
    let read = walk(row, &mut reader, &Position::body(), &mut violations).and_then(|()| reader.finish());
    let mut codes: Vec<&str> = violations.iter().map(|violation| violation.code().as_str()).collect();
    if read.is_err() {
        codes.push("syntax");
    }
    codes
}

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let mut next =
        || arguments.next().ok_or("missing argument: a prefix, a seed and a number of samples are needed");
    let (prefix, seed, count) = (next()?, next()?.parse()?, next()?.parse()?);
    let mut out = BufWriter::new(io::stdout().lock());
    for (number, Entry { row, fast }) in schemas::entries(&prefix).into_iter().enumerate() {
        let Some(row) = row else { continue };
        let near = samples::near(row);
        let invalid = samples::invalid(row).prop_map(|sample| sample.value);
        let runner = || TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() });
        let kinds: [(&str, Vec<Value>); 3] = [
            ("valid", draw(&samples::valid(row), runner(), count)),
            ("invalid", draw(&invalid, runner(), count)),
            ("near", draw(&near, runner(), count)),
        ];
        for (kind, values) in kinds {
            if values.is_empty() {
                writeln!(out, "{}", json!([number, kind]))?;
            }
            for value in values {
                let text = value.to_string();
                let line = json!([number, kind, text, fast(row, &text), walked(row, &text)]);
                writeln!(out, "{line}")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Draws samples, until one can't be made.
fn draw(strategy: &impl Strategy<Value = Value>, mut runner: TestRunner, count: usize) -> Vec<Value> {
    let tree = |_| strategy.new_tree(&mut runner).ok();
    (0..count).map_while(tree).map(|tree| tree.current()).collect()
}
