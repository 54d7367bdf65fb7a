//! Compares operations: which there are, and what each of them says.

use std::collections::{HashMap, HashSet};

use super::{
    compare::Compare,
    position::{Owner, Position, Step},
    responses::error_rows,
    rule::{CallRule, Flow},
    words::from_to,
};
use crate::ir::{Api, Callback, Operation, Origin, Task};

impl<'a> Compare<'a> {
    /// Compares the operations of both documents.
    pub(super) fn all_operations(&mut self) {
        let (old, new) = (&self.old.operations, &self.new.operations);
        let new_by_key: HashMap<_, &Operation> = new.iter().rev().map(|to| (key(to), to)).collect();
        let old_keys: HashSet<_> = old.iter().map(key).collect();
        for from in old {
            match new_by_key.get(&key(from)) {
                Some(to) => self.operations.push((from, to)),
                None => {
                    let name = name(from);
                    let origins = (from.docs.origin, Origin::default());
                    let at = Position::root(Owner::Document, &name, Flow::Request, origins);
                    self.add(CallRule::OperationRemoved, &at, "is removed");
                }
            }
        }
        for to in new.iter().filter(|to| !old_keys.contains(&key(to))) {
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
            paging,
            // Documentation, like the description.
            example: _,
            callbacks,
        } = old;
        if *id != new.id {
            self.change(
                CallRule::OperationIdChanged,
                at,
                format!("operationId {}", from_to(Some(id), Some(&new.id))),
                (Some(id.clone()), Some(new.id.clone())),
            );
        }
        self.deprecation(
            (docs.deprecated, new.docs.deprecated),
            (CallRule::OperationDeprecated, CallRule::OperationUndeprecated),
            at,
        );
        match (closed_query, new.closed_query) {
            (false, true) => self.add(CallRule::QueryClosed, at, "refuses other query parameters"),
            (true, false) => self.add(CallRule::QueryOpened, at, "no longer refuses other query parameters"),
            _ => {}
        }
        if *server != new.server {
            let message = format!("server {}", from_to(server.as_deref(), new.server.as_deref()));
            self.change(CallRule::ServerChanged, at, message, (server.clone(), new.server.clone()));
        }
        self.task((task.as_ref(), new.task.as_ref()), at);
        if *paging != new.paging {
            let message = match (paging, &new.paging) {
                (None, _) => "has pages (`x-pagination`)",
                (_, None) => "no longer has pages (`x-pagination`)",
                _ => "describes its pages in another way (`x-pagination`)",
            };
            let rule = if new.paging.is_none() { CallRule::PagingRemoved } else { CallRule::PagingChanged };
            self.add(rule, at, message);
        }
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
        let success = (CallRule::SuccessAdded, CallRule::SuccessRemoved);
        self.responses(
            &responses.iter().collect::<Vec<_>>(),
            &new.responses.iter().collect::<Vec<_>>(),
            success,
            at,
        );
        let from = error_rows(errors, self.old.shared_errors.as_ref());
        let to = error_rows(&new.errors, self.new.shared_errors.as_ref());
        self.errors(&from, &to, at);
        self.callbacks(callbacks, &new.callbacks, at);
    }

    /// Compares the tasks that an operation creates. Operations are compared by id.
    fn task(&mut self, (old, new): (Option<&Task>, Option<&Task>), at: &Position<'_>) {
        let id =
            |api: &'a Api, index: usize| api.operations.get(index).map(|operation| operation.id.as_str());
        let said = |api: &'a Api, task: &Task| {
            let Task { get, cancel, id: _, status: _, done: _, failed: _, message: _, progress: _ } = task;
            let others = (id(api, *get), cancel.and_then(|index| id(api, index)));
            (others, Task { get: 0, cancel: None, ..task.clone() })
        };
        let (from, to) = (old.map(|task| said(self.old, task)), new.map(|task| said(self.new, task)));
        match (from, to) {
            (None, None) => {}
            (None, Some(_)) => self.add(CallRule::TaskChanged, at, "creates a task (`x-task`)"),
            (Some(_), None) => self.add(CallRule::TaskRemoved, at, "no longer creates a task (`x-task`)"),
            (Some(from), Some(to)) if from == to => {}
            _ => self.add(CallRule::TaskChanged, at, "describes its task in another way (`x-task`)"),
        }
    }

    fn callbacks(&mut self, old: &'a [Callback], new: &'a [Callback], at: &Position<'_>) {
        let is_same = |from: &Callback, to: &Callback| {
            (&from.name, &from.expression, &from.method) == (&to.name, &to.expression, &to.method)
        };
        for from in old {
            let Callback { name, expression: _, method: _, body, docs } = from;
            let name = format!("callback `{name}`");
            let at = at.at(Step::Named(&name));
            let Some(to) = new.iter().find(|to| is_same(from, to)) else {
                self.add(CallRule::CallbackRemoved, &at.removed(docs.origin), "is removed");
                continue;
            };
            let at = &at.from(docs.origin, to.docs.origin);
            match (body, &to.body) {
                (Some(from), Some(to)) => {
                    if from.required != to.required {
                        let word = if to.required { "required" } else { "optional" };
                        self.add(CallRule::CallbackBodyChanged, at, format!("its body is now {word}"));
                    }
                    let rule = CallRule::CallbackMediaChanged;
                    self.contents(&from.contents, &to.contents, (rule, rule), at);
                }
                (None, None) => {}
                (_, now) => {
                    let message = if now.is_some() { "has a body" } else { "no longer has a body" };
                    self.add(CallRule::CallbackBodyChanged, at, message);
                }
            }
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| is_same(from, to))) {
            let name = format!("callback `{}`", to.name);
            let at = at.at(Step::Named(&name)).added(to.docs.origin);
            self.add(CallRule::CallbackAdded, &at, "is new");
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
