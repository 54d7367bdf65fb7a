//! Overlays for mutants.

use crate::fuzz::{
    random::Random,
    tree::{Path, Tree},
};

/// Returns an overlay whose actions mostly select nodes of this document.
pub fn overlay(document: &Tree, donor: &Tree, random: &mut Random) -> Tree {
    let count = 1 + random.below(5);
    let actions = (0..count).map(|_| action(document, donor, random)).collect();
    let info = Tree::map([("title", Tree::text("Mutations")), ("version", Tree::text("1"))]);
    Tree::map([("overlay", Tree::text("1.1.0")), ("info", info), ("actions", Tree::List(actions))])
}

/// Returns an action. Most can be applied: their values have the kind of the node that the target selects.
fn action(document: &Tree, donor: &Tree, random: &mut Random) -> Tree {
    let at = any_path(document, &|_| true, random);
    let mut action = Tree::map([("target", Tree::text(&target(document, &at, random)))]);
    let node = document.at(&at);
    let is_alike = |other: &Tree| node.is_some_and(|node| kind(node) == kind(other));
    match random.below(8) {
        0 => action.set("update", node.cloned().unwrap_or_else(|| Tree::raw("null"))),
        1 | 2 => {
            let path = any_path(donor, &is_alike, random);
            action.set("update", donor.at(&path).cloned().unwrap_or_else(|| Tree::raw("null")));
        }
        3 | 4 => {
            let source = any_path(document, &is_alike, random);
            action.set("copy", Tree::text(&target(document, &source, random)));
        }
        _ => action.set("remove", Tree::raw("true")),
    }
    action
}

/// Returns a number for objects, arrays and other values.
fn kind(tree: &Tree) -> u8 {
    match tree {
        Tree::Map(_) => 0,
        Tree::List(_) => 1,
        _ => 2,
    }
}

fn any_path(tree: &Tree, wanted: &dyn Fn(&Tree) -> bool, random: &mut Random) -> Path {
    random.pick(&tree.paths(wanted)).cloned().unwrap_or_default()
}

/// Returns a JSONPath that selects the node at this path, and sometimes others. Some are wrong.
fn target(tree: &Tree, path: &[usize], random: &mut Random) -> String {
    let is_exact = !random.once_in(4);
    let mut text = "$".to_owned();
    let mut node = tree;
    for at in path {
        text.push_str(&segment(node, *at, is_exact, random));
        let Some(child) = node.children().nth(*at) else { break };
        node = child;
    }
    if !is_exact && random.once_in(3) {
        text.push_str(random.word(&[
            "..*",
            ".*",
            "[?@.type]",
            "[?@ == 1]",
            "[?length(@) > 2]",
            "[",
            "./a",
            "[?@.a in [1]]",
        ]));
    }
    text
}

/// Returns a segment that selects this child, and others unless it is exact.
fn segment(node: &Tree, at: usize, is_exact: bool, random: &mut Random) -> String {
    let Tree::Map(entries) = node else {
        let other = random.word(&["[*]", "[::2]", "[-1]", "[?@.name]", "[?match(@.in, 'q.*')]"]);
        return if is_exact { format!("[{at}]") } else { other.to_owned() };
    };
    let name = entries.get(at).map(|(name, _)| name.as_str()).unwrap_or_default();
    let quoted = name.replace('\\', "\\\\").replace('\'', "\\'");
    match random.below(6) {
        0 if !is_exact => ".*".to_owned(),
        1 if !is_exact => format!("..['{quoted}']"),
        2 if !is_exact => format!("['{quoted}', 'type']"),
        3 if !is_exact => format!(".{name}"),
        _ => format!("['{quoted}']"),
    }
}
