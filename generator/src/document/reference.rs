//! References: `$ref`, and the JSON pointers in them.

use std::collections::HashSet;

use thiserror::Error;

use super::{Document, Node};

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RefError {
    /// Its target is not in the document.
    #[error("`{0}` is not in this document")]
    Unknown(String),
    /// It leads to another document.
    #[error("`{0}` leads to another document")]
    External(String),
    /// It leads back to itself.
    #[error("`{0}` leads back to itself")]
    Circular(String),
}

/// Where a chain of references ends.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'d> {
    /// The node that is no reference.
    pub node: &'d Node,
    /// The last reference followed, if there was one: `#/components/schemas/Task`.
    pub reference: Option<&'d str>,
}

impl Resolved<'_> {
    /// The component's name, if the last reference leads to a component of this section (`schemas`, `responses`).
    #[must_use]
    pub fn component(&self, section: &str) -> Option<String> {
        component_name(self.reference?, section)
    }
}

/// The name in `#/components/<section>/<name>`.
#[must_use]
pub fn component_name(reference: &str, section: &str) -> Option<String> {
    let name = reference.strip_prefix("#/components/")?.strip_prefix(section)?.strip_prefix('/')?;
    (!name.contains('/')).then(|| unescape(name))
}

impl Document {
    /// The node that a reference names: `#/components/schemas/Task`.
    ///
    /// # Errors
    /// It is not in this document.
    pub fn lookup(&self, reference: &str) -> Result<&Node, RefError> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(RefError::External(reference.to_owned()));
        };
        if pointer.is_empty() {
            return Ok(self.root());
        }
        let unknown = || RefError::Unknown(reference.to_owned());
        let steps = pointer.strip_prefix('/').ok_or_else(unknown)?;
        steps.split('/').try_fold(self.root(), |node, step| {
            let step = unescape(step);
            match node {
                Node::Array(items) => step.parse::<usize>().ok().and_then(|place| items.get(place)),
                _ => node.get(&step),
            }
            .ok_or_else(unknown)
        })
    }

    /// Follows `$ref`s until a node that is none.
    ///
    /// # Errors
    /// A reference of the chain leads nowhere, or in a circle.
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

/// Undoes the escapes of one step of a pointer in a URI fragment: `%xx`, then `~1`, then `~0`.
fn unescape(step: &str) -> String {
    if !step.contains(['%', '~']) {
        return step.to_owned();
    }
    percent_decode(step).replace("~1", "/").replace("~0", "~")
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let escape = (byte == b'%').then(|| Some((hex(ahead.next()?)?, hex(ahead.next()?)?))).flatten();
        if let Some((high, low)) = escape {
            bytes.push(high * 16 + low);
            rest = ahead;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
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
