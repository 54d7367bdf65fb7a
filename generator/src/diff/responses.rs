//! Compares responses: statuses, headers, errors.

use super::{
    compare::{Compare, Pair, pairs},
    parameters::{parameter_key, parameter_name},
    position::{Position, Step},
    ranges::{self, Change, Matched},
    rule::{CallRule, Flow},
    words::{from_to, is_composite},
};
use crate::ir::{ErrorUse, Errors, Parameter, Response, SharedErrors, Status};

/// The rules of a status that is new, was removed, or is now a smaller range.
#[derive(Clone, Copy)]
pub(super) struct StatusRules {
    pub added: CallRule,
    pub removed: CallRule,
    pub narrowed: CallRule,
    /// The rule of a changed description, if it is more than documentation.
    pub text: Option<CallRule>,
}

const SUCCESS: StatusRules = StatusRules {
    added: CallRule::SuccessAdded,
    removed: CallRule::SuccessRemoved,
    narrowed: CallRule::ResponseNarrowed,
    text: None,
};

const ERROR: StatusRules = StatusRules {
    added: CallRule::ErrorAdded,
    removed: CallRule::ErrorRemoved,
    narrowed: CallRule::ResponseNarrowed,
    text: Some(CallRule::ErrorTextChanged),
};

/// The rules of a `default` that describes successes and errors.
const ANY: StatusRules = StatusRules { text: ERROR.text, ..SUCCESS };

/// A response by the status under which an operation documents it.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub status: Status,
    pub response: &'a Response,
    pub rules: StatusRules,
}

impl<'a> Compare<'a> {
    /// Compares the responses of an operation, successful ones and errors.
    pub(super) fn outputs(
        &mut self,
        (old, old_errors): (&'a [Response], &'a Errors),
        (new, new_errors): (&'a [Response], &'a Errors),
        at: &Position<'_>,
    ) {
        let (from, to) = (rows(old, SUCCESS), rows(new, SUCCESS));
        let from_errors = error_rows(old_errors, self.old.shared_errors.as_ref());
        let to_errors = error_rows(new_errors, self.new.shared_errors.as_ref());
        let is_default = |row: &Row<'_>| row.status == Status::Default;
        let has_default = |rows: &[Row<'_>]| rows.iter().any(is_default);
        // Beside a success, `default` describes errors. Without one, it describes both, and both lists have it. The old
        // document decides, if it has a `default`.
        let is_of_both = has_default(&from) || !has_default(&from_errors) && has_default(&to);
        let parted = |mut successes: Vec<Row<'a>>, mut errors: Vec<Row<'a>>| {
            if !is_of_both {
                successes.retain(|row| !is_default(row));
                return (successes, errors);
            }
            errors.retain(|row| !is_default(row) || !has_default(&successes));
            successes.extend(errors);
            successes.iter_mut().filter(|row| is_default(row)).for_each(|row| row.rules = ANY);
            (successes, Vec::new())
        };
        let (from, from_errors) = parted(from, from_errors);
        let (to, to_errors) = parted(to, to_errors);
        self.statuses(&from, &to, at);
        self.statuses(&from_errors, &to_errors, at);
    }

    /// Compares responses by status. A class (`2XX`) or `default` describes statuses without a response of their own.
    pub(super) fn statuses(&mut self, old: &[Row<'a>], new: &[Row<'a>], at: &Position<'_>) {
        let keys = |all: &[Row<'_>]| all.iter().map(|row| row.status).collect::<Vec<_>>();
        let Matched { pairs, changes } = ranges::matched(&keys(old), &keys(new));
        for (from, to) in pairs {
            let (Some(from), Some(to)) = (old.get(from), new.get(to)) else { continue };
            let text = response_name(to.status);
            let at = at.at(Step::Named(&text)).located(from.response.origin, to.response.origin);
            let texts = [from, to].map(|row| &row.response.description);
            if let Some(rule) = to.rules.text.filter(|_| from.status == to.status && texts[0] != texts[1]) {
                let [old, new] = texts.map(|text| Some(text.clone()));
                self.change(rule, &at, "has another description", (old, new));
            }
            self.response(from.response, to.response, &at);
        }
        for change in changes {
            let (all, index) = match change {
                Change::Added(index) | Change::Split(index) => (new, index),
                Change::Removed(index) | Change::Narrowed(index) | Change::Merged(index) => (old, index),
            };
            let Some(Row { status, response, rules }) = all.get(index) else { continue };
            let (rule, message) = match change {
                Change::Added(_) => (rules.added, "is new"),
                Change::Removed(_) => (rules.removed, "is removed"),
                Change::Narrowed(_) => (rules.narrowed, "is narrowed to some of its statuses"),
                Change::Merged(_) => (CallRule::RangeChanged, "has no entry of its own"),
                Change::Split(_) => (CallRule::RangeChanged, "has an entry of its own"),
            };
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
        for pair in pairs((old, parameter_key), (new, parameter_key)) {
            let header = pair.any();
            let name = parameter_name(header);
            let at = at.at(Step::Named(&name));
            match pair {
                Pair::Both(from, to) => self.header(from, to, &at.located(from.docs.origin, to.docs.origin)),
                Pair::Removed(_) => {
                    let (required, optional) = (CallRule::HeaderRemovedRequired, CallRule::HeaderRemoved);
                    let rule = if header.required { required } else { optional };
                    self.add(rule, &at.removed(header.docs.origin), "is removed");
                }
                Pair::Added(_) => {
                    let (rule, message) = match header.required {
                        true => (CallRule::HeaderAddedRequired, "is new and required"),
                        false => (CallRule::HeaderAdded, "is new, optional"),
                    };
                    self.add(rule, &at.added(header.docs.origin), message);
                }
            }
        }
    }

    fn header(&mut self, old: &Parameter, new: &Parameter, at: &Position<'_>) {
        let rules = [CallRule::HeaderBecameRequired, CallRule::HeaderBecameOptional];
        self.required((old.required, new.required), rules, &at.located(old.required_at, new.required_at));
        self.deprecated(&old.docs, &new.docs, [CallRule::HeaderDeprecated, CallRule::HeaderUndeprecated], at);
        let is_composite = is_composite(self.old, &old.schema) && is_composite(self.new, &new.schema);
        let explodes = old.explode != new.explode && is_composite;
        if explodes || old.content != new.content || old.style != new.style {
            self.add(CallRule::HeaderFormChanged, at, "is written differently");
        }
        self.schemas(&old.schema, &new.schema, at);
    }
}

/// Returns `response 404`.
fn response_name(code: Status) -> String {
    format!("response {code}")
}

/// Returns responses by their own statuses.
pub(super) fn rows(all: &[Response], rules: StatusRules) -> Vec<Row<'_>> {
    all.iter().map(|response| Row { status: response.status, response, rules }).collect()
}

/// Returns the errors of an operation by the status under which it documents them.
fn error_rows<'a>(errors: &'a Errors, shared: Option<&'a SharedErrors>) -> Vec<Row<'a>> {
    match errors {
        Errors::None => Vec::new(),
        Errors::Own { ty: _, rows: own } => rows(own, ERROR),
        Errors::Shared(uses) => {
            let row = |used: &ErrorUse| {
                Some(Row { status: used.status, response: shared?.rows.get(used.row)?, rules: ERROR })
            };
            uses.iter().filter_map(row).collect()
        }
    }
}
