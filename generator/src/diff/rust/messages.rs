//! Messages about items that were removed or changed.

use super::items::{Item, Part};
use crate::diff::compare::by;

/// Returns an item with its signature.
pub(super) fn with_name(item: &Item) -> String {
    match item.part {
        Part::Constructor => format!("new({})", item.signature),
        _ if item.signature.is_empty() => item.name.clone(),
        _ => format!("{}: {}", item.name, item.signature),
    }
}

pub(super) fn removed_message(item: &Item, after: &[Item]) -> String {
    match item.part {
        Part::Default => {
            let new = after.iter().find(|other| other.part == Part::Constructor);
            let new = new.map_or_else(String::new, |new| format!("; new({})", without_root(&new.signature)));
            format!("no `Default`{new}")
        }
        Part::Constructor => format!("no `new({})`; `Default` replaces it", without_root(&item.signature)),
        Part::Conversion => format!("no `{}`", without_root(&item.name)),
        Part::Setter | Part::Accessor => format!("no `{}`", item.name),
        Part::Field => format!("field `{}` is removed", item.name),
        Part::Variant { .. } => format!("variant `{}` is removed", item.name),
        Part::Derive => format!("no longer implements `{}`", item.name),
        Part::Alias => "is no longer an alias".to_owned(),
        Part::Exhaustive => "can no longer be destructured with all its fields".to_owned(),
    }
}

pub(super) fn changed_message(item: &Item, old: &str, new: &str) -> String {
    let (old, new) = (without_root(old), without_root(new));
    match item.part {
        Part::Constructor => arguments_message(&old, &new),
        Part::Alias => format!("{old} → {new}"),
        _ => format!("{}: {old} → {new}", item.name),
    }
}

/// Returns how the arguments of a constructor changed: `new: + status: Status, − name`.
fn arguments_message(old: &str, new: &str) -> String {
    const SHORT: usize = 100;
    if old.len() + new.len() < SHORT {
        return format!("new({old}) → new({new})");
    }
    let arguments = |text: &str| -> Vec<(String, String)> {
        let inner = text.split_once('{').map_or(text, |(_, inner)| inner).trim_end_matches(['}', ' ']);
        let pairs = inner.split(", ").filter_map(|argument| argument.trim().split_once(": "));
        pairs.map(|(name, ty)| (name.to_owned(), ty.to_owned())).collect()
    };
    let (old, new) = (arguments(old), arguments(new));
    let (old_names, new_names) = (by(&old, |(name, _)| name), by(&new, |(name, _)| name));
    let mut parts: Vec<String> = Vec::new();
    for (name, ty) in &new {
        match old_names.get(name) {
            None => parts.push(format!("+ {name}: {ty}")),
            Some((_, was)) if was != ty => parts.push(format!("{name}: {was} → {ty}")),
            Some(_) => {}
        }
    }
    parts.extend(
        old.iter().filter(|(name, _)| !new_names.contains_key(name)).map(|(name, _)| format!("− {name}")),
    );
    match parts.as_slice() {
        [] => "new: its arguments have another order".to_owned(),
        _ => format!("new: {}", parts.join(", ")),
    }
}

/// Returns a path or type without the name of the models crate.
pub(super) fn without_root(text: &str) -> String {
    text.replace("models::", "")
}
