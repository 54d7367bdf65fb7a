//! Reads the actions of an overlay, and reports what the overlay lacks.

use super::{
    action::{Action, Change},
    path,
};
use crate::{
    diagnostics::{Code, Diagnostics},
    document::{File, links::is_remote},
    tree::Node,
};

/// Returns the actions of an overlay that can be applied to the document of this name.
pub(super) fn read<'o>(overlay: &'o File, document: &str, diagnostics: &mut Diagnostics) -> Vec<Action<'o>> {
    let root = &overlay.root;
    let mut reader = Reader { diagnostics };
    if !reader.is_overlay(root) {
        return Vec::new();
    }
    reader.check_fields(root, "an overlay", &["overlay", "info", "extends", "actions"]);
    reader.info(root);
    reader.extends(root, document);
    match root.get("actions") {
        Some(actions) if !actions.items().is_empty() => {
            actions.items().iter().filter_map(|action| reader.action(action)).collect()
        }
        Some(actions) => {
            let message = if actions.is_array() {
                "`actions` must have at least one action".to_owned()
            } else {
                format!("`actions` must be an array, not {}", actions.kind_name())
            };
            reader.diagnostics.error(Code::BadOverlay, actions, message).at_name();
            Vec::new()
        }
        None => {
            reader.diagnostics.error(Code::BadOverlay, root, "missing field `actions` in the overlay");
            Vec::new()
        }
    }
}

struct Reader<'x> {
    diagnostics: &'x mut Diagnostics,
}

impl Reader<'_> {
    /// Returns whether the file is an overlay of a version that is known, and reports why not.
    fn is_overlay(&mut self, root: &Node) -> bool {
        let Some(node) = root.get("overlay") else {
            let message = "not an overlay: missing field `overlay`";
            let error = self.diagnostics.error(Code::BadOverlay, root, message);
            error.help(if root.get("openapi").is_some() {
                "this is an OpenAPI document; an overlay lists actions that change one"
            } else {
                "start the overlay with `overlay: 1.1.0`"
            });
            return false;
        };
        let version = node.as_written().filter(|_| node.as_bool().is_none()).unwrap_or_default();
        let is_known = matches!(version.split('.').take(2).collect::<Vec<_>>().as_slice(), ["1", "0" | "1"]);
        if !is_known {
            let message = format!("unsupported version `{version}` of the Overlay Specification");
            self.diagnostics
                .error(Code::BadOverlay, node, message)
                .help("supported versions are 1.0 and 1.1, which are both read as 1.1");
        }
        is_known
    }

    fn info(&mut self, root: &Node) {
        let Some(info) = root.get("info") else {
            self.diagnostics.error(Code::MissingField, root, "missing field `info` in the overlay");
            return;
        };
        if !info.is_object() {
            return self.diagnostics.wrong_type(info, "`info`", "an object");
        }
        self.check_fields(info, "`info` of an overlay", &["title", "version", "description"]);
        for field in ["title", "version"] {
            self.text(info, field);
            if info.get(field).is_none() {
                let message = format!("missing field `{field}` in `info`");
                self.diagnostics.error(Code::MissingField, info, message);
            }
        }
        self.text(info, "description");
    }

    /// Warns if the overlay is meant for a file of another name.
    ///
    /// URLs do not contain the name of the file to which a document was downloaded.
    fn extends(&mut self, root: &Node, document: &str) {
        let Some(extends) = self.text(root, "extends").filter(|extends| !is_remote(extends)) else { return };
        let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let (wanted, found) = (file(extends.split('#').next().unwrap_or_default()), file(document));
        // A name such as `<stdin>` is not that of a file.
        if wanted != found
            && !found.starts_with('<')
            && let Some(node) = root.get("extends")
        {
            let message = format!("the overlay is meant for `{wanted}`, not for `{found}`");
            self.diagnostics.warning(Code::OverlayExtends, node, message);
        }
    }

    fn action<'o>(&mut self, action: &'o Node) -> Option<Action<'o>> {
        if !action.is_object() {
            let message = format!("an action must be an object, not {}", action.kind_name());
            self.diagnostics.error(Code::BadOverlay, action, message);
            return None;
        }
        let known = ["target", "description", "update", "copy", "remove"];
        self.check_fields(action, "an action", &known);
        self.text(action, "description");
        let Some(at) = action.get("target") else {
            self.diagnostics
                .error(Code::BadOverlay, action, "missing field `target` in an action")
                .help("`target` is the JSONPath of the nodes to change, such as `$.paths['/pets'].get`");
            return None;
        };
        let target = self.path(at, "target");
        let change = self.change(action);
        Some(Action { at, target: target?, change: change? })
    }

    /// Reads what an action does.
    fn change<'o>(&mut self, action: &'o Node) -> Option<Change<'o>> {
        let (update, copy) = (action.get("update"), action.get("copy"));
        let remove = action.get("remove");
        if let Some(node) = remove.filter(|node| node.as_bool().is_none()) {
            let message = format!("`remove` must be a boolean, not {}", node.kind_name());
            self.diagnostics.error(Code::BadOverlay, node, message).help("write `true` or `false`");
            return None;
        }
        let is_removed = remove.and_then(Node::as_bool) == Some(true);
        for (node, name) in [(update, "update"), (copy, "copy")] {
            if let Some(node) = node.filter(|_| is_removed) {
                let message = format!("`{name}` has no effect beside `remove: true`");
                self.diagnostics
                    .warning(Code::OverlayNoEffect, node, message)
                    .at_name()
                    .help("to replace a value, remove it with one action and add the new one with the next");
            }
        }
        match (update, copy) {
            _ if is_removed => Some(Change::Remove),
            (Some(value), None) => Some(Change::Update(value)),
            (None, Some(at)) => Some(Change::Copy(at, self.path(at, "copy")?)),
            (Some(update), Some(copy)) => {
                self.diagnostics
                    .error(Code::BadOverlay, copy, "an action can't have both `update` and `copy`")
                    .at_name()
                    .label_at_name(update, "`update` is here")
                    .help("write two actions");
                None
            }
            (None, None) => {
                let message = "the action changes nothing: it has no `update`, `copy` or `remove: true`";
                self.diagnostics.warning(Code::OverlayNoEffect, action, message);
                None
            }
        }
    }

    /// Reads a JSONPath.
    fn path(&mut self, node: &Node, name: &str) -> Option<serde_json_path::JsonPath> {
        let Some(text) = node.as_str() else {
            let message = format!("`{name}` must be a JSONPath as a string, not {}", node.kind_name());
            self.diagnostics.error(Code::BadOverlay, node, message);
            return None;
        };
        match path::parse(text) {
            Ok(path) => Some(path),
            Err(wrong) => {
                let error = self.diagnostics.error(Code::InvalidJsonPath, node, wrong.message);
                error.helps.extend(wrong.help);
                None
            }
        }
    }

    /// Returns the string in a field, and reports an error if the field is not a string.
    fn text<'o>(&mut self, node: &'o Node, name: &str) -> Option<&'o str> {
        let value = node.get(name)?;
        if value.as_str().is_none() {
            self.diagnostics.wrong_type(value, &format!("`{name}`"), "a string");
        }
        value.as_str()
    }

    /// Reports fields that the Overlay Specification does not define here.
    fn check_fields(&mut self, node: &Node, what: &str, known: &[&str]) {
        for (name, value) in node.entries() {
            if !known.contains(&name) && !name.starts_with("x-") {
                self.diagnostics.unknown_field(value, name, what, known.iter().copied());
            }
        }
    }
}
