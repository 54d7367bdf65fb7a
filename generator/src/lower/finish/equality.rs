//! Equality: which types can be compared with `Eq` and hashed.

use super::walk;
use crate::{
    ir::{Kind, Schema, Type},
    lower::Draft,
};

/// For each type, whether all its parts can be compared with `Eq` and hashed.
pub(super) fn comparable(types: &[Draft<'_>]) -> Vec<bool> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); types.len()];
    let mut comparable = vec![true; types.len()];
    let mut spoiled = Vec::new();
    for (index, draft) in types.iter().enumerate() {
        let mut spoils = matches!(&draft.kind, Some(Kind::Union(def)) if def.open.is_some());
        draft.schemas(&mut |schema| {
            spoils |= is_incomparable(schema);
            walk::named(schema, &mut |id| {
                if let Some(users) = users.get_mut(id.0) {
                    users.push(index);
                }
            });
        });
        if spoils {
            spoiled.push(index);
        }
    }
    while let Some(index) = spoiled.pop() {
        let Some(slot) = comparable.get_mut(index) else { continue };
        if std::mem::replace(slot, false) {
            spoiled.extend(users.get(index).into_iter().flatten());
        }
    }
    comparable
}

fn is_incomparable(schema: &Schema) -> bool {
    match &schema.ty {
        Type::Number(_) | Type::Any | Type::File => true,
        Type::Array(rules) => is_incomparable(&rules.items),
        Type::Map(rules) => is_incomparable(&rules.values),
        _ => false,
    }
}
