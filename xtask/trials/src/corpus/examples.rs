//! Writes a program for the round trip of a document's examples.
//!
//! The program decodes each example with the generated models and encodes it again.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use openapi_crates::{
    CrateKind, Options,
    internals::{Diagnostics, Document, Lowered, lower, model_type},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    document::{Arguments, runtime},
    known::Known,
};
use crate::files;

/// The folder of the program, and the suffix of its package name.
pub const FOLDER: &str = "examples";

/// The file with the examples in that folder.
pub const FILE: &str = "examples.json";

/// An example, as passed to the program.
#[derive(Debug, Serialize, Deserialize)]
pub struct Example {
    /// The index of its type in the program.
    pub ty: usize,
    /// The name of the type, for messages.
    pub ty_name: String,
    /// The line in the document.
    pub line: usize,
    /// The example as JSON.
    pub text: String,
    /// The declared properties of the example and the values in it.
    pub known: Known,
}

/// Writes the program for the examples of a document that match their schemas.
pub fn write(arguments: &Arguments, text: &str, options: &Options, out: &Path) -> Result<()> {
    let Some(document) = Document::parse(&arguments.name, text).document else { return Ok(()) };
    let Lowered { api, examples, .. } = lower(&document, options, &mut Diagnostics::default());
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    let mut fitting = Vec::new();
    for example in examples.iter().filter(|example| example.fits) {
        let Some(value) = example.value() else { continue };
        let ty_name = model_type(&api, &example.schema, options);
        let next = types.len();
        let ty = *types.entry(ty_name.clone()).or_insert(next);
        let line = example.node.range().map_or(0, |range| range.start.line);
        let known = Known::of(&api, &example.schema, &value);
        fitting.push(Example { ty, ty_name, line, text: value.to_string(), known });
    }
    let folder = out.join(FOLDER);
    files::write(&folder.join("Cargo.toml"), manifest(arguments, options)?)?;
    files::write(&folder.join("src/main.rs"), program(&types))?;
    files::write(&folder.join(FILE), serde_json::to_string(&fitting)?)
}

fn manifest(Arguments { prefix, .. }: &Arguments, options: &Options) -> Result<String> {
    let (models, runtime) = (options.crate_name(CrateKind::Models), runtime()?);
    Ok(format!(
        "[package]\nname = \"{prefix}-{FOLDER}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{models} = {{ path = \"../models\" }}\n\
         openapi-crates-runtime = {{ path = {runtime:?} }}\nserde_json = \"1\"\n"
    ))
}

/// Returns the source of the program. It prints a line with a [`TripResult`] for each example.
fn program(types: &BTreeMap<String, usize>) -> String {
    let in_order: BTreeMap<_, _> = types.iter().map(|(ty, index)| (index, ty)).collect();
    let trips: String = in_order.values().map(|ty| format!("    trip::<{ty}>,\n")).collect();
    format!("{PROGRAM}\nconst TRIPS: &[Trip] = &[\n{trips}];\n")
}

const PROGRAM: &str = r#"use openapi_crates_runtime::codec::{Decode, Encode, JsonReader, to_json};
use serde_json::{Value, json};

type Trip = fn(&str) -> Result<String, String>;

fn trip<T: Decode + Encode>(text: &str) -> Result<String, String> {
    let value = JsonReader::strict(text.as_bytes()).read::<T>().map_err(|error| error.to_string())?;
    String::from_utf8(to_json(&value)).map_err(|error| error.to_string())
}

fn main() {
    let file = std::env::args().nth(1).expect("missing argument: the file of examples");
    let text = std::fs::read_to_string(file).expect("cannot read the file of examples");
    let examples: Vec<Value> = serde_json::from_str(&text).expect("the examples are not JSON");
    for example in &examples {
        let index = example["ty"].as_u64().expect("the example has no type") as usize;
        let result = match TRIPS[index](example["text"].as_str().expect("the example has no text")) {
            Ok(text) => json!({"Ok": text}),
            Err(reason) => json!({"Err": reason}),
        };
        println!("{result}");
    }
}
"#;

/// The result for an example: the encoded value, or the decode error.
pub type TripResult = Result<String, String>;

/// Returns the differences between the examples and the output of the program.
pub fn compare(examples: &[Example], output: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut lines = output.lines();
    for example in examples {
        let result: Option<TripResult> = lines.next().and_then(|line| serde_json::from_str(line).ok());
        let error = match result {
            None => Some("has no result".to_owned()),
            Some(Err(reason)) => Some(format!("can't be decoded: {reason}")),
            Some(Ok(text)) => difference_of(example, &text),
        };
        if let Some(error) = error {
            let text: String = example.text.chars().take(160).collect();
            wrong.push(format!("line {}: {} {error}; {text}", example.line, example.ty_name));
        }
    }
    wrong
}

fn difference_of(example: &Example, text: &str) -> Option<String> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text);
    match (parsed(&example.text), parsed(text)) {
        (Ok(before), Ok(after)) => super::difference::between(&before, &after, Some(&example.known)),
        (_, Err(error)) | (Err(error), _) => Some(format!("is encoded to invalid JSON: {error}")),
    }
}
