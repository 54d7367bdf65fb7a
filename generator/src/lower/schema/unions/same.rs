//! Equality of types in Rust, apart from constraints.

use crate::ir::{ArrayRules, IntegerRules, MapRules, NumberRules, Schema, TextRules, Type};

/// Returns whether two types are the same in Rust, apart from constraints.
pub(in crate::lower) fn same_rust_type(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Integer(a), Type::Integer(b)) => a.width == b.width,
        (Type::Text(a), Type::Text(b)) => a.ty == b.ty,
        (Type::Array(a), Type::Array(b)) => {
            a.items.nullable == b.items.nullable && same_rust_type(&a.items.ty, &b.items.ty)
        }
        (Type::Tuple(a), Type::Tuple(b)) => {
            let same = |(a, b): (&Schema, &Schema)| a.nullable == b.nullable && same_rust_type(&a.ty, &b.ty);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (Type::Map(a), Type::Map(b)) => {
            a.values.nullable == b.values.nullable && same_rust_type(&a.values.ty, &b.values.ty)
        }
        (Type::Named { id: a, .. }, Type::Named { id: b, .. }) => a == b,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Returns the schema that all of these have in common, if they have the same Rust type.
pub(in crate::lower) fn common<'s>(mut schemas: impl Iterator<Item = &'s Schema> + Clone) -> Option<Schema> {
    let all = schemas.clone();
    let first = schemas.next()?;
    if schemas.clone().all(|other| other == first) {
        return Some(first.clone());
    }
    let nullable = all.clone().any(|schema| schema.nullable);
    let ty = || without_rules(first.ty.clone());
    schemas
        .all(|other| same_rust_type(&first.ty, &other.ty))
        .then(|| Schema { nullable, ..Schema::new(ty()) })
}

/// Returns the same Rust type without constraints.
pub(in crate::lower) fn without_rules(ty: Type) -> Type {
    let plain = |schema: Schema| Schema {
        ty: without_rules(schema.ty),
        nullable: schema.nullable,
        allowed: Vec::new(),
        also: None,
    };
    match ty {
        Type::Integer(rules) => Type::Integer(IntegerRules { width: rules.width, ..Default::default() }),
        Type::Number(_) => Type::Number(NumberRules::default()),
        Type::Text(rules) => Type::Text(TextRules { ty: rules.ty, ..TextRules::default() }),
        Type::Array(rules) => Type::Array(Box::new(ArrayRules {
            items: plain(rules.items),
            min_items: None,
            max_items: None,
            unique: false,
        })),
        Type::Tuple(items) => Type::Tuple(items.into_iter().map(plain).collect()),
        Type::Map(rules) => Type::Map(Box::new(MapRules {
            values: plain(rules.values),
            min_properties: None,
            max_properties: None,
            names: None,
        })),
        other => other,
    }
}
