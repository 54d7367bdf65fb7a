//! The options with which `openapi.yaml` becomes the crates under `generated/`.
//!
//! `cargo xtask` and the tests share them.

use openapi_crates::{Code, LintGroup, Lints, Options, Runtime};

/// The spec, relative to the project's root.
pub const SPEC: &str = "spec/openapi.yaml";

/// The folder of the generated crates, relative to the project's root.
pub const GENERATED: &str = "generated";

/// The keys of the manifests for the publication of the crates.
const PACKAGE: &[(&str, &str)] = &[
    ("categories", "[\"api-bindings\", \"web-programming\"]"),
    ("keywords", "[\"openapi\", \"api\", \"assets\", \"icons\", \"music\"]"),
    ("publish", "true"),
    ("readme", "\"../README.md\""),
    ("rust-version", "\"1.89\""),
];

/// Returns the options of the generator for this repository's crates.
#[must_use]
pub fn options() -> Options {
    Options::new("asset-api", SPEC)
        .runtime(Runtime::Path("../../runtime".to_owned()))
        .command("cargo xtask regen")
        .workspace_inheritance(true)
        .package(PACKAGE.iter().copied())
}

/// Returns the lints that are on for the spec.
#[must_use]
pub fn lints() -> Lints {
    // The filters of `GET /v1/resources` are nested, as in the reference. For tools that can't write them, the service
    // also serves a document with plain parameters.
    Lints::default().groups([LintGroup::Portable, LintGroup::Quality]).allow([Code::PortableDeepObject])
}
