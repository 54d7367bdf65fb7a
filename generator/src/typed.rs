//! Documents that a program holds as `openapiv3`'s types.

use openapiv3::OpenAPI;

use crate::{Content, Input};

impl<'i> Input<'i> {
    /// Creates the input of a document that a program holds as [`openapiv3`]'s types.
    ///
    /// Use this function if a program builds the document, or holds it for another tool such as progenitor. The
    /// document becomes the same tree that [`Input::new`] reads from a text, and the rest of the pipeline is
    /// the same. The tree has no lines, so a diagnostic begins with `name` and a JSON pointer instead:
    /// `pets#/paths/~1pets/get: error[…]: …`.
    ///
    /// If the document is a text, call [`Input::new`]. openapiv3 stops at the first mistake, and its types hold
    /// less than the text:
    ///
    /// - OpenAPI 3.0 only;
    /// - no fields that it does not know, and none next to a `$ref`, such as a description;
    /// - no references among the callbacks of an operation;
    /// - the methods of a path in its own order, and `default` before the other responses. The items of
    ///   generated files follow that order.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates::openapiv3::OpenAPI;
    /// use openapi_crates::{Input, Options, generate_from};
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
    /// let input = Input::from_openapi("pets", &document);
    /// let generated = generate_from(&input, &Options::new("pets", "pets"), &|_| {})?;
    /// let files = generated.files.ok_or_else(|| generated.report.to_string())?;
    /// assert!(files.text("client/src/operations.rs").is_some_and(|text| text.contains("GetPet")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_openapi(name: &'i str, document: &'i OpenAPI) -> Self {
        Self { name, content: Content::Types(document), overlays: &[], load: None }
    }
}

#[cfg(test)]
mod tests;
