//! Checks the generator on a document.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    thread::{self, ScopedJoinHandle},
};

use openapi_crates::{
    FileTree, Formats, Grouping, Input, LintGroup, Lints, Options, RenderError, Strictness, Untyped,
    generate_from, lint_with, outline,
};

use crate::fuzz::Mutant;

/// The stack size of the thread that parses the generated files.
const STACK: usize = 64 << 20;

/// The result for a document on which the generator has no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There were errors, and no files.
    Refused,
    /// Files were generated, with this number of lines.
    Generated(usize),
}

/// A fault of the generator.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It panicked.
    #[error("panic: {0}")]
    Panic(String),
    /// It emitted code that can't be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// It rendered a file that is not valid Rust.
    #[error("invalid Rust: {path}: {message}")]
    InvalidRust {
        /// The file.
        path: String,
        /// The message of the parser.
        message: String,
    },
    /// It rendered a manifest that is not valid TOML.
    #[error("invalid TOML: {path}: {message}")]
    InvalidToml {
        /// The file.
        path: String,
        /// The message of the parser.
        message: String,
    },
    /// Its output differed in a second run.
    #[error("different output in a second run: {0}")]
    Nondeterministic(String),
}

/// Generates a document, with its overlay, twice and checks the output.
///
/// Uses lenient strictness, so that errors in the document don't prevent generation. The seed decides whether
/// operations are grouped by tag or by path.
///
/// # Errors
/// Returns the first fault of the generator.
pub fn examine(mutant: &Mutant) -> Result<Verdict, Fault> {
    let (files, report) = generated(mutant)?;
    let (again, same) = generated(mutant)?;
    if report != same {
        return Err(Fault::Nondeterministic("the report or the outline".to_owned()));
    }
    if let (Some(files), Some(again)) = (&files, &again)
        && let Some((path, _)) = files.iter().find(|(path, text)| again.text(path) != Some(*text))
    {
        return Err(Fault::Nondeterministic(path.to_owned()));
    }
    let Some(files) = files else { return Ok(Verdict::Refused) };
    thread::scope(|scope| {
        // The parser gets a larger stack; the generator must work with the default one.
        let parser = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || parsed(&files));
        let parsed = parser.map(ScopedJoinHandle::join);
        parsed
            .map_err(|error| Fault::Panic(error.to_string()))?
            .map_err(|payload| Fault::Panic(words(&*payload)))?
    })
}

/// Parses Rust files and manifests.
fn parsed(files: &FileTree) -> Result<Verdict, Fault> {
    let mut lines = 0;
    for (path, text) in files.iter() {
        let found = |message: String| (path.to_owned(), message);
        if path.ends_with(".rs") {
            lines += text.lines().count();
            syn::parse_file(text)
                .map_err(|error| found(error.to_string()))
                .map_err(|(path, message)| Fault::InvalidRust { path, message })?;
        } else if path.ends_with(".toml") {
            toml::from_str::<toml::Table>(text)
                .map_err(|error| found(error.message().to_owned()))
                .map_err(|(path, message)| Fault::InvalidToml { path, message })?;
        }
    }
    Ok(Verdict::Generated(lines))
}

/// Generates the files, and as text the report, that of all lints, and the outline.
fn generated(mutant: &Mutant) -> Result<(Option<FileTree>, String), Fault> {
    let formats = match mutant.seed % 5 {
        0 => Formats::Assert,
        1 => Formats::Annotation,
        _ => Formats::Common,
    };
    let options = Options::new("mutant", mutant.name.clone())
        .strictness(Strictness::Lenient)
        .formats(formats)
        .untyped(if mutant.seed.is_multiple_of(3) { Untyped::Any } else { Untyped::Implied })
        .grouping(if mutant.seed.is_multiple_of(4) { Grouping::Path } else { Grouping::Tag });
    let overlays = mutant.overlays();
    let input = Input::new(&mutant.name, &mutant.text).overlays(&overlays);
    let lints = Lints::default().groups(LintGroup::ALL.iter().copied());
    let generated = catch_unwind(AssertUnwindSafe(|| {
        generate_from(&input, &options, &|_| {}).map(|generated| {
            let outline = outline(&input, &options).outline.map(|outline| outline.to_string());
            let report = format!("{}{}", generated.report, lint_with(&input, &lints));
            (generated.files, report + &outline.unwrap_or_default())
        })
    }));
    Ok(generated.map_err(|payload| Fault::Panic(words(&*payload)))??)
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        examine(&Mutant::of("a.yaml", text)).unwrap()
    }

    #[test]
    fn documents_are_refused_or_generated() {
        assert_eq!(verdict("nothing"), Verdict::Refused);
        assert!(matches!(verdict("openapi: 3.0.3"), Verdict::Generated(1..)));
    }
}
