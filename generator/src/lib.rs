//! Any OpenAPI document becomes Rust crates: models, validation tables, server traits, client.
//!
//! ```text
//! &str ─document─► Document ─lower─► ir::Api ─emit─► [(path, tokens)] ─render─► FileTree ─► written | compared
//! ```
//!
//! Each step is a pure function in a module of its own; [`generate`] is the whole of it. Only [`FileTree`] touches disk.

mod calendar;
// In the order of the pipeline.
pub mod diagnostics;
pub mod document;
pub mod emit;
pub mod file_tree;
pub mod ir;
pub mod lower;
mod module;
pub mod names;
pub mod options;
pub mod render;

pub use diagnostics::{Report, Strictness};
pub use file_tree::{Drift, DriftKind, FileError, FileTree};
pub use options::{CrateKind, Grouping, Options, Runtime, RustPath, Setting, Unfit};
pub use render::RenderError;

use diagnostics::Diagnostics;
use document::{Document, Load, Parsed};
use ir::Api;

/// What a document gave.
#[derive(Debug)]
pub struct Generated {
    /// The files, unless there are errors, or vital options that fit nothing.
    pub files: Option<FileTree>,
    /// What was found wrong or doubtful.
    pub report: Report,
    /// The options that fit nothing in the document.
    pub unfit: Vec<Unfit>,
    /// How many operations the document has.
    pub operations: usize,
}

/// How far generating is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The text becomes a document.
    Reading,
    /// The document becomes the intermediate representation.
    Lowering,
    /// That becomes tokens, and those become text.
    Writing,
}

/// Generates the crates of a document. `name` is the path that findings are told with.
///
/// # Errors
/// The generator itself is at fault: it emitted something that is no Rust. No document should do that; one that does
/// is worth a report.
pub fn generate(name: &str, text: &str, options: &Options) -> Result<Generated, RenderError> {
    generate_from(&Input { name, text, load: None }, options, &|_| {})
}

/// A document to read.
#[derive(Clone, Copy)]
pub struct Input<'i> {
    /// The path that findings are told with, and that references to other files are seen from.
    pub name: &'i str,
    /// The text.
    pub text: &'i str,
    /// What gives the texts of other files. Without it, references to them are mistakes.
    pub load: Option<&'i Load<'i>>,
}

/// The same for a document that may be in several files; tells when each stage begins.
///
/// # Errors
/// As [`generate`].
pub fn generate_from(
    input: &Input<'_>,
    options: &Options,
    watch: &dyn Fn(Stage),
) -> Result<Generated, RenderError> {
    let Read { api, report, unfit } = read(input, options, watch);
    let report = report.judged(options.strictness);
    let lacks = report.has_errors() || unfit.iter().any(|unfit| unfit.setting.is_vital());
    let operations = api.as_ref().map_or(0, |api| api.operations.len());
    let files = match api {
        Some(api) if !lacks => {
            watch(Stage::Writing);
            Some(render::render(emit::emit(&api, options), options)?)
        }
        _ => None,
    };
    Ok(Generated { files, report, unfit, operations })
}

/// Tells what is wrong or doubtful in a document.
#[must_use]
pub fn lint(name: &str, text: &str) -> Report {
    lint_from(&Input { name, text, load: None })
}

/// The same for a document that may be in several files.
#[must_use]
pub fn lint_from(input: &Input<'_>) -> Report {
    read(input, &Options::new("", input.name), &|_| {}).report
}

/// What was read of a document.
#[derive(Default)]
struct Read {
    api: Option<Api>,
    report: Report,
    unfit: Vec<Unfit>,
}

fn read(input: &Input<'_>, options: &Options, watch: &dyn Fn(Stage)) -> Read {
    watch(Stage::Reading);
    let parsed = match input.load {
        Some(load) => Document::parse_with_files(input.name, input.text, load),
        None => Document::parse(input.name, input.text),
    };
    if parsed.diagnostics.has_errors() && !is_openapi(&parsed) {
        return Read { report: parsed.report(), ..Read::default() };
    }
    let Parsed { document: Some(document), mut diagnostics, .. } = parsed else {
        return Read::default();
    };
    watch(Stage::Lowering);
    let mut found = Diagnostics::default();
    let lower::Lowered { api, unfit, .. } = lower::lower(&document, options, &mut found);
    diagnostics.append(found);
    Read { api: Some(api), report: diagnostics.report(&document), unfit }
}

/// Whether there is a document at all, so that it is worth looking for more mistakes in it.
fn is_openapi(parsed: &Parsed) -> bool {
    parsed.document.as_ref().is_some_and(|document| document.root().get("openapi").is_some())
}
