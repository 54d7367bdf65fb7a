//! Resolves references: `$ref` and JSON pointers.

use std::borrow::Cow;
use std::collections::HashSet;

use thiserror::Error;

use super::{Document, links::is_remote};
use crate::tree::{Node, Value};

/// The reason why a reference can't be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RefError {
    /// The document or the file does not contain the target.
    #[error("unknown {kind} `{0}`", kind = kind_of(.0))]
    Unknown(String),
    /// The target is in another file, and files are not loaded.
    #[error("cannot resolve `{0}`: other files are not loaded here")]
    External(String),
    /// The reference is a URL.
    #[error("cannot resolve `{0}`: URLs are not fetched; save the target as a file and refer to that file")]
    Remote(String),
    /// The target is in a file that can't be read or parsed.
    #[error("file `{0}` {1}")]
    File(String, String),
    /// The reference leads back to itself.
    #[error("circular reference `{0}`")]
    Circular(String),
}

/// Returns the section of components that a reference names, and the rest of the reference.
///
/// The sections of Swagger 2.0 count as those that they become.
pub(crate) fn section_of(reference: &str) -> Option<(&str, &str)> {
    let path = reference.strip_prefix("#/")?;
    let (section, name) = path.strip_prefix("components/").unwrap_or(path).split_once('/')?;
    Some((if section == "definitions" { "schemas" } else { section }, name))
}

/// Returns what a reference is called in messages, by its section.
fn kind_of(reference: &str) -> &'static str {
    match section_of(reference).map_or("", |(section, _)| section) {
        "schemas" => "schema reference",
        "responses" => "response reference",
        "parameters" => "parameter reference",
        "requestBodies" => "request body reference",
        "headers" => "header reference",
        _ => "reference",
    }
}

/// The end of a chain of references.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'d> {
    /// The node, which is not a reference.
    pub node: &'d Node,
    /// The last reference that was followed, if there was one: `#/components/schemas/Task`.
    pub reference: Option<&'d str>,
}

impl Resolved<'_> {
    /// Returns the component name, if the reference leads to this section (`schemas`).
    pub fn component(&self, section: &str) -> Option<String> {
        component_name(self.reference?, section)
    }
}

/// Returns the name in `#/components/<section>/<name>`.
pub fn component_name(reference: &str, section: &str) -> Option<String> {
    let name = reference.strip_prefix("#/components/")?.strip_prefix(section)?.strip_prefix('/')?;
    (!name.contains('/')).then(|| decode_step(&percent_decode(name)).into_owned())
}

impl Document {
    /// Returns the node that a reference names: `#/components/schemas/Task`.
    ///
    /// # Errors
    /// Returns a [`RefError`] if the document does not contain the node.
    pub fn lookup(&self, reference: &str) -> Result<&Node, RefError> {
        let unknown = || RefError::Unknown(reference.to_owned());
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let index = if file.is_empty() { Some(0) } else { self.index_of_file(file) };
        let Some(file) = index.and_then(|index| self.file(index)) else {
            let error = if is_remote(reference) { RefError::Remote } else { RefError::External };
            return Err(error(reference.to_owned()));
        };
        if let Some(error) = &file.error {
            return Err(RefError::File(file.source.name.clone(), error.clone()));
        }
        let pointer = percent_decode(fragment);
        if let Some((node, rest)) = self.adopted(reference, &pointer) {
            return pointed(node, rest).ok_or_else(unknown);
        }
        pointed(&file.root, &pointer)
            .or_else(|| self.pointed_through(&file.root, &pointer))
            .ok_or_else(unknown)
    }

    /// Returns the adopted component at the start of a pointer, and its rest.
    fn adopted<'p>(&self, reference: &str, pointer: &'p str) -> Option<(&Node, &'p str)> {
        let path = pointer.strip_prefix("/components/").filter(|_| reference.starts_with('#'))?;
        let (section, path) = path.split_once('/')?;
        let (name, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        let target = self.links.find(section, &decode_step(name))?;
        Some((self.target(target)?, rest))
    }

    /// Returns the target of a pointer, and follows references on its path.
    ///
    /// For example, `components` may be in another file.
    fn pointed_through<'d>(&'d self, root: &'d Node, pointer: &str) -> Option<&'d Node> {
        let mut node = root;
        for (hops, step) in pointer.strip_prefix('/')?.split('/').enumerate() {
            // Following pointers within pointers could recurse forever.
            let is_far = hops > 16
                || node.get("$ref").and_then(Node::as_str).is_some_and(|text| text.starts_with("#/"));
            if !is_far && node.get("$ref").is_some() {
                node = self.resolve(node).ok()?.node;
            }
            node = pointed(node, &format!("/{step}"))?;
        }
        Some(node)
    }

    /// Returns the name of the security scheme that a requirement names, if it is declared.
    ///
    /// A requirement has the name of a component, or a URI. The name takes precedence.
    pub fn required_scheme(&self, requirement: &str) -> Option<&str> {
        let mut schemes = self.components("securitySchemes");
        if let Some((name, _)) = self.components("securitySchemes").find(|(name, _)| *name == requirement) {
            return Some(name);
        }
        let target = requirement.contains('#').then(|| self.lookup(requirement).ok()).flatten()?;
        schemes.find(|(_, node)| std::ptr::eq(*node, target)).map(|(name, _)| name)
    }

    /// Follows `$ref`s to the first node that is not a reference.
    ///
    /// # Errors
    /// Returns a [`RefError`] if a reference of the chain can't be resolved, or if the chain is circular.
    pub fn resolve<'d>(&'d self, node: &'d Node) -> Result<Resolved<'d>, RefError> {
        let mut seen = HashSet::new();
        let mut resolved = Resolved { node, reference: None };
        while let Some(reference) = resolved.node.get("$ref").and_then(Node::as_str) {
            if !seen.insert(reference) {
                return Err(RefError::Circular(reference.to_owned()));
            }
            resolved = Resolved { node: self.lookup(reference)?, reference: Some(reference) };
        }
        Ok(resolved)
    }
}

/// Returns the node that a JSON pointer names.
pub(super) fn pointed<'d>(root: &'d Node, pointer: &str) -> Option<&'d Node> {
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |node, text| match node.value() {
        Value::Array(items) => items.get(text.parse::<usize>().ok()?),
        _ => node.get(&decode_step(text)),
    })
}

/// Decodes one step of a JSON pointer: `~1`, then `~0`.
pub(crate) fn decode_step(text: &str) -> Cow<'_, str> {
    if text.contains('~') { text.replace("~1", "/").replace("~0", "~").into() } else { text.into() }
}

/// Decodes percent-encoding. Keeps invalid escapes as they are.
pub fn percent_decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Encodes a path as part of a URI.
pub fn percent_encode(path: &str) -> String {
    const ENCODED: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    percent_encoding::utf8_percent_encode(path, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn component_names() {
        for (reference, expected) in [
            ("#/components/schemas/Task", Some("Task")),
            ("#/components/schemas/a~1b%20c", Some("a/b c")),
            ("#/components/schemas/Task/properties/id", None),
            ("#/components/responses/Task", None),
            ("other.yaml#/components/schemas/Task", None),
        ] {
            assert_eq!(component_name(reference, "schemas").as_deref(), expected, "{reference}");
        }
    }

    #[test]
    fn references_are_followed_to_their_end() {
        let parsed = Document::parse(
            "test.yaml",
            "openapi: 3.0.3\na: {$ref: '#/b'}\nb: {$ref: '#/c/1'}\nc: [1, {x: 2}]\nd: {$ref: '#/e'}\ne: {$ref: '#/d'}\n",
        );
        let document = parsed.document.unwrap();
        let at = |name: &str| document.root().get(name).unwrap();
        let resolved = document.resolve(at("a")).unwrap();
        assert_eq!(resolved.node.get("x").unwrap().as_u64(), Some(2));
        assert_eq!(resolved.reference, Some("#/c/1"));
        assert!(matches!(document.resolve(at("d")), Err(RefError::Circular(_))));
        assert!(matches!(document.lookup("#/c/9"), Err(RefError::Unknown(_))));
        assert!(matches!(document.lookup("x.yaml#/c"), Err(RefError::External(_))));
    }
}
