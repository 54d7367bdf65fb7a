//! The declarations that the crates of all documents share. The outlines of fixtures omit them.

use openapi_crates::{Options, generate};

use crate::documents::{Files, text_files};

/// The name of its snapshot, and the prefix of its crates.
pub const NAME: &str = "skeleton";

/// A minimal document with one operation.
const DOCUMENT: &str = "
openapi: 3.1.0
info: { title: Skeleton, version: '1' }
tags: [{ name: skeleton }]
paths: { /: { get: { operationId: get, tags: [skeleton], responses: { '204': { description: Nothing. } } } } }
";

/// Returns the files of its crates. Empty if the generator refuses the document, which changes every outline.
pub fn files() -> Files {
    let generated = generate("skeleton.yaml", DOCUMENT, &Options::new(NAME, "skeleton.yaml"));
    let files = generated.ok().and_then(|generated| generated.files);
    files.as_ref().map(text_files).unwrap_or_default()
}
