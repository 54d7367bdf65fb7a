//! `cargo xtask new`: adds a family to the API, or fields to a request.
//!
//! All edits are computed before the first file is written, and keep all other bytes of their files.

mod lines;
mod names;
mod register;
mod spec;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use asset_api_spec::{SPEC, lints};
use openapi_crates::{Input, lint_with};

use crate::{Outcome, files, outlines, pages, project, regen};
use names::{Field, Makes, Name};

/// The files that are edited.
pub const EDITED: [&str; 5] = [SPEC, FAMILIES, SERVICE, FAL, BUILT_IN];

const FAMILIES: &str = "service/src/families.rs";
const SERVICE: &str = "tests/it/http/service.rs";
const FAL: &str = "service/assets/engines/models/fal.toml";
const BUILT_IN: &str = "service/assets/engines/built-in.toml";

/// The manual steps that remain after each change.
const ALWAYS_LEFT: [&str; 2] = ["CHANGELOG.md: a line", "cargo xtask ci --changed"];

/// Examples, shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask new storyboards --makes image                  a family with create, list and get
  cargo xtask new storyboards --field layout:row,grid        an optional field with values
  cargo xtask new voiceover --field pitch:number --no-check  a field of another family, without regen and tests";

#[derive(clap::Args)]
pub struct Arguments {
    /// Name of the family: `storyboards`. An existing family gets the fields
    family: Name,
    /// Kind of the result of a new family
    #[arg(long, value_enum)]
    makes: Option<Makes>,
    /// Add an optional field to the request. Types: string, integer, number, boolean, image, video, audio, or values
    #[arg(long = "field", value_name = "NAME:TYPE")]
    fields: Vec<Field>,
    /// Add the fields to this schema; needed if the operations of the family have different requests
    #[arg(long, value_name = "SCHEMA")]
    schema: Option<String>,
    /// Only edit the files by hand: run no regen, and accept no outlines and pages
    #[arg(long)]
    no_check: bool,
}

/// Edits the files, then regenerates the crates and accepts the outlines.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut files = Files::new(project::root()?);
    let left = edit(arguments, &mut files)?;
    if !is_valid(&files)? {
        return Ok(Outcome::Failed);
    }
    for path in files.write()? {
        println!("{path}: changed");
    }
    if !arguments.no_check {
        let is_new = arguments.fields.is_empty() || arguments.makes.is_some();
        let steps: [fn() -> Result<Outcome>; 3] = [
            || regen::run(&regen::Arguments::WRITE),
            || outlines::run(&outlines::Arguments::ACCEPT_API),
            pages::run,
        ];
        for step in steps.into_iter().take(if is_new { 3 } else { 2 }) {
            if step()? != Outcome::Done {
                return Ok(Outcome::Failed);
            }
        }
    }
    println!("\nRemaining steps:");
    for task in left.iter().map(String::as_str).chain(ALWAYS_LEFT) {
        println!("- {task}");
    }
    Ok(Outcome::Done)
}

/// Returns whether the edited spec has no errors and no warnings; prints them otherwise.
fn is_valid(files: &Files) -> Result<bool> {
    let text = files.text(SPEC)?;
    let report = lint_with(&Input::new(SPEC, &text), &lints());
    if !report.diagnostics.is_empty() {
        eprint!("{report}");
        eprintln!("nothing was written, because the edited spec would have these problems");
    }
    Ok(report.diagnostics.is_empty())
}

/// Edits the files, and returns the remaining steps.
fn edit(arguments: &Arguments, files: &mut Files) -> Result<Vec<String>> {
    let family = &arguments.family;
    let mut left = Vec::new();
    let is_new = !spec::has_family(&files.text(SPEC)?, family);
    if is_new {
        let makes = arguments.makes.with_context(|| {
            format!("`{}` is a new family: say what it makes, such as `--makes image`", family.kebab())
        })?;
        add_family(family, makes, files, &mut left)?;
    } else {
        ensure!(
            arguments.makes.is_none(),
            "the spec has the family `{}`: leave `--makes` out",
            family.kebab()
        );
        ensure!(!arguments.fields.is_empty(), "the spec has the family `{}`: add `--field`s", family.kebab());
    }
    if !arguments.fields.is_empty() {
        add_fields(arguments, files, &mut left)?;
    }
    Ok(left)
}

fn add_family(family: &Name, makes: Makes, files: &mut Files, left: &mut Vec<String>) -> Result<()> {
    files.edit(SPEC, |text| spec::with_family(text, family, makes))?;
    files.edit(FAMILIES, |text| register::with_row(text, family, makes))?;
    files.edit(SERVICE, |text| register::with_service(text, family))?;
    files.edit(FAL, |text| Ok(register::with_mapping(text, family, makes)))?;
    left.push(format!("{SPEC}: the texts, the fields of the request and their bounds"));
    left.push(match makes.model() {
        Some((model, _)) => {
            format!("{FAL}: the model of the family in place of `{model}`, and its input")
        }
        None => "docs/engines.md: how an operator attaches an engine that makes the texts".to_owned(),
    });
    Ok(())
}

fn add_fields(arguments: &Arguments, files: &mut Files, left: &mut Vec<String>) -> Result<()> {
    let family = &arguments.family;
    let schema = match (&arguments.schema, &*spec::requests(&files.text(SPEC)?, family)) {
        (None, [only]) => only.clone(),
        (None, []) => bail!("no operation of `{}` has a request", family.kebab()),
        (None, several) => bail!("choose the request with `--schema`: {}", several.join(", ")),
        (Some(schema), known) if known.contains(schema) => schema.clone(),
        (Some(schema), known) => bail!("unknown request `{schema}`; known: {}", known.join(", ")),
    };
    let engines = register::built_in_engines(&files.text(FAMILIES)?, family);
    for field in &arguments.fields {
        files.edit(SPEC, |text| spec::with_field(text, &schema, field))?;
        for engine in &engines {
            files.edit(BUILT_IN, |text| Ok(register::with_unread_field(text, engine, field)))?;
        }
        left.push(format!("{SPEC}: the description and the bounds of `{}`", field.name));
        left.push(match &*engines {
            [] => format!("{FAL}: `{}` in the input of the family's models; until then, tasks list it in `ignored`", field.name),
            engines => format!(
                "service/src/api/work: read `{}`, then remove it from {} in {BUILT_IN}; until then, tasks list it in `ignored`",
                field.name,
                engines.join(", ")
            ),
        });
    }
    Ok(())
}

/// The texts of files below a folder, with edits that are not yet written.
struct Files {
    root: PathBuf,
    /// Path, old text and new text.
    edited: BTreeMap<&'static str, (String, String)>,
}

impl Files {
    const fn new(root: PathBuf) -> Self {
        Self { root, edited: BTreeMap::new() }
    }

    fn text(&self, path: &str) -> Result<String> {
        match self.edited.get(path) {
            Some((_, new)) => Ok(new.clone()),
            None => files::read(&self.root.join(path)),
        }
    }

    fn edit(&mut self, path: &'static str, edit: impl Fn(&str) -> Result<String>) -> Result<()> {
        let text = self.text(path)?;
        let new = edit(&text).with_context(|| format!("cannot edit {path}"))?;
        let (_, edited) = self.edited.entry(path).or_insert_with(|| (text, String::new()));
        *edited = new;
        Ok(())
    }

    /// Writes the files that changed, and returns their paths.
    fn write(self) -> Result<Vec<&'static str>> {
        let changed = self.edited.into_iter().filter(|(_, (old, new))| old != new);
        let written = changed.map(|(path, (_, new))| {
            files::write(&self.root.join(path), new)?;
            Ok(path)
        });
        written.collect()
    }
}
