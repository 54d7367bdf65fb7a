//! Mutations of the structure: remove, duplicate, move and replace nodes.

use super::Work;
use crate::fuzz::tree::Tree;

pub(super) fn delete(work: &mut Work) -> Option<()> {
    let path = work.any_node()?;
    work.tree.remove(&path)?;
    Some(())
}

/// Duplicates a node, under the same name or a similar one.
pub(super) fn duplicate(work: &mut Work) -> Option<()> {
    let path = work.any_node()?;
    let (at, parent) = path.split_last()?;
    let twist = work.random.below(7);
    match work.tree.at_mut(parent)? {
        Tree::List(items) => {
            let item = items.get(*at)?.clone();
            items.insert(*at, item);
        }
        Tree::Map(entries) => {
            let (name, value) = entries.get(*at)?.clone();
            let name = match twist {
                0 => name,
                1 => format!("{name}2"),
                2 => format!("{name}_"),
                3 => name.to_uppercase(),
                4 => name.to_lowercase(),
                5 => format!("{name}Response"),
                _ => format!("{name}\u{301}"),
            };
            entries.push((name, value));
        }
        _ => {}
    }
    Some(())
}

/// Replaces a node by a value of another type.
pub(super) fn retype(work: &mut Work) -> Option<()> {
    const RAW: [&str; 12] = [
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "18446744073709551615",
        "-9223372036854775809",
        "1e308",
        "[]",
        "{}",
        "[[{}]]",
    ];
    let path = work.any_node()?;
    let value = if work.random.once_in(4) { Tree::text("text") } else { Tree::raw(work.random.word(&RAW)) };
    // Sometimes keep the old value next to the new one.
    let value =
        if work.random.once_in(5) { Tree::List(vec![work.tree.at(&path)?.clone(), value]) } else { value };
    work.replace(&path, value)
}

pub(super) fn swap(work: &mut Work) -> Option<()> {
    let (one, other) = (work.any_node()?, work.any_node()?);
    if one.starts_with(&other) || other.starts_with(&one) {
        return None;
    }
    let (first, second) = (work.tree.at(&one)?.clone(), work.tree.at(&other)?.clone());
    work.replace(&one, second)?;
    work.replace(&other, first)
}

/// Copies a node over another one. Half the time, both are schemas.
pub(super) fn copy(work: &mut Work) -> Option<()> {
    let alike = work.random.once_in(2);
    let (from, to) =
        if alike { (work.any_schema()?, work.any_schema()?) } else { (work.any_node()?, work.any_node()?) };
    let copied = work.tree.at(&from)?.clone();
    work.replace(&to, copied)
}

/// Replaces a node by a reference.
pub(super) fn refer(work: &mut Work) -> Option<()> {
    let path = if work.random.once_in(3) { work.any_node()? } else { work.any_schema()? };
    let target = target(work)?;
    work.replace(&path, Tree::reference(&target))
}

/// Changes the target of a reference.
pub(super) fn retarget(work: &mut Work) -> Option<()> {
    let path = work.any(&|node| node.field("$ref").is_some())?;
    let target = target(work)?;
    work.tree.at_mut(&path)?.set("$ref", Tree::Text(target));
    Some(())
}

/// Picks the target of a reference.
///
/// Mostly a component, sometimes any node, sometimes an invalid target.
fn target(work: &mut Work) -> Option<String> {
    const NOWHERE: [&str; 10] = [
        "",
        "#",
        "#/",
        "#/components/schemas/",
        "#/components/schemas/Nobody",
        "other.yaml#/A",
        "https://example.com/a.json",
        "#/%zz/~2",
        "#anchor",
        "Pet",
    ];
    match work.random.below(10) {
        0 => Some(work.random.word(&NOWHERE).to_owned()),
        1 | 2 => {
            let path = work.any_node()?;
            Some(work.tree.pointer(&path))
        }
        _ => {
            // A path of three steps that starts at `components` leads to a component.
            let Tree::Map(entries) = &*work.tree else { return None };
            let components = entries.iter().position(|(name, _)| name == "components")?;
            let paths = work.tree.paths(&|_| true);
            let inner: Vec<_> =
                paths.iter().filter(|path| path.len() == 3 && path.first() == Some(&components)).collect();
            work.random.pick(&inner).map(|path| work.tree.pointer(path))
        }
    }
}

/// Takes parts of another document.
///
/// Replaces a schema by one of its schemas, or adds its missing fields.
pub(super) fn splice(work: &mut Work) -> Option<()> {
    if work.random.once_in(2) {
        let from = work.random.pick(&work.donor.paths(&super::is_schema))?.clone();
        let path = work.any_schema()?;
        return work.replace(&path, work.donor.at(&from)?.clone());
    }
    let donor = work.donor;
    merge(work.tree, donor, 3);
    Some(())
}

fn merge(into: &mut Tree, from: &Tree, levels: usize) {
    let (Tree::Map(entries), Tree::Map(others)) = (into, from) else { return };
    for (name, value) in others {
        match entries.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if levels > 0 => merge(known, value, levels - 1),
            Some(_) => {}
            None => entries.push((name.clone(), value.clone())),
        }
    }
}
