//! Reads YAML: builds the tree from the events of granit's parser.

use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, options};

use super::{
    ReadError, Tree, scalar,
    tree::{DEEPEST, MERGE_KEY, Refusal},
};
use crate::{
    tree::Span,
    tree::{Node, NodeId, Position, Value},
};

pub(super) fn read(text: &str, tree: Tree) -> Result<Node, ReadError> {
    let mut reader = Reader { tree, anchors: HashMap::new(), has_document: false };
    let options = options! {
        block_scalar_eof_without_line_feed: true,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| unreadable(&error))?;
        reader.event(event, span).map_err(|message| at(span.start, &message))?;
    }
    Ok(reader.tree.finish())
}

/// Returns the error of the parser.
fn unreadable(error: &ScanError) -> ReadError {
    let message = match error.kind() {
        ErrorKind::RecursionLimitExceeded => Refusal::TooDeep.to_string(),
        kind => kind.to_string(),
    };
    at(*error.marker(), &message)
}

fn at(marker: Marker, message: &str) -> ReadError {
    let position = Position { line: marker.line().max(1), column: marker.col() + 1 };
    (Some(position), format!("invalid YAML: {message}"))
}

struct Reader {
    tree: Tree,
    anchors: HashMap<usize, Anchored>,
    has_document: bool,
}

/// The target of an alias.
enum Anchored {
    Node(NodeId),
    /// A field name, which is not a node.
    Name(Value),
}

impl Reader {
    /// Adds the part of the tree that an event stands for.
    fn event(&mut self, event: Event<'_>, span: granit_parser::Span) -> Result<(), String> {
        let span = Some(span_of(span));
        match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None)
                if text == MERGE_KEY && self.tree.expects_name() =>
            {
                self.tree.merge_key(span);
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar::value(text, style, tag.as_deref())?;
                if self.tree.expects_name() {
                    self.tree.name(scalar::name(&value)?, span);
                    self.remember(anchor, Anchored::Name(value));
                    return Ok(());
                }
                self.remember(anchor, Anchored::Node(self.tree.next_id()));
                self.tree.scalar(value, span)?;
            }
            Event::Alias(anchor) => self.alias(anchor, span)?,
            Event::SequenceStart(..) | Event::MappingStart(..) if self.tree.expects_name() => {
                return Err(scalar::NO_NAME.to_owned());
            }
            Event::SequenceStart(_, anchor, _) => {
                self.remember(anchor, Anchored::Node(self.tree.next_id()));
                self.tree.start_array(span)?;
            }
            Event::MappingStart(_, anchor, _) => {
                self.remember(anchor, Anchored::Node(self.tree.next_id()));
                self.tree.start_object(span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.tree.end()?,
            Event::DocumentStart(..) if self.has_document => {
                return Err("the file contains more than one document".to_owned());
            }
            Event::DocumentStart(..) => self.has_document = true,
            _ => {}
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Option<Span>) -> Result<(), String> {
        let anchored = self.anchors.get(&anchor).ok_or(Refusal::Circular)?;
        if self.tree.expects_name() {
            let value = match anchored {
                Anchored::Node(id) => self.tree.original(*id)?.value(),
                Anchored::Name(value) => value,
            };
            self.tree.name(scalar::name(value)?, span);
            return Ok(());
        }
        match anchored {
            Anchored::Node(id) => self.tree.copy(*id, span)?,
            Anchored::Name(value) => self.tree.scalar(value.clone(), span)?,
        }
        Ok(())
    }

    fn remember(&mut self, anchor: usize, anchored: Anchored) {
        if anchor != 0 {
            self.anchors.insert(anchor, anchored);
        }
    }
}

fn span_of(span: granit_parser::Span) -> Span {
    let is_one_line = span.start.line() == span.end.line();
    let length = if is_one_line { span.end.col().saturating_sub(span.start.col()) } else { 1 };
    Span::new(span.start.line(), span.start.col() + 1, length)
}
