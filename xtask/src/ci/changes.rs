//! The changes since a revision, and the packages that they affect.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::project;

/// Files whose change affects every package and every step.
const EVERYWHERE: [&str; 6] =
    ["Cargo.toml", "Cargo.lock", "clippy.toml", "rust-toolchain.toml", ".cargo/", ".ci/"];

/// Files that other packages' code or tests read, with these packages.
const READ_BY: [(&str, &[&str]); 18] = [
    ("spec/", &["asset-api-tests", "asset-service", "openapi-crates-outlines"]),
    ("docs/", &["asset-api-tests", "asset-service", "openapi-crates"]),
    ("README.md", &["asset-api-tests", "asset-service", "openapi-crates"]),
    // `asset-api-tests` checks the links of all pages.
    ("ARCHITECTURE.md", &["asset-api-tests"]),
    ("CHANGELOG.md", &["asset-api-tests"]),
    ("CONTRIBUTING.md", &["asset-api-tests"]),
    ("SECURITY.md", &["asset-api-tests"]),
    ("examples/", &["asset-api-tests"]),
    ("generator/SUPPORT.md", &["asset-api-tests"]),
    // The generator embeds the runtime's sources, and a test of the snapshots lists its public items.
    ("runtime/", &["openapi-crates", "openapi-crates-outlines", "openapi-crates-suite"]),
    ("tests/fixtures/", &["openapi-crates", "openapi-crates-outlines"]),
    ("tests/snapshots/", &["openapi-crates-outlines"]),
    ("tests/README.md", &["openapi-crates-outlines"]),
    (".github/actions/", &["openapi-crates"]),
    ("clients/", &["asset-api-tests", "openapi-crates"]),
    ("tests/providers/", &["openapi-crates"]),
    ("examples/petstore/", &["openapi-crates", "petstore-example-client"]),
    ("examples/petstore/openapi.yaml", &["build-script-example"]),
];

/// The changes since a revision.
pub struct Changes {
    /// The changed files, relative to the project's root.
    pub files: Vec<String>,
    /// The affected packages of the workspace; `None` stands for all of them.
    pub packages: Option<Vec<String>>,
}

impl Changes {
    /// Finds the commits, edits and new files since this branch left `revision`.
    ///
    /// # Errors
    /// git or cargo can't be run, the revision is unknown, or nothing has changed since.
    pub fn since(revision: &str) -> Result<Self> {
        let base = project::output("git", &["merge-base", revision, "HEAD"])
            .with_context(|| format!("git knows no common ancestor of `{revision}` and HEAD"))?;
        let edited = project::output("git", &["diff", "--name-only", "--no-renames", base.trim()])?;
        let new = project::output("git", &["ls-files", "--others", "--exclude-standard"])?;
        let files: Vec<String> = edited.lines().chain(new.lines()).map(str::to_owned).collect();
        if files.is_empty() {
            bail!("nothing has changed since `{revision}`; name an earlier revision: `--changed HEAD~1`");
        }
        let metadata =
            project::output("cargo", &["metadata", "--no-deps", "--format-version", "1", "--offline"])?;
        let packages = Workspace::read(&metadata, &project::root()?)?.affected(&files);
        Ok(Self { files, packages })
    }

    /// Returns whether a file below one of these paths changed, or everything is affected.
    pub fn touch(&self, paths: &[&str]) -> bool {
        self.packages.is_none()
            || self.files.iter().any(|file| paths.iter().any(|path| file.starts_with(path)))
    }

    /// Returns whether one of these packages is affected.
    pub fn affect(&self, names: &[&str]) -> bool {
        let is_named = |package: &String| names.contains(&package.as_str());
        self.packages.as_ref().is_none_or(|packages| packages.iter().any(is_named))
    }
}

/// The packages of the workspace, with their folders and their dependencies within it.
struct Workspace {
    packages: BTreeMap<String, Package>,
}

struct Package {
    folder: String,
    dependencies: BTreeSet<String>,
}

impl Workspace {
    /// Reads the output of `cargo metadata`.
    fn read(metadata: &str, root: &Path) -> Result<Self> {
        let metadata: Value =
            serde_json::from_str(metadata).context("`cargo metadata` prints unknown JSON")?;
        let text = |value: &Value, field: &str| Some(value.get(field)?.as_str()?.to_owned());
        let items = |value: &Value, field: &str| value.get(field).and_then(Value::as_array).cloned();
        let mut packages = BTreeMap::new();
        for package in items(&metadata, "packages").context("`cargo metadata` lists no packages")? {
            let (Some(name), Some(manifest)) = (text(&package, "name"), text(&package, "manifest_path"))
            else {
                bail!("`cargo metadata` lists a package without a name or a path");
            };
            let folder = Path::new(&manifest).parent().unwrap_or(root);
            let folder = folder.strip_prefix(root).unwrap_or(folder);
            let dependencies = items(&package, "dependencies").unwrap_or_default();
            let local = dependencies.iter().filter(|dependency| text(dependency, "path").is_some());
            let dependencies = local.filter_map(|dependency| text(dependency, "name")).collect();
            packages.insert(name, Package { folder: format!("{}/", folder.display()), dependencies });
        }
        Ok(Self { packages })
    }

    /// Returns the packages with these files and all packages that depend on them.
    ///
    /// `None` stands for all packages.
    fn affected(&self, files: &[String]) -> Option<Vec<String>> {
        let mut affected = BTreeSet::new();
        for file in files {
            if EVERYWHERE.iter().any(|path| file.starts_with(path)) {
                return None;
            }
            let readers = READ_BY.iter().filter(|(path, _)| file.starts_with(path));
            affected.extend(readers.flat_map(|(_, packages)| packages.iter().copied()));
            // The folder of a package can contain other packages.
            let owners = self.packages.iter().filter(|(_, package)| file.starts_with(&package.folder));
            let owner = owners.max_by_key(|(_, package)| package.folder.len());
            affected.extend(owner.map(|(name, _)| name.as_str()));
        }
        loop {
            let before = affected.len();
            for (name, package) in &self.packages {
                if package.dependencies.iter().any(|dependency| affected.contains(dependency.as_str())) {
                    affected.insert(name.as_str());
                }
            }
            if affected.len() == before {
                return Some(affected.into_iter().map(str::to_owned).collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{"packages": [
        {"name": "runtime", "manifest_path": "/p/runtime/Cargo.toml", "dependencies": [{"name": "serde", "path": null}]},
        {"name": "models", "manifest_path": "/p/generated/models/Cargo.toml",
         "dependencies": [{"name": "runtime", "path": "/p/runtime"}]},
        {"name": "asset-service", "manifest_path": "/p/service/Cargo.toml",
         "dependencies": [{"name": "models", "path": "/p/generated/models"}]},
        {"name": "a-tests", "manifest_path": "/p/tests/Cargo.toml", "dependencies": []},
        {"name": "outlines", "manifest_path": "/p/tests/outlines/Cargo.toml", "dependencies": []},
        {"name": "generator", "manifest_path": "/p/generator/Cargo.toml", "dependencies": []}
    ]}"#;

    fn affected(files: &[&str]) -> Option<Vec<String>> {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        Workspace::read(METADATA, Path::new("/p")).unwrap().affected(&files)
    }

    #[test]
    fn packages_are_affected_by_their_files_and_by_their_dependencies() {
        let all = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(affected(&[]), all(&[]));
        assert_eq!(affected(&["LICENSE-MIT"]), all(&[]));
        assert_eq!(affected(&["generator/src/lib.rs"]), all(&["generator"]));
        assert_eq!(affected(&["generated/models/src/lib.rs"]), all(&["asset-service", "models"]));
        assert_eq!(
            affected(&["docs/streams.md"]),
            all(&["asset-api-tests", "asset-service", "openapi-crates"])
        );
        assert_eq!(affected(&["tests/it/main.rs"]), all(&["a-tests"]));
        assert_eq!(affected(&["tests/outlines/src/lib.rs"]), all(&["outlines"]));
        assert_eq!(affected(&["generator/src/lib.rs", "Cargo.lock"]), None);
    }
}
