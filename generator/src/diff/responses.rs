//! Compares responses: statuses, headers, errors.

use super::{
    compare::Compare,
    position::{Position, Step},
    rule::CallRule,
    words::{from_to, is_composite},
};
use crate::ir::{Errors, Parameter, Response, SharedErrors, Status};

impl<'a> Compare<'a> {
    /// Compares responses by status, with the rules of one that is new and one that was removed.
    pub(super) fn responses(
        &mut self,
        old: &[&'a Response],
        new: &[&'a Response],
        (added, removed): (CallRule, CallRule),
        at: &Position<'_>,
    ) {
        for from in old {
            let text = response_name(from.status);
            match new.iter().find(|to| to.status == from.status) {
                Some(to) => {
                    let at = at.at(Step::Named(&text)).from(from.origin, to.origin);
                    self.response(from, to, &at);
                }
                None => {
                    let at = at.at(Step::Named(&text)).removed(from.origin);
                    self.add(removed, &at, "is removed");
                }
            }
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| from.status == to.status)) {
            let text = response_name(to.status);
            let at = at.at(Step::Named(&text)).added(to.origin);
            self.add(added, &at, "is new");
        }
    }

    fn response(&mut self, old: &'a Response, new: &'a Response, at: &Position<'_>) {
        let Response { status: _, description: _, headers, contents, permanent, origin: _ } = old;
        self.headers(headers, &new.headers, at);
        self.contents(
            contents,
            &new.contents,
            (CallRule::ResponseMediaAdded, CallRule::ResponseMediaRemoved),
            at,
        );
        if *permanent != new.permanent {
            let message = format!("x-permanent {}", from_to(permanent.as_deref(), new.permanent.as_deref()));
            self.add(CallRule::PermanentChanged, at, message);
        }
    }

    /// Compares the errors of an operation.
    pub(super) fn errors(
        &mut self,
        old: &[(Status, &'a Response)],
        new: &[(Status, &'a Response)],
        at: &Position<'_>,
    ) {
        for (code, from) in old {
            let text = response_name(*code);
            match new.iter().find(|(other, _)| other == code) {
                Some((_, to)) if from.description != to.description => {
                    let at = at.at(Step::Named(&text)).from(from.origin, to.origin);
                    let values = (Some(from.description.clone()), Some(to.description.clone()));
                    self.change(CallRule::ErrorTextChanged, &at, "has another description", values);
                    self.response(from, to, &at);
                }
                Some((_, to)) => {
                    let at = at.at(Step::Named(&text)).from(from.origin, to.origin);
                    self.response(from, to, &at);
                }
                None => {
                    let at = at.at(Step::Named(&text)).removed(from.origin);
                    self.add(CallRule::ErrorRemoved, &at, "is removed");
                }
            }
        }
        for (code, to) in new.iter().filter(|(code, _)| !old.iter().any(|(other, _)| other == code)) {
            let text = response_name(*code);
            let at = at.at(Step::Named(&text)).added(to.origin);
            self.add(CallRule::ErrorAdded, &at, "is new");
        }
    }

    /// Compares headers of a response or part.
    pub(super) fn headers(&mut self, old: &'a [Parameter], new: &'a [Parameter], at: &Position<'_>) {
        for from in old {
            let name = format!("header `{}`", from.name);
            let at = at.at(Step::Named(&name));
            let Some(to) = new.iter().find(|to| to.name == from.name) else {
                let rule = match from.required {
                    true => CallRule::HeaderRemovedRequired,
                    false => CallRule::HeaderRemoved,
                };
                self.add(rule, &at.removed(from.docs.origin), "is removed");
                continue;
            };
            let at = &at.from(from.docs.origin, to.docs.origin);
            let entry = &at.from(from.required_at, to.required_at);
            match (from.required, to.required) {
                (false, true) => self.add(CallRule::HeaderBecameRequired, entry, "is now required"),
                (true, false) => self.add(CallRule::HeaderBecameOptional, entry, "is now optional"),
                _ => {}
            }
            let is_composite = is_composite(self.old, &from.schema) && is_composite(self.new, &to.schema);
            let explodes = from.explode != to.explode && is_composite;
            if explodes || from.content != to.content {
                self.add(CallRule::HeaderFormChanged, at, "is written differently");
            }
            self.schemas(&from.schema, &to.schema, at);
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| from.name == to.name)) {
            let name = format!("header `{}`", to.name);
            let at = at.at(Step::Named(&name)).added(to.docs.origin);
            let rule = if to.required { CallRule::HeaderAddedRequired } else { CallRule::HeaderAdded };
            self.add(rule, &at, if to.required { "is new and required" } else { "is new, optional" });
        }
    }
}

/// Returns `response 404`.
fn response_name(code: Status) -> String {
    format!("response {code}")
}

/// Returns the errors of an operation by the status under which it documents them.
pub(super) fn error_rows<'a>(
    errors: &'a Errors,
    shared: Option<&'a SharedErrors>,
) -> Vec<(Status, &'a Response)> {
    match errors {
        Errors::None => Vec::new(),
        Errors::Own { ty: _, rows } => rows.iter().map(|row| (row.status, row)).collect(),
        Errors::Shared(uses) => {
            let row = |used: &crate::ir::ErrorUse| Some((used.status, shared?.rows.get(used.row)?));
            uses.iter().filter_map(row).collect()
        }
    }
}
