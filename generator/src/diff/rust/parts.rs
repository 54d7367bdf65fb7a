//! Compares the items of a type that both documents have.

use std::mem::{Discriminant, discriminant};

use super::{
    RustRule, Users,
    items::{Item, Part},
    messages::{changed_message, removed_message, with_name},
    moved::Moved,
    types::TypeReport,
};
use crate::{
    diff::{
        compare::{by, pairs},
        renames::Renames,
        verdict::Verdict,
    },
    ir::{Kind, StructRole, TypeDef},
};

/// Compares the items of a type. `read` are the programs that read its values.
pub(super) fn compare<'i>(
    report: &mut TypeReport,
    (from, before): (&TypeDef, &'i [Item]),
    (to, after): (&TypeDef, &'i [Item]),
    moved: &Moved<'_>,
    read: Users,
) {
    let (before_by, after_by) = (by(before, key), by(after, key));
    let mut fields = pairs((before, key), (after, key));
    fields.retain(|pair| pair.any().part == Part::Field);
    let renames =
        Renames::of(&fields, |item| &item.name, |from, to| moved.apply(&from.signature) == to.signature);
    for item in before {
        let signature = moved.apply(&item.signature);
        let name = if item.part == Part::Conversion { moved.apply(&item.name) } else { item.name.clone() };
        let found = after_by.get(&(discriminant(&item.part), name.as_str()));
        let origins = (item.origin, found.map_or(to.docs.origin, |other| other.origin));
        let (removed, changed) = item.part.rules();
        match found {
            None if is_replaced(item, before, after, is_input(from)) => {}
            None => {
                let values = (Some(with_name(item)), None);
                let message = removed_message(item, after);
                report.add(removed, (item.users, Verdict::Breaking), message, values, origins);
                if item.part == Part::Field {
                    report.hint(renames.now(&item.name));
                }
            }
            Some(other) if other.signature != signature => {
                let verdict = severity(item.part, &signature, &other.signature);
                let message = changed_message(item, &signature, &other.signature);
                let values = (Some(signature), Some(other.signature.clone()));
                report.add(changed, (item.users, verdict), message, values, origins);
            }
            Some(_) => {}
        }
    }
    let is_exhaustive = |items: &[Item]| items.iter().any(|item| item.part == Part::Exhaustive);
    let fields_are_listed = is_exhaustive(before) && is_exhaustive(after);
    for item in after.iter().filter(|item| !before_by.contains_key(&key(item))) {
        let origins = (from.docs.origin, item.origin);
        let values = (None, Some(item.name.clone()));
        match item.part {
            Part::Field if fields_are_listed => {
                let message = format!("field `{}` is new, so a pattern of all fields lacks it", item.name);
                report.add(RustRule::FieldAdded, (item.users, Verdict::Breaking), message, values, origins);
            }
            // The enums of responses and errors are not exhaustive.
            Part::Variant { exhaustive } if exhaustive || !matches!(to.kind, Kind::Choice(_)) => {
                let verdict = if exhaustive { Verdict::Breaking } else { Verdict::Risky };
                let message = format!("variant `{}` is new, so a `match` without `_` lacks it", item.name);
                report.add(RustRule::VariantAdded, (read, verdict), message, values, origins);
            }
            _ => {}
        }
    }
}

/// Returns the verdict of another signature.
///
/// Renamed arguments are risky: a program passes arguments by position, so it may still compile.
fn severity(part: Part, old: &str, new: &str) -> Verdict {
    let types = |signature: &str| -> Vec<String> {
        signature
            .split(", ")
            .map(|part| part.split_once(": ").map_or(part, |(_, ty)| ty).to_owned())
            .collect()
    };
    let is_renamed = part == Part::Constructor && !new.contains('{') && types(old) == types(new);
    if is_renamed { Verdict::Risky } else { Verdict::Breaking }
}

fn key(item: &Item) -> (Discriminant<Part>, &str) {
    (discriminant(&item.part), &item.name)
}

fn is_input(def: &TypeDef) -> bool {
    matches!(&def.kind, Kind::Struct(body) if body.role == StructRole::Input)
}

/// Returns whether another change already reports that an item no longer exists.
///
/// The conversion into an input has the arguments of its constructor.
fn is_replaced(item: &Item, before: &[Item], after: &[Item], is_input: bool) -> bool {
    let constructor = |items: &[Item]| {
        let of = items.iter().find(|other| other.part == Part::Constructor);
        of.map(|other| other.signature.clone())
    };
    item.part == Part::Conversion && is_input && constructor(before) != constructor(after)
}
