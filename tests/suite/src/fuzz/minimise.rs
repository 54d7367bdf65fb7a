//! Minimises a mutant: removes everything that its fault doesn't need.

use crate::fuzz::{Mutant, Tree};

/// Returns the smallest text found that still fails, in at most `tries` tries.
///
/// Only `fails` runs the generator, because the fault may be that it hangs.
pub fn minimise(mutant: &Mutant, tries: usize, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut left = tries;
    let mut fails = |text: &str| {
        left = left.saturating_sub(1);
        left > 0 && fails(text)
    };
    let print = |tree: &Tree| if mutant.name.ends_with(".json") { tree.json() } else { tree.yaml() };
    match &mutant.tree {
        Some(tree) => print(&smaller_tree(tree.clone(), &print, &mut fails)),
        None => fewer_lines(&mutant.text, &mut fails),
    }
}

fn smaller_tree(
    mut tree: Tree,
    print: &dyn Fn(&Tree) -> String,
    fails: &mut dyn FnMut(&str) -> bool,
) -> Tree {
    loop {
        let before = tree.size();
        // Parents come before their children, so large parts are removed first.
        let mut at = 1;
        while let Some(path) = tree.paths(&|_| true).get(at).cloned() {
            let mut without = tree.clone();
            without.remove(&path);
            if fails(&print(&without)) {
                tree = without;
                continue;
            }
            // If a node can't be removed, try to replace it by one of its children.
            let inner: Vec<Tree> = tree.at(&path).into_iter().flat_map(Tree::children).cloned().collect();
            let hoisted = inner.into_iter().filter(|inner| inner.size() > 1).find_map(|inner| {
                let mut hoisted = tree.clone();
                *hoisted.at_mut(&path)? = inner;
                fails(&print(&hoisted)).then_some(hoisted)
            });
            match hoisted {
                Some(hoisted) => tree = hoisted,
                None => at += 1,
            }
        }
        if tree.size() == before {
            return tree;
        }
    }
}

fn fewer_lines(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut share = lines.len().div_ceil(2);
    while share > 0 {
        let mut at = 0;
        while at < lines.len() {
            let end = (at + share).min(lines.len());
            let without: Vec<&str> = lines
                .iter()
                .enumerate()
                .filter(|(line, _)| !(at..end).contains(line))
                .map(|(_, line)| *line)
                .collect();
            if fails(&without.join("\n")) {
                lines = without;
            } else {
                at = end;
            }
        }
        share /= 2;
    }
    if fails(&lines.join("\n")) { lines.join("\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unneeded_nodes_are_removed() {
        let tags = Tree::List(vec![Tree::text("a"), Tree::text("needle")]);
        let get = Tree::map([("summary", Tree::text("x")), ("tags", tags)]);
        let tree = Tree::map([("openapi", Tree::raw("3")), ("paths", Tree::map([("/a", get)]))]);
        let whole = Mutant { tree: Some(tree), ..Mutant::of("a.yaml", "") };
        let found = minimise(&whole, 1000, &mut |text| text.contains("needle"));
        assert_eq!(found.split_whitespace().collect::<String>(), r#"paths:-"needle""#);
    }

    #[test]
    fn documents_without_a_tree_lose_lines() {
        let whole = Mutant::of("a.yaml", "{\na\nneedle\nb\nc");
        assert_eq!(minimise(&whole, 1000, &mut |text| text.contains("needle")), "needle");
    }
}
