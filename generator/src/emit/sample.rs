//! A small API with one of each thing that is emitted, for tests.

use crate::diagnostics::Diagnostics;
use crate::document::Document;
use crate::ir::Api;
use crate::lower::lower;
use crate::options::Options;

/// Three families: `icons` (parameters), `text-to-speech` (bodies, several answers), `pets` (unions, no security).
pub(crate) fn api() -> Api {
    lowered(include_str!("sample.yaml"))
}

/// An API with nothing in it.
pub(crate) fn empty_api() -> Api {
    lowered("{openapi: 3.0.3, info: {title: Nothing, version: '1'}, paths: {}}")
}

/// The API of a document without mistakes.
pub(crate) fn lowered(text: &str) -> Api {
    let parsed = Document::parse("sample.yaml", text);
    let document = parsed.document.unwrap();
    let mut diagnostics = Diagnostics::default();
    let api = lower(&document, &Options::new("x", "x"), &mut diagnostics).api;
    assert!(!diagnostics.has_errors(), "{}", diagnostics.report(&document));
    api
}
