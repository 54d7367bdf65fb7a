//! Compares the list of operations, and each operation that both documents have.

use super::{
    compare::{Compare, by},
    position::{Owner, Position, Step},
    rule::{CallRule, Flow},
};
use crate::ir::{Operation, Origin};

impl<'a> Compare<'a> {
    pub(super) fn all_operations(&mut self) {
        let (old, new) = (&self.old.operations, &self.new.operations);
        let (old_keys, new_keys) = (by(old, key), by(new, key));
        let added: Vec<&Operation> = new.iter().filter(|to| !old_keys.contains_key(&key(to))).collect();
        let removed: Vec<&Operation> = old.iter().filter(|from| !new_keys.contains_key(&key(from))).collect();
        let same_id = |all: &[&Operation], id: &str| Some(name(all.iter().find(|other| other.id == id)?));
        for from in old {
            match new_keys.get(&key(from)) {
                Some(to) => self.operations.push((from, to)),
                None => {
                    let name = name(from);
                    let origins = (from.docs.origin, Origin::default());
                    let at = Position::root(Owner::Document, &name, Flow::Request, origins);
                    let hint = same_id(&added, &from.id).map(|name| format!("now `{name}`?"));
                    self.lone(CallRule::OperationRemoved, &at, "is removed", hint);
                }
            }
        }
        for to in &added {
            let name = name(to);
            let at =
                Position::root(Owner::Document, &name, Flow::Request, (Origin::default(), to.docs.origin));
            let hint = same_id(&removed, &to.id).map(|name| format!("was `{name}`?"));
            self.lone(CallRule::OperationAdded, &at, "is new", hint);
        }
        for (index, (from, to)) in self.operations.clone().into_iter().enumerate() {
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
            security_at,
            requires,
            closed_query,
            server,
            // Compared with what the other document says of the same operations.
            task: _,
            monitored,
            paging: _,
            // Documentation, like the description.
            example: _,
            callbacks,
        } = old;
        self.text(CallRule::OperationIdChanged, "operationId", (Some(id), Some(&new.id)), at);
        self.deprecated(
            docs,
            &new.docs,
            [CallRule::OperationDeprecated, CallRule::OperationUndeprecated],
            at,
        );
        self.flag(
            (*closed_query, new.closed_query),
            (CallRule::QueryClosed, "refuses other query parameters"),
            (CallRule::QueryOpened, "no longer refuses other query parameters"),
            at,
        );
        self.text(CallRule::ServerChanged, "server", (server.as_deref(), new.server.as_deref()), at);
        self.tasks(old, new, at);
        self.monitored(*monitored, new.monitored, at);
        self.pages(old, new, at);
        self.requirements(requires, &new.requires, at);
        let written = at.at(Step::Named("security"));
        self.security(security, &new.security, &written.exactly(*security_at, new.security_at));
        let closed = (*closed_query, new.closed_query);
        self.parameters((path, parameters), (&new.path, &new.parameters), closed, at);
        self.parameter_defaults(old, new, at);
        self.bodies(body.as_ref(), new.body.as_ref(), at);
        let at = &at.flowing(Flow::Response);
        self.outputs((responses, errors), (&new.responses, &new.errors), at);
        self.callbacks(callbacks, &new.callbacks, Some(at));
    }
}

/// Returns what identifies an operation: its method, and its path without parameter names.
pub(super) fn key(operation: &Operation) -> (&str, String) {
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
