//! Validators of a document's schemas, from the crate `jsonschema`.

use std::cell::OnceCell;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use crate::{
    Result, formats,
    limits::{self, Limit},
};

/// The base URI of a document.
const BASE: &str = "json-schema:///document";

/// A document in one reading, and the validators of its schemas. See [`By::Reading`](crate::known::By).
pub struct Reading<'d> {
    document: &'d Value,
    registry: OnceCell<Option<Registry<'d>>>,
}

impl<'d> Reading<'d> {
    /// Creates a reading of a document whose schemas were converted to JSON Schema 2020-12.
    #[must_use]
    pub const fn new(document: &'d Value) -> Self {
        Self { document, registry: OnceCell::new() }
    }

    /// Returns the validator of the schema at a JSON pointer.
    ///
    /// # Errors
    /// The schema is not valid as JSON Schema, or refers to something outside of the document.
    pub fn validator(&self, pointer: &str) -> Result<Validator> {
        let registry = self.registry.get_or_init(|| {
            let registry = Registry::new().add(BASE, self.document).ok()?;
            registry.prepare().ok()
        });
        let registry = registry.as_ref().ok_or("the document can't be registered")?;
        let mut options = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .with_registry(registry);
        for (name, check) in formats::OWN {
            options = options.with_format(name, check);
        }
        for (name, is_within) in limits::ALL {
            options =
                options.with_keyword(name, move |_, limit, _| Ok(Box::new(Limit::new(limit, is_within))));
        }
        let schema = json!({ "$ref": format!("{BASE}#{}", percent_encoded(pointer)) });
        Ok(options.build(&schema).map_err(|error| error.to_string())?)
    }
}

/// Encodes the characters that a fragment of a URI can't have.
fn percent_encoded(pointer: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    pointer.bytes().map(encode).collect()
}
