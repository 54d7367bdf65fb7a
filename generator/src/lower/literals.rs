//! Constants of the document: enum values and defaults.

use super::{Lowering, examples::has_format};
use crate::{
    diagnostics::Code,
    document::{Node, NodeRef},
    ir::{Field, Kind, Literal, Type, TypeId, Width},
    names,
};

/// A default, which is checked when all types are known.
#[derive(Debug)]
pub(super) struct Default<'d> {
    /// The struct.
    pub id: TypeId,
    /// The field.
    pub field: usize,
    pub node: NodeRef<'d>,
}

/// The maximum number of aliases between a default and its type.
const MAX_ALIASES: usize = 32;

/// Returns a node as a constant.
pub(super) fn literal(node: NodeRef<'_>) -> Literal {
    match node {
        Node::Null => Literal::Null,
        Node::Boolean(value) => Literal::Boolean(*value),
        Node::Number(number) => match node.as_i128() {
            Some(integer) => Literal::Integer(integer),
            None => Literal::Number(number.as_f64().unwrap_or_default()),
        },
        Node::String(text) => Literal::Text(text.clone()),
        Node::Array(_) | Node::Object(_) => Literal::Json(node.to_json()),
    }
}

impl Lowering<'_, '_> {
    /// Adds the defaults to their fields, and reports those that do not match.
    pub fn settle_defaults(&mut self) {
        for Default { id, field, node } in std::mem::take(&mut self.defaults) {
            let optional = self.field_at(id, field).filter(|field| !field.required);
            let Some(schema) = optional.map(|field| field.schema.clone()) else { continue };
            if node.is_null() {
                if !schema.nullable && schema.ty != Type::Any {
                    self.warn(Code::BadDefault, node, "the default is null, but the schema is not nullable");
                }
                continue;
            }
            let Some(literal) = self
                .fit(node, &schema.ty, MAX_ALIASES)
                .filter(|literal| schema.allowed.is_empty() || schema.allowed.contains(literal))
            else {
                self.warn(Code::BadDefault, node, "the default does not match its schema, so it is left out");
                continue;
            };
            let accessor = !schema.nullable;
            if let Some(field) = self.field_mut(id, field) {
                field.default_accessor = accessor.then(|| names::suffixed(&field.ident, "_or_default"));
                field.default = Some(literal);
            }
        }
    }

    fn field_at(&self, id: TypeId, field: usize) -> Option<&Field> {
        match self.types.get(id.0)?.kind.as_ref()? {
            Kind::Struct(def) => def.fields.get(field),
            _ => None,
        }
    }

    fn field_mut(&mut self, id: TypeId, field: usize) -> Option<&mut Field> {
        match self.types.get_mut(id.0)?.kind.as_mut()? {
            Kind::Struct(def) => def.fields.get_mut(field),
            _ => None,
        }
    }

    /// Returns the node as a constant of this type, if it matches the type.
    pub fn fit(&self, node: NodeRef<'_>, ty: &Type, steps: usize) -> Option<Literal> {
        let steps = steps.checked_sub(1)?;
        let found = literal(node);
        match (ty, &found) {
            (Type::Any, _) | (Type::Boolean, Literal::Boolean(_)) | (Type::Bytes, Literal::Text(_)) => {
                Some(found)
            }
            (Type::Integer(rules), Literal::Integer(value)) => {
                let above = rules.minimum.is_none_or(|minimum| *value >= minimum)
                    && rules.exclusive_minimum.is_none_or(|minimum| *value > minimum);
                let below = rules.maximum.is_none_or(|maximum| *value <= maximum)
                    && rules.exclusive_maximum.is_none_or(|maximum| *value < maximum);
                let step = rules.multiple_of.is_none_or(|step| value.checked_rem(step) == Some(0));
                (above && below && step && holds(rules.width, *value)).then_some(found)
            }
            (Type::Number(rules), Literal::Integer(_) | Literal::Number(_)) => {
                let value = node.as_f64()?;
                let above = rules.minimum.is_none_or(|minimum| value >= minimum)
                    && rules.exclusive_minimum.is_none_or(|minimum| value > minimum);
                let below = rules.maximum.is_none_or(|maximum| value <= maximum)
                    && rules.exclusive_maximum.is_none_or(|maximum| value < maximum);
                (above && below).then_some(Literal::Number(value))
            }
            (Type::Text(rules), Literal::Text(text)) => {
                let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
                let long_enough = rules.min_length.is_none_or(|least| length >= least);
                let short_enough = rules.max_length.is_none_or(|most| length <= most);
                let formed = rules.format.is_none_or(|format| has_format(format, text));
                (long_enough && short_enough && formed).then_some(found)
            }
            (Type::Array(rules), Literal::Json(value)) => {
                let fits = |item: NodeRef<'_>| self.fit(item, &rules.items.ty, steps).is_some();
                (value.is_array() && node.items().iter().all(fits)).then_some(found)
            }
            (Type::Tuple(schemas), Literal::Json(value)) => {
                let mut pairs = schemas.iter().zip(node.items());
                let fits = pairs.all(|(schema, item)| self.fit(item, &schema.ty, steps).is_some());
                (value.is_array() && node.items().len() == schemas.len() && fits).then_some(found)
            }
            (Type::Map(rules), Literal::Json(value)) => {
                let fits =
                    |(_, value): (&str, NodeRef<'_>)| self.fit(value, &rules.values.ty, steps).is_some();
                (value.is_object() && node.entries().all(fits)).then_some(found)
            }
            (Type::Named { id, .. }, _) => match (self.types.get(id.0)?.kind.as_ref()?, &found) {
                (Kind::Alias(schema), _) => self.fit(node, &schema.ty, steps),
                (Kind::StringEnum(def), Literal::Text(text)) => {
                    def.variants.iter().any(|variant| variant.wire == *text).then_some(found)
                }
                (Kind::IntegerEnum(def), Literal::Integer(value)) => {
                    def.variants.iter().any(|variant| i128::from(variant.wire) == *value).then_some(found)
                }
                (Kind::Struct(def), Literal::Json(value)) => {
                    let fits = |field: &Field| match node.get(&field.wire) {
                        Some(value) if value.is_null() => {
                            field.schema.nullable || field.schema.ty == Type::Any
                        }
                        Some(value) => self.fit(value, &field.schema.ty, steps).is_some(),
                        None => !field.required,
                    };
                    (value.is_object() && def.fields.iter().all(fits)).then_some(found)
                }
                (Kind::Union(def), _) => {
                    def.variants.iter().find_map(|variant| self.fit(node, &variant.schema.ty, steps))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns whether a Rust type can hold this value.
fn holds(width: Width, value: i128) -> bool {
    match width {
        Width::U16 => u16::try_from(value).is_ok(),
        Width::I32 => i32::try_from(value).is_ok(),
        Width::I64 => i64::try_from(value).is_ok(),
        Width::U32 => u32::try_from(value).is_ok(),
        Width::U64 => u64::try_from(value).is_ok(),
    }
}
