//! Compares parameters.

use std::collections::HashMap;

use super::{
    bodies::changed_encodings,
    compare::{Compare, Pair, Resolved, by, pairs, resolved},
    position::{Position, Step},
    renames::Renames,
    rule::CallRule,
    words::{described, from_to, is_composite},
};
use crate::ir::{Api, Encoding, Encodings, Kind, Literal, Location, Operation, Parameter, TextRules, Type};

impl<'a> Compare<'a> {
    /// Compares the parameters of an operation.
    ///
    /// `was_closed` and `is_closed` say whether it refuses other query parameters.
    pub(super) fn parameters(
        &mut self,
        (old_path, old): (&str, &'a [Parameter]),
        (new_path, new): (&str, &'a [Parameter]),
        (was_closed, is_closed): (bool, bool),
        at: &Position<'_>,
    ) {
        let renamed: HashMap<&str, &str> = positions(old_path).zip(positions(new_path)).collect();
        // The key of a path parameter has the name of the new document.
        let old_key =
            |parameter: &'a Parameter| match (parameter.location, renamed.get(parameter.name.as_str())) {
                (Location::Path, Some(name)) => (Location::Path, (*name).to_owned()),
                _ => parameter_key(parameter),
            };
        let pairs = pairs((old, old_key), (new, parameter_key));
        let renames = Renames::of(
            &pairs,
            |parameter| &parameter.name,
            |from, to| {
                from.location == to.location
                    && described(self.old, &from.schema) == described(self.new, &to.schema)
                    && self.is_silent(|alone| alone.parameter(from, to, at))
            },
        );
        for pair in pairs {
            let name = parameter_name(pair.any());
            let at = at.at(Step::Named(&name));
            match pair {
                Pair::Both(from, to) => {
                    let at = at.located(from.docs.origin, to.docs.origin);
                    if from.location == Location::Path && from.name != to.name {
                        let message = format!("was `{}`", from.name);
                        let values = (Some(from.name.clone()), Some(to.name.clone()));
                        self.change(CallRule::PathParameterRenamed, &at, message, values);
                    }
                    self.parameter(from, to, &at);
                }
                Pair::Removed(from) => {
                    let refused = is_closed && from.location == Location::Query;
                    let rule =
                        if refused { CallRule::ParameterRemovedClosed } else { CallRule::ParameterRemoved };
                    self.lone(rule, &at.removed(from.docs.origin), "is removed", renames.now(&from.name));
                }
                Pair::Added(to) => {
                    let refused = was_closed && to.location == Location::Query;
                    let (rule, message) = match (to.required, refused) {
                        (true, _) => (CallRule::ParameterAddedRequired, "is new and required"),
                        (false, true) => (CallRule::ParameterAddedClosed, "is new, optional"),
                        (false, false) => (CallRule::ParameterAdded, "is new, optional"),
                    };
                    self.lone(rule, &at.added(to.docs.origin), message, renames.before(&to.name));
                }
            }
        }
    }

    /// Compares the defaults of parameters. They are in the fields of the input.
    pub(super) fn parameter_defaults(&mut self, old: &'a Operation, new: &'a Operation, at: &Position<'_>) {
        let (from, to) = (defaults(self.old, old), defaults(self.new, new));
        let to = by(&to, |(parameter, _)| (parameter.location, &parameter.name));
        for (parameter, default) in from {
            if let Some((other, new_default)) = to.get(&(parameter.location, &parameter.name))
                && !parameter.required
                && !other.required
            {
                let name = parameter_name(other);
                let at = at.at(Step::Named(&name)).located(parameter.docs.origin, other.docs.origin);
                self.defaults(default, *new_default, &at);
            }
        }
    }

    fn parameter(&mut self, old: &'a Parameter, new: &'a Parameter, at: &Position<'_>) {
        let Parameter {
            name: _,
            location: _,
            required,
            required_at,
            style,
            explode,
            allow_reserved,
            allow_empty,
            content,
            encodings,
            schema,
            reason,
            docs,
        } = old;
        let rules = [CallRule::ParameterBecameRequired, CallRule::ParameterBecameOptional];
        self.required((*required, new.required), rules, &at.located(*required_at, new.required_at));
        if *style != new.style {
            let message = format!("style {} → {}", style.name(), new.style.name());
            self.add(CallRule::ParameterStyleChanged, at, message);
        }
        let is_composite = is_composite(self.old, schema) && is_composite(self.new, &new.schema);
        if *explode != new.explode && is_composite {
            self.add(CallRule::ParameterExplodeChanged, at, format!("explode {explode} → {}", new.explode));
        }
        if *content != new.content {
            self.add(CallRule::ParameterContentChanged, at, "the media type of its content changed");
        }
        if *allow_reserved != new.allow_reserved {
            let message = format!("allowReserved {allow_reserved} → {}", new.allow_reserved);
            self.add(CallRule::ParameterReservedChanged, at, message);
        }
        self.flag(
            (*allow_empty, new.allow_empty),
            (CallRule::ParameterEmptyAllowed, "an empty value means absent"),
            (CallRule::ParameterEmptyRefused, "an empty value no longer means absent"),
            at,
        );
        if reason != &new.reason {
            let message = format!("reason {}", from_to(reason.as_deref(), new.reason.as_deref()));
            self.add(CallRule::ReasonChanged, at, message);
        }
        self.deprecated(
            docs,
            &new.docs,
            [CallRule::ParameterDeprecated, CallRule::ParameterUndeprecated],
            at,
        );
        let named = |all: &[Encoding]| Encodings { named: all.to_vec(), ..Encodings::default() };
        self.changed_parts(changed_encodings(&named(encodings), &named(&new.encodings), &|_| true), at);
        if !(is_any_text(self.old, old) && is_any_text(self.new, new)) {
            self.schemas(schema, &new.schema, at);
        }
    }
}

/// Returns the names of the parameters of a path.
fn positions(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

/// Returns the parameters of an operation with their defaults.
fn defaults<'a>(api: &'a Api, operation: &'a Operation) -> Vec<(&'a Parameter, Option<&'a Literal>)> {
    let fields = match operation.input.and_then(|id| api.type_def(id)).map(|def| &def.kind) {
        Some(Kind::Struct(body)) => body.fields.as_slice(),
        _ => &[],
    };
    let pairs = operation.parameters.iter().zip(fields);
    pairs.map(|(parameter, field)| (parameter, field.default.as_ref())).collect()
}

/// Returns whether a parameter accepts any text. One without a type does, because its value is sent as text.
fn is_any_text(api: &Api, parameter: &Parameter) -> bool {
    let Resolved { ty, allowed, .. } = resolved(api, &parameter.schema);
    let is_text = matches!(ty, Type::Any) || *ty == Type::Text(TextRules::default());
    is_text && allowed.is_empty() && parameter.content.is_none() && parameter.schema.also.is_none()
}

/// Returns what identifies a parameter. Names of headers are the same in upper and lower case.
pub(super) fn parameter_key(parameter: &Parameter) -> (Location, String) {
    let name = match parameter.location {
        Location::Header => parameter.name.to_ascii_lowercase(),
        _ => parameter.name.clone(),
    };
    (parameter.location, name)
}

/// Returns ``query `status` ``.
pub(super) fn parameter_name(parameter: &Parameter) -> String {
    format!("{} `{}`", parameter.location.name(), parameter.name)
}
