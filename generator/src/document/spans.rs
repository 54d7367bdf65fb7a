//! The source locations of a document's nodes.
//!
//! The index is built when the first diagnostic needs a location, in one pass over the text. Values occur in
//! the text in the same order as in a depth-first walk over the nodes. JSON has its own scanner; for YAML,
//! the events of a parser give the locations.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

use super::{Node, NodeId, json_spans};

/// A position in a text. Lines and columns start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A range within one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The start.
    pub start: Position,
    /// The length in characters, at least 1.
    pub length: usize,
}

/// A range in compact form: a large document has a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) length: u32,
}

impl Place {
    fn of(span: saphyr_parser::Span) -> Self {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let length = if span.start.line() == span.end.line() {
            span.end.col().saturating_sub(span.start.col())
        } else {
            1
        };
        Self {
            line: small(span.start.line()),
            column: small(span.start.col() + 1),
            length: small(length.max(1)),
        }
    }

    fn range(self) -> Range {
        let large = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let start = Position { line: large(self.line), column: large(self.column) };
        Range { start, length: large(self.length) }
    }
}

/// The source location of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// The field name, if the node is a field of an object.
    pub(super) name: Option<Place>,
    /// The value, or the start of the value.
    pub(super) value: Place,
    /// Whether the node is a scalar.
    ///
    /// Diagnostics point at the value of a scalar, and at the name of other nodes.
    pub(super) scalar: bool,
}

/// The source locations of all nodes of a file.
#[derive(Debug)]
pub struct Spans {
    first: NodeId,
    spans: Vec<Span>,
}

impl Spans {
    /// Locates every node of `root` in `text`.
    ///
    /// The text was parsed by a different parser. If the scanner can't follow it, nodes have no source
    /// location.
    pub fn new(root: &Node, text: &str) -> Self {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let in_order = is_json.then(|| json_spans::spans_in_order(text)).flatten();
        let in_order = in_order.or_else(|| spans_in_order(text)).unwrap_or_default();
        Self { first: root.id(), spans: in_order }
    }

    fn span(&self, id: NodeId) -> Option<&Span> {
        self.spans.get(usize::try_from(id.0.checked_sub(self.first.0)?).ok()?)
    }

    /// Returns the location of a node: a scalar's value, or else its field name.
    pub fn get(&self, node: &Node) -> Option<Range> {
        self.by_id(node.id())
    }

    pub(crate) fn by_id(&self, id: NodeId) -> Option<Range> {
        let span = self.span(id)?;
        Some(if span.scalar { span.value } else { span.name.unwrap_or(span.value) }.range())
    }

    /// Returns the location of a node's field name, or of the node if it has none.
    pub(crate) fn name_by_id(&self, id: NodeId) -> Option<Range> {
        let span = self.span(id)?;
        Some(span.name.unwrap_or(span.value).range())
    }
}

/// An open array or object in the event stream.
struct Open {
    /// The index of its first span.
    first: usize,
    /// The id of its anchor, or 0.
    anchor: usize,
    /// For an object: whether a name or a value comes next.
    names: Option<Awaited>,
}

enum Awaited {
    Name,
    Value(Place),
}

/// Returns the span of every value, depth first, or `None` on a parser error.
fn spans_in_order(text: &str) -> Option<Vec<Span>> {
    let mut spans: Vec<Span> = Vec::new();
    let mut anchors: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        let value = Place::of(span);
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

/// Stores a scalar as field name if the innermost object expects one.
///
/// Returns whether it did.
fn take_name(open: &mut [Open], range: Place) -> bool {
    match open.last_mut().and_then(|innermost| innermost.names.as_mut()) {
        Some(awaited @ Awaited::Name) => {
            *awaited = Awaited::Value(range);
            true
        }
        _ => false,
    }
}

/// Marks the expected value as read.
///
/// Returns the location of its field name, if it has one.
fn take_value(open: &mut [Open]) -> Option<Place> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scanner_of_json_finds_what_the_parser_of_yaml_finds() {
        let text = r#"{
  "ä\"b": [1, -2.5e+3, true, null, "x:, {}[]\\", []],
  "c": {"d": {}, "é": "ö", "e": {"f": "\u00e4"}}, "g": [{"h": 1}, [[]]]
}
"#;
        let found = json_spans::spans_in_order(text).unwrap();
        assert_eq!(found.len(), 18);
        assert_eq!(Some(found), spans_in_order(text));
        for text in ["{", "[}", "{a: b}", "{\"a\": b # c\n}"] {
            assert_eq!(json_spans::spans_in_order(text), None, "{text}");
        }
    }
}
