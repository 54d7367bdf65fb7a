//! The texts of the snapshots in `tests/snapshots`.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::{
    digests,
    documents::{Files, fixtures, text_files},
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

/// The generator's output is not valid Rust.
#[derive(Debug, thiserror::Error)]
#[error("the generated crates of {document} are not valid Rust: {source}")]
pub struct NoRust {
    /// The document.
    document: String,
    /// The syntax error.
    source: syn::Error,
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
    pub fn texts(self, api: &Files) -> Result<Texts, NoRust> {
        match self {
            Self::Api => outlines_of_api(api),
            Self::Fixtures => outlines_of_fixtures(),
            Self::Texts => Ok(full_texts()),
            Self::Reports => Ok(reports()),
            Self::Digests => Ok(Texts::from([(digests::NAME.to_owned(), digests::text(&FIXTURES))])),
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

fn outlines_of_api(files: &Files) -> Result<Texts, NoRust> {
    let no_rust = |source| NoRust { document: crate::documents::SPEC.to_owned(), source };
    let outline = outline(files, "asset-api").map_err(no_rust)?.grouped();
    Ok(outline.modules().into_iter().map(|(module, text)| (module.to_owned(), text)).collect())
}

/// Makes the outlines of the fixtures, without what every document's crates declare. That has its own outline.
fn outlines_of_fixtures() -> Result<Texts, NoRust> {
    let no_rust = |name: &str| {
        let document = name.to_owned();
        move |source| NoRust { document, source }
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
