//! This project's spec and the fixtures, and the crates and outlines that the generator makes of them.
//!
//! These functions serve tests, so they panic if a file can't be read.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't begin fails")]

use std::{
    collections::BTreeMap,
    fs, iter,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use openapi_crates::{
    FileTree, Generated, Input, Options, Outline, Outlined, Runtime, Source, Strictness, generate,
    generate_from, internals::Config, outline,
};

pub use asset_api_spec::SPEC;

/// The folder of the overlays that fixtures name, relative to the project's root.
pub const OVERLAYS: &str = "tests/fixtures/overlays";

/// The texts of generated files by path.
pub type Files = BTreeMap<String, String>;

/// Returns the project's root.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package stands two folders deep")
}

/// Returns the text of the spec.
pub fn spec() -> String {
    read(&root().join(SPEC))
}

/// Returns the text of a file.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{} can't be read: {error}", path.display()))
}

/// Generates from a text in place of this project's spec.
pub fn generate_project(text: &str) -> Generated {
    generate(SPEC, text, &asset_api_spec::options()).expect("the generator emits Rust")
}

/// Returns the files generated from a text in place of this project's spec.
pub fn project_files(text: &str) -> FileTree {
    let Generated { files, report, .. } = generate_project(text);
    files.unwrap_or_else(|| panic!("nothing was generated:\n{report}"))
}

/// Returns the outline of a text in place of this project's spec.
pub fn project_outline(text: &str) -> Outline {
    let Outlined { outline, report, .. } = outline(&Input::new(SPEC, text), &asset_api_spec::options());
    outline.unwrap_or_else(|| panic!("there is no outline:\n{report}"))
}

/// Returns the files of a tree as texts.
pub fn text_files(tree: &FileTree) -> Files {
    tree.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// A document made for a test.
pub struct Fixture {
    /// The name of its file, without the extension.
    pub name: String,
    /// Its path, relative to the project's root.
    pub source: String,
    /// Its text.
    pub text: String,
}

impl Fixture {
    /// Generates its crates, `fixture-<name>-models` and so on.
    pub fn generate(&self) -> Generated {
        self.generate_with(&self.options())
    }

    /// Generates its crates with [`Strictness::Lenient`], so that most mistakes become warnings.
    pub fn generate_leniently(&self) -> Generated {
        self.generate_with(&self.options().strictness(Strictness::Lenient))
    }

    /// Outlines its crates.
    pub fn outline(&self) -> Option<Outline> {
        let overlays = self.overlays();
        outline(&Input::new(&self.source, &self.text).overlays(&overlays), &self.options()).outline
    }

    fn generate_with(&self, options: &Options) -> Generated {
        let overlays = self.overlays();
        let input = Input::new(&self.source, &self.text).overlays(&overlays);
        let generated = generate_from(&input, options, &|_| {});
        let generated = generated.unwrap_or_else(|error| panic!("{}: {error}", self.source));
        assert!(generated.unused.is_empty(), "{}: {:?} have no effect", self.source, generated.unused);
        generated
    }

    /// Returns the overlays that the document's comments name: `# Overlay: trains.overlay.yaml`.
    pub fn overlays(&self) -> Vec<Source> {
        let names = self.text.lines().filter_map(|line| line.strip_prefix("# Overlay: "));
        let overlay = |name: &str| {
            let path = format!("{OVERLAYS}/{name}");
            let text = read(&root().join(&path));
            Source::new(path, &text)
        };
        names.map(overlay).collect()
    }

    /// Returns the options of its crates.
    pub fn options(&self) -> Options {
        let options = Options::new(format!("fixture-{}", self.name), self.source.clone());
        let config = self.settings();
        config
            .apply(options)
            .dependencies(config.dependencies(str::to_owned))
            .runtime(Runtime::Path("../../../../runtime".to_owned()))
            .command("cargo test")
            .workspace_inheritance(true)
    }

    /// Reads the settings in the document's comments: `# Settings: formats = "assert"`.
    fn settings(&self) -> Config {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("# Settings: "));
        let text: Vec<&str> = lines.collect();
        Config::parse(Path::new(&self.source), &text.join("\n")).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Calls a function with each fixture, on all processors, and returns its results in any order.
pub fn in_parallel<T: Send>(fixtures: &[Fixture], work: impl Fn(&Fixture) -> T + Sync) -> Vec<T> {
    let remaining = Mutex::new(fixtures.iter());
    let next = || remaining.lock().expect("no worker panics here").next();
    let worker = || iter::from_fn(next).map(&work).collect::<Vec<T>>();
    thread::scope(|scope| {
        let workers =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(worker));
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    })
}

/// Returns the fixtures of a folder under `tests/fixtures`, sorted by name.
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
