//! The context of lowering: the document, the options, and reporting.

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic, nearest},
    document::{Document, Resolved, Version, section_of},
    options::Options,
    renames::Renames,
    selection::Selection,
    tree::{NodeId, NodeRef, Value},
};

/// What every room needs: the document, the options, the chosen operations and the diagnostics.
pub(in crate::lower) struct Context<'d, 'x> {
    pub document: &'d Document,
    pub options: &'x Options,
    pub selection: &'x Selection,
    pub renames: &'x Renames,
    diagnostics: &'x mut Diagnostics,
    /// The diagnostics reported per node, because a node can be read more than once.
    said: HashSet<(NodeId, Code)>,
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
        Self { document, options, selection, renames, diagnostics, said: HashSet::new() }
    }
}

/// A state that reports problems in its [context](Context), and reads fields with it.
pub(in crate::lower) trait Reporting<'d, 'x> {
    fn context(&self) -> &Context<'d, 'x>;

    fn context_mut(&mut self) -> &mut Context<'d, 'x>;

    /// See [`Context::is_3_1`].
    fn is_3_1(&self) -> bool {
        self.context().is_3_1()
    }

    /// See [`Context::warn`].
    fn warn<'s>(
        &'s mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&'s mut UnlocatedDiagnostic>
    where
        'x: 's,
        'd: 's,
    {
        self.context_mut().warn(code, node, message)
    }

    /// See [`Context::error`].
    fn error<'s>(
        &'s mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&'s mut UnlocatedDiagnostic>
    where
        'x: 's,
        'd: 's,
    {
        self.context_mut().error(code, node, message)
    }

    /// See [`Context::wrong_type`].
    fn wrong_type(&mut self, node: NodeRef<'_>, what: &str, expected: &str) {
        self.context_mut().wrong_type(node, what, expected);
    }

    /// See [`Context::object`].
    fn object(&mut self, node: NodeRef<'d>, what: &str) -> Option<NodeRef<'d>> {
        self.context_mut().object(node, what)
    }

    /// See [`Context::text`].
    fn text(&mut self, node: NodeRef<'d>, name: &str) -> Option<&'d str> {
        self.context_mut().text(node, name)
    }

    /// See [`Context::flag`].
    fn flag(&mut self, node: NodeRef<'d>, name: &str) -> Option<bool> {
        self.context_mut().flag(node, name)
    }

    /// See [`Context::follow`].
    fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.context_mut().follow(node)
    }

    /// See [`Context::resolve_in`].
    fn resolve_in(&mut self, node: NodeRef<'d>, section: &str, what: &str) -> Option<Resolved<'d>> {
        self.context_mut().resolve_in(node, section, what)
    }

    /// See [`Context::check_fields`].
    fn check_fields(&mut self, node: NodeRef<'d>, what: &str, known: &[&str]) {
        self.context_mut().check_fields(node, what, known);
    }

    /// See [`Context::unknown_field`].
    fn unknown_field(&mut self, node: NodeRef<'d>, what: &str, name: &str, known: &[&str]) {
        self.context_mut().unknown_field(node, what, name, known);
    }
}

impl<'d> Context<'d, '_> {
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
    ) -> Option<&mut UnlocatedDiagnostic> {
        let new = self.said.insert((node.id(), code));
        new.then(|| self.diagnostics.warning(code, node, message))
    }

    /// Adds an error, unless the node already has one with this code.
    pub fn error(
        &mut self,
        code: Code,
        node: NodeRef<'_>,
        message: impl Into<String>,
    ) -> Option<&mut UnlocatedDiagnostic> {
        let new = self.said.insert((node.id(), code));
        new.then(|| self.diagnostics.error(code, node, message))
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

    /// Returns whether so many diagnostics were reported that suggestions would take too long.
    pub fn is_wordy(&self) -> bool {
        self.said.len() > 1_000
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
            if let Some(error) = self.error(Code::WrongType, value, message) {
                error.help("write `true` or `false`; in YAML, `yes` and `no` are strings");
            }
        }
        value.as_bool()
    }

    /// Resolves the `$ref`s of a node that is not a schema, and reports unknown targets.
    pub fn follow(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        match self.document.resolve(node) {
            Ok(resolved) => Some(resolved.node),
            Err(error) => {
                self.leads_nowhere(node, error.to_string());
                None
            }
        }
    }

    /// Reports an error in the `$ref` of a node, with a suggestion if there is one.
    fn leads_nowhere(&mut self, node: NodeRef<'d>, message: String) {
        let at = node.get("$ref").unwrap_or(node);
        let near = at.as_str().and_then(|text| self.near_component(text));
        let said = self.error(Code::UnknownRef, at, message);
        if let (Some(said), Some(near)) = (said, near) {
            said.help(format!("a component with a similar name exists: `{near}`"));
        }
    }

    /// Returns a component of the same section with a name similar to that of a reference.
    fn near_component(&self, reference: &str) -> Option<&'d str> {
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
                self.leads_nowhere(node, error.to_string());
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
}
