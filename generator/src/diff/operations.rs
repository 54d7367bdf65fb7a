//! Compares operations: which there are, and what each of them says.

use std::collections::{HashMap, HashSet};

use super::{
    compare::Compare,
    position::{Owner, Position},
    responses::error_rows,
    rule::{CallRule, Flow},
    words::from_to,
};
use crate::ir::{Operation, Origin};

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
        self.callbacks(callbacks, &new.callbacks, Some(at));
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
