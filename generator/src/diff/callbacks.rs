//! Compares the requests that the server sends: callbacks and webhooks.
//!
//! The rules follow the direction of values. What the server sends is compared like a response, and what the receiver
//! responds with like a request.

use super::{
    compare::Compare,
    position::{Owner, Position, Step},
    responses::{StatusRules, rows},
    rule::{CallRule, Flow},
};
use crate::ir::{Body, Callback, Origin};

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
            let Some(to) = new.iter().find(|to| is_same(from, to)) else {
                self.add(removed, &at.removed(from.docs.origin), "is removed");
                continue;
            };
            let owner = if operation.is_some() { at.owner } else { Owner::Webhook(self.webhooks.len()) };
            if operation.is_none() {
                self.webhooks.push(to.id.clone().unwrap_or_else(|| format!("webhook `{}`", to.name)));
            }
            let at = at.owned_by(owner).located(from.docs.origin, to.docs.origin);
            self.callback(from, to, &at);
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
        self.statuses(&rows(responses, rules), &rows(&new.responses, rules), &at.flowing(Flow::Request));
    }

    /// Compares the bodies of requests that the server sends.
    fn sent_bodies(&mut self, old: Option<&'a Body>, new: Option<&'a Body>, at: &Position<'_>) {
        let origin = |body: Option<&Body>| body.map_or_else(Origin::default, |body| body.origin);
        let at = &at.at(Step::Named("body")).located(origin(old), origin(new));
        let is_certain = |body: Option<&Body>| body.is_some_and(|body| body.required);
        match (old, new, is_certain(old), is_certain(new)) {
            (None, Some(_), _, true) => {
                self.add(CallRule::CallbackBodyBecameRequired, at, "is new and required");
            }
            (None, Some(_), ..) => self.add(CallRule::CallbackBodyAdded, at, "is new, optional"),
            (Some(_), None, true, _) => self.add(CallRule::CallbackBodyBecameOptional, at, "is removed"),
            (Some(_), None, ..) => self.add(CallRule::CallbackBodyRemoved, at, "is removed"),
            (.., was, is) => self.flag(
                (was, is),
                (CallRule::CallbackBodyBecameRequired, "is now required"),
                (CallRule::CallbackBodyBecameOptional, "is now optional"),
                at,
            ),
        }
        if let (Some(from), Some(to)) = (old, new) {
            self.contents(&from.contents, &to.contents, at);
        }
    }
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
