//! The context of lowering: the document, the options, and reporting.

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic, misspelled, nearest},
    document::{Document, Resolved, Version, section_of},
    lower::fields::EXTENSIONS,
    options::Options,
    renames::Renames,
    selection::Selection,
    tree::{NodeId, NodeRef, Value},
};

/// The context of every stage: the document, the options, the chosen operations and the diagnostics.
pub(in crate::lower) struct Context<'d, 'x> {
    pub document: &'d Document,
    pub options: &'x Options,
    pub selection: &'x Selection,
    pub renames: &'x Renames,
    diagnostics: &'x mut Diagnostics,
    /// The diagnostics reported per node, because a node can be read more than once.
    reported: HashSet<(NodeId, Code)>,
    /// A diagnostic that was reported before. Nobody reads it.
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

    /// Returns the list for a diagnostic of a node. That of repeated diagnostics is dropped.
    fn list_of(&mut self, code: Code, node: NodeRef<'_>) -> &mut Diagnostics {
        if self.reported.insert((node.id(), code)) {
            return self.diagnostics;
        }
        self.repeated = Diagnostics::default();
        &mut self.repeated
    }

    /// Returns whether there are too many diagnostics to search a suggestion for each.
    pub fn has_many_diagnostics(&self) -> bool {
        self.reported.len() > 1_000
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
    pub fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        match self.document.resolve(node) {
            Ok(resolved) => Some(resolved.node),
            Err(error) => {
                self.report_reference(node, error.to_string());
                None
            }
        }
    }

    /// Reports an error in the `$ref` of a node, with a suggestion if there is one.
    pub fn report_reference(&mut self, node: NodeRef<'d>, message: String) {
        let at = node.get("$ref").unwrap_or(node);
        let near = at.as_str().and_then(|text| self.near_component(text));
        self.error(Code::UnknownRef, at, message).near("a component with a similar name", near);
    }

    /// Returns a component of the same section with a name similar to that of a reference.
    pub fn near_component(&self, reference: &str) -> Option<&'d str> {
        let (section, name) = section_of(reference)?;
        nearest(name, self.document.components(section).map(|(name, _)| name))
    }

    /// Resolves the references of a node, which must end at a component of this section.
    ///
    /// Reports an error if the target does not exist or is in another section.
    pub fn resolve_in(&mut self, node: NodeRef<'d>, section: &str, what: &str) -> Option<Resolved<'d>> {
        let reference = node.get("$ref");
        match self.document.resolve(node) {
            Err(error) => {
                self.report_reference(node, error.to_string());
                None
            }
            Ok(resolved) => {
                let other =
                    resolved.reference.and_then(|text| text.strip_prefix("#/components/")?.split('/').next());
                match (other, reference) {
                    (Some(other), Some(reference)) if other != section => {
                        let message = format!("the reference points to `components/{other}`, not to {what}");
                        self.error(Code::WrongType, reference, message);
                        None
                    }
                    _ => Some(resolved),
                }
            }
        }
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
                    Some(_) => error.at_name().near("a field with a similar name", near),
                    None => error.at_name().help(format!("known fields: `{}`", known.join("`, `"))),
                };
            }
        }
    }
}
