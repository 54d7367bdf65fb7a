//! Compares objects: their properties, and what they say of other properties.

use super::{
    compare::Compare,
    position::{Position, Step},
    rule::{CallRule, Constraint, Effect, Flow, ValueRule},
    words::{described, from_to, literal},
};
use crate::ir::{Additional, Direction, Docs, Field, Literal, StructDef, Type};

impl<'a> Compare<'a> {
    /// Compares objects.
    pub(super) fn structs(&mut self, old: &'a StructDef, new: &'a StructDef, at: &Position<'_>) {
        let StructDef {
            role: _,
            fields,
            fields_struct: _,
            exhaustive: _,
            additional,
            min_properties,
            max_properties,
            rules,
        } = old;
        self.bound(Constraint::MinProperties, (*min_properties, new.min_properties), false, at);
        self.bound(Constraint::MaxProperties, (*max_properties, new.max_properties), true, at);
        self.cross_rules(rules, &new.rules, at);
        self.additional(additional, &new.additional, at);
        for field in fields.iter().filter(|field| is_sent(field, at.flow)) {
            let is_closed = new.additional == Additional::Forbidden;
            match new.fields.iter().find(|other| other.wire == field.wire) {
                Some(other) => self.fields(field, other, at),
                None => self.field_removed(field, is_closed, at),
            }
        }
        let is_closed = old.additional == Additional::Forbidden;
        for field in new.fields.iter().filter(|field| is_sent(field, at.flow)) {
            let was_sent = |other: &Field| other.wire == field.wire && is_sent(other, at.flow);
            if !old.fields.iter().any(was_sent) {
                self.field_added(field, is_closed, at);
            }
        }
    }

    fn field_removed(&mut self, field: &Field, is_closed: bool, at: &Position<'_>) {
        let rule = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, true, _) => ValueRule::RequestPropertyRemovedClosed,
            (Flow::Request, false, _) => ValueRule::RequestPropertyRemoved,
            (Flow::Response, _, true) => ValueRule::ResponsePropertyRemovedRequired,
            (Flow::Response, _, false) => ValueRule::ResponsePropertyRemoved,
        };
        let at = at.at(Step::Property(&field.wire)).removed(field.docs.origin);
        let refused = "is removed, and unknown properties are refused";
        let message = if is_closed && at.flow == Flow::Request { refused } else { "is removed" };
        self.add(rule, &at, message);
        if is_closed && at.flow == Flow::Response {
            self.add(ValueRule::ResponsePropertyRemovedClosed, &at, refused);
        }
    }

    fn field_added(&mut self, field: &Field, is_closed: bool, at: &Position<'_>) {
        let rule = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, _, true) => ValueRule::RequestPropertyAddedRequired,
            (Flow::Request, true, false) => ValueRule::RequestPropertyAddedClosed,
            (Flow::Request, false, false) => ValueRule::RequestPropertyAdded,
            (Flow::Response, true, _) => ValueRule::ResponsePropertyAddedClosed,
            (Flow::Response, false, true) => ValueRule::ResponsePropertyAddedRequired,
            (Flow::Response, false, false) => ValueRule::ResponsePropertyAdded,
        };
        let at = at.at(Step::Property(&field.wire)).added(field.docs.origin);
        let message = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, _, true) | (Flow::Response, false, true) => "is new and required",
            (Flow::Request, true, false) => "is new, optional, and refused by servers in use",
            (Flow::Response, true, _) => "is new, and refused by clients in use",
            (_, false, false) => "is new, optional",
        };
        self.add(rule, &at, message);
        if at.flow == Flow::Response && is_closed && is_required(field) {
            self.add(ValueRule::ResponsePropertyAddedRequired, &at, "is new and required");
        }
    }

    fn fields(&mut self, old: &'a Field, new: &'a Field, at: &Position<'_>) {
        let Field {
            wire,
            // Names in Rust.
            ident: _,
            default_accessor: _,
            setter: _,
            schema,
            required: _,
            required_one_way: _,
            // The schema has it as its only allowed value.
            constant: _,
            default,
            xml,
            docs,
        } = old;
        let at = &at.at(Step::Property(wire)).from(docs.origin, new.docs.origin);
        if !is_sent(new, at.flow) {
            let rule = match at.flow {
                Flow::Request => ValueRule::RequestPropertyReadOnly,
                Flow::Response => ValueRule::ResponsePropertyWriteOnly,
            };
            let word = if at.flow == Flow::Request { "readOnly" } else { "writeOnly" };
            return self.add(rule, at, format!("is now {word}"));
        }
        match (docs.direction, new.docs.direction) {
            (Some(_), None) => {
                self.add(ValueRule::PropertyDirectionRemoved, at, "is no longer readOnly or writeOnly");
            }
            (None, Some(direction)) => {
                let word = if direction == Direction::Request { "writeOnly" } else { "readOnly" };
                self.add(ValueRule::PropertyDirectionAdded, at, format!("is now {word}"));
            }
            _ => {}
        }
        let (became_required, became_optional) = match at.flow {
            Flow::Request => {
                (ValueRule::RequestPropertyBecameRequired, ValueRule::RequestPropertyBecameOptional)
            }
            Flow::Response => {
                (ValueRule::ResponsePropertyBecameRequired, ValueRule::ResponsePropertyBecameOptional)
            }
        };
        match (is_required(old), is_required(new)) {
            (false, true) => self.add(became_required, at, "is now required"),
            (true, false) => self.add(became_optional, at, "is now optional"),
            _ => {}
        }
        self.defaults(default.as_ref(), new.default.as_ref(), at);
        if xml != &new.xml {
            let rule = match at.flow {
                Flow::Request => CallRule::RequestXmlChanged,
                Flow::Response => CallRule::ResponseXmlChanged,
            };
            self.add(rule, at, "has another form in XML");
        }
        self.deprecation(
            (docs.deprecated, new.docs.deprecated),
            (ValueRule::PropertyDeprecated, ValueRule::PropertyUndeprecated),
            at,
        );
        self.schemas(schema, &new.schema, at);
    }

    /// Compares the defaults of a value.
    pub(super) fn defaults(&mut self, old: Option<&Literal>, new: Option<&Literal>, at: &Position<'_>) {
        if old == new {
            return;
        }
        let rule = match at.flow {
            Flow::Request => ValueRule::RequestDefaultChanged,
            Flow::Response => ValueRule::ResponseDefaultChanged,
        };
        let (old, new) = (old.map(literal), new.map(literal));
        let message = format!("default {}", from_to(old.as_deref(), new.as_deref()));
        self.change(rule, at, message, (old, new));
    }

    fn additional(&mut self, old: &'a Additional, new: &'a Additional, at: &Position<'_>) {
        match (old, new) {
            (Additional::Forbidden, Additional::Forbidden) | (Additional::Ignored, Additional::Ignored) => {}
            (Additional::Forbidden, _) => {
                let rule = match at.flow {
                    Flow::Request => ValueRule::RequestAdditionalAllowed,
                    Flow::Response => ValueRule::ResponseAdditionalAllowed,
                };
                self.add(rule, at, "other properties are allowed");
            }
            (_, Additional::Forbidden) => {
                let rule = match at.flow {
                    Flow::Request => ValueRule::RequestAdditionalRefused,
                    Flow::Response => ValueRule::ResponseAdditionalRefused,
                };
                self.add(rule, at, "other properties are refused");
            }
            (
                Additional::Kept { ident: _, schema, names },
                Additional::Kept { ident: _, schema: new_schema, names: new_names },
            ) => {
                self.name_rules(names.as_deref(), new_names.as_deref(), at);
                self.schemas(schema, new_schema, &at.at(Step::Values));
            }
            (Additional::Ignored, Additional::Kept { ident: _, schema, names }) => {
                self.add(ValueRule::AdditionalKept, at, "other properties are kept");
                self.name_rules(None, names.as_deref(), at);
                // What is ignored can have any value.
                if schema.ty != Type::Any {
                    let (from, to) = (Some("any value".to_owned()), Some(described(self.new, schema)));
                    self.keyword(Constraint::Type, Some(Effect::Tightened), &at.at(Step::Values), from, to);
                }
            }
            (Additional::Kept { ident: _, schema, names }, Additional::Ignored) => {
                self.add(ValueRule::AdditionalDropped, at, "other properties are no longer kept");
                self.name_rules(names.as_deref(), None, at);
                if schema.ty != Type::Any {
                    let (from, to) = (Some(described(self.old, schema)), Some("any value".to_owned()));
                    self.keyword(Constraint::Type, Some(Effect::Loosened), &at.at(Step::Values), from, to);
                }
            }
        }
    }
}

/// Returns whether a property is required in the directions in which it is sent.
const fn is_required(field: &Field) -> bool {
    field.required || field.required_one_way
}

/// Returns whether a property is sent in this direction.
fn is_sent(field: &Field, flow: Flow) -> bool {
    let Docs { summary: _, description: _, deprecated: _, direction, example: _, origin: _ } = &field.docs;
    match direction {
        None => true,
        Some(Direction::Request) => flow == Flow::Request,
        Some(Direction::Response) => flow == Flow::Response,
    }
}
