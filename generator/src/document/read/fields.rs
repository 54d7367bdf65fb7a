//! The fields of an object that is being read, and YAML's merge keys.

use std::collections::HashSet;

use super::tree::Refusal;
use crate::{
    tree::Span,
    tree::{Node, Value},
};

/// The name of a field whose value has not been read.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Option<Span>,
    /// Whether it is a merge key: `<<` without quotes.
    pub(super) is_merge: bool,
}

/// The fields of an object that has not ended.
#[derive(Debug, Default)]
pub(super) struct Fields {
    all: Vec<(String, Node)>,
    pub(super) next: Option<Name>,
    /// The positions of merge keys.
    merges: Vec<usize>,
}

impl Fields {
    pub(super) fn as_slice(&self) -> &[(String, Node)] {
        &self.all
    }

    /// Adds the value of the field whose name was read last.
    ///
    /// # Errors
    /// It is the value of a merge key, and neither an object nor a list of objects.
    pub(super) fn add(&mut self, node: Node) -> Result<(), Refusal> {
        let Some(name) = self.next.take() else { return Ok(()) };
        if name.is_merge {
            let is_mergeable =
                node.is_object() || node.is_array() && node.items().iter().all(Node::is_object);
            if !is_mergeable {
                return Err(Refusal::NotMergeable);
            }
            self.merges.push(self.all.len());
        }
        self.all.push((name.text, node));
        Ok(())
    }

    /// Returns the fields, with those of merged objects in place of the merge keys.
    ///
    /// The object's own fields override merged ones, and fields of an earlier object override those of a later one.
    pub(super) fn finish(self) -> Vec<(String, Node)> {
        let Self { all, merges, .. } = self;
        if merges.is_empty() {
            return all;
        }
        let own = all.iter().enumerate().filter(|(index, _)| !merges.contains(index));
        let mut taken: HashSet<String> = own.map(|(_, (name, _))| name.clone()).collect();
        let mut finished = Vec::with_capacity(all.len());
        for (index, (name, node)) in all.into_iter().enumerate() {
            if merges.contains(&index) {
                let merged = fields_of(node).into_iter();
                finished.extend(merged.filter(|(name, _)| taken.insert(name.clone())));
            } else {
                finished.push((name, node));
            }
        }
        finished
    }
}

/// Returns the fields of an object, or of all objects of a list.
fn fields_of(node: Node) -> Vec<(String, Node)> {
    match node.value {
        Value::Object(object) => object.into_fields(),
        Value::Array(items) => items.into_iter().flat_map(fields_of).collect(),
        _ => Vec::new(),
    }
}
