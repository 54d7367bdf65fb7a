//! The options of the generator.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::Strictness;

/// The options of the generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The prefix of the generated crates' names: `pet-store` gives `pet-store-models`.
    pub prefix: String,
    /// The crates to generate.
    ///
    /// Their dependencies are added, see [`Options::all_crates`].
    pub crates: BTreeSet<CrateKind>,
    /// The runtime that the generated crates depend on.
    pub runtime: Runtime,
    /// The command named in the header of every file: `cargo xtask regen`.
    pub command: String,
    /// The document named in the header of every file: `spec/openapi.yaml`.
    ///
    /// With `None`, the output does not depend on the name of the document's file.
    pub source: Option<String>,
    /// Whether the crates inherit version, edition, licence and lints from a workspace.
    pub workspace_inheritance: bool,
    /// Which diagnostics count as errors. If there is an error, no files are generated.
    pub strictness: Strictness,
    /// How operations are grouped into modules and traits.
    pub grouping: Grouping,
    /// Which names operations have in Rust.
    pub names: OperationNames,
    /// Which string formats are checked.
    pub formats: Formats,
    /// How schemas without `type` are read.
    pub untyped: Untyped,
    /// The operations to generate, all if empty.
    ///
    /// An entry is an `operationId`, `GET /pets/{id}`, a tag, or a path (`/pets`), which includes the paths below it.
    /// What these operations do not reach is left out as well: schemas and other components, security schemes,
    /// webhooks and modules.
    pub only: Vec<String>,
    /// The operations to leave out, in the same forms.
    pub omit: Vec<String>,
    /// The Rust types for strings, by `format`.
    ///
    /// Such a type must implement the runtime's `Decode` and `Encode`, and `Debug`, `Clone` and `PartialEq`.
    pub types: BTreeMap<String, RustPath>,
    /// Additional derives for the types of schemas.
    pub derives: Vec<RustPath>,
    /// Additional dependencies of the generated crates, for `types` and `derives`.
    ///
    /// The key is the crate's name, the value is the TOML after `=` in the manifest.
    pub dependencies: BTreeMap<String, String>,
}

/// An option that matches nothing in the document, so it has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedSetting {
    /// The option.
    pub setting: Setting,
    /// The reason, in lower case and without a full stop.
    pub message: String,
    /// A similar name that does exist.
    pub near: Option<String>,
}

/// An entry of the [`Options`] that names something in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// The entry at this index of [`Options::only`].
    Only(usize),
    /// The entry at this index of [`Options::omit`].
    Omit(usize),
    /// The format with this name in [`Options::types`].
    Type(String),
    /// The derive at this index of [`Options::derives`].
    Derive(usize),
}

impl Setting {
    /// Returns whether generation must fail if the option has no effect.
    ///
    /// True for [`Options::only`] and [`Options::omit`]: the caller may rely on operations being present or absent.
    #[must_use]
    pub const fn is_vital(&self) -> bool {
        matches!(self, Self::Only(_) | Self::Omit(_))
    }
}

/// How operations are grouped into modules and traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// By the first tag of the operation.
    #[default]
    Tag,
    /// By the first specific path segment: `pets` for `/v1/pets/{id}`.
    ///
    /// Segments that are `api`, a version or a parameter don't count.
    Path,
}

/// Which names operations have in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OperationNames {
    /// The `operationId`.
    #[default]
    Document,
    /// The name of the function in an `operationId` that FastAPI derived from function, path and method.
    ///
    /// `read_item_items__item_id__get` becomes `read_item`. Ids of another form stay, and so do those that would
    /// become equal.
    FastApi,
}

impl OperationNames {
    /// All settings.
    pub const ALL: [Self; 2] = [Self::Document, Self::FastApi];

    /// Returns the setting with this name: `fastapi`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|names| names.name() == name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::FastApi => "fastapi",
        }
    }
}

/// Which string formats are checked.
///
/// Formats of numbers are not affected: they select the Rust type. Neither is `binary`, which stands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formats {
    /// None: every string is a `String`, as JSON Schema reads `format` by default.
    Annotation,
    /// Those that have a Rust type, and those of URIs and addresses, leniently.
    #[default]
    Common,
    /// All formats of JSON Schema, exactly as their specifications define them.
    Assert,
}

impl Formats {
    /// All settings.
    pub const ALL: [Self; 3] = [Self::Annotation, Self::Common, Self::Assert];

    /// Returns the setting with this name: `common`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|formats| formats.name() == name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Annotation => "annotation",
            Self::Common => "common",
            Self::Assert => "assert",
        }
    }
}

/// How schemas without `type` are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Untyped {
    /// As the type that their keywords imply: a schema with `properties` is an object.
    #[default]
    Implied,
    /// As JSON Schema defines: a keyword about one type accepts all values of other types.
    Any,
}

impl Untyped {
    /// All settings.
    pub const ALL: [Self; 2] = [Self::Implied, Self::Any];

    /// Returns the setting with this name: `implied`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|untyped| untyped.name() == name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Implied => "implied",
            Self::Any => "any",
        }
    }
}

/// The path of a Rust type or derive, with valid syntax: `url::Url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustPath {
    text: String,
    last: String,
}

impl RustPath {
    /// Parses the path of a Rust type.
    ///
    /// # Errors
    /// Returns the message of the Rust parser if the text is not the path of a type.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path: syn::TypePath = syn::parse_str(text).map_err(|error| error.to_string())?;
        let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        Ok(Self { text: text.trim().to_owned(), last })
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the last segment without generic arguments: `BTreeSet`.
    #[must_use]
    pub fn last(&self) -> &str {
        &self.last
    }
}

/// The runtime that generated crates depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// The runtime in this folder: `../../runtime`.
    ///
    /// The path is relative to the folder of each generated crate.
    Path(String),
    /// A copy of the runtime with its own package name.
    ///
    /// The name must be unique: one lock file can't hold two packages with the same name and version.
    Copy {
        /// The package name of the copy: `pet-store-runtime`.
        package: String,
        /// The folder, relative to the folder of each generated crate: `../runtime`.
        path: String,
    },
}

/// A kind of generated crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CrateKind {
    /// The types of schemas, inputs and outputs.
    Models,
    /// The tables that request validation reads.
    Validation,
    /// The server: a trait for each module.
    Server,
    /// The client.
    Client,
}

impl CrateKind {
    /// All kinds; a crate comes after the crates that it depends on.
    pub const ALL: [Self; 4] = [Self::Models, Self::Validation, Self::Server, Self::Client];

    /// Returns the kind with this name: `models`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.folder() == name)
    }

    /// Returns the name of the folder, which is also the suffix of the crate's name.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Validation => "validation",
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// Returns the generated crates that this one depends on.
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
    /// Creates options with this prefix and source, and defaults for the rest.
    ///
    /// The defaults are all crates, no workspace inheritance and standard strictness.
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
            names: OperationNames::Document,
            formats: Formats::Common,
            untyped: Untyped::Implied,
            only: Vec::new(),
            omit: Vec::new(),
            types: BTreeMap::new(),
            derives: Vec::new(),
            dependencies: BTreeMap::new(),
        }
    }

    /// Returns [`Options::crates`] and the generated crates that they depend on.
    #[must_use]
    pub fn all_crates(&self) -> BTreeSet<CrateKind> {
        self.crates.iter().flat_map(|kind| kind.dependencies().iter().chain([kind])).copied().collect()
    }

    /// Returns the text of the header comment of every file.
    #[must_use]
    pub fn header(&self) -> String {
        let from = self.source.as_ref().map_or_else(String::new, |source| format!(" from {source}"));
        format!("@generated by `{}`{from}. Do not edit by hand.", self.command)
    }

    /// Returns the package name of a crate: `pet-store-models`.
    #[must_use]
    pub fn crate_name(&self, kind: CrateKind) -> String {
        format!("{}-{}", self.prefix, kind.folder())
    }

    /// Returns the name of a crate in Rust code: `pet_store_models`.
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
