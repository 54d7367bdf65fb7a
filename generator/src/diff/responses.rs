//! Compares responses: statuses, headers, errors.

use super::{
    compare::Compare,
    parameters::parameter_name,
    position::{Position, Step},
    ranges::{self, Change, Matched},
    rule::{CallRule, Flow},
    words::{from_to, is_composite},
};
use crate::ir::{Errors, Location, Parameter, Response, SharedErrors, Status};

/// The rules of a status that is new, was removed, or was a larger range.
#[derive(Clone, Copy)]
pub(super) struct StatusRules {
    pub added: CallRule,
    pub removed: CallRule,
    pub narrowed: CallRule,
    /// The rule of another description, if it is more than documentation.
    pub text: Option<CallRule>,
}

impl<'a> Compare<'a> {
    /// Compares successful responses by status, with the rules of one that is new and one that was removed.
    pub(super) fn responses(
        &mut self,
        old: &[&'a Response],
        new: &[&'a Response],
        (added, removed): (CallRule, CallRule),
        at: &Position<'_>,
    ) {
        let rows = |all: &[&'a Response]| all.iter().map(|row| (row.status, *row)).collect::<Vec<_>>();
        let rules = StatusRules { added, removed, narrowed: CallRule::ResponseNarrowed, text: None };
        self.statuses(&rows(old), &rows(new), rules, at);
    }

    /// Compares the errors of an operation.
    pub(super) fn errors(
        &mut self,
        old: &[(Status, &'a Response)],
        new: &[(Status, &'a Response)],
        at: &Position<'_>,
    ) {
        let rules = StatusRules {
            added: CallRule::ErrorAdded,
            removed: CallRule::ErrorRemoved,
            narrowed: CallRule::ResponseNarrowed,
            text: Some(CallRule::ErrorTextChanged),
        };
        self.statuses(old, new, rules, at);
    }

    /// Compares responses by status. A class (`2XX`) or `default` describes statuses without a response of their own.
    pub(super) fn statuses(
        &mut self,
        old: &[(Status, &'a Response)],
        new: &[(Status, &'a Response)],
        rules: StatusRules,
        at: &Position<'_>,
    ) {
        let keys = |all: &[(Status, &Response)]| all.iter().map(|(status, _)| *status).collect::<Vec<_>>();
        let Matched { pairs, changes } = ranges::matched(&keys(old), &keys(new));
        for (from, to) in pairs {
            let (Some(&(was, from)), Some(&(status, to))) = (old.get(from), new.get(to)) else { continue };
            let text = response_name(status);
            let at = at.at(Step::Named(&text)).located(from.origin, to.origin);
            if let Some(rule) = rules.text.filter(|_| was == status && from.description != to.description) {
                let values = (Some(from.description.clone()), Some(to.description.clone()));
                self.change(rule, &at, "has another description", values);
            }
            self.response(from, to, &at);
        }
        for change in changes {
            let (all, index, rule, message) = match change {
                Change::Added(index) => (new, index, rules.added, "is new"),
                Change::Removed(index) => (old, index, rules.removed, "is removed"),
                Change::Narrowed(index) => {
                    (old, index, rules.narrowed, "is narrowed to some of its statuses")
                }
                Change::Merged(index) => (old, index, CallRule::RangeChanged, "has no entry of its own"),
                Change::Split(index) => (new, index, CallRule::RangeChanged, "has an entry of its own"),
            };
            let Some((status, response)) = all.get(index) else { continue };
            let text = response_name(*status);
            let at = at.at(Step::Named(&text));
            let is_new = matches!(change, Change::Added(_) | Change::Split(_));
            let at = if is_new { at.added(response.origin) } else { at.removed(response.origin) };
            self.add(rule, &at, message);
        }
    }

    fn response(&mut self, old: &'a Response, new: &'a Response, at: &Position<'_>) {
        let Response { status: _, description: _, headers, contents, permanent, origin: _ } = old;
        match at.flow {
            Flow::Response => self.headers(headers, &new.headers, at),
            // The receiver of a callback responds.
            Flow::Request => self.parameters(("", headers), ("", &new.headers), (false, false), at),
        }
        self.contents(contents, &new.contents, at);
        if *permanent != new.permanent {
            let message = format!("x-permanent {}", from_to(permanent.as_deref(), new.permanent.as_deref()));
            self.add(CallRule::PermanentChanged, at, message);
        }
    }

    /// Compares headers of a response or part, or the parameters of a request that the server sends.
    pub(super) fn headers(&mut self, old: &'a [Parameter], new: &'a [Parameter], at: &Position<'_>) {
        let is_same = |from: &Parameter, to: &Parameter| {
            from.location == to.location
                && match from.location {
                    Location::Header => from.name.eq_ignore_ascii_case(&to.name),
                    _ => from.name == to.name,
                }
        };
        for from in old {
            let name = parameter_name(from);
            let at = at.at(Step::Named(&name));
            let Some(to) = new.iter().find(|to| is_same(from, to)) else {
                let rule = match from.required {
                    true => CallRule::HeaderRemovedRequired,
                    false => CallRule::HeaderRemoved,
                };
                self.add(rule, &at.removed(from.docs.origin), "is removed");
                continue;
            };
            let at = &at.located(from.docs.origin, to.docs.origin);
            let entry = &at.located(from.required_at, to.required_at);
            self.flag(
                (from.required, to.required),
                (CallRule::HeaderBecameRequired, "is now required"),
                (CallRule::HeaderBecameOptional, "is now optional"),
                entry,
            );
            self.deprecation(
                (from.docs.deprecated, to.docs.deprecated),
                (CallRule::HeaderDeprecated, CallRule::HeaderUndeprecated),
                at,
            );
            let is_composite = is_composite(self.old, &from.schema) && is_composite(self.new, &to.schema);
            let explodes = from.explode != to.explode && is_composite;
            if explodes || from.content != to.content || from.style != to.style {
                self.add(CallRule::HeaderFormChanged, at, "is written differently");
            }
            self.schemas(&from.schema, &to.schema, at);
        }
        for to in new.iter().filter(|to| !old.iter().any(|from| is_same(from, to))) {
            let name = parameter_name(to);
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
