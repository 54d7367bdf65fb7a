//! Shapes of a union's variants, by which a decoder selects a variant.

use std::collections::{HashMap, HashSet};

use crate::{
    ir::{
        Additional, Discriminator, Kind, Kinds, Literal, Schema, Shape, TagKind, Type, TypeId, UnionVariant,
    },
    lower::finish::state::Finish,
};

/// The maximum number of properties in the shape of a nested union.
const MAX_KNOWN: usize = 500;

impl Finish<'_, '_> {
    /// Fills in the shapes of all unions.
    pub fn settle_shapes(&mut self) {
        // Many unions can have the same variants.
        let mut found: HashMap<TypeId, Shape> = HashMap::new();
        for index in 0..self.types.len() {
            let shapes = match self.types.kind(TypeId(index)) {
                Some(Kind::Union(def)) => {
                    let shape = |variant: &UnionVariant| self.variant_shape(variant, &mut found);
                    let mut shapes = distinct(def.variants.iter().map(shape).collect());
                    // The discriminator alone selects a variant, without the constants of its property.
                    if let Some(Discriminator { property, .. }) = &def.discriminator {
                        shapes
                            .iter_mut()
                            .for_each(|shape| shape.constants.retain(|(name, _)| name != property));
                    }
                    shapes
                }
                _ => continue,
            };
            if let Some(Kind::Union(def)) = self.types.kind_mut(TypeId(index)) {
                for (variant, shape) in def.variants.iter_mut().zip(shapes) {
                    variant.shape = shape;
                }
            }
        }
    }

    /// Returns the shape of a variant, with all strings that its properties can have.
    fn variant_shape(&self, variant: &UnionVariant, found: &mut HashMap<TypeId, Shape>) -> Shape {
        let schema = &variant.schema;
        let mut shape = match schema.ty {
            Type::Named { id, .. } => found.entry(id).or_insert_with(|| self.shape(schema)).clone(),
            _ => self.shape(schema),
        };
        shape.name.clone_from(&variant.shape.name);
        shape.kinds.null |= schema.nullable;
        shape
    }

    fn shape(&self, schema: &Schema) -> Shape {
        let leaves = self.leaves(schema);
        let mut shapes: Vec<Shape> = leaves.schemas.iter().map(|leaf| self.leaf_shape(leaf)).collect();
        if leaves.is_cut {
            shapes.push(Shape { kinds: Kinds::ALL, ..Shape::default() });
        }
        let mut shape = match (leaves.is_union, shapes.pop()) {
            (false, Some(only)) => only,
            (_, last) => {
                shapes.extend(last);
                union_of(shapes)
            }
        };
        // Null of an alias or a variant belongs to the shape. Null of the schema itself does not.
        shape.kinds.null |= leaves.nullable && !schema.nullable;
        shape
    }

    /// Returns the shape of a schema that is neither alias nor union.
    fn leaf_shape(&self, schema: &Schema) -> Shape {
        let none = Kinds::default();
        let kinds = match &schema.ty {
            Type::Any | Type::Unit => Kinds::ALL,
            Type::Boolean => Kinds { boolean: true, ..none },
            Type::Integer(_) => Kinds { integer: true, ..none },
            Type::Number(_) => Kinds { number: true, ..none },
            Type::Text(_) | Type::Bytes | Type::File | Type::Stream(_) => Kinds { string: true, ..none },
            Type::Array(_) | Type::Tuple(_) => Kinds { array: true, ..none },
            Type::Map(_) => Kinds { object: true, ..none },
            Type::Named { .. } => none,
        };
        let mut shape = Shape { kinds, ..Shape::default() };
        let Type::Named { id, .. } = schema.ty else { return shape };
        match self.types.kind(id) {
            Some(Kind::StringEnum(_)) => shape.kinds.string = true,
            Some(Kind::IntegerEnum(_)) => shape.kinds.integer = true,
            Some(Kind::Struct(def)) => {
                shape.kinds.object = true;
                shape.closed = matches!(def.additional, Additional::Forbidden);
                for field in &def.fields {
                    shape.known.push(field.wire.clone());
                    if field.required {
                        shape.required.push(field.wire.clone());
                    }
                    if let Some((_, values)) = self.constants_of(&field.schema) {
                        shape.constants.push((field.wire.clone(), values));
                    }
                }
            }
            _ => {}
        }
        shape
    }

    /// Returns the strings or the integers that a schema lists, or its only boolean, as text.
    pub fn constants_of(&self, schema: &Schema) -> Option<(TagKind, Vec<String>)> {
        let schema = self.types.unaliased(schema);
        match (&schema.ty, schema.allowed.as_slice()) {
            (Type::Boolean, [Literal::Boolean(only)]) => Some((TagKind::Boolean, vec![only.to_string()])),
            (Type::Named { id, .. }, _) => match self.types.kind(*id)? {
                Kind::StringEnum(def) => {
                    Some((TagKind::Text, def.variants.iter().map(|variant| variant.wire.clone()).collect()))
                }
                Kind::IntegerEnum(def) => {
                    let values = def.variants.iter().map(|variant| variant.wire.to_string());
                    Some((TagKind::Integer, values.collect()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the kind of the values that a property with this schema has, if it were a discriminator.
    pub fn tag_kind(&self, schema: &Schema) -> TagKind {
        let schema = self.types.unaliased(schema);
        match &schema.ty {
            Type::Boolean => TagKind::Boolean,
            Type::Integer(_) => TagKind::Integer,
            Type::Named { id, .. } if matches!(self.types.kind(*id), Some(Kind::IntegerEnum(_))) => {
                TagKind::Integer
            }
            _ => TagKind::Text,
        }
    }
}

/// Returns the shape of a union with these shapes.
fn union_of(shapes: Vec<Shape>) -> Shape {
    let kinds = shapes
        .iter()
        .fold(Kinds::default(), |kinds, shape| kinds.zip(shape.kinds, |one, other| one || other));
    let closed = shapes.iter().all(|shape| shape.closed);
    let required = in_all(&shapes);
    let mut seen = HashSet::new();
    let mut known: Vec<String> = shapes.into_iter().flat_map(|shape| shape.known).collect();
    known.retain(|name| seen.insert(name.clone()));
    let closed = closed && known.len() <= MAX_KNOWN;
    known.truncate(MAX_KNOWN);
    Shape { required, known, closed, kinds, ..Shape::default() }
}

/// Returns the properties that all shapes require, in the order of the first shape.
fn in_all(shapes: &[Shape]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for shape in shapes {
        for name in &shape.required {
            *counts.entry(name).or_default() += 1;
        }
    }
    let first = shapes.first().map_or(&[][..], |shape| shape.required.as_slice());
    first.iter().filter(|name| counts.get(name.as_str()) == Some(&shapes.len())).cloned().collect()
}

/// Keeps the constants that distinguish a variant from the others.
///
/// These are single values, and values that no other variant has.
fn distinct(mut shapes: Vec<Shape>) -> Vec<Shape> {
    let mut values: HashMap<(String, String), usize> = HashMap::new();
    let mut properties: HashMap<String, usize> = HashMap::new();
    for (property, strings) in shapes.iter().flat_map(|shape| &shape.constants) {
        *properties.entry(property.clone()).or_default() += 1;
        for string in strings {
            *values.entry((property.clone(), string.clone())).or_default() += 1;
        }
    }
    for shape in &mut shapes {
        shape.constants.retain(|(property, strings)| {
            let own = |string: &String| values.get(&(property.clone(), string.clone())) == Some(&1);
            strings.len() == 1
                || properties.get(property).is_some_and(|count| *count > 1) && strings.iter().all(own)
        });
    }
    shapes
}
