//! Types with another name or module that have the same position in both documents.

use std::collections::{BTreeSet, HashMap};

use crate::{
    diff::compare::Compare,
    emit::signatures,
    ir::{Api, Errors, Kind, Operation, Schema, Type, TypeId},
};

/// The types that moved, by their old path.
pub(super) struct Moved {
    /// The new path of each type that moved.
    pub paths: HashMap<String, String>,
}

impl Moved {
    /// Finds the types that moved: at one position, the old document has a type that is nowhere in the new one.
    pub fn between(compare: &Compare<'_>) -> Self {
        let (old, new) = (compare.old, compare.new);
        let all = |api: &Api| -> BTreeSet<String> {
            api.types.iter().map(|def| signatures::path(api, def)).collect()
        };
        let (old_paths, new_paths) = (all(old), all(new));
        let mut pairs: Vec<(TypeId, TypeId)> = Vec::new();
        for (from, to) in &compare.operations {
            pairs.extend(of_operations((old, from), (new, to)));
        }
        pairs.extend(compare.types.iter().map(|pair| (pair.old, pair.new)));
        let mut paths = HashMap::new();
        for (from, to) in pairs {
            let (Some(from), Some(to)) = (old.type_def(from), new.type_def(to)) else { continue };
            let (from, to) = (signatures::path(old, from), signatures::path(new, to));
            if from != to && !new_paths.contains(&from) && !old_paths.contains(&to) {
                paths.entry(from).or_insert(to);
            }
        }
        Self { paths }
    }

    /// Returns a text with the new paths of types that moved.
    pub fn apply(&self, text: &str) -> String {
        if self.paths.is_empty() {
            return text.to_owned();
        }
        let is_path = |character: char| character.is_alphanumeric() || "_:#".contains(character);
        let mut applied = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|character| !is_path(character)).unwrap_or(rest.len());
            let (path, after) = rest.split_at(end);
            applied.push_str(self.paths.get(path).map_or(path, String::as_str));
            let end = after.find(is_path).unwrap_or(after.len());
            let (between, after) = after.split_at(end);
            applied.push_str(between);
            rest = after;
        }
        applied
    }
}

/// Returns the types of an operation that both documents have: input, output, errors, and the types in them.
fn of_operations(
    (old_api, old): (&Api, &Operation),
    (new_api, new): (&Api, &Operation),
) -> Vec<(TypeId, TypeId)> {
    let named = |schema: &Schema| match schema.ty {
        Type::Named { id, .. } => Some(id),
        _ => None,
    };
    let errors = |operation: &Operation| match &operation.errors {
        Errors::Own { ty, .. } => Some(*ty),
        Errors::None | Errors::Shared(_) => None,
    };
    let body = |operation: &Operation| operation.body.as_ref().and_then(|body| named(&body.schema));
    let pairs = [
        (old.input, new.input),
        (named(&old.output), named(&new.output)),
        (errors(old), errors(new)),
        (body(old), body(new)),
    ];
    let mut found: Vec<(TypeId, TypeId)> = pairs.into_iter().filter_map(|(old, new)| old.zip(new)).collect();
    for (from, to) in found.clone() {
        let kind = |api: &'_ Api, id| api.type_def(id).map(|def| def.kind.clone());
        if let (Some(Kind::Choice(from)), Some(Kind::Choice(to))) = (kind(old_api, from), kind(new_api, to)) {
            for variant in &from.variants {
                let other = to.variants.iter().find(|other| other.ident == variant.ident);
                found.extend(named(&variant.payload).zip(other.and_then(|other| named(&other.payload))));
            }
        }
    }
    found
}
