//! Where things are, and how documents become files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use insta::{Settings, assert_snapshot};
use openapi_crates::{FileTree, Generated, Options, Runtime, Strictness, generate};

pub use asset_api_spec::SPEC;

/// Generated files: path, text.
pub type Files = BTreeMap<String, String>;

/// The project's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in a folder of the project")
}

/// The spec's text.
pub fn spec() -> String {
    read(&root().join(SPEC))
}

/// The text of a file.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{} can't be read: {error}", path.display()))
}

/// What a text gives in place of this project's spec.
pub fn generate_project(text: &str) -> Generated {
    generate(SPEC, text, &asset_api_spec::options()).expect("the generator emits Rust")
}

/// The files that a text gives in place of this project's spec.
pub fn project_files(text: &str) -> FileTree {
    let Generated { files, report, .. } = generate_project(text);
    files.unwrap_or_else(|| panic!("nothing was generated:\n{report}"))
}

/// The files of a tree, as text.
pub fn text_files(tree: &FileTree) -> Files {
    tree.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// A document made for a test.
pub struct Fixture {
    /// Its file's name without the ending.
    pub name: String,
    /// Its path, relative to the project's root.
    pub source: String,
    /// Its text.
    pub text: String,
}

impl Fixture {
    /// What the generator makes of it. The crates are called `fixture-<name>-models` and so on.
    pub fn generate(&self) -> Generated {
        generate(&self.source, &self.text, &self.options())
            .unwrap_or_else(|error| panic!("{}: {error}", self.source))
    }

    /// The same, however wrong the document is.
    pub fn generate_leniently(&self) -> Generated {
        let options = Options { strictness: Strictness::Lenient, ..self.options() };
        generate(&self.source, &self.text, &options)
            .unwrap_or_else(|error| panic!("{}: {error}", self.source))
    }

    fn options(&self) -> Options {
        Options {
            runtime: Runtime::Path("../../../../runtime".to_owned()),
            command: "cargo test".to_owned(),
            workspace_inheritance: true,
            ..Options::new(format!("fixture-{}", self.name), self.source.clone())
        }
    }
}

/// The fixtures of one folder under `tests/fixtures`, sorted by name.
pub fn fixtures(folder: &str) -> Vec<Fixture> {
    let folder = PathBuf::from("tests/fixtures").join(folder);
    let entries = fs::read_dir(root().join(&folder)).expect("there is a folder of fixtures");
    let mut fixtures: Vec<Fixture> = entries
        .map(|entry| {
            let path = folder.join(entry.expect("the folder can be listed").file_name());
            Fixture {
                name: path.file_stem().expect("it is a file").to_string_lossy().into_owned(),
                source: path.display().to_string(),
                text: read(&root().join(&path)),
            }
        })
        .collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

/// The snapshots of one folder, `it/snapshots/<folder>/<name>.snap`.
///
/// All of them are looked at before the test fails, so that one run shows all that changed; those that nothing gives
/// any more are told as well.
pub struct Snapshots {
    folder: &'static str,
    given: BTreeSet<String>,
    faults: Vec<String>,
}

impl Snapshots {
    /// The snapshots of this folder.
    pub fn of(folder: &'static str) -> Self {
        Self { folder, given: BTreeSet::new(), faults: Vec::new() }
    }

    /// Tells what is wrong apart from the snapshots.
    pub fn fail(&mut self, what: String) {
        self.faults.push(what);
    }

    /// Compares a text with its snapshot. Where they differ, insta shows how and writes the new text beside the old.
    pub fn compare(&mut self, name: &str, text: &str) {
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path(format!("snapshots/{}", self.folder));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        if catch_unwind(AssertUnwindSafe(|| settings.bind(|| assert_snapshot!(name, text)))).is_err() {
            self.faults.push(format!("snapshot {}/{name} differs", self.folder));
        }
        self.given.insert(format!("{name}.snap"));
    }

    /// Fails if anything is wrong. `all`: whether every snapshot of the folder was compared.
    pub fn finish(mut self, all: bool) {
        let folder = root().join("tests/it/snapshots").join(self.folder);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten().filter(|_| all) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".snap") && !self.given.contains(&name) {
                self.faults.push(format!("nothing gives {}: remove it", entry.path().display()));
            }
        }
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
    }
}
