//! Generates Rust crates from an OpenAPI document.
//!
//! The crates are models, validation tables, a server and a client. The command line `openapi-crates` writes them.
//! This library is for build scripts and other tools.
//!
//! # Examples
//! A program generates the crates of a document and looks at one file:
//!
//! ```
//! use openapi_crates::{Options, generate};
//!
//! let document = "
//! openapi: 3.1.0
//! info: {title: Pets, version: 1.0.0}
//! paths:
//!   /pets:
//!     get: {operationId: listPets, tags: [pets], responses: {'204': {description: No pets.}}}
//! ";
//! let generated = generate("pets.yaml", document, &Options::new("pets", "pets.yaml"))?;
//! let files = generated.files.ok_or_else(|| generated.report.to_string())?;
//! assert!(files.text("server/src/pets.rs").is_some_and(|text| text.contains("list_pets")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FileTree::write_to`] writes the files. A build script writes the types as one module, see
//! [`FileTree::types_module`]. It does not need the command line: `default-features = false`.
//!
//! # Features
//! - `cli`, on by default: the command line, with a copy of the runtime's sources.
//! - `openapiv3`: documents that a program holds as [`openapiv3`](https://docs.rs/openapiv3)'s types.

// ```text
// &str ─document─► Document ─lower─► ir::Api ─emit─► [(path, tokens)] ─render─► FileTree ─► write | compare
// ```
//
// Each step is a pure function in its own module. `generate` runs them all. Only `FileTree` touches the disk.

mod calendar;
mod diagnostics;
mod diff;
mod document;
mod emit;
mod escape;
mod file_tree;
mod formats;
mod graph;
#[doc(hidden)]
pub mod internals;
mod ir;
#[cfg(test)]
mod layers;
mod lints;
mod lower;
mod module;
mod names;
mod options;
mod outline;
mod patterns;
#[cfg(feature = "cli")]
mod recorded;
mod renames;
mod render;
mod report;
mod selection;
#[cfg(feature = "settings")]
mod settings;
mod tree;
#[cfg(feature = "openapiv3")]
mod typed;
mod upgrade;

pub use diagnostics::{Code, Level, LintGroup, Lints, Strictness};
pub use diff::{
    AffectedOperations, Audience, Bump, CallRule, Compared, Constraint, Diff, DiffChange, Effect, Flow, Rule,
    RustRule, SourceLocation, ValueRule, Verdict, Verdicts, diff,
};
pub use document::{DocumentFormat, Load, Source};
pub use file_tree::{Drift, DriftKind, FileError, FileTree};
#[cfg(feature = "openapiv3")]
pub use openapiv3;
pub use options::{
    Constructors, CrateKind, Exhaustive, Formats, Grouping, NaiveDateTimes, Nulls, OperationNames, Options,
    Runtime, RustPath, Setters, Setting, Untyped, UnusedSetting,
};
pub use outline::{Outline, Outlined, outline};
pub use render::RenderError;
pub use report::{Diagnostic, Report, Summary};
pub use tree::{Position, Range};
pub use upgrade::{Upgraded, upgrade};

use std::fmt;

use diagnostics::Diagnostics;
use document::{Document, Parsed};
use ir::Api;
use selection::Selection;

/// The result of generating from a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The generated files.
    ///
    /// `None` if there are errors, or if a vital option matches nothing in the document.
    pub files: Option<FileTree>,
    /// The errors and warnings.
    pub report: Report,
    /// The options that match nothing in the document.
    pub unused: Vec<UnusedSetting>,
    /// The number of operations that were read, 0 if the document could not be read.
    pub operations: usize,
}

/// A stage of the generation, for progress output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Parsing the text into a document.
    Reading,
    /// Lowering the document to the intermediate representation.
    Lowering,
    /// Emitting tokens and rendering them as text.
    Writing,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Reading => "reading",
            Self::Lowering => "analysing",
            Self::Writing => "generating code",
        })
    }
}

/// Generates the crates of a single-file document.
///
/// `name` is the path that diagnostics show. References to other files are errors; [`generate_from`] follows
/// them.
///
/// # Errors
/// Returns a [`RenderError`] if the generator emitted code that is not Rust. That is a bug in the generator,
/// whatever the document contains; please report it.
pub fn generate(name: &str, text: &str, options: &Options) -> Result<Generated, RenderError> {
    generate_from(&Input::new(name, text), options, &|_| {})
}

/// A document as input for the generator.
///
/// # Examples
/// A program or a build script applies an overlay to a document:
///
/// ```
/// use openapi_crates::{Input, Options, Source, generate_from};
///
/// let text = "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}\n";
/// let overlay = "overlay: 1.1.0
/// info: {title: More pets, version: 1.0.0}
/// actions:
///   - target: $.paths
///     update:
///       /pets: {get: {operationId: list_pets, responses: {'204': {description: None.}}}}
/// ";
/// let overlays = [Source::new("more.overlay.yaml", overlay)];
/// let input = Input::new("pets.yaml", text).overlays(&overlays);
/// let generated = generate_from(&input, &Options::new("pets", "pets.yaml"), &|_| {})?;
/// assert_eq!(generated.operations, 1);
/// # Ok::<(), openapi_crates::RenderError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Input<'i> {
    name: &'i str,
    content: Content<'i>,
    overlays: &'i [Source],
    load: Option<&'i Load<'i>>,
}

/// The form in which a program holds a document.
#[derive(Clone, Copy)]
enum Content<'i> {
    Text(&'i str),
    #[cfg(feature = "openapiv3")]
    Types(&'i openapiv3::OpenAPI),
}

/// Generates the crates of a document that may refer to other files.
///
/// Calls `watch` at the start of each stage.
///
/// # Errors
/// Returns the same error as [`generate`].
pub fn generate_from(
    input: &Input<'_>,
    options: &Options,
    watch: &dyn Fn(Stage),
) -> Result<Generated, RenderError> {
    watch(Stage::Reading);
    let Read { api, report, unused, .. } = read(input.parse(), options, &Lints::default(), watch);
    let report = report.with_strictness(options.strictness);
    let lacks = report.has_errors() || unused.iter().any(|unused| unused.setting.is_vital());
    let operations = api.as_ref().map_or(0, |api| api.operations.len());
    let files = match api {
        Some(api) if !lacks => {
            watch(Stage::Writing);
            Some(render::render(emit::emit(&api, options), options)?)
        }
        _ => None,
    };
    Ok(Generated { files, report, unused, operations })
}

/// Reports the errors and warnings of a single-file document.
#[must_use]
pub fn lint(name: &str, text: &str) -> Report {
    lint_from(&Input::new(name, text))
}

/// Reports the errors and warnings of a document that may refer to other files.
#[must_use]
pub fn lint_from(input: &Input<'_>) -> Report {
    lint_with(input, &Lints::default())
}

/// Reports the errors and warnings of a document, and what these lints find.
#[must_use]
pub fn lint_with(input: &Input<'_>, lints: &Lints) -> Report {
    read(input.parse(), &Options::new("", input.name), lints, &|_| {}).report
}

impl<'i> Input<'i> {
    /// Creates the input of a single-file document without overlays, JSON or YAML.
    ///
    /// `name` is the path that diagnostics show. References to other files are relative to it.
    #[must_use]
    pub fn new(name: &'i str, text: &'i str) -> Self {
        Self { name, content: Content::Text(text), overlays: &[], load: None }
    }

    /// Sets the overlays to apply to the document, in this order.
    #[must_use]
    pub fn overlays(self, overlays: &'i [Source]) -> Self {
        Self { overlays, ..self }
    }

    /// Sets the function that loads the text of other files. Without it, references to other files are errors.
    #[must_use]
    pub fn load(self, load: &'i Load<'i>) -> Self {
        Self { load: Some(load), ..self }
    }

    pub(crate) fn parse(&self) -> Parsed {
        match self.content {
            Content::Text(text) => Document::parse_with(self.name, text, self.overlays, self.load),
            #[cfg(feature = "openapiv3")]
            Content::Types(types) => Document::from_openapi(self.name, types, self.overlays, self.load),
        }
    }
}

/// The result of reading and lowering a document.
#[derive(Default)]
struct Read {
    document: Option<Document>,
    api: Option<Api>,
    report: Report,
    unused: Vec<UnusedSetting>,
}

fn read(parsed: Parsed, options: &Options, lints: &Lints, watch: &dyn Fn(Stage)) -> Read {
    if parsed.diagnostics.has_errors() && !is_openapi(&parsed) {
        return Read { report: parsed.report(), ..Read::default() };
    }
    let Parsed { document: Some(mut document), mut diagnostics, .. } = parsed else {
        return Read::default();
    };
    watch(Stage::Lowering);
    let mut found = Diagnostics::default();
    let selection = Selection::read(&document, options);
    selection.apply(&mut document);
    let lower::Lowered { api, unused, .. } =
        lower::lower_selected(&document, options, &selection, &mut found);
    let unused = selection.unused.into_iter().chain(unused).collect();
    lints::check(&document, lints, &mut found);
    diagnostics.append(found);
    let mut report = diagnostics.report(&document);
    report.is_fastapi = names::is_fastapi(&api.operations);
    Read { document: Some(document), api: Some(api), report, unused }
}

/// Returns whether the root has an `openapi` field, as a rewritten Swagger document has.
///
/// Only then does it make sense to look for more diagnostics.
fn is_openapi(parsed: &Parsed) -> bool {
    parsed.document.as_ref().is_some_and(|document| document.root().get("openapi").is_some())
}
