//! Mutations: of the tree, with knowledge of OpenAPI, and of the text, without.

mod overlay;
mod schema;
mod structure;
mod text;
mod words;

pub use overlay::overlay;
pub use text::damage;

use crate::fuzz::{
    random::Random,
    tree::{Path, Tree},
};

/// The number of nodes and of levels from which a tree is not mutated further.
const LARGEST: (usize, usize) = (20_000, 400);

/// The input of a mutation.
struct Work<'a> {
    tree: &'a mut Tree,
    /// Another document to copy parts from.
    donor: &'a Tree,
    random: &'a mut Random,
}

/// The mutations, each picked with the same probability.
///
/// Important ones are listed several times.
const MUTATIONS: &[fn(&mut Work) -> Option<()>] = &[
    structure::delete,
    structure::delete,
    structure::duplicate,
    structure::duplicate,
    structure::retype,
    structure::retype,
    structure::swap,
    structure::copy,
    structure::copy,
    structure::refer,
    structure::refer,
    structure::retarget,
    structure::splice,
    structure::splice,
    schema::wrap,
    schema::wrap,
    schema::deepen,
    schema::keyword,
    schema::keyword,
    schema::keyword,
    schema::keyword,
    schema::multiply_enum,
    schema::multiply_members,
    schema::tie,
    schema::fan_out,
    words::text,
    words::text,
    words::name,
    words::name,
    words::number,
    words::version,
];

/// Applies `times` random mutations to a tree.
pub fn mutate(tree: &mut Tree, donor: &Tree, times: usize, random: &mut Random) {
    for _ in 0..times {
        if tree.size() > LARGEST.0 || tree.depth() > LARGEST.1 {
            return;
        }
        let Some(mutation) = random.pick(MUTATIONS) else { return };
        // A mutation that finds no suitable node does nothing.
        let _ = mutation(&mut Work { tree, donor, random });
    }
}

impl Work<'_> {
    /// Picks a random node that matches `wanted`.
    fn any(&mut self, wanted: &dyn Fn(&Tree) -> bool) -> Option<Path> {
        self.random.pick(&self.tree.paths(wanted)).cloned()
    }

    /// Picks a random node other than the root.
    fn any_node(&mut self) -> Option<Path> {
        self.any(&|_| true).filter(|path| !path.is_empty())
    }

    /// Picks a random node that looks like a schema.
    fn any_schema(&mut self) -> Option<Path> {
        self.any(&is_schema).filter(|path| !path.is_empty())
    }

    fn replace(&mut self, path: &[usize], with: Tree) -> Option<()> {
        *self.tree.at_mut(path)? = with;
        Some(())
    }
}

/// Returns whether a node looks like a schema.
fn is_schema(tree: &Tree) -> bool {
    const SIGNS: [&str; 9] =
        ["type", "$ref", "allOf", "oneOf", "anyOf", "properties", "items", "enum", "additionalProperties"];
    SIGNS.iter().any(|sign| tree.field(sign).is_some())
}
