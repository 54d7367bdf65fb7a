//! Compares operations: which there are, and what each of them says.

use super::{
    compare::{Compare, by},
    position::{Owner, Position},
    rule::{CallRule, Flow},
};
use crate::ir::{Api, FinalState, Operation, Origin, Paging, Task, TaskStep};

impl<'a> Compare<'a> {
    /// Compares the operations of both documents.
    pub(super) fn all_operations(&mut self) {
        let (old, new) = (&self.old.operations, &self.new.operations);
        let (old_keys, new_keys) = (by(old, key), by(new, key));
        for from in old {
            match new_keys.get(&key(from)) {
                Some(to) => self.operations.push((from, to)),
                None => {
                    let name = name(from);
                    let origins = (from.docs.origin, Origin::default());
                    let at = Position::root(Owner::Document, &name, Flow::Request, origins);
                    self.add(CallRule::OperationRemoved, &at, "is removed");
                }
            }
        }
        for to in new.iter().filter(|to| !old_keys.contains_key(&key(to))) {
            let name = name(to);
            let at =
                Position::root(Owner::Document, &name, Flow::Request, (Origin::default(), to.docs.origin));
            self.add(CallRule::OperationAdded, &at, "is new");
        }
        for index in 0..self.operations.len() {
            let Some((from, to)) = self.operations.get(index).copied() else { continue };
            let name = name(to);
            let origins = (from.docs.origin, to.docs.origin);
            self.operation(from, to, &Position::root(Owner::Operation(index), &name, Flow::Request, origins));
        }
    }

    fn operation(&mut self, old: &'a Operation, new: &'a Operation, at: &Position<'_>) {
        let Operation {
            id,
            // Names and items of Rust.
            ident: _,
            constant: _,
            tag: _,
            routable: _,
            input: _,
            output: _,
            method: _,
            path,
            docs,
            parameters,
            body,
            responses,
            errors,
            security,
            requires,
            closed_query,
            server,
            task,
            monitored,
            paging,
            // Documentation, like the description.
            example: _,
            callbacks,
        } = old;
        self.text(CallRule::OperationIdChanged, "operationId", (Some(id), Some(&new.id)), at);
        self.deprecation(
            (docs.deprecated, new.docs.deprecated),
            (CallRule::OperationDeprecated, CallRule::OperationUndeprecated),
            at,
        );
        self.flag(
            (*closed_query, new.closed_query),
            (CallRule::QueryClosed, "refuses other query parameters"),
            (CallRule::QueryOpened, "no longer refuses other query parameters"),
            at,
        );
        self.text(CallRule::ServerChanged, "server", (server.as_deref(), new.server.as_deref()), at);
        self.task((task.as_ref(), new.task.as_ref()), at);
        self.monitored(*monitored, new.monitored, at);
        self.paging(paging.as_ref(), new.paging.as_ref(), at);
        self.requirements(requires, &new.requires, at);
        self.security(security, &new.security, at);
        self.parameters(
            (path, parameters),
            (&new.path, &new.parameters),
            (*closed_query, new.closed_query),
            at,
        );
        self.parameter_defaults(old, new, at);
        self.bodies(body.as_ref(), new.body.as_ref(), at);
        let at = &at.flowing(Flow::Response);
        self.outputs((responses, errors), (&new.responses, &new.errors), at);
        self.callbacks(callbacks, &new.callbacks, Some(at));
    }

    /// Compares how a list continues.
    fn paging(&mut self, old: Option<&Paging>, new: Option<&Paging>, at: &Position<'_>) {
        let (rule, message) = match (old, new) {
            _ if old == new => return,
            (_, None) => (CallRule::PagingRemoved, "no longer has pages (`x-pagination`)"),
            (None, _) => (CallRule::PagingChanged, "has pages (`x-pagination`)"),
            _ => (CallRule::PagingChanged, "describes its pages in another way (`x-pagination`)"),
        };
        self.add(rule, at, message);
    }

    /// Compares where the result of a long-running operation is.
    fn monitored(&mut self, old: Option<FinalState>, new: Option<FinalState>, at: &Position<'_>) {
        let extension = "x-ms-long-running-operation";
        let (rule, change) = match (old, new) {
            _ if old == new => return,
            (_, None) => (CallRule::TaskRemoved, "is no longer a long-running operation"),
            (None, _) => (CallRule::TaskChanged, "is a long-running operation"),
            _ => (CallRule::TaskChanged, "has its result in another place"),
        };
        self.add(rule, at, format!("{change} (`{extension}`)"));
    }

    /// Compares the tasks that an operation creates. Operations are compared by id.
    fn task(&mut self, (old, new): (Option<&Task>, Option<&Task>), at: &Position<'_>) {
        let id = |api: &'a Api, step: &TaskStep| {
            api.operations.get(step.operation).map(|operation| operation.id.as_str())
        };
        let described = |api: &'a Api, task: &Task| {
            let Task { get, cancel, id: _, status: _, done: _, failed: _, message: _, progress: _ } = task;
            let others = (id(api, get), cancel.as_ref().and_then(|step| id(api, step)));
            // The names of the parameters are those of the paths.
            (others, Task { get: TaskStep { operation: 0, id: None }, cancel: None, ..task.clone() })
        };
        let (from, to) =
            (old.map(|task| described(self.old, task)), new.map(|task| described(self.new, task)));
        match (from, to) {
            (None, None) => {}
            (None, Some(_)) => self.add(CallRule::TaskChanged, at, "creates a task (`x-task`)"),
            (Some(_), None) => self.add(CallRule::TaskRemoved, at, "no longer creates a task (`x-task`)"),
            (Some(from), Some(to)) if from == to => {}
            _ => self.add(CallRule::TaskChanged, at, "describes its task in another way (`x-task`)"),
        }
    }
}

/// Returns what identifies an operation: its method, and its path without the names of parameters.
fn key(operation: &Operation) -> (&str, String) {
    let mut path = String::with_capacity(operation.path.len());
    for (index, part) in operation.path.split('{').enumerate() {
        match part.split_once('}') {
            Some((_, rest)) if index > 0 => path.extend(["{}", rest]),
            _ => path.push_str(part),
        }
    }
    (&operation.method, path)
}

/// Returns `GET /pets`.
pub(super) fn name(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}
