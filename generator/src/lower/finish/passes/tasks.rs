//! `x-task`: which operation gets the task that an operation creates, and when the task has ended.

use crate::{
    diagnostics::nearest,
    ir::{Location, Operation, Path, Task},
    lower::{
        context::Reporting,
        finish::{
            bodies::{Body, Severity},
            state::Finish,
        },
    },
    selection::candidates,
    tree::{Node, NodeRef},
};

/// The fields of the extension.
const KNOWN: &[&str] = &["get", "cancel", "id", "status", "done", "failed", "message", "progress"];

/// The extension of an operation, with the defaults of the document.
#[derive(Clone, Copy)]
struct Written<'d> {
    own: NodeRef<'d>,
    shared: Option<NodeRef<'d>>,
}

impl<'d> Written<'d> {
    /// Returns a field. A null in place of a default means that there is none.
    fn get(&self, name: &str) -> Option<NodeRef<'d>> {
        self.own.get(name).or_else(|| self.shared?.get(name)).filter(|node| !node.is_null())
    }
}

impl<'d> Finish<'d, '_> {
    /// Reads the tasks of all operations.
    pub fn read_tasks(&mut self) {
        let shared = self.context().document.root().get("x-task");
        self.check_task_fields(shared);
        for index in 0..self.operation_notes.nodes.len() {
            let Some(own) = self.operation_notes.nodes.get(index).and_then(|node| node.get("x-task")) else {
                continue;
            };
            if self.object(own, "`x-task`").is_none() {
                continue;
            }
            self.check_task_fields(Some(own));
            let task =
                self.task(index, Written { own, shared }).filter(|task| self.is_agreed(own, index, task));
            if let Some(operation) = self.api.operations.get_mut(index) {
                operation.task = task;
            }
        }
    }

    fn check_task_fields(&mut self, node: Option<NodeRef<'d>>) {
        for (name, value) in node.into_iter().flat_map(Node::entries) {
            if !KNOWN.contains(&name) {
                let message = format!("unknown field `{name}` in `x-task`");
                self.report(Severity::Error, value, message, nearest(name, KNOWN.iter().copied()));
            }
        }
    }

    fn task(&mut self, index: usize, written: Written<'d>) -> Option<Task> {
        let get = self.needed(written, "get")?;
        let get_index = self.operation_named(get, index)?;
        let cancel = written.get("cancel");
        let cancel_index = cancel.and_then(|node| self.operation_named(node, index));
        if !self.can_be_called(get, index, get_index, true) {
            return None;
        }
        let cancel_index = cancel_index
            .filter(|cancels| cancel.is_some_and(|node| self.can_be_called(node, index, *cancels, false)));
        let of_get = Body::Response(get_index);
        let id = self.needed(written, "id").and_then(|node| self.pointer(node, Body::Response(index)));
        let status = self.needed(written, "status").and_then(|node| self.pointer(node, of_get));
        let message = written.get("message").and_then(|node| self.pointer(node, of_get));
        let progress = written.get("progress").and_then(|node| self.pointer(node, of_get));
        let status = status?;
        let done = self.needed(written, "done").map(|node| self.states(node, of_get, &status))?;
        let failed = written.get("failed").map_or_else(Vec::new, |node| self.states(node, of_get, &status));
        if let Some(both) = failed.iter().find(|state| done.contains(state)) {
            let message =
                format!("`{both}` is a status of tasks that are done and of tasks that have failed");
            self.report(Severity::Error, written.get("failed").unwrap_or(written.own), message, None);
        }
        Some(Task { get: get_index, cancel: cancel_index, id: id?, status, done, failed, message, progress })
    }

    /// Returns a field, and reports a problem if it is missing.
    fn needed(&mut self, written: Written<'d>, name: &str) -> Option<NodeRef<'d>> {
        let node = written.get(name);
        if node.is_none() {
            self.report(Severity::Error, written.own, format!("`x-task` needs the field `{name}`"), None);
        }
        node
    }

    /// Returns the operation with this id.
    ///
    /// If it is one that is not selected, there is no task, and nothing to report.
    fn operation_named(&mut self, node: NodeRef<'d>, creates: usize) -> Option<usize> {
        let Some(id) = node.as_str() else {
            let message = "the value must be an `operationId`".to_owned();
            self.report(Severity::Error, node, message, None);
            return None;
        };
        let operations = &self.api.operations;
        let Some(index) = operations.iter().position(|operation| operation.id == id) else {
            let mut others = candidates(self.context().document);
            let is_id = |node: NodeRef<'_>| node.get("operationId").and_then(Node::as_str) == Some(id);
            if !others.any(|other| is_id(other.node)) {
                let near = nearest(id, operations.iter().map(|one| one.id.as_str())).map(str::to_owned);
                self.report(Severity::Error, node, format!("unknown operation `{id}`"), near.as_deref());
            }
            return None;
        };
        let tag = |index: usize| operations.get(index).map(|operation| operation.tag);
        if tag(creates) != tag(index) {
            let message = format!("`{id}` must have the same tag as the operation that creates the task");
            self.report(Severity::Error, node, message, None);
            return None;
        }
        Some(index)
    }

    /// Returns whether a client knows all parameters of an operation once a task is created.
    fn can_be_called(&mut self, node: NodeRef<'d>, creates: usize, index: usize, is_get: bool) -> bool {
        let (Some(creates), Some(called)) =
            (self.api.operations.get(creates), self.api.operations.get(index))
        else {
            return false;
        };
        let problem = unknown_input(creates, called, is_get);
        if let Some(problem) = problem {
            let message = format!("`{}` {problem}", called.id);
            self.report(Severity::Error, node, message, None);
            return false;
        }
        true
    }

    /// Reads values of the status.
    fn states(&mut self, node: NodeRef<'d>, body: Body, status: &Path) -> Vec<String> {
        let texts: Vec<(NodeRef<'d>, &str)> = match node.as_str() {
            Some(text) => vec![(node, text)],
            None => node.items().iter().filter_map(|item| Some((item, item.as_str()?))).collect(),
        };
        if texts.is_empty() || texts.len() < node.items().len() {
            let message = "the value must be a string or a list of strings".to_owned();
            self.report(Severity::Error, node, message, None);
        }
        let known = self.values_of(body, status);
        for (node, text) in &texts {
            let Some(known) = known.as_ref().filter(|known| !known.iter().any(|value| value == text)) else {
                continue;
            };
            let near = nearest(text, known.iter().map(String::as_str));
            self.report(Severity::Error, node, format!("the status is never `{text}`"), near);
        }
        texts.into_iter().map(|(_, text)| text.to_owned()).collect()
    }

    /// Returns whether the task is described as by other operations that create it.
    fn is_agreed(&mut self, node: NodeRef<'d>, index: usize, task: &Task) -> bool {
        let mut others =
            self.api.operations.iter().take(index).filter_map(|one| Some((one, one.task.as_ref()?)));
        let differs = |other: &Task| Task { id: task.id.clone(), ..other.clone() } != *task;
        let other = others.find(|(_, other)| other.get == task.get && differs(other));
        let Some((other, _)) = other else { return true };
        let message = format!("the task is described in another way than that of `{}`", other.id);
        self.report(Severity::Error, node, message, None);
        false
    }
}

/// Returns why a client can't call an operation with the id of a task and the path of the operation that creates it.
fn unknown_input(creates: &Operation, called: &Operation, is_get: bool) -> Option<String> {
    if called.body.as_ref().is_some_and(|body| body.required) {
        return Some("needs a request body".to_owned());
    }
    let in_path = |operation: &Operation| -> Vec<String> {
        let parameters = operation.parameters.iter().filter(|one| one.location == Location::Path);
        parameters.map(|one| one.name.clone()).collect()
    };
    let (known, names) = (in_path(creates), in_path(called));
    let others: Vec<&String> = names.iter().filter(|name| !known.contains(name)).collect();
    if others.len() > 1 || (is_get && others.is_empty()) {
        return Some("must have exactly one parameter in its path for the id".to_owned());
    }
    let segments = creates.path.split('/');
    if segments.clone().any(|segment| segment.matches('{').count() > 1) && !known.is_empty() {
        return Some("can't be called, because a segment of the path has several parameters".to_owned());
    }
    let mut needed = called.parameters.iter().filter(|one| one.required && one.location != Location::Path);
    needed.next().map(|one| format!("needs the parameter `{}`", one.name))
}
