//! Mutants of documents, and what must hold of the generator with each of them.
//!
//! A [`Nursery`] holds sound documents; each seed gives one mutant of them, the same for the same seed. [`examine`]
//! generates it. What hangs, overflows the stack or takes all memory is for a process around it to see: `cargo xtask
//! fuzz` is that; a test runs a few hundred mutants in its own process.

mod examine;
mod minimise;
mod mutate;
mod random;
mod tree;

pub use examine::{Fate, Fault, examine};
pub use minimise::minimise;
pub use tree::Tree;

use openapi_crates::document::Document;
use random::Random;

/// Documents to make mutants of.
#[derive(Debug, Default)]
pub struct Nursery {
    parents: Vec<Parent>,
}

#[derive(Debug)]
struct Parent {
    name: String,
    text: String,
    tree: Tree,
}

/// A changed document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What it was made from.
    pub seed: u64,
    /// The document that it was.
    pub parent: String,
    /// What it is called; the ending says whether it is JSON or YAML.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its tree, unless the text itself was damaged.
    pub tree: Option<Tree>,
}

impl Nursery {
    /// Takes in a document; one that can't be read gives no mutants. The order in which documents come doesn't matter.
    pub fn add(&mut self, name: &str, text: &str) {
        if let Some(document) = Document::parse(name, text).document {
            let tree = Tree::of(document.root());
            let at = self.parents.partition_point(|parent| parent.name.as_str() <= name);
            self.parents.insert(at, Parent { name: name.to_owned(), text: text.to_owned(), tree });
        }
    }

    /// The mutant of this seed, if there is any document.
    #[must_use]
    pub fn mutant(&self, seed: u64) -> Option<Mutant> {
        let mut random = Random::new(seed);
        let parent = random.pick(&self.parents)?;
        let donor = random.pick(&self.parents)?;
        let is_json = random.once_in(3);
        let (tree, text, is_json) = if random.once_in(8) {
            // The text as people write it, with comments and anchors.
            (None, mutate::damage(&parent.text, &mut random), parent.name.ends_with(".json"))
        } else {
            let mut tree = parent.tree.clone();
            let most = if random.once_in(4) { 24 } else { 5 };
            let times = 1 + random.below(most);
            mutate::mutate(&mut tree, &donor.tree, times, &mut random);
            let text = if is_json { tree.json() } else { tree.yaml() };
            if random.once_in(12) {
                (None, mutate::damage(&text, &mut random), is_json)
            } else {
                (Some(tree), text, is_json)
            }
        };
        let name = format!("mutant-{seed}.{}", if is_json { "json" } else { "yaml" });
        Some(Mutant { seed, parent: parent.name.clone(), name, text, tree })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents: {schemas: {A: {type: object, properties: {b: {type: string, enum: [c]}}}}}\n";

    #[test]
    fn mutants_depend_on_their_seed_alone() {
        let mut nursery = Nursery::default();
        nursery.add("a.yaml", TEXT);
        let mutants =
            |nursery: &Nursery| (0..300).map(|seed| nursery.mutant(seed).unwrap()).collect::<Vec<_>>();
        let one = mutants(&nursery);
        assert_eq!(one, mutants(&nursery));
        let mut texts: Vec<&str> = one.iter().map(|mutant| mutant.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert!(texts.len() > 250, "only {} of 300 differ", texts.len());
    }

    #[test]
    fn without_documents_there_are_no_mutants() {
        assert_eq!(Nursery::default().mutant(1), None);
    }
}
