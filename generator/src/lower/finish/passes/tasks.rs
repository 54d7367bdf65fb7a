//! `x-task`: which operation gets the task that an operation creates, and when the task has ended.
//! `x-ms-long-running-operation`: operations whose response has the URL of a status monitor.

use crate::{
    diagnostics::{Code, nearest},
    ir::{FinalState, Location, Operation, Origins, Path, Status, Task, TaskStep},
    lower::finish::{
        bodies::{Body, Severity, Wanted},
        state::Finish,
    },
    selection::candidates,
    tree::{Node, NodeRef},
};

/// The fields of the extension.
const KNOWN: &[&str] =
    &["get", "cancel", "parameter", "id", "status", "done", "failed", "message", "progress"];

/// Values of the status of a task that has ended without a result, in lower case and without separators.
const FAILURES: &[&str] = &["aborted", "canceled", "cancelled", "expired", "failed"];

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
        let help = "write `x-task` with `get` in each operation that creates a task";
        let shared = self.defaults_of("x-task", KNOWN, help);
        for index in 0..self.operation_notes.nodes.len() {
            let Some(node) = self.operation_notes.nodes.get(index).copied() else { continue };
            let Some(own) = node.get("x-task") else {
                let monitored = self.monitored(index, node);
                if let Some(operation) = self.api.operations.get_mut(index) {
                    operation.monitored = monitored;
                }
                continue;
            };
            if self.object(own, "`x-task`").is_none() {
                continue;
            }
            self.check_extension(own, "`x-task`", KNOWN);
            let task =
                self.task(index, Written { own, shared }).filter(|task| self.is_agreed(own, index, task));
            if let Some(operation) = self.api.operations.get_mut(index) {
                operation.task = task;
            }
        }
    }

    fn task(&mut self, index: usize, written: Written<'d>) -> Option<Task> {
        let get = self.needed(written, "get")?;
        let parameter = written.get("parameter");
        let found = self.operation_named(get, index);
        let cancel = written.get("cancel").and_then(|node| Some((node, self.operation_named(node, index)?)));
        let found = self.step(get, index, found?, parameter, true)?;
        self.check_parameter(written.own, found.operation);
        let cancel = cancel.and_then(|(node, found)| self.step(node, index, found, parameter, false));
        let of_get = Body::Response(found.operation);
        let id = self.needed(written, "id").and_then(|node| self.id(node, Body::Response(index)));
        let status = self.needed(written, "status").and_then(|node| self.pointer(node, of_get, Wanted::Id));
        let message = written.get("message").and_then(|node| self.pointer(node, of_get, Wanted::Scalar));
        let progress = written.get("progress").and_then(|node| self.pointer(node, of_get, Wanted::Number));
        let status = status?;
        let done = self.needed(written, "done").map(|node| self.states(node, of_get, &status))?;
        let failed = written.get("failed").map_or_else(Vec::new, |node| self.states(node, of_get, &status));
        if let Some(both) = failed.iter().find(|state| done.contains(state)) {
            let message = format!("both `done` and `failed` list `{both}`");
            self.error(Code::BadExtension, written.get("failed").unwrap_or(written.own), message);
        }
        self.check_failures(written, of_get, &status, &[&done, &failed]);
        let origins = Origins::new(written.own, KNOWN.iter().map(|name| (*name, written.get(name))));
        Some(Task { get: found, cancel, id: id?, status, done, failed, message, progress, origins })
    }

    /// Reads the pointer to the id, and warns if a response can lack the id.
    fn id(&mut self, node: NodeRef<'d>, body: Body) -> Option<Path> {
        let path = self.pointer(node, body, Wanted::Id)?;
        if self.can_be_absent(body, &path) {
            let message = "a response can lack the id: then clients can't wait for the task";
            self.warn(Code::BadExtension, node, message).help("list the property in `required`");
        }
        Some(path)
    }

    /// Reports values of the status that are names of failures, and that neither `done` nor `failed` lists.
    fn check_failures(&mut self, written: Written<'d>, body: Body, status: &Path, known: &[&[String]]) {
        let is_open = |value: &String| !known.iter().any(|values| values.contains(value));
        let is_failure = |value: &String| {
            let letters = value.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
            FAILURES.contains(&letters.to_lowercase().as_str())
        };
        let mut values = self.values_of(body, status).unwrap_or_default();
        values.retain(|value| is_failure(value) && is_open(value));
        if !values.is_empty() {
            let node = written.get("failed").unwrap_or(written.own);
            let message = format!(
                "neither `done` nor `failed` lists `{}`, so clients never stop waiting",
                values.join("`, `")
            );
            let help = if values.len() == 1 { "add it to `failed`" } else { "add them to `failed`" };
            self.warn(Code::BadExtension, node, message).help(help);
        }
    }

    /// Returns a field, and reports a problem if it is missing.
    fn needed(&mut self, written: Written<'d>, name: &str) -> Option<NodeRef<'d>> {
        self.found(written.get(name), written.own, format!("`x-task` needs the field `{name}`"))
    }

    /// Returns the operation with this id.
    ///
    /// Returns `None` without a report if the document has the operation, but it is not selected.
    fn operation_named(&mut self, node: NodeRef<'d>, creates: usize) -> Option<usize> {
        let id = self.found(node.as_str(), node, "the value must be an `operationId`")?;
        let operations = &self.api.operations;
        let Some(index) = operations.iter().position(|operation| operation.id == id) else {
            let mut others = candidates(self.document);
            let is_id = |node: NodeRef<'_>| node.get("operationId").and_then(Node::as_str) == Some(id);
            if !others.any(|other| is_id(other.node)) {
                let near = nearest(id, operations.iter().map(|one| one.id.as_str())).map(str::to_owned);
                self.error(Code::BadExtension, node, format!("unknown operation `{id}`"))
                    .near("a similar name", near.as_deref());
            }
            return None;
        };
        let tag = |index: usize| operations.get(index).map(|operation| operation.tag);
        if tag(creates) != tag(index) {
            let message = format!("`{id}` must have the same tag as the operation that creates the task");
            self.error(Code::BadExtension, node, message);
            return None;
        }
        Some(index)
    }

    /// Returns how clients call an operation for a task that they created, or reports why they can't.
    fn step(
        &mut self,
        node: NodeRef<'d>,
        creates: usize,
        index: usize,
        parameter: Option<NodeRef<'d>>,
        is_get: bool,
    ) -> Option<TaskStep> {
        let (creates, called) = (self.api.operations.get(creates)?, self.api.operations.get(index)?);
        let id = match parameter.map(|node| (node, node.as_str())) {
            Some((node, None)) => Err((node, "the value must be the name of a parameter".to_owned())),
            named => id_parameter(creates, called, named.and_then(|(_, name)| name), is_get)
                .map_err(|problem| (node, format!("`{}` {problem}", called.id))),
        };
        match id {
            Ok(id) => Some(TaskStep { operation: index, id }),
            Err((node, message)) => {
                self.error(Code::BadExtension, node, message);
                None
            }
        }
    }

    /// Reports a `parameter` that is not in the path of the `get` operation.
    ///
    /// Skips a default, which may be for other operations.
    fn check_parameter(&mut self, own: NodeRef<'d>, get: usize) {
        let Some((node, name)) = own.get("parameter").and_then(|node| Some((node, node.as_str()?))) else {
            return;
        };
        let Some(get) = self.api.operations.get(get) else { return };
        let names: Vec<&str> = path_parameters(get).collect();
        if !names.contains(&name) {
            let message = format!("`{}` has no path parameter `{name}`", get.id);
            let near = nearest(name, names).map(str::to_owned);
            self.error(Code::BadExtension, node, message).near("a similar name", near.as_deref());
        }
    }

    /// Reads values of the status.
    fn states(&mut self, node: NodeRef<'d>, body: Body, status: &Path) -> Vec<String> {
        let texts: Vec<(NodeRef<'d>, &str)> = match node.as_str() {
            Some(text) => vec![(node, text)],
            None => node.items().iter().filter_map(|item| Some((item, item.as_str()?))).collect(),
        };
        if texts.is_empty() || texts.len() < node.items().len() {
            self.error(Code::BadExtension, node, "the value must be a string or a list of strings");
        }
        let known = self.values_of(body, status);
        for (node, text) in &texts {
            let Some(known) = known.as_ref().filter(|known| !known.iter().any(|value| value == text)) else {
                continue;
            };
            let near = nearest(text, known.iter().map(String::as_str));
            self.error(Code::BadExtension, node, format!("the status is never `{text}`"))
                .near("a similar name", near);
        }
        texts.into_iter().map(|(_, text)| text.to_owned()).collect()
    }

    /// Returns whether earlier operations with the same `get` have an equal `x-task`.
    ///
    /// Reports a difference, except between their `id`.
    fn is_agreed(&mut self, node: NodeRef<'d>, index: usize, task: &Task) -> bool {
        let mut others =
            self.api.operations.iter().take(index).filter_map(|one| Some((one, one.task.as_ref()?)));
        let differs = |other: &Task| Task { id: task.id.clone(), ..other.clone() } != *task;
        let other = others.find(|(_, other)| other.get.operation == task.get.operation && differs(other));
        let Some((other, _)) = other else { return true };
        let message = format!("`x-task` differs from that of `{}`, which has the same `get`", other.id);
        self.error(Code::BadExtension, node, message);
        false
    }

    /// Reads Azure's description of a long-running operation.
    fn monitored(&mut self, index: usize, node: NodeRef<'d>) -> Option<FinalState> {
        node.get("x-ms-long-running-operation").filter(|node| node.as_bool() == Some(true))?;
        let via = node.get("x-ms-long-running-operation-options").and_then(|it| it.get("final-state-via"));
        let known = ["azure-async-operation", "operation-location", "location", "original-uri"];
        let text = via.and_then(Node::as_str);
        if let Some(node) = via.filter(|_| !text.is_some_and(|text| known.contains(&text))) {
            let near = nearest(text.unwrap_or_default(), known);
            self.report(Severity::Warning, node, "unknown value of `final-state-via`".to_owned(), near);
        }
        let operation = self.api.operations.get(index)?;
        let is_success =
            |status| matches!(status, Status::Code(200..=299) | Status::Class(2) | Status::Default);
        let mut successes = operation.responses.iter().filter(|response| is_success(response.status));
        let has_result = successes.any(|response| !response.contents.is_empty());
        Some(match (operation.method.as_str(), text) {
            ("DELETE", _) => FinalState::Nothing,
            _ if !has_result => FinalState::Nothing,
            ("PUT", _) => FinalState::Original,
            (_, Some("original-uri")) | ("PATCH", Some("azure-async-operation" | "operation-location")) => {
                FinalState::Original
            }
            (_, Some("azure-async-operation" | "operation-location")) => FinalState::Monitor,
            _ => FinalState::Location,
        })
    }
}

/// Returns the names of the parameters of an operation's path.
fn path_parameters(operation: &Operation) -> impl Iterator<Item = &str> {
    let parameters = operation.parameters.iter().filter(|one| one.location == Location::Path);
    parameters.map(|one| one.name.as_str())
}

/// Returns the parameter of an operation's path that takes the id of a task.
///
/// It is `named`, if the path has that, or the only one that the path of the creating operation lacks. The error is the
/// reason why a client can't call the operation.
fn id_parameter(
    creates: &Operation,
    called: &Operation,
    named: Option<&str>,
    is_get: bool,
) -> Result<Option<String>, String> {
    if called.body.as_ref().is_some_and(|body| body.required) {
        return Err("needs a request body".to_owned());
    }
    let mut needed = called.parameters.iter().filter(|one| one.required && one.location != Location::Path);
    if let Some(one) = needed.next() {
        return Err(format!("needs the parameter `{}`", one.name));
    }
    let (known, names): (Vec<&str>, Vec<&str>) =
        (path_parameters(creates).collect(), path_parameters(called).collect());
    let named = named.filter(|name| names.contains(name));
    let mut unknown = names.iter().copied().filter(|name| !known.contains(name) && Some(*name) != named);
    match (named, unknown.next(), unknown.next()) {
        (Some(id), None, _) | (None, Some(id), None) => Ok(Some(id.to_owned())),
        (None, None, _) if !is_get => Ok(None),
        (None, None, _) if names.len() == 1 => Ok(names.first().map(|name| (*name).to_owned())),
        (None, None, _) if !names.is_empty() => {
            Err("has only path parameters that this operation has: set `parameter` to the one for the id"
                .to_owned())
        }
        _ => Err("must have exactly one path parameter for the id".to_owned()),
    }
}
