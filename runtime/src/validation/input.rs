//! Validation of an operation's input: its parameters and its body together.

use super::check::{Scope, Verdict};
use super::json_schema::Context;
use super::walk::walk_value;
use super::{Position, ViolationKind, Violations};
use crate::codec::view::{View, outermost, view};
use crate::codec::{Encode, to_value};
use crate::table::{Body, Operation, Parameter, Schema};

/// Returns whether an operation's input satisfies all constraints.
#[must_use]
pub fn check_input(operation: &'static Operation, input: &dyn Encode) -> bool {
    check_input_in(Scope::new(&Context::new()), operation, input)
}

/// Checks an operation's input that was decoded.
///
/// `has_skipped` is whether a reader [skipped](crate::codec::Reader::has_skipped) a field.
#[must_use]
pub fn check_decoded_input(operation: &'static Operation, input: &dyn Encode, has_skipped: bool) -> Verdict {
    let context = Context::new();
    let is_valid = check_input_in(Scope::new(&context), operation, input);
    Verdict::of(is_valid, &context, has_skipped)
}

fn check_input_in(scope: Scope<'_>, operation: &'static Operation, input: &dyn Encode) -> bool {
    let mut is_accepted = true;
    parts(operation, input, |part| {
        is_accepted = is_accepted
            && match part.value {
                Some((schema, value)) => scope.check(schema, value),
                None => !part.is_required,
            };
    });
    is_accepted
}

/// Returns the violations in an operation's input, sorted by location.
///
/// Returns at most [`Violations::CAP`] of them.
#[must_use]
pub fn input_violations(operation: &'static Operation, input: &dyn Encode) -> Violations {
    let mut out = Violations::new();
    let context = Context::new();
    parts(operation, input, |part| {
        let position = || part.parameter.map_or_else(Position::body, Position::parameter);
        match part.value {
            Some((schema, value)) => {
                walk_value(Scope::new(&context), schema, &to_value(value), &position(), &mut out);
            }
            None if part.is_required => out.push(position().violation(ViolationKind::Missing)),
            None => {}
        }
    });
    out.sort();
    out
}

/// One part of an input: a parameter or the body.
struct Part<'a> {
    /// The parameter; `None` for the body.
    parameter: Option<&'static Parameter>,
    is_required: bool,
    value: Given<'a>,
}

/// The schema and the value of a part, or `None` if the part is absent.
type Given<'a> = Option<(&'static Schema, &'a dyn Encode)>;

/// Calls `each` for the parts of an input: the parameters in order, then the body.
fn parts(operation: &'static Operation, input: &dyn Encode, mut each: impl FnMut(Part<'_>)) {
    view(input, |input| {
        let View::Object(fields, _) = input else { return };
        let mut fields = fields.iter();
        for (parameter, (_, value)) in operation.parameters.iter().zip(&mut fields) {
            let value = (!value.is_absent()).then_some((parameter.schema, *value));
            each(Part { parameter: Some(parameter), is_required: parameter.required, value });
        }
        if let (Some(body), Some((_, value))) = (&operation.body, fields.next()) {
            content(body, *value, &mut |value| {
                each(Part { parameter: None, is_required: body.required, value });
            });
        }
    });
}

/// Calls `each` with the body and the schema of its content.
fn content(body: &'static Body, value: &dyn Encode, each: &mut dyn FnMut(Given<'_>)) {
    match body.contents {
        _ if value.is_absent() => each(None),
        [] => {}
        [content] => each(Some((content.schema, value))),
        contents => {
            outermost(value, |value| {
                if let View::Choice(index, value) = value
                    && let Some(content) = contents.get(index)
                {
                    each(Some((content.schema, value)));
                }
            });
        }
    }
}
