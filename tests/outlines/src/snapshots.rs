//! Snapshots: texts that are compared with accepted texts in `tests/snapshots`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use similar::TextDiff;

use crate::{
    digests,
    documents::{Files, fixtures, root, text_files},
    outline::outline,
    skeleton,
    texts::TEXTS,
};

/// The folder of all snapshots, relative to the project's root.
pub const FOLDER: &str = "tests/snapshots";

/// Texts by snapshot name.
pub type Texts = BTreeMap<String, String>;

/// A kind of snapshot. Each kind has its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Outlines of this project's generated crates, one per module.
    Api,
    /// Outlines of the valid fixtures, each below the fixture's warnings.
    Fixtures,
    /// Full texts of the files in [`TEXTS`].
    Texts,
    /// Reports on the invalid fixtures.
    Reports,
    /// Digests of all generated files of the valid fixtures.
    Digests,
}

/// A snapshot can't be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The generator's output is not valid Rust.
    #[error("the generated crates of {document} are not valid Rust: {source}")]
    NoRust {
        /// The document.
        document: String,
        /// The syntax error.
        source: syn::Error,
    },
    /// A file can't be read or written.
    #[error("{} can't be {action}: {source}", path.display())]
    File {
        /// The operation that failed: `read`, `written`, `removed`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Api, Self::Fixtures, Self::Texts, Self::Reports, Self::Digests];

    /// Returns the folder, relative to [`FOLDER`].
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Fixtures => "fixtures",
            Self::Texts => "texts",
            Self::Reports => "reports",
            Self::Digests => "digests",
        }
    }

    /// Makes the texts of this kind. `api` holds the files of this project's crates.
    ///
    /// # Errors
    /// Returns an error if the generator's output is not valid Rust.
    pub fn texts(self, api: &Files) -> Result<Texts, Failure> {
        match self {
            Self::Api => outlines_of_api(api),
            Self::Fixtures => outlines_of_fixtures(),
            Self::Texts => Ok(full_texts()),
            Self::Reports => Ok(reports()),
            Self::Digests => Ok(Texts::from([(digests::NAME.to_owned(), digests::text(&FIXTURES))])),
        }
    }

    /// Compares texts with the accepted ones, and returns those that differ.
    ///
    /// # Errors
    /// Returns an error if a file can't be read or written.
    pub fn compare(self, texts: &Texts) -> Result<Vec<Change>, Failure> {
        let folder = root().join(FOLDER).join(self.folder());
        let mut names: BTreeSet<String> = texts.keys().cloned().collect();
        if folder.exists() {
            let entries = fs::read_dir(&folder).map_err(failed("read", &folder))?;
            for entry in entries {
                let name = entry.map_err(failed("read", &folder))?.file_name();
                names.extend(name.to_string_lossy().strip_suffix(".snap").map(str::to_owned));
            }
        }
        let mut changes = Vec::new();
        for name in names {
            let path = folder.join(format!("{name}.snap"));
            let before = match fs::read_to_string(&path) {
                Ok(text) => Some(text),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(failed("read", &path)(error)),
            };
            let after = texts.get(&name).cloned();
            if before != after {
                let name = format!("{FOLDER}/{}/{name}.snap", self.folder());
                changes.push(Change { name, path, before, after });
            }
        }
        if self == Self::Digests {
            digests::keep(&FIXTURES, changes.first())?;
        }
        Ok(changes)
    }
}

/// A snapshot that differs from the accepted one.
#[derive(Debug)]
pub struct Change {
    /// The file, relative to the project's root.
    pub name: String,
    path: PathBuf,
    /// The accepted text. `None` if the snapshot is new.
    pub before: Option<String>,
    /// The current text. `None` if the snapshot is obsolete.
    pub after: Option<String>,
}

impl Change {
    /// Returns a unified diff with three lines of context.
    #[must_use]
    pub fn diff(&self) -> String {
        let [before, after] = [&self.before, &self.after].map(|text| text.as_deref().unwrap_or_default());
        let nothing =
            |text: &Option<String>| if text.is_some() { self.name.clone() } else { "/dev/null".to_owned() };
        let diff = TextDiff::from_lines(before, after);
        diff.unified_diff()
            .context_radius(3)
            .header(&nothing(&self.before), &nothing(&self.after))
            .to_string()
    }

    /// Accepts the current text: writes the file, or removes it if the snapshot is obsolete.
    ///
    /// # Errors
    /// Returns an error if the file can't be written or removed.
    pub fn accept(&self) -> Result<(), Failure> {
        match &self.after {
            Some(text) => write(&self.path, text),
            None => fs::remove_file(&self.path).map_err(failed("removed", &self.path)),
        }
    }
}

/// The generator's output for a valid fixture.
pub struct Made {
    /// The fixture's name.
    pub name: String,
    /// The files of its crates. Empty if the generator refuses the fixture.
    pub files: Files,
    /// The warnings.
    pub report: String,
}

/// The generator's output for every valid fixture.
pub static FIXTURES: LazyLock<Vec<Made>> = LazyLock::new(|| {
    let made = fixtures("valid").into_iter().map(|fixture| {
        let generated = fixture.generate();
        let files = generated.files.as_ref().map(text_files).unwrap_or_default();
        Made { name: fixture.name, files, report: generated.report.to_string() }
    });
    made.collect()
});

fn outlines_of_api(files: &Files) -> Result<Texts, Failure> {
    let no_rust = |source| Failure::NoRust { document: crate::documents::SPEC.to_owned(), source };
    let outline = outline(files, "asset-api").map_err(no_rust)?.grouped();
    Ok(outline.modules().into_iter().map(|(module, text)| (module.to_owned(), text)).collect())
}

/// Makes the outlines of the fixtures, without what every document's crates declare. That has its own outline.
fn outlines_of_fixtures() -> Result<Texts, Failure> {
    let no_rust = |name: &str| {
        let document = name.to_owned();
        move |source| Failure::NoRust { document, source }
    };
    let skeleton = outline(&skeleton::files(), skeleton::NAME).map_err(no_rust(skeleton::NAME))?;
    let mut texts = Texts::new();
    for Made { name, files, report } in FIXTURES.iter() {
        let outline = outline(files, &format!("fixture-{name}")).map_err(no_rust(name))?;
        let outline = outline.without(&skeleton).grouped().text();
        let report = report.trim_end();
        let warnings = if report.is_empty() { String::new() } else { format!("== warnings\n\n{report}\n\n") };
        texts.insert(name.clone(), warnings + &outline);
    }
    texts.insert(skeleton::NAME.to_owned(), skeleton.grouped().text());
    Ok(texts)
}

/// Returns the full texts by `<fixture>.<crate>.<file>`. The snapshot of a missing file is reported as obsolete.
fn full_texts() -> Texts {
    let texts = TEXTS.iter().filter_map(|(fixture, path)| {
        let made = FIXTURES.iter().find(|made| made.name == *fixture)?;
        let file = path.replace("src/", "").replace('/', ".");
        Some((format!("{fixture}.{file}"), made.files.get(*path)?.clone()))
    });
    texts.collect()
}

fn reports() -> Texts {
    let texts = fixtures("invalid").into_iter().map(|fixture| {
        let report = fixture.generate().report;
        (fixture.name, format!("{report}{}\n", report.summary()))
    });
    texts.collect()
}

/// Writes a file and creates its folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed("written", folder))?;
    }
    fs::write(path, text).map_err(failed("written", path))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_path_buf();
    move |source| Failure::File { action, path, source }
}
