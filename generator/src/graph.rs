//! Walks and strongly connected components of graphs, without recursion because documents can be deep.

use std::{collections::HashSet, hash::Hash};

/// Returns these values and all that `next` leads to, in the order in which they are found.
pub(crate) fn reached<T: Copy + Eq + Hash, N: IntoIterator<Item = T>>(
    start: Vec<T>,
    next: impl Fn(T) -> N,
) -> Vec<T> {
    let mut seen: HashSet<T> = start.iter().copied().collect();
    let mut found = start;
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

/// Returns the number of each node's strongly connected component.
///
/// A component has a higher number than those that its edges lead to.
/// [`on_cycle`] also finds a node with an edge to itself.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        edges,
        index: vec![None; edges.len()],
        low: vec![0; edges.len()],
        on_stack: vec![false; edges.len()],
        stack: Vec::new(),
        component: vec![usize::MAX; edges.len()],
        next_index: 0,
        next_component: 0,
    };
    for node in 0..edges.len() {
        if search.index.get(node).is_some_and(Option::is_none) {
            search.run(node);
        }
    }
    search.component
}

/// Returns whether the edge from one node to another is on a cycle.
pub(crate) fn on_cycle(components: &[usize], from: usize, to: usize) -> bool {
    components.get(from).is_some() && components.get(from) == components.get(to)
}

/// The state of Tarjan's algorithm.
struct Search<'a> {
    edges: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    component: Vec<usize>,
    next_index: usize,
    next_component: usize,
}

impl Search<'_> {
    fn run(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = path.pop() {
            let target = self.edges.get(node).and_then(|edges| edges.get(edge)).copied();
            let Some(target) = target else {
                self.leave(node);
                if let Some((parent, _)) = path.last() {
                    self.lower(*parent, at(&self.low, node));
                }
                continue;
            };
            path.push((node, edge + 1));
            match self.index.get(target).copied().flatten() {
                None if target < self.edges.len() => {
                    self.enter(target);
                    path.push((target, 0));
                }
                Some(index) if self.on_stack.get(target) == Some(&true) => self.lower(node, index),
                _ => {}
            }
        }
    }

    fn enter(&mut self, node: usize) {
        set(&mut self.index, node, Some(self.next_index));
        set(&mut self.low, node, self.next_index);
        set(&mut self.on_stack, node, true);
        self.stack.push(node);
        self.next_index += 1;
    }

    fn leave(&mut self, node: usize) {
        if self.index.get(node).copied().flatten() != Some(at(&self.low, node)) {
            return;
        }
        while let Some(member) = self.stack.pop() {
            set(&mut self.on_stack, member, false);
            set(&mut self.component, member, self.next_component);
            if member == node {
                break;
            }
        }
        self.next_component += 1;
    }

    fn lower(&mut self, node: usize, low: usize) {
        let lowest = at(&self.low, node).min(low);
        set(&mut self.low, node, lowest);
    }
}

fn at(list: &[usize], position: usize) -> usize {
    list.get(position).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], position: usize, value: T) {
    if let Some(slot) = list.get_mut(position) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
