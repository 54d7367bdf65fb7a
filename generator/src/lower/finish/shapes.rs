//! Shapes: what the variants of a union look like, so that a decoder can tell them apart.

use std::collections::HashMap;

use crate::{
    ir::{Additional, Kind, Kinds, Schema, Shape, Type, TypeId},
    lower::Lowering,
};

/// How many aliases and nested unions a shape is followed through.
const MAX_STEPS: usize = 8;

impl Lowering<'_, '_> {
    /// Fills the shapes of all unions.
    pub(super) fn settle_shapes(&mut self) {
        for index in 0..self.types.len() {
            let shapes = match self.types.get(index).and_then(|draft| draft.kind.as_ref()) {
                Some(Kind::Union(def)) => {
                    let seen =
                        def.variants.iter().map(|variant| (variant.shape.name.clone(), &variant.schema));
                    telling(seen.map(|(name, schema)| self.shape(name, schema, MAX_STEPS)).collect())
                }
                _ => continue,
            };
            if let Some(Kind::Union(def)) = self.types.get_mut(index).and_then(|draft| draft.kind.as_mut()) {
                for (variant, shape) in def.variants.iter_mut().zip(shapes) {
                    variant.shape = shape;
                }
            }
        }
    }

    /// The shape of a schema, with all strings that its properties may have.
    fn shape(&self, name: String, schema: &Schema, steps: usize) -> Shape {
        let mut shape = Shape {
            name,
            kinds: Kinds { null: schema.nullable, ..Kinds::default() },
            required: Vec::new(),
            known: Vec::new(),
            constants: Vec::new(),
            closed: false,
        };
        match &schema.ty {
            Type::Any | Type::Unit => {
                shape.kinds = Kinds {
                    null: true,
                    boolean: true,
                    integer: true,
                    number: true,
                    string: true,
                    array: true,
                    object: true,
                }
            }
            Type::Boolean => shape.kinds.boolean = true,
            Type::Integer(_) => shape.kinds.integer = true,
            Type::Number(_) => shape.kinds.number = true,
            Type::Text(_) | Type::Bytes | Type::File => shape.kinds.string = true,
            Type::Array(_) | Type::Tuple(_) => shape.kinds.array = true,
            Type::Map(_) => shape.kinds.object = true,
            Type::Named { id, .. } => self.shape_of(*id, &mut shape, steps),
        }
        shape
    }

    fn shape_of(&self, id: TypeId, shape: &mut Shape, steps: usize) {
        let kind = self.types.get(id.0).and_then(|draft| draft.kind.as_ref());
        let (Some(kind), Some(steps)) = (kind, steps.checked_sub(1)) else {
            shape.kinds.object = true;
            return;
        };
        match kind {
            Kind::StringEnum(_) => shape.kinds.string = true,
            Kind::IntegerEnum(_) => shape.kinds.integer = true,
            Kind::Struct(def) => {
                shape.kinds.object = true;
                shape.closed = matches!(def.additional, Additional::Forbidden);
                for field in &def.fields {
                    shape.known.push(field.wire.clone());
                    if field.required {
                        shape.required.push(field.wire.clone());
                    }
                    if let Some(values) = self.strings_of(&field.schema, steps) {
                        shape.constants.push((field.wire.clone(), values));
                    }
                }
            }
            Kind::Alias(schema) => {
                let inner = self.shape(std::mem::take(&mut shape.name), schema, steps);
                let null = shape.kinds.null || inner.kinds.null;
                *shape = inner;
                shape.kinds.null = null;
            }
            Kind::Union(def) => {
                let inner: Vec<Shape> = def
                    .variants
                    .iter()
                    .map(|variant| self.shape(String::new(), &variant.schema, steps))
                    .collect();
                shape.kinds = inner.iter().fold(shape.kinds, |kinds, shape| either(kinds, shape.kinds));
                shape.closed = inner.iter().all(|shape| shape.closed);
                shape.required = in_all(&inner);
                for one in inner {
                    for known in one.known {
                        if !shape.known.contains(&known) {
                            shape.known.push(known);
                        }
                    }
                }
            }
            Kind::Choice(_) => {}
        }
    }

    /// The strings that a schema lists, if it lists any.
    pub(super) fn strings_of(&self, schema: &Schema, steps: usize) -> Option<Vec<String>> {
        let Type::Named { id, .. } = schema.ty else { return None };
        match self.types.get(id.0)?.kind.as_ref()? {
            Kind::StringEnum(def) => Some(def.variants.iter().map(|variant| variant.wire.clone()).collect()),
            Kind::Alias(schema) => self.strings_of(schema, steps.checked_sub(1)?),
            _ => None,
        }
    }
}

/// The properties that all shapes require, in the order of the first.
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

/// Keeps those constants that tell a variant from the others: a single value, or values that no other variant has.
fn telling(mut shapes: Vec<Shape>) -> Vec<Shape> {
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

fn either(one: Kinds, other: Kinds) -> Kinds {
    Kinds {
        null: one.null || other.null,
        boolean: one.boolean || other.boolean,
        integer: one.integer || other.integer,
        number: one.number || other.number,
        string: one.string || other.string,
        array: one.array || other.array,
        object: one.object || other.object,
    }
}
