//! Compares objects: their properties, and their additional properties.

use super::{
    compare::{Compare, Pair, by},
    maps::is_match,
    position::{Position, Step},
    renames::Renames,
    rule::{CallRule, Constraint, Flow, ValueRule},
    words::described,
};
use crate::ir::{Additional, Api, Direction, Docs, Field, Literal, NameRules, Schema, StructDef, Type};

impl<'a> Compare<'a> {
    pub(super) fn structs(&mut self, old: &'a StructDef, new: &'a StructDef, at: &Position<'_>) {
        let StructDef {
            role: _,
            fields,
            fields_struct: _,
            exhaustive: _,
            additional,
            min_properties,
            max_properties,
            rules: _,
            origins,
        } = old;
        let here = |name| at.exactly(origins.of(name), new.origins.of(name));
        let (least, most) = (here("minProperties"), here("maxProperties"));
        self.bound(Constraint::MinProperties, (*min_properties, new.min_properties), false, &least);
        self.bound(Constraint::MaxProperties, (*max_properties, new.max_properties), true, &most);
        self.cross_rules(old, new, at);
        self.additional(additional, &new.additional, &here("additionalProperties"));
        let wire = |field: &'a Field| field.wire.as_str();
        let (from, to) = (by(fields, wire), by(&new.fields, wire));
        let flow = at.flow;
        let sent = |fields: &'a [Field]| fields.iter().filter(move |field| is_sent(field, flow));
        let (kept, removed): (Vec<_>, Vec<_>) = sent(fields).partition(|field| to.contains_key(wire(field)));
        let is_new = |field: &&'a Field| !from.get(wire(field)).is_some_and(|other| is_sent(other, flow));
        let added = sent(&new.fields).filter(is_new).map(Pair::Added);
        let lone: Vec<Pair<'a, Field>> = removed.into_iter().map(Pair::Removed).chain(added).collect();
        let renames = Renames::of(
            &lone,
            |field| &field.wire,
            |from, to| {
                is_required(from) == is_required(to)
                    && described(self.old, &from.schema) == described(self.new, &to.schema)
                    && self.is_silent(|alone| alone.field(from, to, at))
            },
        );
        for field in kept {
            if let Some(other) = to.get(wire(field)) {
                self.field(field, other, at);
            }
        }
        for pair in lone {
            match pair {
                Pair::Both(..) => {}
                Pair::Removed(from) => {
                    self.field_removed(from, (&new.additional, renames.now(wire(from))), at)
                }
                Pair::Added(to) => self.field_added(to, (&old.additional, renames.before(wire(to))), at),
            }
        }
    }

    /// Reports a property that was removed. The additional properties of the new document (`now`) can have its name.
    fn field_removed(
        &mut self,
        field: &Field,
        (now, hint): (&Additional, Option<String>),
        at: &Position<'_>,
    ) {
        let others = unlisted(self.new, now, &field.wire);
        let is_closed = others.is_none();
        let rule = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, true, _) => ValueRule::RequestPropertyRemovedClosed,
            (Flow::Request, false, _) => ValueRule::RequestPropertyRemoved,
            (Flow::Response, _, true) => ValueRule::ResponsePropertyRemovedRequired,
            (Flow::Response, _, false) => ValueRule::ResponsePropertyRemoved,
        };
        let here = at.at(Step::Property(&field.wire)).located(field.docs.origin, Default::default());
        for other in others.into_iter().flatten() {
            self.schemas(&field.schema, other, &here);
        }
        let at = here.removed(field.docs.origin);
        let refused = "is removed, and unknown properties are refused";
        let message = if is_closed && at.flow == Flow::Request { refused } else { "is removed" };
        self.lone(rule, &at, message, hint);
        if is_closed && at.flow == Flow::Response {
            self.add(ValueRule::ResponsePropertyRemovedClosed, &at, refused);
        }
    }

    /// Reports a property that is new. The additional properties of the old document (`was`) could have its name.
    fn field_added(&mut self, field: &Field, (was, hint): (&Additional, Option<String>), at: &Position<'_>) {
        let others = unlisted(self.old, was, &field.wire);
        let is_closed = others.is_none();
        let rule = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, _, true) => ValueRule::RequestPropertyAddedRequired,
            (Flow::Request, true, false) => ValueRule::RequestPropertyAddedClosed,
            (Flow::Request, false, false) => ValueRule::RequestPropertyAdded,
            (Flow::Response, true, _) => ValueRule::ResponsePropertyAddedClosed,
            (Flow::Response, false, true) => ValueRule::ResponsePropertyAddedRequired,
            (Flow::Response, false, false) => ValueRule::ResponsePropertyAdded,
        };
        let here = at.at(Step::Property(&field.wire)).located(Default::default(), field.docs.origin);
        for other in others.into_iter().flatten() {
            self.schemas(other, &field.schema, &here);
        }
        let at = here.added(field.docs.origin);
        let message = match (at.flow, is_closed, is_required(field)) {
            (Flow::Request, _, true) | (Flow::Response, false, true) => "is new and required",
            (Flow::Request, true, false) => "is new, optional, and refused by servers in use",
            (Flow::Response, true, _) => "is new, and refused by clients in use",
            (_, false, false) => "is new, optional",
        };
        self.lone(rule, &at, message, hint);
        if at.flow == Flow::Response && is_closed && is_required(field) {
            self.add(ValueRule::ResponsePropertyAddedRequired, &at, "is new and required");
        }
    }

    fn field(&mut self, old: &'a Field, new: &'a Field, at: &Position<'_>) {
        let Field {
            wire,
            // Names in Rust.
            ident: _,
            default_accessor: _,
            setter: _,
            null_is_absent: _,
            schema,
            required: _,
            required_at,
            required_one_way: _,
            // The schema has it as its only allowed value.
            constant: _,
            default,
            xml,
            docs,
        } = old;
        let at = &at.at(Step::Property(wire)).located(docs.origin, new.docs.origin);
        if !is_sent(new, at.flow) {
            let rule = match at.flow {
                Flow::Request => ValueRule::RequestPropertyReadOnly,
                Flow::Response if is_required(old) => ValueRule::ResponsePropertyRemovedRequired,
                Flow::Response => ValueRule::ResponsePropertyWriteOnly,
            };
            return self.add(rule, at, at.flow.of("is now readOnly", "is now writeOnly"));
        }
        self.directions(docs.direction, new.docs.direction, at);
        let rules = at.flow.of(
            [ValueRule::RequestPropertyBecameRequired, ValueRule::RequestPropertyBecameOptional],
            [ValueRule::ResponsePropertyBecameRequired, ValueRule::ResponsePropertyBecameOptional],
        );
        let both = (is_required(old), is_required(new));
        self.required(both, rules, &at.located(*required_at, new.required_at));
        // A value that is always sent needs no default.
        if !is_required(old) && !is_required(new) {
            self.defaults(default.as_ref(), new.default.as_ref(), at);
        }
        if xml != &new.xml {
            let rule = at.flow.of(CallRule::RequestXmlChanged, CallRule::ResponseXmlChanged);
            self.add(rule, at, "has another form in XML");
        }
        self.deprecated(
            docs,
            &new.docs,
            [ValueRule::PropertyDeprecated, ValueRule::PropertyUndeprecated],
            at,
        );
        self.schemas(schema, &new.schema, at);
    }

    fn directions(&mut self, old: Option<Direction>, new: Option<Direction>, at: &Position<'_>) {
        match (old, new) {
            (Some(_), None) => {
                self.add(ValueRule::PropertyDirectionRemoved, at, "is no longer readOnly or writeOnly");
            }
            (None, Some(direction)) => {
                let word = if direction == Direction::Request { "writeOnly" } else { "readOnly" };
                self.add(ValueRule::PropertyDirectionAdded, at, format!("is now {word}"));
            }
            _ => {}
        }
    }

    pub(super) fn defaults(&mut self, old: Option<&Literal>, new: Option<&Literal>, at: &Position<'_>) {
        if old != new {
            let rule = at.flow.of(ValueRule::RequestDefaultChanged, ValueRule::ResponseDefaultChanged);
            self.between(rule, "default", (old.map(Literal::to_string), new.map(Literal::to_string)), at);
        }
    }

    fn additional(&mut self, old: &'a Additional, new: &'a Additional, at: &Position<'_>) {
        let (allowed, refused) = at.flow.of(
            (ValueRule::RequestAdditionalAllowed, ValueRule::RequestAdditionalRefused),
            (ValueRule::ResponseAdditionalAllowed, ValueRule::ResponseAdditionalRefused),
        );
        match (old, new) {
            (Additional::Forbidden, Additional::Forbidden) | (Additional::Ignored, Additional::Ignored) => {}
            (Additional::Forbidden, _) => self.add(allowed, at, "other properties are allowed"),
            (_, Additional::Forbidden) => self.add(refused, at, "other properties are refused"),
            (
                Additional::Kept { ident: _, schema, names },
                Additional::Kept { ident: _, schema: new_schema, names: new_names },
            ) => self.values((schema, names.as_deref()), (new_schema, new_names.as_deref()), at),
            (Additional::Ignored, Additional::Kept { ident: _, schema, names }) => {
                self.add(ValueRule::AdditionalKept, at, "other properties are kept");
                self.values((&any(schema), None), (schema, names.as_deref()), at);
            }
            (Additional::Kept { ident: _, schema, names }, Additional::Ignored) => {
                self.add(ValueRule::AdditionalDropped, at, "other properties are no longer kept");
                self.values((schema, names.as_deref()), (&any(schema), None), at);
            }
        }
    }
}

/// Returns the schema of properties that are ignored. They can have any value, so a change of whether they can be null is not reported.
fn any(other: &Schema) -> Schema {
    Schema { nullable: other.nullable, ..Schema::new(Type::Any) }
}

/// Returns the schemas of a property that an object does not list, unless it refuses the property.
///
/// There are none if it can have any value.
fn unlisted<'a>(api: &'a Api, additional: &'a Additional, name: &str) -> Option<Vec<&'a Schema>> {
    let (schema, names) = match additional {
        Additional::Forbidden => return None,
        Additional::Ignored => return Some(Vec::new()),
        Additional::Kept { ident: _, schema, names } => (schema, names.as_deref()),
    };
    // The schema of all names is compared elsewhere, with the names.
    let (patterns, others, closed) = names.map_or((&[][..], None, false), |names| {
        let NameRules { each: _, patterns, others, closed } = names;
        (patterns.as_slice(), others.as_ref(), *closed)
    });
    let matching: Vec<&Option<Schema>> =
        patterns.iter().filter(|(id, _)| is_match(api, *id, name)).map(|(_, own)| own).collect();
    let schemas: Vec<&Schema> = match matching.is_empty() {
        true if closed => return None,
        true => vec![others.unwrap_or(schema)],
        false => matching.into_iter().map(|own| own.as_ref().unwrap_or(schema)).collect(),
    };
    Some(schemas.into_iter().filter(|schema| schema.ty != Type::Any).collect())
}

/// Returns whether a property is required in the directions in which it is sent.
const fn is_required(field: &Field) -> bool {
    field.required || field.required_one_way
}

fn is_sent(field: &Field, flow: Flow) -> bool {
    let Docs { summary: _, description: _, deprecated: _, direction, example: _, origin: _ } = &field.docs;
    match direction {
        None => true,
        Some(Direction::Request) => flow == Flow::Request,
        Some(Direction::Response) => flow == Flow::Response,
    }
}
