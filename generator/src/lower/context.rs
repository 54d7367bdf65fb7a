//! The context of lowering: the document, the options, reporting, and the documentation of nodes.

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic, misspelled, nearest},
    document::{Document, RefError, Resolved, Version, component_name, section_of},
    ir::{Docs, Origin},
    options::Options,
    renames::Renames,
    selection::Selection,
    tree::{Node, NodeId, NodeRef, Value},
};

/// Returns the component of a section that a node refers to.
pub(in crate::lower) fn component_of(node: NodeRef<'_>, section: &str) -> Option<String> {
    component_name(node.get("$ref")?.as_str()?, section)
}

/// The context of every stage: the document, the options, the chosen operations and the diagnostics.
pub(in crate::lower) struct Context<'d, 'x> {
    pub document: &'d Document,
    pub options: &'x Options,
    pub selection: &'x Selection,
    pub renames: &'x Renames,
    diagnostics: &'x mut Diagnostics,
    /// The diagnostics reported per node, because a node can be read more than once.
    reported: HashSet<(NodeId, Code)>,
    /// The last repeated diagnostic, which is not reported.
    repeated: Diagnostics,
}

impl<'d, 'x> Context<'d, 'x> {
    /// Creates the context of a document without diagnostics of lowering.
    pub fn new(
        document: &'d Document,
        options: &'x Options,
        selection: &'x Selection,
        renames: &'x Renames,
        diagnostics: &'x mut Diagnostics,
    ) -> Self {
        Self {
            document,
            options,
            selection,
            renames,
            diagnostics,
            reported: HashSet::new(),
            repeated: Diagnostics::default(),
        }
    }

    /// Returns whether the document is OpenAPI 3.1 or later.
    pub fn is_3_1(&self) -> bool {
        self.document.version() >= Version::V3_1
    }

    /// Returns whether the document is OpenAPI 3.2 or later.
    pub fn is_3_2(&self) -> bool {
        self.document.version() >= Version::V3_2
    }

    /// Adds a warning, unless the node already has one with this code.
    pub fn warn(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.list_of(code, node).warning(code, node, message)
    }

    /// Adds an error, unless the node already has one with this code.
    pub fn error(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.list_of(code, node).error(code, node, message)
    }

    /// Adds a warning, even if the node already has one with this code.
    pub fn warn_again(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> &mut UnlocatedDiagnostic {
        self.diagnostics.warning(code, node, message)
    }

    /// Returns the list for a diagnostic of a node: for a repeated one, a list that is not reported.
    fn list_of(&mut self, code: Code, node: NodeRef<'_>) -> &mut Diagnostics {
        if self.reported.insert((node.id(), code)) {
            return self.diagnostics;
        }
        self.repeated = Diagnostics::default();
        &mut self.repeated
    }

    /// Reports a node that does not have the type that the specification requires.
    pub fn wrong_type(&mut self, node: NodeRef<'_>, what: &str, expected: &str) {
        let found = match node.value() {
            Value::Number(_) | Value::Boolean(_) => format!("`{}`", node.to_json()),
            _ => node.kind_name().to_owned(),
        };
        let message = format!("{what} must be {expected}, not {found}");
        self.error(Code::WrongType, node, message);
    }

    /// Returns the node if it is an object, and reports an error otherwise.
    pub fn object(&mut self, node: NodeRef<'d>, what: &str) -> Option<NodeRef<'d>> {
        if node.is_object() {
            return Some(node);
        }
        self.wrong_type(node, what, "an object");
        None
    }

    /// Returns the string in a field, and reports an error if the field is not a string.
    pub fn text(&mut self, node: NodeRef<'d>, name: &str) -> Option<&'d str> {
        let value = node.get(name)?;
        if value.as_str().is_none() && !value.is_null() {
            self.wrong_type(value, &format!("`{name}`"), "a string");
        }
        value.as_str()
    }

    /// Returns the string in a field, and reports an error if there is none.
    pub fn needed_text(&mut self, node: NodeRef<'d>, name: &str, what: &str) -> Option<&'d str> {
        let text = self.text(node, name);
        if text.is_none() {
            self.error(Code::MissingField, node, format!("missing field `{name}` in {what}"));
        }
        text
    }

    /// Returns the items of the array in a field, and reports an error if the field is not an array.
    pub fn list(&mut self, node: NodeRef<'d>, name: &str) -> &'d [Node] {
        let Some(list) = node.get(name) else { return &[] };
        if !list.is_array() && !list.is_null() {
            self.wrong_type(list, &format!("`{name}`"), "an array");
        }
        list.items()
    }

    /// Reads an extension of this generator. Reports an error if its value has another type.
    pub fn extension<T>(
        &mut self,
        node: NodeRef<'d>,
        name: &str,
        expected: &str,
        read: impl FnOnce(NodeRef<'d>) -> Option<T>,
    ) -> Option<T> {
        let value = node.get(name)?;
        self.found(read(value), value, format!("`{name}` must be {expected}"))
    }

    /// Reports an error in an extension of this generator, unless there is a value.
    pub fn found<T>(&mut self, value: Option<T>, node: NodeRef<'_>, message: impl Into<String>) -> Option<T> {
        if value.is_none() {
            self.error(Code::BadExtension, node, message);
        }
        value
    }

    /// Returns the boolean in a field, and reports an error if the field is not a boolean.
    pub fn flag(&mut self, node: NodeRef<'d>, name: &str) -> Option<bool> {
        let value = node.get(name)?;
        if value.as_bool().is_none() && !value.is_null() {
            let message = format!("`{name}` must be a boolean, not {}", value.kind_name());
            self.error(Code::WrongType, value, message)
                .help("write `true` or `false`; in YAML, `yes` and `no` are strings");
        }
        value.as_bool()
    }

    /// Resolves the `$ref`s of a node that is not a schema, and reports unknown targets.
    fn resolve(&mut self, node: NodeRef<'d>) -> Option<Resolved<'d>> {
        self.document.resolve(node).map_err(|error| self.report_reference(node, &error)).ok()
    }

    /// Returns the node that a node refers to, and reports unknown targets.
    pub fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        Some(self.resolve(node)?.node)
    }

    /// Returns the object that a node refers to, and reports unknown targets and other nodes.
    pub fn follow_object(&mut self, node: NodeRef<'d>, what: &str) -> Option<NodeRef<'d>> {
        let node = self.follow(node)?;
        self.object(node, what)
    }

    /// Reports an error in a reference, with a suggestion if a name is similar.
    ///
    /// The node is the reference itself, or has it in `$ref`.
    pub fn report_reference(&mut self, node: NodeRef<'d>, error: &RefError) {
        let at = node.get("$ref").unwrap_or(node);
        // Each suggestion compares the name with all components. With many diagnostics, that would take too long.
        let named = at.as_str().and_then(section_of).filter(|_| self.reported.len() <= 1_000);
        let near = named.and_then(|(section, name)| {
            nearest(name, self.document.components(section).map(|(name, _)| name))
        });
        let is_schema = named.is_some_and(|(section, _)| section == "schemas");
        let what = if is_schema { "a schema with a similar name" } else { "a component with a similar name" };
        self.error(Code::UnknownRef, at, error.to_string()).near(what, near);
    }

    /// Resolves the references of a node, which must end at a component of this section.
    ///
    /// Reports an error if the target does not exist or is in another section.
    pub fn resolve_in(&mut self, node: NodeRef<'d>, section: &str, what: &str) -> Option<Resolved<'d>> {
        let resolved = self.resolve(node)?;
        let other = resolved.reference.and_then(|text| text.strip_prefix("#/components/")?.split('/').next());
        if let (Some(other), Some(reference)) = (other.filter(|other| *other != section), node.get("$ref")) {
            let message = format!("the reference points to `components/{other}`, not to {what}");
            self.error(Code::WrongType, reference, message);
            return None;
        }
        Some(resolved)
    }

    /// Reports fields that OpenAPI does not define here.
    pub fn check_fields(&mut self, node: NodeRef<'d>, what: &str, known: &[&str]) {
        for (name, value) in node.entries() {
            if !known.contains(&name) {
                self.unknown_field(value, what, name, known);
            }
        }
    }

    /// Reports an unknown field.
    ///
    /// An extension is reported only if its name looks like a misspelling of an extension that the generator
    /// reads.
    pub fn unknown_field(&mut self, node: NodeRef<'d>, what: &str, name: &str, known: &[&str]) {
        let near = match name.starts_with("x-") {
            true if EXTENSIONS.contains(&name) => return,
            true => match misspelled(name, EXTENSIONS.iter().copied()) {
                Some(near) => Some(near),
                None => return,
            },
            false => nearest(name, known.iter().copied()),
        };
        self.warn(Code::UnknownField, node, format!("unknown field `{name}` in {what}"))
            .at_name()
            .near("a field with a similar name", near);
    }

    /// Reports the fields that an extension of this generator does not have.
    pub fn check_extension(&mut self, node: NodeRef<'d>, what: &str, known: &[&str]) {
        for (name, value) in node.entries() {
            if !known.contains(&name) {
                let near = nearest(name, known.iter().copied());
                let error =
                    self.error(Code::BadExtension, value, format!("unknown field `{name}` in {what}"));
                match near {
                    None => error.at_name().help(format!("known fields: `{}`", known.join("`, `"))),
                    near => error.at_name().near("a field with a similar name", near),
                };
            }
        }
    }

    /// Returns the documentation of a schema, parameter or operation.
    pub fn docs_of(&self, node: NodeRef<'d>) -> Docs {
        let mut docs = Docs::default();
        self.add_docs(&mut docs, node);
        docs
    }

    /// Fills in the documentation that is still missing from a node.
    pub fn add_docs(&self, docs: &mut Docs, node: NodeRef<'d>) {
        let text = |name: &str| node.get(name).and_then(Node::as_str).filter(|text| !text.trim().is_empty());
        let summary = text("summary").or_else(|| text("title")).map(str::to_owned);
        docs.summary = docs.summary.take().or(summary);
        docs.description = docs.description.take().or_else(|| text("description").map(str::to_owned));
        docs.deprecated |= node.get("deprecated").and_then(Node::as_bool).unwrap_or_default();
        docs.origin = docs.origin.or(Origin::of(node));
        docs.example = docs.example.take().or_else(|| self.example_of(node).map(Node::to_json));
    }

    /// Returns the `example` of a schema, parameter or media type, or the first of `examples`.
    pub fn example_of(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        if let Some(example) = node.get("example") {
            return Some(example);
        }
        let examples = node.get("examples")?;
        if let Some(first) = examples.items().first() {
            return Some(first);
        }
        let (_, first) = examples.entries().next()?;
        let first = self.document.resolve(first).ok()?.node;
        first.get("value").or_else(|| first.get("dataValue"))
    }
}

/// The extensions that the generator reads. It ignores all others.
const EXTENSIONS: &[&str] = &[
    "x-body-limit",
    "x-closed-query",
    "x-discriminator-value",
    "x-enum-descriptions",
    "x-enum-varnames",
    "x-enumNames",
    "x-family",
    "x-fern-idempotency-headers",
    "x-fern-idempotent",
    "x-fern-pagination",
    "x-lint-allow",
    "x-media",
    "x-ms-long-running-operation",
    "x-ms-long-running-operation-options",
    "x-ms-pageable",
    "x-nullable",
    "x-pagination",
    "x-permanent",
    "x-reason",
    "x-rejections",
    "x-requires",
    "x-rules",
    "x-speakeasy-pagination",
    "x-task",
    "x-unchecked",
];

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::EXTENSIONS;

    #[test]
    fn the_page_has_the_extensions() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/extensions.md");
        let page = fs::read_to_string(page).unwrap();
        for name in EXTENSIONS {
            assert!(page.contains(name), "{name} is not documented");
        }
        let cells = page.lines().filter_map(|line| line.strip_prefix("| `x-")?.split(" | ").next());
        let texts = cells.flat_map(|cell| cell.split("`, `x-"));
        let names = texts
            .filter_map(|text| text.split(['`', ':']).next())
            .filter(|name| !name.starts_with("ms-pageable"));
        for name in names {
            assert!(EXTENSIONS.contains(&format!("x-{name}").as_str()), "x-{name} is not in the list");
        }
    }
}
