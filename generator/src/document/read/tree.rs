//! Builds the tree of a file from events, which come in the order of the text.

use thiserror::Error;

use super::fields::{Fields, Name};
use crate::tree::{FileIndex, Location, Node, NodeId, Object, Span, Value, last_before};

/// The maximum nesting of arrays and objects.
pub const DEEPEST: usize = 127;

/// The name of a merge key.
pub(super) const MERGE_KEY: &str = "<<";

/// The reason why a tree accepts no further nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("the document is nested too deeply")]
    TooDeep,
    /// Nested aliases can expand a short text to any number of nodes.
    #[error("aliases expand to too many values")]
    TooMany,
    #[error("an alias is part of the value that it stands for")]
    Circular,
    #[error("the value of a merge key (`<<`) must be an object or a list of objects")]
    NotMergeable,
    #[error("an alias stands for the value of a merge key (`<<`); put the anchor on another field")]
    Merged,
}

/// A tree that is being built.
///
/// It numbers the nodes in the order in which they start.
#[derive(Debug)]
pub struct Tree {
    /// The file that the nodes are in.
    file: FileIndex,
    /// The id of the next node.
    next: NodeId,
    /// The number of nodes that may still be added.
    left: usize,
    /// The arrays and objects that have not ended. The first one contains all others.
    open: Vec<Open>,
    root: Option<Node>,
}

/// An array or object that has not ended.
#[derive(Debug)]
struct Open {
    id: NodeId,
    location: Option<Location>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Array(Vec<Node>),
    Object(Fields),
}

impl Tree {
    /// Creates a tree of a file with at most `most` nodes, which are numbered from `first`.
    pub fn new(file: usize, first: NodeId, most: usize) -> Self {
        Self { file: FileIndex::new(file), next: first, left: most, open: Vec::new(), root: None }
    }

    /// Returns the id of the next node.
    pub fn next_id(&self) -> NodeId {
        self.next
    }

    /// Returns whether the next event is the name of a field.
    pub fn expects_name(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Object(Fields { next: None, .. }), .. }))
    }

    /// Adds the name of a field.
    pub fn name(&mut self, name: String, span: Option<Span>) {
        self.next_field(Name { text: name, span, is_merge: false });
    }

    /// Adds a merge key. Its value must be an object or a list of objects, whose fields replace it.
    pub(super) fn merge_key(&mut self, span: Option<Span>) {
        self.next_field(Name { text: MERGE_KEY.to_owned(), span, is_merge: true });
    }

    fn next_field(&mut self, name: Name) {
        if let Some(Open { content: Content::Object(fields), .. }) = self.open.last_mut() {
            fields.next = Some(name);
        }
    }

    /// Adds a scalar.
    pub fn scalar(&mut self, value: Value, span: Option<Span>) -> Result<(), Refusal> {
        let node = Node { id: self.take(1)?, location: self.location(span, true), value };
        self.add(node)
    }

    /// Starts an array.
    pub fn start_array(&mut self, span: Option<Span>) -> Result<(), Refusal> {
        self.start(span, Content::Array(Vec::new()))
    }

    /// Starts an object.
    pub fn start_object(&mut self, span: Option<Span>) -> Result<(), Refusal> {
        self.start(span, Content::Object(Fields::default()))
    }

    fn start(&mut self, span: Option<Span>, content: Content) -> Result<(), Refusal> {
        if self.open.len() >= DEEPEST {
            return Err(Refusal::TooDeep);
        }
        let open = Open { id: self.take(1)?, location: self.location(span, false), content };
        self.open.push(open);
        Ok(())
    }

    /// Ends the array or object that was started last.
    pub fn end(&mut self) -> Result<(), Refusal> {
        let Some(Open { id, location, content }) = self.open.pop() else { return Ok(()) };
        // The tree lives as long as the run, so it keeps no unused capacity.
        let value = match content {
            Content::Array(mut items) => {
                items.shrink_to_fit();
                Value::Array(items)
            }
            Content::Object(fields) => {
                let mut fields = fields.finish();
                fields.shrink_to_fit();
                Value::Object(Object::new(fields))
            }
        };
        self.add(Node { id, location, value })
    }

    /// Adds a copy of the node with this id. Its source location is that of the alias.
    pub fn copy(&mut self, id: NodeId, span: Option<Span>) -> Result<(), Refusal> {
        let original = self.original(id)?;
        if self.open.len() + original.levels() > DEEPEST {
            return Err(Refusal::TooDeep);
        }
        let count = original.last_id().0 - id.0 + 1;
        let mut copy = original.clone();
        let first = self.take(count)?;
        copy.walk_mut(&mut |node| node.id.0 = node.id.0 - id.0 + first.0);
        copy.location = self.location(span, true);
        self.add(copy)
    }

    /// Returns the node with this id, for which an alias stands.
    ///
    /// # Errors
    /// It has not ended, or its fields have replaced a merge key.
    pub(super) fn original(&self, id: NodeId) -> Result<&Node, Refusal> {
        let is_open = self.open.iter().any(|open| open.id == id);
        self.find(id).ok_or(if is_open { Refusal::Circular } else { Refusal::Merged })
    }

    fn find(&self, id: NodeId) -> Option<&Node> {
        let level = self.open.partition_point(|open| open.id < id).checked_sub(1);
        match &self.open.get(level?)?.content {
            Content::Array(items) => last_before(items, id, |item| item)?.1.find(id),
            Content::Object(fields) => last_before(fields.as_slice(), id, |(_, node)| node)?.1.find(id),
        }
    }

    /// Returns the root. A text without any value is `null`.
    pub fn finish(self) -> Node {
        let nothing = Node { id: self.next_id(), location: None, value: Value::Null };
        self.root.unwrap_or(nothing)
    }

    fn location(&self, span: Option<Span>, is_scalar: bool) -> Option<Location> {
        let name = match self.open.last() {
            Some(Open { content: Content::Object(fields), .. }) => {
                fields.next.as_ref().and_then(|name| name.span)
            }
            _ => None,
        };
        let name = name.or(span)?;
        Some(Location { value: span.filter(|_| is_scalar).unwrap_or(name), name, file: self.file })
    }

    fn add(&mut self, node: Node) -> Result<(), Refusal> {
        match self.open.last_mut().map(|open| &mut open.content) {
            Some(Content::Array(items)) => items.push(node),
            Some(Content::Object(fields)) => fields.add(node)?,
            None => self.root = Some(node),
        }
        Ok(())
    }

    /// Returns the first of this number of ids.
    fn take(&mut self, count: u32) -> Result<NodeId, Refusal> {
        let nodes = usize::try_from(count).unwrap_or(usize::MAX);
        self.left = self.left.checked_sub(nodes).ok_or(Refusal::TooMany)?;
        let first = self.next;
        self.next = NodeId(first.0.checked_add(count).ok_or(Refusal::TooMany)?);
        Ok(first)
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.to_string()
    }
}
