//! A small API with one item of each kind, for tests.

use crate::diagnostics::Diagnostics;
use crate::document::Document;
use crate::ir::Api;
use crate::lower::lower;
use crate::options::Options;

/// Returns an API with three tags.
///
/// They are `icons` (parameters), `text-to-speech` (bodies, several responses) and `pets` (unions).
pub(crate) fn api() -> Api {
    lowered(include_str!("sample.yaml"))
}

/// Returns an API without operations and schemas.
pub(crate) fn empty_api() -> Api {
    lowered("{openapi: 3.0.3, info: {title: Nothing, version: '1'}, paths: {}}")
}

/// Returns the API of a document that has no errors.
pub(crate) fn lowered(text: &str) -> Api {
    let parsed = Document::parse("sample.yaml", text);
    let document = parsed.document.unwrap();
    let mut diagnostics = Diagnostics::default();
    let api = lower(&document, &Options::new("x", "x"), &mut diagnostics).api;
    assert!(!diagnostics.has_errors(), "{}", diagnostics.report(&document));
    api
}
