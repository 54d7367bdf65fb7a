//! Compares the requests that the server sends: callbacks and webhooks.
//!
//! The rules follow the direction of values. What the server sends is compared like a response, and what the receiver
//! responds with like a request.

use super::{
    compare::Compare,
    position::{Owner, Position, Step},
    responses::StatusRules,
    rule::{CallRule, Flow},
};
use crate::ir::{Body, Callback, Origin, Response, Status};

impl<'a> Compare<'a> {
    /// Compares the callbacks of the operation at a position, or the webhooks of the document.
    pub(super) fn callbacks(
        &mut self,
        old: &'a [Callback],
        new: &'a [Callback],
        operation: Option<&Position<'_>>,
    ) {
        let is_same = |from: &Callback, to: &Callback| {
            (&from.name, &from.expression, &from.method) == (&to.name, &to.expression, &to.method)
        };
        let (added, removed) = match operation {
            Some(_) => (CallRule::CallbackAdded, CallRule::CallbackRemoved),
            None => (CallRule::WebhookAdded, CallRule::WebhookRemoved),
        };
        for from in old {
            let name = name(from);
            let at = position(operation, &name);
            match new.iter().find(|to| is_same(from, to)) {
                Some(to) => self.callback(from, to, &at.from(from.docs.origin, to.docs.origin)),
                None => self.add(removed, &at.removed(from.docs.origin), "is removed"),
            }
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| is_same(from, to))) {
            let name = name(to);
            self.add(added, &position(operation, &name).added(to.docs.origin), "is new");
        }
    }

    fn callback(&mut self, old: &'a Callback, new: &'a Callback, at: &Position<'_>) {
        let Callback { name: _, expression: _, id, method: _, parameters, body, responses, docs } = old;
        self.text(CallRule::OperationIdChanged, "operationId", (id.as_deref(), new.id.as_deref()), at);
        self.deprecation(
            (docs.deprecated, new.docs.deprecated),
            (CallRule::OperationDeprecated, CallRule::OperationUndeprecated),
            at,
        );
        self.headers(parameters, &new.parameters, at);
        self.sent_bodies(body.as_ref(), new.body.as_ref(), at);
        let rules = StatusRules {
            added: CallRule::CallbackResponseAdded,
            removed: CallRule::CallbackResponseRemoved,
            narrowed: CallRule::CallbackResponseRemoved,
            text: None,
        };
        self.statuses(&rows(responses), &rows(&new.responses), rules, &at.flowing(Flow::Request));
    }

    /// Compares the bodies of requests that the server sends.
    fn sent_bodies(&mut self, old: Option<&'a Body>, new: Option<&'a Body>, at: &Position<'_>) {
        let origin = |body: Option<&Body>| body.map_or_else(Origin::default, |body| body.origin);
        let at = &at.at(Step::Named("body")).from(origin(old), origin(new));
        let is_certain = |body: Option<&Body>| body.is_some_and(|body| body.required);
        let rule = match (is_certain(old), is_certain(new)) {
            (false, true) => Some(CallRule::CallbackBodyBecameRequired),
            (true, false) => Some(CallRule::CallbackBodyBecameOptional),
            _ => match (old, new) {
                (None, Some(_)) => Some(CallRule::CallbackBodyAdded),
                (Some(_), None) => Some(CallRule::CallbackBodyRemoved),
                _ => None,
            },
        };
        let message = match (old, new) {
            (Some(_), None) => "is removed",
            (None, Some(body)) if body.required => "is new and required",
            (None, Some(_)) => "is new, optional",
            _ if is_certain(new) => "is now required",
            _ => "is now optional",
        };
        if let Some(rule) = rule {
            self.add(rule, at, message);
        }
        if let (Some(from), Some(to)) = (old, new) {
            let rules = (CallRule::ResponseMediaAdded, CallRule::ResponseMediaRemoved);
            self.contents(&from.contents, &to.contents, rules, at);
        }
    }
}

fn rows(all: &[Response]) -> Vec<(Status, &Response)> {
    all.iter().map(|row| (row.status, row)).collect()
}

/// Returns ``callback `done` ``, or ``webhook `done` (`POST`)``.
fn name(Callback { name, expression, method, .. }: &Callback) -> String {
    match expression {
        Some(_) => format!("callback `{name}`"),
        None => format!("webhook `{name}` (`{method}`)"),
    }
}

fn position<'p>(operation: Option<&'p Position<'p>>, name: &'p str) -> Position<'p> {
    match operation {
        Some(operation) => operation.at(Step::Named(name)).flowing(Flow::Response),
        None => Position::root(Owner::Document, name, Flow::Response, Default::default()),
    }
}
