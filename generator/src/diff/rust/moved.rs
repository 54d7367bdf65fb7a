//! Finds the types of the old crates that have another name or module in the new crates.

use std::collections::HashMap;

use super::types::Side;
use crate::{
    diff::compare::Compare,
    emit::Outside,
    ir::{Api, Errors, Kind, Operation, Schema, Status, Type, TypeDef, TypeId},
};

/// The aliases of a document by path, each with the type that it stands for.
pub(super) struct Aliases(HashMap<String, String>);

impl Aliases {
    pub fn of(api: &Api) -> Self {
        let outside = Outside::of_any_crate(api);
        let alias = |def: &TypeDef| match &def.kind {
            Kind::Alias(schema) => Some((outside.path(def), outside.ty(schema))),
            _ => None,
        };
        Self(api.types.iter().filter_map(alias).collect())
    }

    /// Returns the text of a type without aliases.
    pub fn resolve(&self, text: &str) -> String {
        let mut resolved = text.to_owned();
        // Aliases of a document can't form a cycle, but a bound costs nothing.
        for _ in 0..32 {
            let next = replaced(&resolved, &self.0);
            if next == resolved {
                break;
            }
            resolved = next;
        }
        resolved
    }
}

/// The paths in the new crates of types of the old crates.
pub(super) struct Moved<'s> {
    /// The new path of each path that no longer exists.
    ///
    /// The new type is at the same position. Its path is not in the old crates, or is that of an alias of the old type.
    pub paths: HashMap<String, String>,
    /// The type in the new crates of each type that is not an alias, if its path differs.
    images: HashMap<String, String>,
    old: &'s Aliases,
}

impl<'s> Moved<'s> {
    pub fn between(compare: &Compare<'_>, old: &'s Side<'_>, new: &Side<'_>) -> Self {
        let operations = compare.operations.iter();
        let of_operations = operations.flat_map(|(from, to)| of_operations((old.api, from), (new.api, to)));
        let pairs = of_operations.chain(compare.types.iter().map(|pair| (pair.old, pair.new)));
        let mut paths = HashMap::new();
        for (from, to) in pairs {
            let (Some(from), Some(to)) = (old.api.type_def(from), new.api.type_def(to)) else { continue };
            let [from, to] =
                [(old, from), (new, to)].map(|(side, def)| Outside::of_any_crate(side.api).path(def));
            let is_free = || !old.types.contains_key(&to) || old.aliases.resolve(&to) == from;
            if from != to && !new.types.contains_key(&from) && is_free() {
                paths.entry(from).or_insert(to);
            }
        }
        let image = |path: &String| {
            let now = paths.get(path).unwrap_or(path);
            let image = new.aliases.resolve(now);
            (image != *path && new.types.contains_key(now)).then(|| (path.clone(), image))
        };
        let images = old.types.keys().filter_map(image).collect();
        Self { paths, images, old: &old.aliases }
    }

    /// Returns a text of the old crates as the new ones would have it: without aliases, and with the new paths.
    pub fn apply(&self, text: &str) -> String {
        replaced(&self.old.resolve(text), &self.images)
    }
}

fn replaced(text: &str, paths: &HashMap<String, String>) -> String {
    if paths.is_empty() {
        return text.to_owned();
    }
    let is_path = |character: char| character.is_alphanumeric() || "_:#".contains(character);
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|character| !is_path(character)).unwrap_or(rest.len());
        let (path, after) = rest.split_at(end);
        replaced.push_str(paths.get(path).map_or(path, String::as_str));
        let end = after.find(is_path).unwrap_or(after.len());
        let (between, after) = after.split_at(end);
        replaced.push_str(between);
        rest = after;
    }
    replaced
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
    let own_errors = |operation: &Operation| match &operation.errors {
        Errors::Own { ty, .. } => Some(*ty),
        Errors::None | Errors::Shared(_) => None,
    };
    let body = |operation: &Operation| operation.body.as_ref().and_then(|body| named(&body.schema));
    let pairs = [
        (old.input, new.input),
        (named(&old.output), named(&new.output)),
        (own_errors(old), own_errors(new)),
        (body(old), body(new)),
    ];
    let mut found: Vec<(TypeId, TypeId)> = pairs.into_iter().filter_map(|(old, new)| old.zip(new)).collect();
    for (from, to) in found.clone() {
        let kinds = old_api.type_def(from).zip(new_api.type_def(to)).map(|(old, new)| (&old.kind, &new.kind));
        if let Some((Kind::Choice(from), Kind::Choice(to))) = kinds {
            for variant in &from.variants {
                let other = to.variants.iter().find(|other| other.ident == variant.ident);
                found.extend(named(&variant.payload).zip(other.and_then(|other| named(&other.payload))));
            }
        }
    }
    let (old_errors, new_errors) = (errors(old_api, old), errors(new_api, new));
    for (status, from) in old_errors {
        let to = new_errors.iter().find(|(other, _)| *other == status);
        found.extend(named(from).zip(to.and_then(|(_, to)| named(to))));
    }
    found
}

/// Returns the values of the errors of an operation by status, with the errors that operations share.
pub(super) fn errors<'a>(api: &'a Api, operation: &Operation) -> Vec<(Status, &'a Schema)> {
    let (ty, rows): (TypeId, Vec<(Status, usize)>) = match (&operation.errors, &api.shared_errors) {
        (Errors::Own { ty, rows }, _) => {
            (*ty, rows.iter().enumerate().map(|(row, response)| (response.status, row)).collect())
        }
        (Errors::Shared(uses), Some(shared)) => {
            (shared.ty, uses.iter().map(|used| (used.status, used.row)).collect())
        }
        _ => return Vec::new(),
    };
    let Some(Kind::Choice(choice)) = api.type_def(ty).map(|def| &def.kind) else { return Vec::new() };
    let payload = |(status, row): (Status, usize)| Some((status, &choice.variants.get(row)?.payload));
    rows.into_iter().filter_map(payload).collect()
}
