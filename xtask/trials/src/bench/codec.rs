//! `cargo xtask bench codec`: compares the compilation of generated models with that of the same
//! types with serde's derives.
//!
//! `cargo xtask bench server` measures the codec at run time, against a floor with serde's derives.

use std::{fmt::Write as _, path::Path};

use anyhow::{Context, Error, Result, bail};
use openapi_crates::{CrateKind, Options, Runtime, generate};
use openapi_crates_suite::workspace;
use serde_json::{Map, Value, json};

use super::{check, spent::Spent};
use crate::{Outcome, files, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench codec                 1,000 structs with 8 fields each
  cargo xtask bench codec --structs 300   fewer of them";

#[derive(clap::Args)]
pub struct Arguments {
    /// Compile this many structs
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    structs: usize,
    /// Check each crate this many times, in turns
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    turns: usize,
}

/// A property of every struct: name, schema, Rust type, and whether it is required.
const FIELDS: [(&str, &str, &str, bool); 7] = [
    ("id", r#"{"type": "string"}"#, "String", true),
    ("name", r#"{"type": "string"}"#, "String", true),
    ("count", r#"{"type": "integer"}"#, "i64", true),
    ("ratio", r#"{"type": "number"}"#, "Option<f64>", false),
    ("active", r#"{"type": "boolean"}"#, "Option<bool>", false),
    ("tags", r#"{"type": "array", "items": {"type": "string"}}"#, "Option<Vec<String>>", false),
    ("labels", r#"{"type": "object", "additionalProperties": {"type": "string"}}"#, LABELS, false),
];

const LABELS: &str = "Option<std::collections::BTreeMap<String, String>>";

/// Checks both crates in turns and prints a row for each.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let folder = project::root()?.join("target/bench-codec");
    let (codec, derive) = (folder.join("codec"), folder.join("derive"));
    write_codec(&codec, arguments.structs)?;
    write_derive(&derive, arguments.structs)?;
    let mut spent = [Vec::new(), Vec::new()];
    for turn in 1..=arguments.turns {
        project::progress(&format!("turn {turn} of {}", arguments.turns));
        for (workspace, spent) in [&codec, &derive].into_iter().zip(&mut spent) {
            let checked = check::check(workspace, &workspace.join("target"), &folder.join("log"))?;
            if checked.errors > 0 || checked.warnings > 0 {
                bail!("{} does not compile without warnings", workspace.display());
            }
            spent.push(checked.spent);
        }
    }
    project::progress("");
    let [mut codec, mut derive] = spent;
    let (codec, derive) = (median(&mut codec)?, median(&mut derive)?);
    println!("`cargo check` of {} structs with 8 fields, dependencies built\n", arguments.structs);
    println!("| types | time | processor | memory |\n|---|---:|---:|---:|");
    for (name, cells) in [("serde's derives", derive.cells(None)), ("the codec", codec.cells(Some(&derive)))]
    {
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(Outcome::Done)
}

/// Returns the run with the median processor time.
fn median(spent: &mut [Spent]) -> Result<Spent> {
    spent.sort_by_key(|spent| spent.processor);
    spent.get(spent.len() / 2).copied().context("at least one turn is needed")
}

/// Writes generated models, in a workspace.
fn write_codec(folder: &Path, structs: usize) -> Result<()> {
    let options = Options::new("bench", "bench.json")
        .crates([CrateKind::Models])
        .runtime(Runtime::Path("../../../../runtime".to_owned()));
    let generated = generate("bench.json", &document(structs)?, &options)?;
    let files = generated.files.with_context(|| generated.report.to_string())?;
    files.write_to(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    write_workspace(folder)
}

/// The number of structs that refer to each other in a ring. rustc's recursion limit does not allow a ring of all.
const RING: usize = 8;

/// Returns the struct that this one refers to.
fn next(index: usize, structs: usize) -> usize {
    let first = index - index % RING;
    if index + 1 < structs.min(first + RING) { index + 1 } else { first }
}

/// Returns a document whose schemas have the fields, and a reference to another schema.
fn document(structs: usize) -> Result<String> {
    let required: Vec<&str> = FIELDS.iter().filter(|field| field.3).map(|field| field.0).collect();
    let mut schemas = Map::new();
    for index in 0..structs {
        let mut properties = Map::new();
        for (name, schema, _, _) in FIELDS {
            properties.insert(name.to_owned(), serde_json::from_str(schema)?);
        }
        let next = format!("#/components/schemas/Record{}", next(index, structs));
        properties.insert("next".to_owned(), json!({ "$ref": next }));
        let schema = json!({"type": "object", "required": required, "properties": properties});
        schemas.insert(format!("Record{index}"), schema);
    }
    let info = json!({"title": "Benchmark", "version": "1"});
    let document = json!({"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": Value::Object(schemas)}});
    Ok(document.to_string())
}

/// Writes the same structs with serde's derives, in a workspace.
fn write_derive(folder: &Path, structs: usize) -> Result<()> {
    let mut source =
        String::from("//! Structs with serde's derives.\n\nuse serde::{Deserialize, Serialize};\n");
    for index in 0..structs {
        let head = "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]\n#[non_exhaustive]";
        write!(source, "\n/// A record.\n{head}\npub struct Record{index} {{\n")?;
        for (name, _, rust, required) in FIELDS {
            let absent = if required {
                ""
            } else {
                "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n"
            };
            writeln!(source, "{absent}    pub {name}: {rust},")?;
        }
        writeln!(source, "    pub next: Option<Box<Record{}>>,\n}}", next(index, structs))?;
    }
    let manifest = "[package]\nname = \"bench-derive\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n";
    files::write(&folder.join("models/Cargo.toml"), manifest)?;
    files::write(&folder.join("models/src/lib.rs"), source)?;
    write_workspace(folder)
}

/// Writes the manifest and the lock file of a workspace whose only member is `models`.
fn write_workspace(folder: &Path) -> Result<()> {
    workspace::write_manifest(folder, ["models".to_owned()])
        .map_err(Error::from_boxed)
        .with_context(|| format!("cannot write the workspace in {}", folder.display()))
}
