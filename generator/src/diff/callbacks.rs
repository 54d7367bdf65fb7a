//! Compares the requests that the server sends: callbacks and webhooks.
//!
//! The rules follow the direction of values. What the server sends is compared like a response, and what the receiver
//! responds with like a request.

use super::{
    compare::{Compare, Pair, pairs},
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
        let (added, removed) = match operation {
            Some(_) => (CallRule::CallbackAdded, CallRule::CallbackRemoved),
            None => (CallRule::WebhookAdded, CallRule::WebhookRemoved),
        };
        let key = |callback: &'a Callback| (&callback.name, &callback.expression, &callback.method);
        for pair in pairs((old, key), (new, key)) {
            let name = name(pair.any());
            let at = match operation {
                Some(operation) => operation.at(Step::Named(&name)).flowing(Flow::Response),
                None => Position::root(Owner::Document, &name, Flow::Response, Default::default()),
            };
            match pair {
                Pair::Both(from, to) => {
                    let mut at = at.located(from.docs.origin, to.docs.origin);
                    if operation.is_none() {
                        at.owner = Owner::Webhook(self.webhooks.len());
                        self.webhooks.push(to.id.clone().unwrap_or_else(|| format!("webhook `{}`", to.name)));
                    }
                    self.callback(from, to, &at);
                }
                Pair::Removed(from) => self.add(removed, &at.removed(from.docs.origin), "is removed"),
                Pair::Added(to) => self.add(added, &at.added(to.docs.origin), "is new"),
            }
        }
    }

    fn callback(&mut self, old: &'a Callback, new: &'a Callback, at: &Position<'_>) {
        let Callback { name: _, expression: _, id, method: _, parameters, body, responses, docs } = old;
        self.text(CallRule::OperationIdChanged, "operationId", (id.as_deref(), new.id.as_deref()), at);
        self.deprecated(
            docs,
            &new.docs,
            [CallRule::OperationDeprecated, CallRule::OperationUndeprecated],
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
        let [became_required, became_optional] =
            [CallRule::CallbackBodyBecameRequired, CallRule::CallbackBodyBecameOptional];
        match (old, new) {
            (None, None) => {}
            (None, Some(to)) if to.required => self.add(became_required, at, "is new and required"),
            (None, Some(_)) => self.add(CallRule::CallbackBodyAdded, at, "is new, optional"),
            (Some(from), None) if from.required => self.add(became_optional, at, "is removed"),
            (Some(_), None) => self.add(CallRule::CallbackBodyRemoved, at, "is removed"),
            (Some(from), Some(to)) => {
                self.required((from.required, to.required), [became_required, became_optional], at);
                self.contents(&from.contents, &to.contents, at);
            }
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
