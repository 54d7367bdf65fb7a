//! The options of the generator.

mod choices;

use std::collections::{BTreeMap, BTreeSet};

pub use choices::{
    Constructors, CrateKind, Exhaustive, Formats, Grouping, NaiveDateTimes, Nulls, OperationNames, Runtime,
    RustPath, Setters, Untyped,
};

use crate::diagnostics::Strictness;

/// The options of the generator.
///
/// # Examples
/// ```
/// use openapi_crates::{CrateKind, Formats, Options};
///
/// let options = Options::new("petstore", "petstore.yaml").crates([CrateKind::Client]).formats(Formats::Assert);
/// assert_eq!(options.crate_name(CrateKind::Models), "petstore-models");
/// ```
// The setters document the fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub(crate) prefix: String,
    pub(crate) crates: BTreeSet<CrateKind>,
    pub(crate) runtime: Runtime,
    pub(crate) command: String,
    pub(crate) source: Option<String>,
    pub(crate) workspace_inheritance: bool,
    pub(crate) version: String,
    pub(crate) package: BTreeMap<String, String>,
    pub(crate) strictness: Strictness,
    pub(crate) grouping: Grouping,
    pub(crate) names: OperationNames,
    pub(crate) formats: Formats,
    pub(crate) untyped: Untyped,
    pub(crate) setters: Setters,
    pub(crate) constructors: Constructors,
    pub(crate) exhaustive: Exhaustive,
    pub(crate) naive_date_times: NaiveDateTimes,
    pub(crate) nulls: Nulls,
    pub(crate) renames: BTreeMap<String, String>,
    pub(crate) only: Vec<String>,
    pub(crate) omit: Vec<String>,
    pub(crate) types: BTreeMap<String, RustPath>,
    pub(crate) derives: Vec<RustPath>,
    pub(crate) dependencies: BTreeMap<String, String>,
}

/// An option that matches nothing in the document, so it has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Setting {
    /// The entry at this index of [`Options::only`].
    Only(usize),
    /// The entry at this index of [`Options::omit`].
    Omit(usize),
    /// The entry with this key in [`Options::rename`].
    Rename(String),
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

impl Options {
    /// Creates options with this prefix and source, and defaults for the rest.
    ///
    /// The prefix begins the crates' names: `pet-store` gives `pet-store-models`. The header of every file names the
    /// source: `spec/openapi.yaml`. Both appear in the output as they are.
    #[must_use]
    pub fn new(prefix: impl Into<String>, source: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            crates: CrateKind::ALL.iter().copied().collect(),
            runtime: Runtime::Path("../runtime".to_owned()),
            command: "openapi-crates generate".to_owned(),
            source: Some(source.into()),
            workspace_inheritance: false,
            version: "0.1.0".to_owned(),
            package: BTreeMap::new(),
            strictness: Strictness::Standard,
            grouping: Grouping::Tag,
            names: OperationNames::Document,
            formats: Formats::Common,
            untyped: Untyped::Implied,
            setters: Setters::Requests,
            constructors: Constructors::Arguments,
            exhaustive: Exhaustive::None,
            naive_date_times: NaiveDateTimes::Error,
            nulls: Nulls::Distinct,
            renames: BTreeMap::new(),
            only: Vec::new(),
            omit: Vec::new(),
            types: BTreeMap::new(),
            derives: Vec::new(),
            dependencies: BTreeMap::new(),
        }
    }

    /// Sets the crates to generate. Default: all.
    ///
    /// Their dependencies are added, see [`Options::all_crates`].
    #[must_use]
    pub fn crates(mut self, crates: impl IntoIterator<Item = CrateKind>) -> Self {
        self.crates = crates.into_iter().collect();
        self
    }

    /// Sets the runtime that the generated crates depend on. Default: the one in the folder `../runtime`.
    #[must_use]
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = runtime;
        self
    }

    /// Sets the command that the header of every file names. Default: `openapi-crates generate`.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = command.into();
        self
    }

    /// Removes the document's name from the header of every file.
    ///
    /// So the output does not depend on the name of the document's file.
    #[must_use]
    pub fn without_source(mut self) -> Self {
        self.source = None;
        self
    }

    /// Sets whether the crates inherit edition, licence, lints and more from a workspace. Default: `false`.
    #[must_use]
    pub fn workspace_inheritance(mut self, inherits: bool) -> Self {
        self.workspace_inheritance = inherits;
        self
    }

    /// Sets the version of the generated crates. Default: `0.1.0`.
    ///
    /// They depend on each other at exactly this version: models and tables belong together.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets keys of the section `[package]` of every manifest, to publish the crates. Default: none.
    ///
    /// Each is the key and the TOML after `=`: `license` and `"MIT"`. They replace the generator's own keys, but not the
    /// name, version and description.
    #[must_use]
    pub fn package(mut self, keys: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        self.package = keys.into_iter().map(|(key, toml)| (key.into(), toml.into())).collect();
        self
    }

    /// Sets which diagnostics count as errors. Default: violations of OpenAPI.
    ///
    /// If there is an error, no files are generated.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Sets how operations are grouped into modules and traits. Default: by tag.
    #[must_use]
    pub fn grouping(mut self, grouping: Grouping) -> Self {
        self.grouping = grouping;
        self
    }

    /// Sets which names operations have in Rust. Default: the `operationId`.
    #[must_use]
    pub fn names(mut self, names: OperationNames) -> Self {
        self.names = names;
        self
    }

    /// Sets which string formats are checked. Default: the common ones.
    #[must_use]
    pub fn formats(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
    }

    /// Sets how schemas without `type` are read. Default: as the type that their keywords imply.
    #[must_use]
    pub fn untyped(mut self, untyped: Untyped) -> Self {
        self.untyped = untyped;
        self
    }

    /// Sets which types have setters for their optional fields. Default: those that requests can contain.
    #[must_use]
    pub fn setters(mut self, setters: Setters) -> Self {
        self.setters = setters;
        self
    }

    /// Sets how constructors take the required fields. Default: as arguments.
    #[must_use]
    pub fn constructors(mut self, constructors: Constructors) -> Self {
        self.constructors = constructors;
        self
    }

    /// Sets which structs can be destructured with all their fields. Default: none.
    #[must_use]
    pub fn exhaustive(mut self, exhaustive: Exhaustive) -> Self {
        self.exhaustive = exhaustive;
        self
    }

    /// Sets whether null and absent differ in optional fields. Default: they do.
    #[must_use]
    pub fn nulls(mut self, nulls: Nulls) -> Self {
        self.nulls = nulls;
        self
    }

    /// Sets how clients read a date-time without an offset in a response. Default: as an error.
    ///
    /// It is the default of the generated `ClientBuilder::assume_utc`.
    #[must_use]
    pub fn naive_date_times(mut self, naive: NaiveDateTimes) -> Self {
        self.naive_date_times = naive;
        self
    }

    /// Sets other names for operations, schemas, properties, values, parameters, security schemes and tags. Default: none.
    ///
    /// Each is a key and a name. A key is the `operationId`, `GET /pets/{id}`, the name of a component schema, security
    /// scheme or tag, or a JSON pointer: `#/components/schemas/Pet/properties/ownerID`. The name in Rust is made from the new name as from a name of
    /// the document: words in the case of its kind.
    #[must_use]
    pub fn rename(mut self, names: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        self.renames = names.into_iter().map(|(key, name)| (key.into(), name.into())).collect();
        self
    }

    /// Sets the operations to generate. Default: all.
    ///
    /// An entry is an `operationId`, `GET /pets/{id}`, a tag, or a path (`/pets`), which includes the paths below it.
    /// Parts that these operations do not reach are left out, too: schemas and other components, security schemes,
    /// webhooks and modules.
    #[must_use]
    pub fn only(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.only = operations.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the operations to leave out, in the same forms as [`Options::only`]. Default: none.
    #[must_use]
    pub fn omit(mut self, operations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.omit = operations.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the Rust types for strings, by `format`. Default: none but the generator's own.
    ///
    /// Such a type must implement the runtime's `Decode` and `Encode`, and `Debug`, `Clone` and `PartialEq`.
    #[must_use]
    pub fn types(mut self, types: impl IntoIterator<Item = (impl Into<String>, RustPath)>) -> Self {
        self.types = types.into_iter().map(|(format, path)| (format.into(), path)).collect();
        self
    }

    /// Sets additional derives for the types of schemas. Default: none.
    #[must_use]
    pub fn derives(mut self, derives: impl IntoIterator<Item = RustPath>) -> Self {
        self.derives = derives.into_iter().collect();
        self
    }

    /// Sets additional dependencies of the generated crates, for types and derives. Default: none.
    ///
    /// Each is the crate's name and the TOML after `=` in the manifest.
    #[must_use]
    pub fn dependencies(
        mut self,
        dependencies: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.dependencies = dependencies.into_iter().map(|(name, toml)| (name.into(), toml.into())).collect();
        self
    }

    /// Returns the crates to generate, and the generated crates that they depend on.
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
    fn dependencies_of_crates_are_added() {
        let options = Options::new("pet-store", "pets.yaml").crates([CrateKind::Client]);
        let crates: Vec<_> = options.all_crates().into_iter().collect();
        assert_eq!(crates, [CrateKind::Models, CrateKind::Validation, CrateKind::Client]);
        assert_eq!(options.crate_ident(CrateKind::Client), "pet_store_client");
    }
}
