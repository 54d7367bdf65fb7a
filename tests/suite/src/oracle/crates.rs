//! The crates of all documents as one package, and the programs as another.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use openapi_crates::{CrateKind, FileTree, Input, Options, generate_from, internals::lowered};

use super::{Document, Failures, Pair, programs::Programs};
use crate::{Result, workspace};

/// The features of the runtime that any document can need.
const FEATURES: &str = r#"["client", "formats", "formats-idn", "patterns-fancy", "server", "xml"]"#;

/// A side of the API.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    Client,
    Server,
}

impl Side {
    const ALL: [Self; 2] = [Self::Client, Self::Server];

    const fn name(self) -> &'static str {
        self.kind().folder()
    }

    /// Returns the kind of the crate that a program of this side uses in addition to the models.
    const fn kind(self) -> CrateKind {
        match self {
            Self::Client => CrateKind::Client,
            Self::Server => CrateKind::Server,
        }
    }
}

/// The crates and programs of pairs.
pub struct Crates {
    /// The start of the packages' names.
    name: String,
    documents: Vec<Generated>,
    /// For each pair, the indices of the old and of the new document.
    pairs: Vec<[usize; 2]>,
}

/// A document with its crates and its programs.
struct Generated {
    options: Options,
    files: FileTree,
    programs: Programs,
}

impl Crates {
    /// Generates the crates and the programs. A document that occurs twice is generated once.
    pub fn of(pairs: &[Pair], name: &str) -> Result<Self> {
        let mut known: Vec<&Document> = Vec::new();
        let mut documents = Vec::new();
        let mut indices = Vec::new();
        for pair in pairs {
            let mut index = |document| match known.iter().position(|known| known.is(document)) {
                Some(index) => Ok(index),
                None => {
                    documents.push(generated(document).map_err(|error| format!("{}: {error}", pair.name))?);
                    known.push(document);
                    Ok::<usize, String>(known.len() - 1)
                }
            };
            let old = index(&pair.old)?;
            indices.push([old, pair.new.as_ref().map_or(Ok(old), index)?]);
        }
        Ok(Self { name: name.to_owned(), documents, pairs: indices })
    }

    /// Returns the name of the package of this kind: `oracle-diff-programs`.
    pub fn package(&self, kind: &str) -> String {
        format!("{}-{kind}", self.name)
    }

    /// Returns the module of the program of a pair.
    pub fn program(&self, pair: usize, side: Side) -> String {
        match self.pairs.get(pair) {
            Some([old, new]) => module(*old, *new, side),
            None => String::new(),
        }
    }

    /// Returns the modules of all programs: each old document's with its own crates, and with the new crates of its pairs.
    pub fn programs(&self) -> BTreeSet<String> {
        let all = self.all_programs();
        all.map(|(old, new, side)| module(old, new, side)).collect()
    }

    /// Returns an error if a program does not compile with the crates of its own document.
    pub fn check(&self, pairs: &[Pair], failures: &Failures) -> Result<()> {
        for (pair, [old, _]) in pairs.iter().zip(&self.pairs) {
            let mut failing = Side::ALL.iter().filter_map(|side| failures.get(&module(*old, *old, *side)));
            if let Some(errors) = failing.next() {
                let (name, errors) = (&pair.name, errors.join("\n"));
                return Err(
                    format!("{name}: a program does not compile with its own crates:\n{errors}").into()
                );
            }
        }
        Ok(())
    }

    /// Writes the workspace of both packages. Which programs are compiled is written later.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let [crates, programs] = ["crates", "programs"].map(|kind| self.package(kind));
        workspace::write(folder, [crates.clone(), programs.clone()])?;
        let runtime = workspace::root().join("runtime");
        let runtime = format!("openapi-crates-runtime = {{ path = {runtime:?}, features = {FEATURES} }}\n");
        // The feature turns on the modules of all tags.
        let features = "\n[features]\ndefault = [\"all\"]\nall = []\n";
        self.write_package(folder, &crates, &(runtime + features))?;
        self.write_package(folder, &programs, &format!("{crates} = {{ path = \"../{crates}\" }}\n"))?;

        let mut root = "#![allow(warnings)]\n".to_owned();
        for (index, document) in self.documents.iter().enumerate() {
            let modules = document.crates().map(|(_, name)| format!("pub mod {name};"));
            let _ = writeln!(root, "pub mod d{index} {{ {} }}", modules.collect::<String>());
            document.write(&folder.join(&crates).join("src"), index)?;
        }
        workspace::write_if_new(&folder.join(&crates).join("src/lib.rs"), &root)?;

        let root = folder.join(&programs).join("src");
        for (old, new, side) in self.all_programs() {
            let Some(document) = self.documents.get(old) else { continue };
            let text = document.program(side, &crates.replace('-', "_"), new);
            workspace::write_if_new(&root.join(module(old, new, side) + ".rs"), &text)?;
        }
        Ok(())
    }

    fn write_package(&self, folder: &Path, name: &str, dependencies: &str) -> Result<()> {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\n{dependencies}"
        );
        fs::create_dir_all(folder.join(name).join("src"))?;
        Ok(workspace::write_if_new(&folder.join(name).join("Cargo.toml"), &manifest)?)
    }

    fn all_programs(&self) -> impl Iterator<Item = (usize, usize, Side)> {
        let own = self.pairs.iter().map(|[old, _]| [*old, *old]);
        let programs: BTreeSet<[usize; 2]> = self.pairs.iter().copied().chain(own).collect();
        programs.into_iter().flat_map(|[old, new]| Side::ALL.map(|side| (old, new, side)))
    }
}

/// Returns the name of the module with the program of one document that uses the crates of another.
fn module(old: usize, new: usize, side: Side) -> String {
    format!("d{old}_with_d{new}_{}", side.name())
}

fn generated(document: &Document) -> Result<Generated> {
    let Document { text, overlays, options } = document;
    let input = Input::new("openapi.yaml", text).overlays(overlays);
    let generated = generate_from(&input, options, &|_| {})?;
    let (Some(files), Some(api)) = (generated.files, lowered(&input, options)) else {
        return Err(format!("nothing was generated:\n{}", generated.report).into());
    };
    let programs = Programs::of(&api, options);
    Ok(Generated { options: options.clone(), files, programs })
}

impl Document {
    fn is(&self, other: &Self) -> bool {
        let overlays = |document: &Self| format!("{:?}", document.overlays);
        self.text == other.text && self.options == other.options && overlays(self) == overlays(other)
    }
}

impl Generated {
    /// Returns the folder and the name of each crate.
    fn crates(&self) -> impl Iterator<Item = (&'static str, String)> {
        let kinds = self.options.all_crates().into_iter();
        kinds.map(|kind| (kind.folder(), self.options.crate_ident(kind)))
    }

    /// Writes the crates as modules: `models/src/lib.rs` as `d0/things_models/mod.rs`.
    fn write(&self, source: &Path, index: usize) -> Result<()> {
        let parent = format!("crate::d{index}");
        for (kind, name) in self.crates() {
            let folder = source.join(format!("d{index}")).join(&name);
            fs::create_dir_all(&folder)?;
            let files = self.files.iter().filter_map(|(path, text)| {
                let file = path.strip_prefix(kind)?.strip_prefix("/src/")?;
                file.ends_with(".rs").then_some((file, text))
            });
            for (file, text) in files {
                let mut text = renamed(text, "crate::", &format!("{parent}::{name}::"));
                for (_, other) in self.crates() {
                    text = renamed(&text, &other, &format!("{parent}::{other}"));
                }
                workspace::write_if_new(&folder.join(if file == "lib.rs" { "mod.rs" } else { file }), &text)?;
            }
        }
        Ok(())
    }

    /// Returns a program that uses the crates of the document at this index. It is empty if its own document has none.
    fn program(&self, side: Side, crates: &str, index: usize) -> String {
        if !self.options.all_crates().contains(&side.kind()) {
            return String::new();
        }
        let text = match side {
            Side::Client => &self.programs.client,
            Side::Server => &self.programs.server,
        };
        let [models, own] = [CrateKind::Models, side.kind()].map(|kind| self.options.crate_ident(kind));
        format!("use {crates}::d{index}::{{{models}, {own}}};\n{text}")
    }
}

/// Replaces a name at the start of a path.
fn renamed(text: &str, name: &str, new: &str) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(name) {
        let is_within = before.ends_with(|last: char| last.is_alphanumeric() || "_$:".contains(last));
        renamed.push_str(before);
        renamed.push_str(if is_within { name } else { new });
        rest = after;
    }
    renamed + rest
}
