//! Where each node of a document stands in its text.
//!
//! The index is built when the first diagnostic asks for a position: one pass over the parser's events, which come in
//! the same order as a depth-first walk over the nodes.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

use super::Node;

/// A place in a text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A stretch of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// Where it begins.
    pub start: Position,
    /// How many characters it holds; at least 1.
    pub length: usize,
}

impl Range {
    fn of(span: saphyr_parser::Span) -> Self {
        let start = Position { line: span.start.line(), column: span.start.col() + 1 };
        let length = if span.start.line() == span.end.line() {
            span.end.col().saturating_sub(span.start.col())
        } else {
            1
        };
        Self { start, length: length.max(1) }
    }
}

/// Where one node stands.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// The name it stands under, if it is a field of an object.
    name: Option<Range>,
    /// Its value, or where the value begins.
    value: Range,
    /// Whether the value is told best by itself, not by its name.
    scalar: bool,
}

/// The positions of all nodes.
#[derive(Debug)]
pub struct Spans(HashMap<usize, Span>);

impl Spans {
    /// Finds the position of every node of `root` in `text`. Where the text can't be followed (it was parsed by
    /// another parser, after all), nodes have no position.
    pub fn new(root: &Node, text: &str) -> Self {
        let in_order = spans_in_order(text).unwrap_or_default();
        let mut spans = HashMap::with_capacity(in_order.len());
        let mut in_order = in_order.into_iter();
        root.walk(&mut |node| {
            if let Some(span) = in_order.next() {
                spans.insert(node.address(), span);
            }
        });
        Self(spans)
    }

    /// The position of a node: of the value if it is a scalar, of the name it stands under if it is not.
    pub fn get(&self, node: &Node) -> Option<Range> {
        self.by_address(node.address())
    }

    pub(crate) fn by_address(&self, address: usize) -> Option<Range> {
        let span = self.0.get(&address)?;
        Some(if span.scalar { span.value } else { span.name.unwrap_or(span.value) })
    }

    /// The position of the name that a node stands under; of the node itself if it has none.
    pub(crate) fn name_by_address(&self, address: usize) -> Option<Range> {
        let span = self.0.get(&address)?;
        Some(span.name.unwrap_or(span.value))
    }
}

/// An open array or object of the event stream.
struct Open {
    /// Where in the list its nodes begin.
    first: usize,
    /// Its anchor, or 0.
    anchor: usize,
    /// In an object: whether a name comes next, or a value.
    names: Option<Awaited>,
}

enum Awaited {
    Name,
    Value(Range),
}

/// The span of every value, depth first.
fn spans_in_order(text: &str) -> Option<Vec<Span>> {
    let mut spans: Vec<Span> = Vec::new();
    let mut anchors: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let value = Range::of(span);
        match event {
            Event::Scalar(_, _, anchor, _) => {
                if take_name(&mut open, value) {
                    continue;
                }
                let name = take_value(&mut open);
                remember(&mut anchors, anchor, spans.len(), spans.len() + 1);
                spans.push(Span { name, value, scalar: true });
            }
            Event::Alias(anchor) => {
                if take_name(&mut open, value) {
                    continue;
                }
                let name = take_value(&mut open);
                let (first, end) = *anchors.get(&anchor)?;
                let below = spans.get(first + 1..end)?.to_vec();
                spans.push(Span { name, value, scalar: true });
                spans.extend(below);
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                let name = take_value(&mut open);
                let names = matches!(event, Event::MappingStart(..)).then_some(Awaited::Name);
                open.push(Open { first: spans.len(), anchor, names });
                spans.push(Span { name, value, scalar: false });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let closed = open.pop()?;
                remember(&mut anchors, closed.anchor, closed.first, spans.len());
            }
            Event::DocumentEnd => break,
            _ => {}
        }
    }
    Some(spans)
}

/// Takes a scalar as a name, if the innermost object awaits one.
fn take_name(open: &mut [Open], range: Range) -> bool {
    match open.last_mut().and_then(|innermost| innermost.names.as_mut()) {
        Some(awaited @ Awaited::Name) => {
            *awaited = Awaited::Value(range);
            true
        }
        _ => false,
    }
}

/// Notes that the awaited value has come; its name's range, if it has a name.
fn take_value(open: &mut [Open]) -> Option<Range> {
    match open.last_mut().and_then(|innermost| innermost.names.as_mut())? {
        awaited @ Awaited::Value(_) => match std::mem::replace(awaited, Awaited::Name) {
            Awaited::Value(range) => Some(range),
            Awaited::Name => None,
        },
        Awaited::Name => None,
    }
}

fn remember(anchors: &mut HashMap<usize, (usize, usize)>, anchor: usize, first: usize, end: usize) {
    if anchor != 0 {
        anchors.insert(anchor, (first, end));
    }
}
