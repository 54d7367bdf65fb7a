//! Bodies that come piece by piece: raw bytes, and items such as the events of `text/event-stream`.
//!
//! Only the body of a request and that of a success do: a failure is a value, to be looked at and compared. What a
//! request sends are bytes, because items that are checked one by one could not be refused as a whole.
//!
//! Documents describe events in two ways: most say what their data is, some what the whole event is, as an object of
//! `event` and `data`. What an event's schema has for fields tells which.

use super::{Lowering, media, place::Place};
use crate::{
    diagnostics::Code,
    document::Node,
    ir::{ContentFormat, Framing, Kind, Schema, Stream, TextRules, Type},
};

/// Where a body stands, and so whether it comes piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// A callback's: nothing but a type.
    Told,
    /// A request's.
    Sent,
    /// A success's.
    Answered,
    /// An error's, all at once.
    Failed,
    /// A shared response's, as an error. As a success it is read again.
    Shared,
}

/// How many steps an event's schema may be away from its fields.
const MOST_STEPS: usize = 8;

/// The fields of an event.
const EVENT_FIELDS: [&str; 5] = ["event", "data", "id", "retry", "comment"];

impl Flow {
    /// The format of a body here that is written in `format` anywhere.
    pub fn format(self, format: ContentFormat, schema: Option<&Node>) -> ContentFormat {
        match format {
            ContentFormat::Items(_) if self != Self::Answered => ContentFormat::Bytes,
            // Of no answer are parts read or written.
            ContentFormat::Multipart if !matches!(self, Self::Told | Self::Sent) => ContentFormat::Bytes,
            // A string is the text of all items.
            ContentFormat::Items(Framing::Lines | Framing::Sequence) if schema.is_some_and(is_text) => {
                ContentFormat::Bytes
            }
            format => format,
        }
    }

    /// The type of a body of raw bytes here.
    pub fn bytes(self) -> Schema {
        Schema::new(match self {
            Self::Told | Self::Failed | Self::Shared => Type::Bytes,
            Self::Sent | Self::Answered => Type::Stream(Box::new(Stream::Bytes)),
        })
    }
}

fn is_text(schema: &Node) -> bool {
    schema.get("type").and_then(Node::as_str) == Some("string") && !media::is_structured(schema)
}

/// Whether a response with these contents has another type as a success than as an error.
pub(super) fn has_streams(contents: Option<&Node>) -> bool {
    contents.into_iter().flat_map(Node::entries).any(|(media_type, content)| {
        let format = media::format(&media::essence(media_type), content.get("schema"));
        matches!(format, ContentFormat::Bytes | ContentFormat::Items(_) | ContentFormat::Multipart)
    })
}

impl<'d> Lowering<'d, '_> {
    /// The type of a body of items: `content` is the media type's node.
    pub fn items(&mut self, framing: Framing, content: &'d Node, place: &Place<'d>) -> Schema {
        let item = match self.item_node(content) {
            Some(node) => self.schema(node, &place.items()),
            None if framing == Framing::Events => Schema::new(Type::Text(TextRules::default())),
            None => Schema::new(Type::Any),
        };
        let stream = match framing {
            Framing::Events if !self.is_event(&item, MOST_STEPS) => Stream::Events(textual(item)),
            _ => Stream::Items(item),
        };
        Schema::new(Type::Stream(Box::new(stream)))
    }

    /// The schema of one item: OpenAPI 3.2's `itemSchema`, or `schema`, which describes one item as a rule, and where
    /// it is an array all of them.
    fn item_node(&mut self, content: &'d Node) -> Option<&'d Node> {
        if let Some(item) = content.get("itemSchema") {
            return Some(self.data_of_event(item).unwrap_or(item));
        }
        let schema = content.get("schema")?;
        let resolved = self.document.resolve(schema).ok()?.node;
        let is_array = resolved.get("type").and_then(Node::as_str) == Some("array");
        resolved.get("items").filter(|_| is_array).or(Some(schema))
    }

    /// What `contentSchema` says of an event's data, where it is all that the event's schema says.
    fn data_of_event(&self, item: &'d Node) -> Option<&'d Node> {
        let event = self.document.resolve(item).ok()?.node;
        let mut properties = event.get("properties")?.entries();
        let (name, data) = properties.next()?;
        let is_alone = name == "data" && properties.next().is_none();
        data.get("contentSchema").filter(|_| is_alone)
    }

    /// Whether a schema describes a whole event, and not its data alone.
    fn is_event(&self, schema: &Schema, steps: usize) -> bool {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else { return false };
        match self.types.get(id.0).and_then(|draft| draft.kind.as_ref()) {
            Some(Kind::Alias(schema)) => self.is_event(schema, steps),
            Some(Kind::Union(union)) => {
                union.variants.iter().all(|variant| self.is_event(&variant.schema, steps))
            }
            Some(Kind::Struct(def)) => {
                let has = |name: &str| def.fields.iter().any(|field| field.wire == name);
                has("data") && def.fields.iter().all(|field| EVENT_FIELDS.contains(&field.wire.as_str()))
            }
            _ => false,
        }
    }

    /// Says which contents of an error, that is a shared response, are nothing but bytes.
    pub fn say_raw_contents(&mut self, error: &'d Node) {
        for (written, content) in error.get("content").into_iter().flat_map(Node::entries) {
            let (media_type, schema) = (media::essence(written), content.get("schema"));
            if Flow::Failed.format(media::format(&media_type, schema), schema) == ContentFormat::Bytes {
                self.say_raw(&media_type, schema);
            }
        }
    }

    /// Says that a body which the schema describes is nothing but bytes.
    pub fn say_raw(&mut self, media_type: &str, schema: Option<&'d Node>) {
        if let Some(node) = schema.filter(|schema| media::is_structured(schema)) {
            let message = format!("unsupported schema for `{media_type}`; the body is raw bytes");
            self.warn(Code::Unsupported, node, message);
        }
    }
}

/// The data of an event is text: what is binary elsewhere can't be here.
fn textual(data: Schema) -> Schema {
    match data.ty {
        Type::Bytes | Type::File => Schema { ty: Type::Text(TextRules::default()), ..data },
        _ => data,
    }
}
