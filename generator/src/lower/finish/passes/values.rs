//! Defaults of fields, which are checked against their types, and constants: required fields with a single possible value,
//! which constructors fill in.

use std::collections::HashMap;

use crate::{
    diagnostics::Code,
    ir::{Discriminator, Kind, Literal, Schema, TextType, Type, TypeId},
    lower::{finish::state::Finish, schema::state::Default, types::id_of},
    names,
};

/// The maximum number of aliases between a value and its type.
const MAX_STEPS: usize = 32;

/// Constants by type and index of the field.
type Values = HashMap<(TypeId, usize), Option<Literal>>;

impl Finish<'_, '_> {
    /// Adds the defaults to their fields, and reports defaults that do not match their schemas.
    pub fn settle_defaults(&mut self) {
        for Default { id, field, node } in std::mem::take(&mut self.schema_notes.defaults) {
            let optional = self.types.struct_mut(id).and_then(|def| def.fields.get(field));
            let Some(schema) = optional.filter(|field| !field.required).map(|field| field.schema.clone())
            else {
                continue;
            };
            if node.is_null() {
                if !schema.nullable && schema.ty != Type::Any {
                    self.warn(Code::BadDefault, node, "the default is null, but the schema is not nullable");
                }
                continue;
            }
            let is_allowed =
                |literal: &Literal| schema.allowed.is_empty() || schema.allowed.contains(literal);
            let fitting = self.types.fit(node, &schema.ty, MAX_STEPS).filter(is_allowed);
            let text = || self.types.fit_text(node, &schema.ty, MAX_STEPS).filter(is_allowed);
            let converted = if fitting.is_none() { text() } else { None };
            if converted.is_some() {
                let message = "the default does not have the schema's `type`; it is converted to that type";
                self.warn(Code::BadDefault, node, message);
            }
            let Some(literal) = fitting.or(converted) else {
                self.warn(Code::BadDefault, node, "the default does not match its schema, so it is left out");
                continue;
            };
            let accessor = !schema.nullable;
            if let Some(field) = self.types.struct_mut(id).and_then(|def| def.fields.get_mut(field)) {
                field.default_accessor = accessor.then(|| names::suffixed(&field.ident, "_or_default"));
                field.default = Some(literal);
            }
        }
    }

    /// Finds the constants: `const`, enums with a single value, and the discriminators of unions.
    pub fn settle_constants(&mut self) {
        let mut found = Values::new();
        for (index, draft) in self.types.iter().enumerate() {
            let Some(Kind::Struct(def)) = &draft.kind else { continue };
            for (position, field) in def.fields.iter().enumerate().filter(|(_, field)| field.required) {
                if let Some(value) = self.single_value(&field.schema, MAX_STEPS) {
                    found.insert((TypeId(index), position), Some(value));
                }
            }
        }
        self.add_tags(&mut found);
        for ((id, position), value) in found {
            if let Some(field) = self.types.struct_mut(id).and_then(|def| def.fields.get_mut(position)) {
                field.constant = value;
            }
        }
    }

    /// Adds the values by which the discriminators of unions select a variant.
    ///
    /// A property gets no constant if two unions require different values.
    fn add_tags(&self, found: &mut Values) {
        for draft in self.types.iter() {
            let Some(Kind::Union(def)) = &draft.kind else { continue };
            let Some(Discriminator { property, kind, values }) = &def.discriminator else { continue };
            for (position, variant) in def.variants.iter().enumerate() {
                let mut own = values.iter().filter(|(_, variant)| *variant == position);
                let (Some((value, _)), None) = (own.next(), own.next()) else { continue };
                let value = kind.literal(value);
                let Some((id, field)) = self.field_of(&variant.schema, property, &value) else { continue };
                let value = Some(value);
                let known = found.entry((id, field)).or_insert_with(|| value.clone());
                if *known != value {
                    *known = None;
                }
            }
        }
    }

    /// Returns the required field of a struct that can have this value.
    fn field_of(&self, schema: &Schema, wire: &str, value: &Literal) -> Option<(TypeId, usize)> {
        let mut fields = self.types.struct_of(&schema.ty)?.fields.iter().enumerate();
        let (position, field) = fields.find(|(_, field)| field.wire == wire && field.required)?;
        self.can_be(value, &field.schema, MAX_STEPS).then_some((id_of(&schema.ty)?, position))
    }

    fn can_be(&self, value: &Literal, schema: &Schema, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1).filter(|_| !schema.nullable) else { return false };
        match (&schema.ty, value) {
            (Type::Text(rules), Literal::Text(_)) => rules.ty == TextType::String,
            // Every width includes these values.
            (Type::Integer(_), Literal::Integer(value)) => (0..=i128::from(i32::MAX)).contains(value),
            (Type::Boolean, Literal::Boolean(_)) => true,
            (Type::Named { id, .. }, value) => match (self.types.kind(*id), value) {
                (Some(Kind::StringEnum(def)), Literal::Text(value)) => {
                    def.variants.iter().any(|variant| variant.wire == *value)
                }
                (Some(Kind::IntegerEnum(def)), Literal::Integer(value)) => {
                    def.variants.iter().any(|variant| i128::from(variant.wire) == *value)
                }
                (Some(Kind::Alias(schema)), value) => self.can_be(value, schema, steps),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the only value that a schema allows.
    fn single_value(&self, schema: &Schema, steps: usize) -> Option<Literal> {
        let steps = steps.checked_sub(1).filter(|_| !schema.nullable)?;
        match (&schema.ty, schema.allowed.as_slice()) {
            (Type::Boolean, [value @ Literal::Boolean(_)])
            | (Type::Number(_), [value @ (Literal::Integer(_) | Literal::Number(_))]) => Some(value.clone()),
            (Type::Named { id, .. }, _) => match self.types.kind(*id)? {
                Kind::StringEnum(def) => match def.variants.as_slice() {
                    [only] => Some(Literal::Text(only.wire.clone())),
                    _ => None,
                },
                Kind::IntegerEnum(def) => match def.variants.as_slice() {
                    [only] => Some(Literal::Integer(only.wire.into())),
                    _ => None,
                },
                Kind::Alias(schema) => self.single_value(schema, steps),
                _ => None,
            },
            _ => None,
        }
    }
}
