//! The operations that a change affects. They refer to its owner directly or through other types.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use super::{compare::TypePair, position::Owner};
use crate::{graph, ir::TypeId};

/// The operations that a change affects, in the order of the document.
///
/// All changes of a comparison share their ids.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct AffectedOperations {
    /// The ids of the operations that both documents have, and then of their webhooks.
    pub(super) ids: Arc<[String]>,
    /// A bit for each id.
    pub(super) reached: Arc<[u64]>,
}

impl AffectedOperations {
    /// Returns the ids (`operationId`).
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let words = self.reached.iter().enumerate().filter(|(_, word)| **word != 0);
        let bits = words.flat_map(|(index, word)| {
            (0..64).filter(move |bit| (word >> bit) & 1 == 1).map(move |bit| index * 64 + bit)
        });
        bits.filter_map(|index| self.ids.get(index)).map(String::as_str)
    }

    /// Returns the number of operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reached.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether the change belongs to no single operation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for AffectedOperations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

/// Indexes of operations: a bit for each, up to the last one that is set.
#[derive(Debug, Clone, Default)]
struct Indexes(Vec<u64>);

impl Indexes {
    fn insert(&mut self, index: usize) {
        let word = index / 64;
        self.0.resize(self.0.len().max(word + 1), 0);
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (index % 64);
        }
    }

    fn extend(&mut self, Self(other): &Self) {
        self.0.resize(self.0.len().max(other.len()), 0);
        self.0.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
    }
}

/// The operations that reach each owner of a comparison.
pub(super) struct Reach {
    ids: Arc<[String]>,
    /// The number of operations.
    operations: usize,
    /// The new type of each pair.
    types: Vec<TypeId>,
    /// The pairs of each new type: for both directions, and with several old types.
    pairs: HashMap<TypeId, Vec<usize>>,
    /// The component of each pair of types: pairs that refer to each other are reached by the same operations.
    components: Vec<usize>,
    /// The operations that reach each component.
    reached: Vec<Indexes>,
    /// The sets of operations that changes share.
    shared: HashSet<Arc<[u64]>>,
}

impl Reach {
    /// Finds the operations that reach each pair of types. Each reference is followed once.
    pub fn of(operations: impl Iterator<Item = String>, webhooks: &[String], types: &[TypePair]) -> Self {
        let edges = graph::edges(types, |pair, targets| {
            targets.extend(pair.referrers.iter().filter_map(|owner| match owner {
                Owner::Type(index) => Some(*index),
                Owner::Document | Owner::Operation(_) | Owner::Webhook(_) => None,
            }));
        });
        let components = graph::components(&edges);
        let count = components.iter().max().map_or(0, |last| last + 1);
        let reached = vec![Indexes::default(); count];
        let mut pairs: HashMap<TypeId, Vec<usize>> = HashMap::new();
        types.iter().enumerate().for_each(|(index, pair)| pairs.entry(pair.new).or_default().push(index));
        let types_of = types.iter().map(|pair| pair.new).collect();
        let mut ids: Vec<String> = operations.collect();
        let operations = ids.len();
        ids.extend_from_slice(webhooks);
        let (ids, shared) = (ids.into(), HashSet::new());
        let mut reach = Self { ids, operations, types: types_of, pairs, components, reached, shared };
        // The referrers of a pair have lower numbers, so they are complete.
        let mut pairs: Vec<(usize, &TypePair)> = reach.components.iter().copied().zip(types).collect();
        pairs.sort_by_key(|(component, _)| *component);
        for (component, pair) in pairs {
            let mut indexes = reach.reached.get_mut(component).map(std::mem::take).unwrap_or_default();
            pair.referrers.iter().for_each(|owner| reach.add(*owner, &mut indexes));
            if let Some(slot) = reach.reached.get_mut(component) {
                *slot = indexes;
            }
        }
        reach
    }

    /// Adds the operations that reach an owner.
    fn add(&self, owner: Owner, indexes: &mut Indexes) {
        match owner {
            Owner::Document => {}
            Owner::Operation(index) => indexes.insert(index),
            Owner::Webhook(index) => indexes.insert(self.operations + index),
            Owner::Type(index) => {
                let of_type = self.components.get(index).and_then(|component| self.reached.get(*component));
                of_type.into_iter().for_each(|other| indexes.extend(other));
            }
        }
    }

    /// Returns the owners of an item of Rust: its type is one for both directions.
    pub fn owners_of_item(&self, owner: Owner) -> Vec<Owner> {
        let Owner::Type(index) = owner else { return vec![owner] };
        let pairs = self.types.get(index).and_then(|new| self.pairs.get(new));
        pairs.into_iter().flatten().map(|index| Owner::Type(*index)).collect()
    }

    /// Returns the operations that reach one of these owners.
    pub fn operations(&mut self, owners: impl Iterator<Item = Owner>) -> AffectedOperations {
        let mut indexes = Indexes::default();
        owners.for_each(|owner| self.add(owner, &mut indexes));
        let reached = self.shared.get(indexes.0.as_slice()).cloned().unwrap_or_else(|| indexes.0.into());
        self.shared.insert(Arc::clone(&reached));
        AffectedOperations { ids: Arc::clone(&self.ids), reached }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diff, Input, Options, diff};

    const COUNT: usize = 100;
    /// The number of types. More that are nested would be cut.
    const TYPES: usize = 20;

    /// Compares documents of so many operations and types. Each operation responds with one of the types, which all change.
    /// Each type refers to the next one, and the last one to the first one if the types form a circle.
    fn compared(is_circle: bool) -> Diff {
        let text = |changed: &str| {
            let (mut paths, mut schemas) = (String::new(), String::new());
            for index in 0..COUNT {
                let schema = format!("{{$ref: '#/components/schemas/T{}'}}", index % TYPES);
                let content = format!("{{application/json: {{schema: {schema}}}}}");
                let responses = format!("{{'200': {{description: One., content: {content}}}}}");
                let operation = format!("{{operationId: o{index}, responses: {responses}}}");
                paths.push_str(&format!("  /{index}: {{get: {operation}}}\n"));
            }
            for index in 0..TYPES {
                let next = match index + 1 {
                    TYPES if is_circle => "{$ref: '#/components/schemas/T0'}".to_owned(),
                    TYPES => "{type: string}".to_owned(),
                    next => format!("{{$ref: '#/components/schemas/T{next}'}}"),
                };
                let properties = format!("{{next: {next}, value: {{type: {changed}}}}}");
                schemas.push_str(&format!("    T{index}: {{type: object, properties: {properties}}}\n"));
            }
            let info = "openapi: 3.1.0\ninfo: {title: t, version: '1'}";
            format!("{info}\npaths:\n{paths}components:\n  schemas:\n{schemas}")
        };
        let options = Options::new("t", "t.yaml");
        let (old, new) = (text("string"), text("integer"));
        let (old, new) = (Input::new("old.yaml", &old), Input::new("new.yaml", &new));
        let compared = diff((&old, &options), (&new, &options));
        compared.diff.unwrap_or_else(|| panic!("{}{}", compared.old, compared.new))
    }

    #[test]
    fn changes_that_the_same_operations_reach_share_them() {
        let changes = compared(true).changes;
        assert!(changes.len() >= TYPES, "{} changes", changes.len());
        let shared = &changes[0].operations;
        assert_eq!(shared.iter().count(), COUNT);
        assert!(changes.iter().all(|change| Arc::ptr_eq(&change.operations.reached, &shared.reached)));
        assert!(changes.iter().all(|change| Arc::ptr_eq(&change.operations.ids, &shared.ids)));
    }

    #[test]
    fn operations_reach_types_through_types() {
        let changes = compared(false).changes;
        for index in [0, 3, TYPES - 1] {
            let subject = format!("T{index}.value");
            let change = changes.iter().find(|change| change.subject == subject).unwrap();
            let operations = (0..COUNT).filter(|operation| operation % TYPES <= index);
            let expected: Vec<String> = operations.map(|index| format!("o{index}")).collect();
            assert_eq!(change.operations.iter().collect::<Vec<_>>(), expected);
            assert_eq!(change.operations.len(), expected.len());
        }
    }
}
