//! Writes a document of Swagger 2.0 as one of OpenAPI 3.1.

use crate::{Input, diagnostics::Code, document::DocumentFormat, report::Report};

/// The result of upgrading a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Upgraded {
    /// The text of the new document. `None` if the document can't be read, or is no Swagger 2.0.
    pub text: Option<String>,
    /// The errors and warnings about the document as Swagger 2.0. [`lint`](crate::lint) reports the others.
    pub report: Report,
}

/// Rewrites a document of Swagger 2.0 as OpenAPI 3.1.
///
/// It is the document that [`generate`](crate::generate) reads in place of the original, so both give the same crates.
/// Overlays are applied first. The new document is one file: what other files contain is written into it. Without
/// `format`, the text has the format of the input. Comments are lost.
///
/// # Examples
/// ```
/// use openapi_crates::{Input, upgrade};
///
/// let text = "
/// swagger: '2.0'
/// info: {title: Pets, version: 1.0.0}
/// paths: {}
/// definitions: {Pet: {type: object, x-nullable: true}}
/// ";
/// let upgraded = upgrade(&Input::new("pets.yaml", text), None);
/// let text = upgraded.text.ok_or_else(|| upgraded.report.to_string())?;
/// assert!(text.contains("components:\n  schemas:\n    Pet:\n      type:\n      - object\n      - 'null'\n"));
/// # Ok::<(), String>(())
/// ```
#[must_use]
pub fn upgrade(input: &Input<'_>, format: Option<DocumentFormat>) -> Upgraded {
    let mut parsed = input.parse();
    if let Some(document) = parsed.document.as_ref().filter(|document| !document.is_rewritten())
        && let Some(version) = document.root().get("openapi")
        && !parsed.diagnostics.has_errors()
    {
        let message = "the document is OpenAPI 3 already; only Swagger 2.0 is upgraded";
        parsed.diagnostics.error(Code::UnsupportedVersion, version, message);
    }
    let report = parsed.report();
    let is_fatal = report.diagnostics.iter().any(|diagnostic| diagnostic.code.is_fatal());
    let text = parsed.document.filter(|document| document.is_rewritten() && !is_fatal).map(|document| {
        let format = format.unwrap_or_else(|| DocumentFormat::of(document.source()));
        format.write(&document.bundle())
    });
    Upgraded { text, report }
}
