//! Streamed bodies: raw bytes, and items such as the events of `text/event-stream`.
//!
//! Only request bodies and the bodies of successful responses are streams. An error is a value that can be
//! inspected and compared. Items in requests are bytes, because a server that validates items one by one
//! can't reject the request as a whole.
//!
//! Documents describe events in two ways. Most describe the data of an event, some the whole event as an
//! object with `event` and `data`. The properties of the schema determine which.

use crate::{
    diagnostics::Code,
    document::{Node, NodeRef},
    ir::{ContentFormat, Framing, Kind, Schema, Stream, TextRules, Type},
    lower::{context::Reporting, media, operation::state::Operations, place::Place},
};

/// The use of a body, which determines whether it is a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Flow {
    /// The body of a callback, which only becomes a type.
    Told,
    /// The body of a request.
    Sent,
    /// The body of a successful response.
    Answered,
    /// The body of an error, which is not a stream.
    Failed,
    /// The body of a shared response as an error. As a success it is read again.
    Shared,
}

/// The maximum number of steps from an event's schema to its properties.
const MOST_STEPS: usize = 8;

/// The properties of an event.
const EVENT_FIELDS: [&str; 5] = ["event", "data", "id", "retry", "comment"];

impl Flow {
    /// Returns the format of a body with this use, given the format of its media type.
    pub fn format(self, format: ContentFormat, schema: Option<NodeRef<'_>>) -> ContentFormat {
        match format {
            ContentFormat::Items(_) if self != Self::Answered => ContentFormat::Bytes,
            // Multipart responses are raw bytes.
            ContentFormat::Multipart if !matches!(self, Self::Told | Self::Sent) => ContentFormat::Bytes,
            // A string schema describes the text of all items.
            ContentFormat::Items(Framing::Lines | Framing::Sequence) if schema.is_some_and(is_text) => {
                ContentFormat::Bytes
            }
            format => format,
        }
    }

    /// Returns the type of a body of raw bytes with this use.
    pub fn bytes(self) -> Schema {
        Schema::new(match self {
            Self::Told | Self::Failed | Self::Shared => Type::Bytes,
            Self::Sent | Self::Answered => Type::Stream(Box::new(Stream::Bytes)),
        })
    }
}

fn is_text(schema: NodeRef<'_>) -> bool {
    schema.get("type").and_then(Node::as_str) == Some("string") && !media::is_structured(schema)
}

/// Returns whether these contents have different types in a success and in an error.
pub(in crate::lower) fn has_streams(contents: Option<NodeRef<'_>>) -> bool {
    contents.into_iter().flat_map(Node::entries).any(|(media_type, content)| {
        let format = media::format(&media::essence(media_type), content.get("schema"));
        matches!(format, ContentFormat::Bytes | ContentFormat::Items(_) | ContentFormat::Multipart)
    })
}

impl<'d> Operations<'d, '_> {
    /// Returns the type of a body of items. `content` is the node of the media type.
    pub fn items(&mut self, framing: Framing, content: NodeRef<'d>, place: &Place<'d>) -> Schema {
        let item = match self.item_node(content) {
            Some(node) => self.schemas.schema(node, &place.items()),
            None if framing == Framing::Events => Schema::new(Type::Text(TextRules::default())),
            None => Schema::new(Type::Any),
        };
        let stream = match framing {
            Framing::Events if !self.is_event(&item, MOST_STEPS) => Stream::Events(textual(item)),
            _ => Stream::Items(item),
        };
        Schema::new(Type::Stream(Box::new(stream)))
    }

    /// Returns the schema of one item: `itemSchema` of OpenAPI 3.2, or `schema`.
    ///
    /// `schema` usually describes one item. If it is an array, it describes all of them.
    fn item_node(&mut self, content: NodeRef<'d>) -> Option<NodeRef<'d>> {
        if let Some(item) = content.get("itemSchema") {
            return Some(self.data_of_event(item).unwrap_or(item));
        }
        let schema = content.get("schema")?;
        let resolved = self.context().document.resolve(schema).ok()?.node;
        let is_array = resolved.get("type").and_then(Node::as_str) == Some("array");
        resolved.get("items").filter(|_| is_array).or(Some(schema))
    }

    /// Returns the `contentSchema` of an event's data, if that is all the schema has.
    fn data_of_event(&self, item: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let event = self.context().document.resolve(item).ok()?.node;
        let mut properties = event.get("properties")?.entries();
        let (name, data) = properties.next()?;
        let is_alone = name == "data" && properties.next().is_none();
        data.get("contentSchema").filter(|_| is_alone)
    }

    /// Returns whether a schema describes a whole event and not only its data.
    fn is_event(&self, schema: &Schema, steps: usize) -> bool {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else { return false };
        match self.schemas.types.kind(*id) {
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

    /// Reports the contents of a shared error response that are raw bytes.
    pub fn say_raw_contents(&mut self, error: NodeRef<'d>) {
        for (written, content) in error.get("content").into_iter().flat_map(Node::entries) {
            let (media_type, schema) = (media::essence(written), content.get("schema"));
            if Flow::Failed.format(media::format(&media_type, schema), schema) == ContentFormat::Bytes {
                self.say_raw(&media_type, schema);
            }
        }
    }

    /// Reports a structured body that is treated as raw bytes.
    pub fn say_raw(&mut self, media_type: &str, schema: Option<NodeRef<'d>>) {
        // A reference that leads nowhere is reported where the schema is read.
        let target =
            |schema| self.context().document.resolve(schema).map_or(schema, |resolved| resolved.node);
        if let Some(node) = schema.filter(|schema| media::is_structured(target(schema))) {
            let message = format!("unsupported schema for `{media_type}`; the body is raw bytes");
            self.warn(Code::Unsupported, node, message);
        }
    }
}

/// Replaces binary data by text, because the data of an event is text.
fn textual(data: Schema) -> Schema {
    match data.ty {
        Type::Bytes | Type::File => Schema { ty: Type::Text(TextRules::default()), ..data },
        _ => data,
    }
}
