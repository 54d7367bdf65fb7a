//! What the caller decides about the output, beside the document.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::Strictness;

/// What the caller decides about the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What the names of the generated crates begin with: `pet-store` gives `pet-store-models`.
    pub prefix: String,
    /// The crates that are wanted; those that they depend on come along.
    pub crates: BTreeSet<CrateKind>,
    /// Where the generated crates find their runtime.
    pub runtime: Runtime,
    /// The command that makes the output, for the header of every file: `cargo xtask regen`.
    pub command: String,
    /// The document, for the header of every file: `spec/openapi.yaml`. Without it, the output is the same whatever the
    /// document's file is called.
    pub source: Option<String>,
    /// Whether the crates are members of a workspace that declares version, edition, licence and lints for them.
    pub workspace_inheritance: bool,
    /// Which findings leave nothing generated.
    pub strictness: Strictness,
    /// What decides which operations are one module and trait.
    pub grouping: Grouping,
    /// Operations to leave out, each as its `operationId` or as `GET /pets/{id}`.
    pub omit: Vec<String>,
    /// Rust types for strings of a format, by format. Such a type implements the runtime's `Decode` and `Encode`, and
    /// `Debug`, `Clone` and `PartialEq`.
    pub types: BTreeMap<String, RustPath>,
    /// What the types of schemas derive beside what they do anyway.
    pub derives: Vec<RustPath>,
    /// What else the manifests depend on, for `types` and `derives`: name, and what stands behind `=` in TOML.
    pub dependencies: BTreeMap<String, String>,
}

/// A setting that nothing in the document fits, so that it has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// Which one.
    pub setting: Setting,
    /// Why it has no effect, as half a sentence.
    pub message: String,
    /// What was meant, perhaps.
    pub near: Option<String>,
}

/// A setting among the [`Options`] that speaks of something in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// The operation at this place of [`Options::omit`].
    Omit(usize),
    /// This format of [`Options::types`].
    Type(String),
    /// The derive at this place of [`Options::derives`].
    Derive(usize),
}

impl Setting {
    /// Whether nothing may be generated without its effect: what was to be left out may be what nobody should call.
    #[must_use]
    pub const fn is_vital(&self) -> bool {
        matches!(self, Self::Omit(_))
    }
}

/// What decides which operations are one module and trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// The first tag of an operation.
    #[default]
    Tag,
    /// The first segment of the path that is no `api`, version or parameter: `pets` for `/v1/pets/{id}`.
    Path,
}

/// The path of a Rust type or derive, known to be one: `url::Url`, `std::collections::BTreeSet<u8>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustPath {
    text: String,
    last: String,
}

impl RustPath {
    /// Reads a path.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path: syn::TypePath = syn::parse_str(text).map_err(|error| error.to_string())?;
        let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        Ok(Self { text: text.trim().to_owned(), last })
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name at its end, without arguments.
    #[must_use]
    pub fn last(&self) -> &str {
        &self.last
    }
}

/// Where generated crates find their runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// A folder, as seen from the folder of each generated crate: `../../runtime`.
    Path(String),
    /// A copy under a name of its own, in a folder as seen from the folder of each generated crate. Two copies can't be
    /// used by one project under one name.
    Copy {
        /// The copy's package: `pet-store-runtime`.
        package: String,
        /// The folder: `../runtime`.
        path: String,
    },
}

/// One of the crates that are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CrateKind {
    /// The types.
    Models,
    /// The tables.
    Validation,
    /// The traits.
    Server,
    /// The client.
    Client,
}

impl CrateKind {
    /// All of them, in the order of their dependencies.
    pub const ALL: [Self; 4] = [Self::Models, Self::Validation, Self::Server, Self::Client];

    /// The kind of this name: `models`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.folder() == name)
    }

    /// The folder, and the end of the crate's name.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Validation => "validation",
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// The generated crates that this one depends on.
    #[must_use]
    pub const fn dependencies(self) -> &'static [Self] {
        match self {
            Self::Models => &[],
            Self::Validation => &[Self::Models],
            Self::Server | Self::Client => &[Self::Models, Self::Validation],
        }
    }
}

impl Options {
    /// All crates of this prefix, outside of any workspace that has something to inherit.
    #[must_use]
    pub fn new(prefix: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            crates: CrateKind::ALL.into_iter().collect(),
            runtime: Runtime::Path("../runtime".to_owned()),
            command: "openapi-crates generate".to_owned(),
            source: Some(source.into()),
            workspace_inheritance: false,
            strictness: Strictness::Standard,
            grouping: Grouping::Tag,
            omit: Vec::new(),
            types: BTreeMap::new(),
            derives: Vec::new(),
            dependencies: BTreeMap::new(),
        }
    }

    /// The crates to generate: those wanted, and what they depend on.
    #[must_use]
    pub fn all_crates(&self) -> BTreeSet<CrateKind> {
        self.crates.iter().flat_map(|kind| kind.dependencies().iter().chain([kind])).copied().collect()
    }

    /// What the first line of every file says.
    #[must_use]
    pub fn header(&self) -> String {
        let from = self.source.as_ref().map_or_else(String::new, |source| format!(" from {source}"));
        format!("@generated by `{}`{from}. Do not edit by hand.", self.command)
    }

    /// The name of a crate: `pet-store-models`.
    #[must_use]
    pub fn crate_name(&self, kind: CrateKind) -> String {
        format!("{}-{}", self.prefix, kind.folder())
    }

    /// The name of a crate in code: `pet_store_models`.
    #[must_use]
    pub fn crate_ident(&self, kind: CrateKind) -> String {
        self.crate_name(kind).replace('-', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_along() {
        let options =
            Options { crates: [CrateKind::Client].into(), ..Options::new("pet-store", "pets.yaml") };
        let crates: Vec<_> = options.all_crates().into_iter().collect();
        assert_eq!(crates, [CrateKind::Models, CrateKind::Validation, CrateKind::Client]);
        assert_eq!(options.crate_ident(CrateKind::Client), "pet_store_client");
    }
}
