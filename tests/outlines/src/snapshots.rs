//! The texts of the snapshots in `tests/snapshots`.

use std::{collections::BTreeMap, sync::LazyLock};

use openapi_crates::Outline;

use crate::{
    digests,
    documents::{Files, fixtures, text_files},
    texts::TEXTS,
};

/// The folder of all snapshots, relative to the project's root.
pub const FOLDER: &str = "tests/snapshots";

/// Texts by snapshot name.
pub type Texts = BTreeMap<String, String>;

/// A kind of snapshot. Each kind has its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The outline of this project's generated crates, a text per module.
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

    /// Returns the texts of this kind. `api` is the outline of this project's crates.
    #[must_use]
    pub fn texts(self, api: &Outline) -> Texts {
        match self {
            Self::Api => api.sections().map(|(module, text)| (module.to_owned(), text.to_owned())).collect(),
            Self::Fixtures => outlines_of_fixtures(),
            Self::Texts => full_texts(),
            Self::Reports => reports(),
            Self::Digests => Texts::from([(digests::NAME.to_owned(), digests::text(&FIXTURES))]),
        }
    }
}

/// The generator's output for a valid fixture.
pub struct Generated {
    /// The fixture's name.
    pub name: String,
    /// The files of its crates. Empty if the generator refuses the fixture.
    pub files: Files,
    /// The outline of its crates.
    pub outline: Option<Outline>,
    /// The warnings.
    pub report: String,
}

/// The generator's output for every valid fixture.
pub static FIXTURES: LazyLock<Vec<Generated>> = LazyLock::new(|| {
    let made = fixtures("valid").into_iter().map(|fixture| {
        let generated = fixture.generate();
        let files = generated.files.as_ref().map(text_files).unwrap_or_default();
        let outline = fixture.outline();
        Generated { name: fixture.name, files, outline, report: generated.report.to_string() }
    });
    made.collect()
});

/// Returns the outline of each fixture, below its warnings.
fn outlines_of_fixtures() -> Texts {
    let texts = FIXTURES.iter().map(|Generated { name, outline, report, .. }| {
        let report = report.trim_end();
        let warnings = if report.is_empty() { String::new() } else { format!("== warnings\n\n{report}\n\n") };
        (name.clone(), warnings + &outline.as_ref().map(Outline::to_string).unwrap_or_default())
    });
    texts.collect()
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
