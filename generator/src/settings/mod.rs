//! The settings file `openapi-crates.toml`.

mod diagnostic;
mod package;
mod unused;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    diagnostics::{Code, LintGroup, nearest},
    options::{
        Constructors, CrateKind, Exhaustive, Formats, Grouping, NaiveDateTimes, Nulls, OperationNames,
        Options, RustPath, Setters, Untyped,
    },
};

pub use diagnostic::{ConfigDiagnostic, ConfigError};
use package::Package;

/// Which runtime the crates depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeKind {
    /// A copy that is written next to the crates
    Copy,
    /// The published crate
    Published,
}

/// The settings. Every key is optional.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The prefix of the crates' names.
    pub name: Option<String>,
    /// The crates to generate.
    #[serde(default, deserialize_with = "crates")]
    pub crates: Vec<CrateKind>,
    /// The output folder, relative to this file.
    pub out: Option<PathBuf>,
    /// The folder of the runtime, relative to this file.
    pub runtime_path: Option<PathBuf>,
    /// Which runtime the crates depend on, without a path.
    #[serde(default)]
    pub runtime: Option<RuntimeKind>,
    /// The overlays to apply to the document, relative to this file.
    #[serde(default)]
    pub overlays: Vec<PathBuf>,
    /// The groups of lints that are on.
    #[serde(default, deserialize_with = "groups")]
    pub lints: Vec<LintGroup>,
    /// The lints of these groups that are off.
    #[serde(default, deserialize_with = "codes")]
    pub allow: Vec<Code>,
    /// Whether to write the manifest of a workspace. The default is `true`.
    pub workspace: Option<bool>,
    /// Keys of the section `[package]` of the crates' manifests.
    #[serde(default)]
    pub package: Package,
    /// How operations are grouped into modules.
    #[serde(default)]
    pub modules: Grouping,
    /// Which names operations have in Rust.
    pub names: Option<OperationNames>,
    /// Which string formats are checked.
    pub formats: Option<Formats>,
    /// How schemas without `type` are read.
    pub untyped: Option<Untyped>,
    /// Which types have setters for their optional fields.
    #[serde(default)]
    pub setters: Setters,
    /// How constructors take the required fields.
    #[serde(default)]
    pub constructors: Constructors,
    /// Which structs can be destructured with all their fields.
    #[serde(default)]
    pub exhaustive: Exhaustive,
    /// How clients read a date-time without an offset in a response.
    #[serde(default)]
    pub naive_date_times: NaiveDateTimes,
    /// Whether null and absent differ in optional fields.
    #[serde(default)]
    pub nulls: Nulls,
    /// Other names of parts of the document.
    #[serde(default)]
    pub rename: BTreeMap<Spanned<String>, Name>,
    /// The operations to generate, all if empty.
    #[serde(default, deserialize_with = "only")]
    pub only: Vec<Spanned<String>>,
    /// The operations to leave out.
    #[serde(default)]
    pub omit: Vec<Spanned<String>>,
    /// Additional derives for the types of schemas.
    #[serde(default)]
    pub derives: Vec<Spanned<TypePath>>,
    /// The Rust types for strings, by `format`.
    #[serde(default)]
    pub types: BTreeMap<Spanned<String>, TypePath>,
    /// Additional dependencies of the crates, for `types` and `derives`.
    #[serde(default)]
    pub dependencies: BTreeMap<Spanned<String>, Dependency>,
}

/// A text from which a name in Rust can be made.
#[derive(Debug, Clone)]
pub struct Name(pub String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().any(char::is_alphabetic) {
            return Ok(Self(text));
        }
        Err(serde::de::Error::custom(format!("`{text}` is not a name: it has no letter")))
    }
}

/// The path of a Rust type or derive.
#[derive(Debug, Clone)]
pub struct TypePath(pub RustPath);

impl<'de> Deserialize<'de> for TypePath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let path = RustPath::parse(&text);
        path.map(Self)
            .map_err(|_| serde::de::Error::custom(format!("`{text}` is not the path of a Rust type")))
    }
}

/// The settings file, for source locations in diagnostics.
#[derive(Debug)]
pub struct SettingsFile {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// The value of a dependency in a Cargo manifest: a version or a table.
#[derive(Debug, Clone)]
pub struct Dependency(toml::Value);

/// The keys that Cargo defines for the table of a dependency.
const DEPENDENCY_KEYS: &[&str] = &[
    "version",
    "path",
    "git",
    "branch",
    "tag",
    "rev",
    "registry",
    "registry-index",
    "package",
    "features",
    "default-features",
    "optional",
    "public",
    "workspace",
];

impl<'de> Deserialize<'de> for Dependency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        value
            .as_table()
            .map_or(Ok(()), |table| check_keys::<D::Error>(table, "dependency", DEPENDENCY_KEYS))?;
        if !value.is_table() && !value.is_str() {
            return Err(serde::de::Error::custom("a dependency must be a version or a table"));
        }
        Ok(Self(value))
    }
}

impl Config {
    /// Reads the text of a settings file. Paths stay relative to the file.
    ///
    /// # Errors
    /// Returns the first mistake, with its line and column.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::invalid(path, text, &error))
    }

    /// Sets the options that don't depend on where files are.
    #[must_use]
    pub fn apply(&self, options: Options) -> Options {
        let crates = if self.crates.is_empty() { CrateKind::ALL } else { &self.crates };
        let options = options
            .crates(crates.iter().copied())
            .package(self.package.others())
            .grouping(self.modules)
            .names(self.names.unwrap_or_default())
            .formats(self.formats.unwrap_or_default())
            .untyped(self.untyped.unwrap_or_default())
            .setters(self.setters)
            .constructors(self.constructors)
            .exhaustive(self.exhaustive)
            .naive_date_times(self.naive_date_times)
            .nulls(self.nulls)
            .rename(self.rename.iter().map(|(key, name)| (key.get_ref(), &name.0)))
            .only(self.only.iter().map(Spanned::get_ref))
            .omit(self.omit.iter().map(Spanned::get_ref))
            .types(self.types.iter().map(|(format, path)| (format.get_ref(), path.0.clone())))
            .derives(self.derives.iter().map(|path| path.get_ref().0.clone()));
        match self.package.version() {
            Some(version) => options.version(version),
            None => options,
        }
    }

    /// Returns the TOML value of each dependency. `path` changes the paths of dependencies.
    pub fn dependencies(&self, path: impl Fn(&str) -> String) -> BTreeMap<String, String> {
        let one = |(name, Dependency(value)): (&Spanned<String>, &Dependency)| {
            let mut value = value.clone();
            if let Some(toml::Value::String(own)) = value.get_mut("path") {
                *own = path(own);
            }
            (name.get_ref().clone(), value.to_string())
        };
        self.dependencies.iter().map(one).collect()
    }
}

/// Fails if a table has a key that is not known.
fn check_keys<E: serde::de::Error>(table: &toml::Table, what: &str, known: &[&str]) -> Result<(), E> {
    let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let help = did_you_mean(key, known.iter().copied());
    Err(E::custom(format!("unknown {what} key `{key}`{help}")))
}

/// Returns "; did you mean `x`?" if one of the names is similar, or an empty text.
pub fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, names).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn crates<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<CrateKind>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    if names.is_empty() {
        return Err(serde::de::Error::custom("`crates` is empty; remove this line to generate all crates"));
    }
    named(&names, "crate", CrateKind::ALL, CrateKind::folder)
}

fn groups<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<LintGroup>, D::Error> {
    named(&Vec::deserialize(deserializer)?, "group", LintGroup::ALL, LintGroup::name)
}

/// Reads codes of lints. Codes that belong to no group can't be allowed.
fn codes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Code>, D::Error> {
    let lints: Vec<Code> = LintGroup::ALL.iter().flat_map(|group| group.codes()).collect();
    named(&Vec::deserialize(deserializer)?, "lint", &lints, Code::name)
}

fn named<T: Copy, E: serde::de::Error>(
    names: &[String],
    what: &str,
    values: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<Vec<T>, E> {
    let known = || values.iter().map(|value| name_of(*value)).collect::<Vec<_>>().join(", ");
    let unknown = |name: &str| E::custom(format!("unknown {what} `{name}`; known {what}s: {}", known()));
    let value = |name: &String| values.iter().copied().find(|value| name_of(*value) == name);
    names.iter().map(|name| value(name).ok_or_else(|| unknown(name))).collect()
}

fn only<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Spanned<String>>, D::Error> {
    let entries = Vec::<Spanned<String>>::deserialize(deserializer)?;
    if entries.is_empty() {
        return Err(serde::de::Error::custom("`only` is empty; remove this line to generate all operations"));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn error(text: &str) -> String {
        Config::parse(Path::new("x.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        assert!(error("name = \"a\"\nomitt = []\n").starts_with("x.toml:2:1: unknown field `omitt`"));
        assert!(error("omitt = []\n").ends_with("; did you mean `omit`?"));
        assert!(error("crates = [\"modles\"]\n").starts_with("x.toml:1:10: unknown crate `modles`"));
        assert!(error("crates = []\n").contains("`crates` is empty"));
        assert!(error("only = []\n").contains("`only` is empty"));
        assert!(error("modules = \"file\"\n").contains("unknown value `file`, expected `tag` or `path`"));
        assert!(error("[types]\ndate = \"a b\"\n").contains("`a b` is not the path of a Rust type"));
        assert!(
            error("formats = \"all\"\n").ends_with("expected one of `annotation`, `common`, `assert`"),
            "{}",
            error("formats = \"all\"\n")
        );
        let lint = error("lints = [\"portable\"]\nallow = [\"unknown-ref\"]\n");
        assert!(
            lint.starts_with("x.toml:2:9: unknown lint `unknown-ref`; known lints: portable-callback"),
            "{lint}"
        );
        assert_eq!(
            error("lints = [\"all\"]\n"),
            "x.toml:1:9: unknown group `all`; known groups: portable, quality"
        );
        let typo = error("[dependencies]\na = \"1\"\nb = { pth = \"b\" }\n");
        assert_eq!(typo, "x.toml:3:5: unknown dependency key `pth`; did you mean `path`?");
        assert!(
            error("[dependencies]\na = 1\n").starts_with("x.toml:2:5: a dependency must be a version or")
        );
        let typo = error("[package]\nlicence = \"MIT\"\n");
        assert!(typo.ends_with("unknown package key `licence`; did you mean `license`?"), "{typo}");
        assert!(error("runtime = \"own\"\n").starts_with("x.toml:1:11"), "{}", error("runtime = \"own\"\n"));
        assert_eq!(error("[rename]\nPet = \"1\"\n"), "x.toml:2:7: `1` is not a name: it has no letter");
        assert!(error("name = \n").starts_with("x.toml:1:8"), "{}", error("name = \n"));
    }

    #[test]
    fn every_key_is_known() {
        let text = "name = \"a\"\ncrates = [\"models\"]\nout = \"o\"\nruntime-path = \"r\"\nruntime = \"copy\"\noverlays = [\"x\"]\nlints = [\"portable\"]\nallow = [\"portable-rules\"]\nworkspace = true\npackage = {license = \"MIT\"}\n\
                    modules = \"path\"\nnames = \"fastapi\"\nformats = \"assert\"\nuntyped = \"any\"\nsetters = \"none\"\nconstructors = \"named\"\nexhaustive = \"requests\"\nnaive-date-times = \"utc\"\nnulls = \"absent\"\nrename = {a = \"b\"}\nonly = [\"b\"]\nomit = [\"a\"]\nderives = [\"Eq\"]\ntypes = {date = \"a::B\"}\ndependencies = {a = \"1\"}\n";
        let config = Config::parse(Path::new("x.toml"), text).unwrap();
        assert_eq!(config.modules, Grouping::Path);
        assert_eq!(config.formats, Some(Formats::Assert));
        assert_eq!(config.untyped, Some(Untyped::Any));
        assert_eq!((config.setters, config.naive_date_times), (Setters::None, NaiveDateTimes::Utc));
        assert_eq!(config.constructors, Constructors::Named);
        assert_eq!((config.exhaustive, config.nulls), (Exhaustive::Requests, Nulls::Absent));
        // The first name is that of the unknown key.
        let message = error("x = 1\n");
        let known: BTreeSet<&str> = message.split('`').skip(3).step_by(2).collect();
        let given: BTreeSet<&str> =
            text.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key).collect();
        assert_eq!(given, known);
    }
}
