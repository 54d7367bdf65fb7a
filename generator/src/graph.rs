//! Walks and strongly connected components of graphs, without recursion because documents can be deep.

use std::{collections::HashSet, hash::Hash};

/// Returns these values and all that `next` leads to, once each and in the order in which they are found.
pub(crate) fn reached<T: Copy + Eq + Hash, N: IntoIterator<Item = T>>(
    start: Vec<T>,
    next: impl Fn(T) -> N,
) -> Vec<T> {
    let mut seen = HashSet::new();
    let mut found: Vec<T> = start.into_iter().filter(|value| seen.insert(*value)).collect();
    let mut done = 0;
    while let Some(value) = found.get(done).copied() {
        found.extend(next(value).into_iter().filter(|other| seen.insert(*other)));
        done += 1;
    }
    found
}

/// Returns the edges of a graph, from a function that adds the targets of a node's edges.
pub(crate) fn edges<N>(
    nodes: impl IntoIterator<Item = N>,
    add: impl Fn(N, &mut Vec<usize>),
) -> Vec<Vec<usize>> {
    let targets = |node| {
        let mut targets = Vec::new();
        add(node, &mut targets);
        targets
    };
    nodes.into_iter().map(targets).collect()
}

/// Returns the edges of a graph in the other direction.
pub(crate) fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (node, targets) in edges.iter().enumerate() {
        for target in targets {
            if let Some(sources) = reversed.get_mut(*target) {
                sources.push(node);
            }
        }
    }
    reversed
}

/// Returns the number of each node's strongly connected component.
///
/// A component has a higher number than those that its edges lead to.
/// [`on_cycle`] also finds a node with an edge to itself.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let sources = reversed(edges);
    // Kosaraju's algorithm: from the node that a search left last, a search against the edges finds its component.
    let mut components = vec![usize::MAX; edges.len()];
    for (number, last) in post_order(edges).into_iter().enumerate().rev() {
        let mut waiting = vec![last];
        while let Some(node) = waiting.pop() {
            if let Some(component) = components.get_mut(node).filter(|component| **component == usize::MAX) {
                *component = number;
                waiting.extend(sources.get(node).into_iter().flatten());
            }
        }
    }
    components
}

/// Returns the nodes in the order in which a depth-first search leaves them.
fn post_order(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut is_new = |node: usize| seen.get_mut(node).is_some_and(|seen| !std::mem::replace(seen, true));
    let mut order = Vec::with_capacity(edges.len());
    for root in 0..edges.len() {
        // The nodes on the path from the root, each with the index of its next edge.
        let mut path = Vec::from_iter(is_new(root).then_some((root, 0)));
        while let Some((node, edge)) = path.pop() {
            let Some(target) = edges.get(node).and_then(|targets| targets.get(edge)) else {
                order.push(node);
                continue;
            };
            path.push((node, edge + 1));
            path.extend(is_new(*target).then_some((*target, 0)));
        }
    }
    order
}

/// Returns whether the edge from one node to another is on a cycle.
pub(crate) fn on_cycle(components: &[usize], from: usize, to: usize) -> bool {
    components.get(from).is_some() && components.get(from) == components.get(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_followed_once() {
        let followed = std::cell::Cell::new(0);
        let next = |value: usize| {
            followed.set(followed.get() + 1);
            [(value + 1) % 10, (value + 2) % 10]
        };
        let found = reached(vec![3; 1000], next);
        assert_eq!((found.len(), found[..3].to_vec(), followed.get()), (10, vec![3, 4, 5], 10));
    }

    #[test]
    fn nodes_that_lead_to_each_other() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3 -> 4 -> 3, 5 -> 5, 6 -> 0
        let edges = vec![vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![5], vec![0]];
        let found = components(&edges);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert_eq!(found[3], found[4]);
        let distinct: std::collections::HashSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), 4);
        assert!(on_cycle(&found, 2, 0) && !on_cycle(&found, 2, 3) && on_cycle(&found, 5, 5));
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let count = 200_000;
        let edges: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        let found = components(&edges);
        assert!(found.iter().all(|component| *component == found[0]));
    }
}
