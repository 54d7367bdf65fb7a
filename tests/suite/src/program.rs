//! The program that draws samples, and its workspace.

use std::{
    env,
    fmt::Write,
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{Result, Settings, subjects::Generated, workspace};

/// Its source, next to the generated list of schemas.
const SOURCE: &str = include_str!("../program/agreement.rs");

/// A sample, and the verdicts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The number of the schema.
    pub schema: usize,
    /// The kind: `valid`, `invalid` or `near`.
    pub kind: String,
    /// The sample, and the verdicts on it; `None` if there is no sample of this kind.
    pub seen: Option<Seen>,
}

/// A sample, and the verdicts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The sample.
    pub instance: Value,
    /// The verdict of the fast path; `None` if it leaves the verdict to the walk.
    pub fast: Option<bool>,
    /// The codes of the violations that the walk finds.
    pub codes: Vec<String>,
}

/// A compiled program.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// Writes the crates of documents and the program into a folder, and compiles them.
    ///
    /// # Errors
    /// A file can't be written, or a crate can't be compiled.
    pub fn build(documents: &[Generated], settings: &Settings) -> Result<Self> {
        let Settings { folder, target, mark, .. } = settings;
        let name = format!("{mark}program");
        let program = folder.join(&name);
        fs::create_dir_all(program.join("src"))?;
        workspace::write_if_new(&program.join("src/main.rs"), SOURCE)?;
        workspace::write_if_new(&program.join("src/schemas.rs"), &schemas(documents))?;
        workspace::write_if_new(&program.join("Cargo.toml"), &manifest(&name, documents))?;
        let mut members = vec![name.clone()];
        for document in documents {
            document.files.write_to(&folder.join(&document.prefix))?;
            members.extend(["models", "validation"].map(|kind| format!("{}/{kind}", document.prefix)));
        }
        workspace::write(folder, members)?;
        workspace::build(folder, target, &name)?;
        Ok(Self { path: target.join("debug").join(name + env::consts::EXE_SUFFIX) })
    }

    /// Draws samples of a document, and passes each to `see`.
    ///
    /// # Errors
    /// The program fails.
    pub fn run(&self, prefix: &str, seed: u64, count: usize, see: &mut dyn FnMut(Sample)) -> Result<()> {
        let arguments = [prefix.to_owned(), seed.to_string(), count.to_string()];
        let mut child = Command::new(&self.path).args(arguments).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("the output was not piped")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            see(Sample::parse(&line).ok_or_else(|| format!("the program prints: {line}"))?);
        }
        let status = child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the program failed on {prefix}: {status}").into())
        }
    }
}

impl Sample {
    fn parse(line: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(line).ok()?;
        let [schema, kind, seen @ ..] = line.as_array()?.as_slice() else { return None };
        let seen = match seen {
            [] => None,
            [text, fast, codes] => Some(Seen {
                instance: serde_json::from_str(text.as_str()?).ok()?,
                fast: fast.as_bool(),
                codes: codes.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            }),
            _ => return None,
        };
        Some(Self { schema: usize::try_from(schema.as_u64()?).ok()?, kind: kind.as_str()?.to_owned(), seen })
    }
}

/// Returns the text that lists the schemas of all documents.
fn schemas(documents: &[Generated]) -> String {
    let mut text = String::from(
        "//! The schemas of each document.\n\nuse crate::Entry;\n\npub fn entries(prefix: &str) -> Vec<Entry> {\n    \
         match prefix {\n",
    );
    let name = |document: &Generated| document.prefix.replace('-', "_");
    for document in documents {
        let _ = writeln!(text, "        {:?} => {}(),", document.prefix, name(document));
    }
    text.push_str("        _ => Vec::new(),\n    }\n}\n");
    for document in documents {
        let _ = writeln!(text, "\nfn {}() -> Vec<Entry> {{\n    vec![", name(document));
        for subject in &document.subjects {
            let _ = writeln!(text, "        {},", subject.entry);
        }
        text.push_str("    ]\n}\n");
    }
    text
}

fn manifest(name: &str, documents: &[Generated]) -> String {
    let mut text = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         openapi-crates-runtime = {{ path = {:?}, features = [\"samples\"] }}\n\
         proptest = {{ version = \"1\", default-features = false, features = [\"std\"] }}\nserde_json = \"1\"\n",
        workspace::root().join("runtime"),
    );
    for Generated { prefix, .. } in documents {
        for kind in ["models", "validation"] {
            let _ = writeln!(text, "{prefix}-{kind} = {{ path = \"../{prefix}/{kind}\" }}");
        }
    }
    text
}
