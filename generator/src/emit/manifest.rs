//! Manifests of the generated crates.

use std::collections::BTreeSet;

use super::{Contents, File, client, crate_summary};
use crate::ir::{Api, Engine, Tag};
use crate::options::{CrateKind, Options, Runtime};

/// Returns the `Cargo.toml` of one crate. Each tag adds one line to it.
pub(super) fn manifest(api: &Api, options: &Options, kind: CrateKind) -> File<'static> {
    let (library, dev_dependencies) = match kind {
        CrateKind::Client => (CLIENT_LIBRARY, EXAMPLES),
        _ => (LIBRARY, ""),
    };
    let lints = if options.workspace_inheritance { "[lints]\nworkspace = true\n" } else { "" };
    let sections = [
        package(api, options, kind),
        library.to_owned(),
        features(api, options, kind),
        dependencies(api, options, kind),
        dev_dependencies.to_owned(),
        lints.to_owned(),
    ];
    let text = sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n");
    File { path: format!("{}/Cargo.toml", kind.folder()), contents: Contents::Toml(text) }
}

fn package(api: &Api, options: &Options, kind: CrateKind) -> String {
    let name = string(&options.crate_name(kind));
    let description = string(&crate_summary(api, kind));
    let version = string(&options.version);
    let own: &[(&str, &str)] = if options.workspace_inheritance { INHERITED } else { OWN };
    let own = own.iter().filter(|(key, _)| !options.package.contains_key(key.trim_end_matches(".workspace")));
    let own: String = own.map(|(key, value)| format!("{key} = {value}\n")).collect();
    let more: String =
        options.package.iter().map(|(key, value)| format!("{} = {value}\n", self::key(key))).collect();
    format!("[package]\nname = {name}\ndescription = {description}\nversion = {version}\n{own}{more}")
}

/// Keys of the package that come from a workspace.
const INHERITED: &[(&str, &str)] = &[
    ("edition.workspace", "true"),
    ("rust-version.workspace", "true"),
    ("license.workspace", "true"),
    ("publish.workspace", "true"),
];

/// Keys of the package without a workspace to inherit from.
const OWN: &[(&str, &str)] = &[
    ("edition", "\"2024\""),
    ("rust-version", concat!("\"", env!("CARGO_PKG_RUST_VERSION"), "\"")),
    ("publish", "false"),
];

/// The settings of a library.
///
/// Generated crates have no unit tests, and only the client's documentation has examples. Without these settings,
/// `cargo test --workspace` and `cargo clippy --all-targets` would compile each crate a second time for no test.
const LIBRARY: &str = "[lib]\ntest = false\ndoctest = false\n";

/// The same of the client, whose documentation has examples, and features that are off by default.
const CLIENT_LIBRARY: &str = "[package.metadata.docs.rs]\nall-features = true\n\n[lib]\ntest = false\n";

/// The dependencies of the examples.
const EXAMPLES: &str = "[dev-dependencies]\nserde_json = \"1\"\n";

fn features(api: &Api, options: &Options, kind: CrateKind) -> String {
    let dependencies = kind.dependencies().iter().map(|kind| options.crate_name(*kind));
    let dependencies: Vec<_> = dependencies.collect();
    let all = list(dependencies.iter().map(|name| format!("{name}/all")));
    let receiver = match client::has_events(api) {
        true => "# A receiver of webhooks and callbacks.\nreceiver = [\"openapi-crates-runtime/webhooks\"]\n",
        false => "",
    };
    let own = match kind {
        CrateKind::Client => {
            "default = [\"all\", \"rustls\"]\n\
             # TLS with rustls, for `https` URLs.\n\
             rustls = [\"openapi-crates-runtime/rustls\"]\n\
             # Spans of requests, with OpenTelemetry's names.\n\
             tracing = [\"openapi-crates-runtime/tracing\"]\n\
             # Downloads to files, and uploads from files.\n\
             file-transfer = [\"openapi-crates-runtime/file-transfer\"]\n\
             # Blocking calls.\n\
             blocking = [\"openapi-crates-runtime/blocking\"]\n\
             # Transports for tests: scripted responses, recordings.\n\
             mock = [\"openapi-crates-runtime/mock\"]\n\
             # Calls by operation id, with JSON as input and output.\n\
             dynamic = []\n"
                .to_owned()
                + receiver
        }
        CrateKind::Server => "default = [\"all\"]\n\
             # Internal errors as events. Without it, they are lines on stderr.\n\
             tracing = [\"openapi-crates-runtime/tracing\"]\n"
            .to_owned(),
        CrateKind::Models | CrateKind::Validation => "default = [\"all\"]\n".to_owned(),
    };
    let lines: String = api.tags.iter().map(|tag| feature(api, tag, &dependencies, kind)).collect();
    format!("[features]\n{own}# All tags.\nall = {all}\n# One feature per tag.\n{lines}")
}

/// Returns `pets = ["pet-store-models/pets"]`.
///
/// The list also has the tags whose types this tag uses.
fn feature(api: &Api, tag: &Tag, dependencies: &[String], kind: CrateKind) -> String {
    let feature = &tag.module.0;
    let names_others = matches!(kind, CrateKind::Models | CrateKind::Validation);
    let needs = tag.needs.iter().filter(|_| names_others).filter_map(|id| api.tags.get(id.0));
    let needs = needs.map(|tag| tag.module.0.clone());
    let enabled = list(dependencies.iter().map(|name| format!("{name}/{feature}")).chain(needs));
    format!("{} = {enabled}\n", key(feature))
}

fn dependencies(api: &Api, options: &Options, kind: CrateKind) -> String {
    let own = kind.dependencies().iter().map(|kind| {
        let (name, folder) = (options.crate_name(*kind), kind.folder());
        let version = string(&format!("={}", options.version));
        format!("{name} = {{ version = {version}, path = \"../{folder}\", default-features = false }}\n")
    });
    // Generator and runtime are released together.
    let version = concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"");
    let source = match &options.runtime {
        Runtime::Path(path) => format!("{version}, path = {}", string(path)),
        Runtime::Published => version.to_owned(),
        Runtime::Copy { package, path } => {
            format!("package = {}, {version}, path = {}", string(package), string(path))
        }
    };
    let features = match kind {
        CrateKind::Models => String::new(),
        other => format!(", features = {}", list(runtime_features(api, other))),
    };
    let runtime = format!("openapi-crates-runtime = {{ {source}{features} }}\n");
    let more: String =
        options.dependencies.iter().map(|(name, source)| format!("{} = {source}\n", key(name))).collect();
    format!("[dependencies]\n{}{runtime}{more}", own.collect::<String>())
}

/// Returns the features of the runtime that a crate needs.
///
/// Some formats, patterns and XML need features. The crate with the tables names them for all crates that depend on it.
pub fn runtime_features(api: &Api, kind: CrateKind) -> impl Iterator<Item = String> {
    let has_tables = kind == CrateKind::Validation;
    let formats = api.formats.iter().filter(move |_| has_tables);
    let formats: BTreeSet<&str> = formats.filter_map(|format| format.feature()).collect();
    let is_fancy = has_tables && api.patterns.iter().any(|pattern| pattern.engine == Engine::Fancy);
    let fancy = is_fancy.then_some("patterns-fancy");
    let xml = (has_tables && api.has_xml()).then_some("xml");
    std::iter::once(kind.folder()).chain(formats).chain(fancy).chain(xml).map(str::to_owned)
}

/// Returns a TOML array of strings.
fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.map(|item| string(&item)).collect::<Vec<_>>().join(", "))
}

/// Returns a TOML basic string.
fn string(text: &str) -> String {
    // TOML has the escapes of JSON, and needs one more.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Returns a TOML key, quoted if necessary.
fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if is_bare { name.to_owned() } else { string(name) }
}
