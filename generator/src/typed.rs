//! Documents that a program holds as `openapiv3`'s types.

use openapiv3::OpenAPI;

use crate::document::Document;
use crate::{Generated, Options, RenderError, Report, generate_parsed, read};

/// Generates the crates of a document that a program holds as [`openapiv3`]'s types.
///
/// Use this function if a program builds the document, or holds it for another tool such as progenitor. The
/// document becomes the same tree that [`generate`](crate::generate) reads from a text, and the rest of the
/// pipeline is the same. The tree has no lines, so a diagnostic begins with `name` and a JSON pointer
/// instead: `pets#/paths/~1pets/get: error[…]: …`.
///
/// If the document is a text, call [`generate`](crate::generate). openapiv3 stops at the first mistake, and
/// its types hold less than the text:
///
/// - OpenAPI 3.0 only;
/// - no fields that it does not know, and none next to a `$ref`, such as a description;
/// - no references among the callbacks of an operation;
/// - the methods of a path in its own order, and `default` before the other responses. The items of
///   generated files follow that order.
///
/// # Errors
/// Returns the same error as [`generate`](crate::generate).
///
/// # Examples
/// ```
/// use openapi_crates::openapiv3::OpenAPI;
/// use openapi_crates::{Options, generate_openapi};
///
/// let document: OpenAPI = serde_json::from_value(serde_json::json!({
///     "openapi": "3.0.3",
///     "info": { "title": "Pets", "version": "1.0.0" },
///     "paths": {
///         "/pets/{name}": {
///             "get": {
///                 "operationId": "get_pet",
///                 "parameters": [
///                     { "name": "name", "in": "path", "required": true, "schema": { "type": "string" } },
///                 ],
///                 "responses": { "204": { "description": "The pet exists." } },
///             },
///         },
///     },
/// }))?;
/// let generated = generate_openapi("pets", &document, &Options::new("pets", "pets"))?;
/// let files = generated.files.ok_or_else(|| generated.report.to_string())?;
/// assert!(files.text("client/src/operations.rs").is_some_and(|text| text.contains("GetPet")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate_openapi(name: &str, document: &OpenAPI, options: &Options) -> Result<Generated, RenderError> {
    generate_parsed(Document::from_openapi(name, document), options, &|_| {})
}

/// Reports the errors and warnings of a document that a program holds as [`openapiv3`]'s types.
#[must_use]
pub fn lint_openapi(name: &str, document: &OpenAPI) -> Report {
    read(Document::from_openapi(name, document), &Options::new("", name), &|_| {}).report
}

#[cfg(test)]
mod tests;
