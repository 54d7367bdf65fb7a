//! What the caller decides about the output, beside the document.

use std::collections::BTreeSet;

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
    /// The document, for the header of every file: `spec/openapi.yaml`.
    pub source: String,
    /// Whether the crates are members of a workspace that declares version, edition, licence and lints for them.
    pub workspace_inheritance: bool,
}

/// Where generated crates find their runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// A folder, as seen from the folder of each generated crate: `../../runtime`.
    Path(String),
    /// A published version.
    Version(String),
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
            source: source.into(),
            workspace_inheritance: false,
        }
    }

    /// The crates to generate: those wanted, and what they depend on.
    #[must_use]
    pub fn all_crates(&self) -> BTreeSet<CrateKind> {
        self.crates.iter().flat_map(|kind| kind.dependencies().iter().chain([kind])).copied().collect()
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
