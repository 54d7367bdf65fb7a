//! Tests the generator and its crates with another validator and with mutated documents.
//!
//! A generated program draws samples of each schema that has a table row, with the runtime's feature `samples`. It
//! prints the verdicts of the fast path and of the slow path. [`run`] converts the document's
//! schemas to JSON Schema, asks the crate `jsonschema`, and reports every instance on which the three differ.
//! [`known::KNOWN`] lists the intended differences. [`fuzz`] mutates documents and checks the generator on the mutants.
//!
//! The tests send the JSON Schema test suite to generated servers.

pub mod compare;
pub mod convert;
pub mod discriminators;
pub mod formats;
pub mod fuzz;
pub mod implied;
pub mod known;
mod limits;
pub mod oracle;
pub mod program;
pub mod readings;
pub mod report;
pub mod schemas;
pub mod subjects;
pub mod workspace;

use std::{collections::BTreeSet, error::Error, fs, path::PathBuf, thread};

pub use report::Report;
pub use subjects::Source;

use compare::Row;
use program::Program;
use subjects::{Generated, generated};

/// The result of anything that reads or writes files, or runs a program.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The documents to compare, and the folder in which to compile them.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The seed of the samples.
    pub seed: u64,
    /// The number of samples of each kind for each schema.
    pub count: usize,
    /// The start of the names of all packages that are compiled, such as `agree-`.
    pub mark: &'static str,
    /// The folder for the crates.
    pub folder: PathBuf,
    /// The target folder.
    pub target: PathBuf,
    /// The size of the documents that one program has, in bytes of their texts.
    pub batch: usize,
    /// Whether the crates and their build output are kept.
    pub keep: bool,
}

/// Compares the verdicts on samples of all documents.
///
/// `progress` receives the names of the documents of each batch before it is compiled.
///
/// # Errors
/// A file can't be written or removed. A document that can't be compiled is a line of the report.
pub fn run(sources: &[Source], settings: &Settings, progress: &mut dyn FnMut(&[&str])) -> Result<Report> {
    let mut report = Report::default();
    let mut prefixes = BTreeSet::new();
    for batch in batches(sources, settings.batch, |source| source.text.len()) {
        progress(&batch.iter().map(|source| source.name.as_str()).collect::<Vec<_>>());
        let mut documents = Vec::new();
        for source in batch {
            match generated(source, prefix(settings.mark, &source.name, &mut prefixes)) {
                // Compiling its crates would show nothing.
                Ok(document) if document.subjects.is_empty() => {
                    report.rows.push(Row { name: document.name, ..Row::default() });
                }
                Ok(document) => documents.push(document),
                Err(error) => report.failures.push((source.name.clone(), error.to_string())),
            }
        }
        compare(&documents, settings, &mut report);
        if !settings.keep {
            for document in &documents {
                fs::remove_dir_all(settings.folder.join(&document.prefix))?;
            }
            workspace::sweep(&settings.target, settings.mark)?;
        }
    }
    Ok(report)
}

fn compare(documents: &[Generated], settings: &Settings, report: &mut Report) {
    let program = match Program::build(documents, settings) {
        Ok(program) => program,
        Err(error) => {
            let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
            report.failures.push((names.join(", "), error.to_string()));
            return;
        }
    };
    for document in documents {
        match on_large_stack(|| compare::compare(document, &program, settings.seed, settings.count)) {
            Ok(row) => report.rows.push(row),
            Err(error) => report.failures.push((document.name.clone(), error.to_string())),
        }
    }
}

/// Runs a function on a thread with a large stack.
///
/// The other validator compiles nested schemas recursively. Some documents nest hundreds of levels.
fn on_large_stack<T: Send>(run: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    const STACK: usize = 1 << 29;
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run)?;
        thread.join().map_err(|_| "the comparison panicked")?
    })
}

/// Splits items into batches whose sizes add up to `most` or less, or of one item.
pub fn batches<T>(items: &[T], most: usize, size: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut batches = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let mut total = 0;
        let fitting = rest.iter().take_while(|item| {
            total += size(item);
            total <= most
        });
        let (batch, others) = rest.split_at(fitting.count().max(1));
        batches.push(batch);
        rest = others;
    }
    batches
}

/// Returns an unused prefix for the crates of a document: a mark, and the ASCII words of its name in lower case.
pub fn prefix(mark: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    let words: Vec<&str> =
        stem.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let wanted = format!("{mark}{}", words.join("-"));
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    let mut names = std::iter::once(wanted.clone()).chain(numbered);
    let name = names.find(|name| taken.insert(name.clone()));
    name.unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_as_many_as_fit_and_at_least_one() {
        let sizes: Vec<usize> =
            batches(&[1, 2, 3, 50, 60], 10, |size| *size).iter().map(|it| it.len()).collect();
        assert_eq!(sizes, [3, 1, 1]);
    }

    #[test]
    fn prefixes_are_names_of_packages() {
        let mut taken = BTreeSet::new();
        let names = ["api/Pets_v1.0.json", "api/pets-v1-0.yaml", "été.yml"];
        let prefixes = names.map(|name| prefix("a-", name, &mut taken));
        assert_eq!(prefixes, ["a-api-pets-v1-0", "a-api-pets-v1-0-2", "a-t"]);
    }
}
