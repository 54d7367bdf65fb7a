//! Where each node of a document stands in its text.
//!
//! The index is built when the first diagnostic asks for a position: one pass over the text, in which values come in the
//! same order as in a depth-first walk over the nodes. JSON has a scanner of its own; YAML is followed by its parser's
//! events.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser};

use super::{Node, json_spans};

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

/// A range as it is kept: a large document has a million of them.
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

/// Where one node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// The name it stands under, if it is a field of an object.
    pub(super) name: Option<Place>,
    /// Its value, or where the value begins.
    pub(super) value: Place,
    /// Whether the value is told best by itself, not by its name.
    pub(super) scalar: bool,
}

/// The positions of all nodes, by the nodes' addresses.
#[derive(Debug)]
pub struct Spans(Vec<(usize, Span)>);

impl Spans {
    /// Finds the position of every node of `root` in `text`. Where the text can't be followed (it was parsed by
    /// another parser, after all), nodes have no position.
    pub fn new(root: &Node, text: &str) -> Self {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let in_order = is_json.then(|| json_spans::spans_in_order(text)).flatten();
        let in_order = in_order.or_else(|| spans_in_order(text)).unwrap_or_default();
        let mut spans = Vec::with_capacity(in_order.len());
        let mut in_order = in_order.into_iter();
        root.walk(&mut |node| spans.extend(in_order.next().map(|span| (node.address(), span))));
        spans.sort_unstable_by_key(|(address, _)| *address);
        Self(spans)
    }

    fn span(&self, address: usize) -> Option<&Span> {
        let place = self.0.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        self.0.get(place).map(|(_, span)| span)
    }

    /// The position of a node: of the value if it is a scalar, of the name it stands under if it is not.
    pub fn get(&self, node: &Node) -> Option<Range> {
        self.by_address(node.address())
    }

    pub(crate) fn by_address(&self, address: usize) -> Option<Range> {
        let span = self.span(address)?;
        Some(if span.scalar { span.value } else { span.name.unwrap_or(span.value) }.range())
    }

    /// The position of the name that a node stands under; of the node itself if it has none.
    pub(crate) fn name_by_address(&self, address: usize) -> Option<Range> {
        let span = self.span(address)?;
        Some(span.name.unwrap_or(span.value).range())
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
    Value(Place),
}

/// The span of every value, depth first.
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

/// Takes a scalar as a name, if the innermost object awaits one.
fn take_name(open: &mut [Open], range: Place) -> bool {
    match open.last_mut().and_then(|innermost| innermost.names.as_mut()) {
        Some(awaited @ Awaited::Name) => {
            *awaited = Awaited::Value(range);
            true
        }
        _ => false,
    }
}

/// Notes that the awaited value has come; its name's range, if it has a name.
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
