//! Mutates OpenAPI documents and checks the generator on the mutants.
//!
//! A [`Corpus`] holds valid documents. Each seed gives one mutant, always the same. [`examine`] generates it
//! and checks the output. Hangs, stack overflows and excessive memory must be detected by a parent process,
//! as `cargo xtask fuzz` does. A test also runs a few hundred mutants in its own process.

mod examine;
mod minimise;
mod mutate;
mod random;
mod tree;

pub use examine::{Fault, Verdict, examine};
pub use minimise::minimise;
pub use random::Random;
pub use tree::Tree;

use openapi_crates::{Source, internals::Document};

/// The documents from which mutants are made.
#[derive(Debug, Default)]
pub struct Corpus {
    parents: Vec<Parent>,
    /// The overlays among the documents.
    overlays: Vec<Parent>,
}

#[derive(Debug)]
struct Parent {
    name: String,
    text: String,
    tree: Tree,
}

/// A mutated document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The seed.
    pub seed: u64,
    /// The name of the original document.
    pub parent: String,
    /// The file name; the extension is that of JSON or YAML.
    pub name: String,
    /// The text.
    pub text: String,
    /// The tree, unless the text itself was damaged.
    pub tree: Option<Tree>,
    /// The overlay that is applied to the document, if there is one.
    pub overlay: Option<String>,
}

impl Corpus {
    /// Adds a document.
    ///
    /// Ignores text that can't be parsed. The order of the calls does not matter.
    pub fn add(&mut self, name: &str, text: &str) {
        if let Some(document) = Document::parse(name, text).document {
            let tree = Tree::of(document.written_root());
            let parents =
                if tree.field("overlay").is_some() { &mut self.overlays } else { &mut self.parents };
            let at = parents.partition_point(|parent| parent.name.as_str() <= name);
            parents.insert(at, Parent { name: name.to_owned(), text: text.to_owned(), tree });
        }
    }

    /// Returns the mutant of this seed, or `None` if there are no documents.
    #[must_use]
    pub fn mutant(&self, seed: u64) -> Option<Mutant> {
        let mut random = Random::new(seed);
        let parent = random.pick(&self.parents)?;
        let donor = random.pick(&self.parents)?;
        let is_json = random.once_in(3);
        let (tree, text, is_json) = if random.once_in(8) {
            // Damage the original text, with its comments and anchors.
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
        let target = tree.as_ref().unwrap_or(&parent.tree);
        let overlay = random.once_in(4).then(|| self.overlay(target, &donor.tree, &mut random));
        Some(Mutant { seed, parent: parent.name.clone(), name, text, tree, overlay })
    }

    /// Returns an overlay for a document: a random one, or a mutant of a known one.
    fn overlay(&self, target: &Tree, donor: &Tree, random: &mut Random) -> String {
        let known = random.pick(&self.overlays).filter(|_| random.once_in(3));
        let tree = match known {
            Some(known) => {
                let mut tree = known.tree.clone();
                let times = random.below(4);
                mutate::mutate(&mut tree, donor, times, random);
                tree
            }
            None => mutate::overlay(target, donor, random),
        };
        let text = if random.once_in(3) { tree.json() } else { tree.yaml() };
        if random.once_in(20) { mutate::damage(&text, random) } else { text }
    }
}

impl Mutant {
    /// Returns a document that is no mutant.
    #[must_use]
    pub fn of(name: &str, text: &str) -> Self {
        let (name, text) = (name.to_owned(), text.to_owned());
        Self { seed: 0, parent: String::new(), name, text, tree: None, overlay: None }
    }

    /// Returns the name and the text of the document to which the overlay was applied.
    #[must_use]
    pub fn overlaid(&self) -> (String, String) {
        let overlays = self.overlays();
        let parsed = Document::parse_with(&self.name, &self.text, &overlays, None);
        match parsed.document {
            Some(document) if !overlays.is_empty() => {
                (format!("mutant-{}.json", self.seed), document.written_root().to_json().to_string())
            }
            _ => (self.name.clone(), self.text.clone()),
        }
    }

    /// Returns the overlay as the generator takes it.
    fn overlays(&self) -> Vec<Source> {
        self.overlay.iter().map(|text| Source::new("mutant.overlay", text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents: {schemas: {A: {type: object, properties: {b: {type: string, enum: [c]}}}}}\n";

    #[test]
    fn mutants_depend_on_their_seed_alone() {
        let mut corpus = Corpus::default();
        corpus.add("a.yaml", TEXT);
        let mutants = |corpus: &Corpus| (0..300).map(|seed| corpus.mutant(seed).unwrap()).collect::<Vec<_>>();
        let one = mutants(&corpus);
        assert_eq!(one, mutants(&corpus));
        let mut texts: Vec<&str> = one.iter().map(|mutant| mutant.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert!(texts.len() > 250, "only {} of 300 differ", texts.len());
    }

    #[test]
    fn an_overlay_changes_the_text() {
        let overlay = "overlay: 1.1.0
info: {title: O, version: '1'}
actions: [{target: $.info, update: {x-a: 1}}]
";
        let mutant = Mutant::of("mutant-7.yaml", "openapi: 3.0.3\ninfo: {title: T}\n");
        let mut mutant = Mutant { seed: 7, overlay: Some(overlay.to_owned()), ..mutant };
        let text = r#"{"openapi":"3.0.3","info":{"title":"T","x-a":1}}"#;
        assert_eq!(mutant.overlaid(), ("mutant-7.json".to_owned(), text.to_owned()));
        mutant.overlay = None;
        assert_eq!(mutant.overlaid(), (mutant.name.clone(), mutant.text.clone()));
    }

    #[test]
    fn without_documents_there_are_no_mutants() {
        assert_eq!(Corpus::default().mutant(1), None);
    }
}
