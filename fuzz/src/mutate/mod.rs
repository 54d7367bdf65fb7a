//! What is done to a document: to its tree, in ways that know what OpenAPI is, and to its text, in ways that don't.

mod schema;
mod structure;
mod text;
mod words;

pub use text::damage;

use crate::{
    random::Random,
    tree::{Path, Tree},
};

/// Beyond this many nodes or levels a tree grows no more.
const LARGEST: (usize, usize) = (20_000, 400);

/// What a mutation works with.
struct Work<'a> {
    tree: &'a mut Tree,
    /// Another document, to take from.
    donor: &'a Tree,
    random: &'a mut Random,
}

/// Each is as likely as the others; what matters more stands here more often.
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

/// Changes a tree so many times.
pub fn mutate(tree: &mut Tree, donor: &Tree, times: usize, random: &mut Random) {
    for _ in 0..times {
        if tree.size() > LARGEST.0 || tree.depth() > LARGEST.1 {
            return;
        }
        let Some(mutation) = random.pick(MUTATIONS) else { return };
        // What finds nothing to work on leaves the tree as it is.
        let _ = mutation(&mut Work { tree, donor, random });
    }
}

impl Work<'_> {
    /// Any node that is wanted.
    fn any(&mut self, wanted: &dyn Fn(&Tree) -> bool) -> Option<Path> {
        self.random.pick(&self.tree.paths(wanted)).cloned()
    }

    /// Any node but the root.
    fn any_node(&mut self) -> Option<Path> {
        self.any(&|_| true).filter(|path| !path.is_empty())
    }

    /// Any node that looks like a schema.
    fn any_schema(&mut self) -> Option<Path> {
        self.any(&is_schema).filter(|path| !path.is_empty())
    }

    fn replace(&mut self, path: &[usize], with: Tree) -> Option<()> {
        *self.tree.at_mut(path)? = with;
        Some(())
    }
}

/// Whether a node looks like a schema.
fn is_schema(tree: &Tree) -> bool {
    const SIGNS: [&str; 9] =
        ["type", "$ref", "allOf", "oneOf", "anyOf", "properties", "items", "enum", "additionalProperties"];
    SIGNS.iter().any(|sign| tree.field(sign).is_some())
}
