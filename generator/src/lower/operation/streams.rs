//! Streamed bodies: raw bytes, and items such as the events of `text/event-stream`.
//!
//! Only request bodies and the bodies of successful responses are streams. An error is a value that can be
//! inspected and compared.
//!
//! Documents describe events in two ways. `schema` usually describes the data of an event, `itemSchema` the
//! whole event as an object with `event` and `data`. The properties of the schema determine which.

use std::collections::HashSet;

use crate::{
    diagnostics::{Code, UnlocatedDiagnostic},
    document::{Document, media},
    ir::{ContentFormat, Framing, Kind, Schema, Stream, TextRules, Type, Xml},
    lower::{
        operation::state::Operations,
        position::{Role, SchemaPosition},
        xml,
    },
    tree::{Node, NodeRef},
};

/// The use of a body, which determines whether it is a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Flow {
    /// The body of a webhook or callback, which only becomes a type.
    Webhook,
    /// The body of a request.
    Sent,
    /// The body of a successful response.
    Response,
    /// The body of an error, which is not a stream.
    Failed,
    /// The body of a shared response as an error. As a success it is read again.
    Shared,
    /// A response to which HTTP gives no body.
    Bodiless,
}

/// The maximum number of steps from an event's schema to its properties.
const MAX_STEPS: usize = 8;

/// The keywords that constrain an array as a whole, or its items by position.
const ARRAY_RULES: [&str; 9] = [
    "contains",
    "maxContains",
    "maxItems",
    "minContains",
    "minItems",
    "prefixItems",
    "unevaluatedItems",
    "uniqueItems",
    "x-rules",
];

/// The properties of an event.
const EVENT_FIELDS: [&str; 5] = ["event", "data", "id", "retry", "comment"];

impl Flow {
    /// Returns the format of a body with this use, given the format of its media type.
    pub fn format(self, format: ContentFormat, schema: Option<NodeRef<'_>>) -> ContentFormat {
        match format {
            ContentFormat::Items(_) if !matches!(self, Self::Sent | Self::Response) => ContentFormat::Bytes,
            // Multipart errors are raw bytes.
            ContentFormat::Multipart if matches!(self, Self::Failed | Self::Shared) => ContentFormat::Bytes,
            // A string schema describes the text of all items.
            ContentFormat::Items(Framing::Lines | Framing::Sequence) if schema.is_some_and(is_text) => {
                ContentFormat::Bytes
            }
            format => format,
        }
    }

    /// Returns the form of the root, if a body with this use is typed as XML. `content` is the node of the media type.
    pub fn xml(self, document: &Document, media_type: &str, content: NodeRef<'_>) -> Option<Xml> {
        if self == Self::Webhook { None } else { xml::root(document, media_type, content) }
    }

    /// Returns the type of a body of raw bytes with this use.
    pub fn bytes(self) -> Schema {
        Schema::new(match self {
            Self::Webhook | Self::Failed | Self::Shared | Self::Bodiless => Type::Bytes,
            Self::Sent | Self::Response => Type::Stream(Box::new(Stream::Bytes)),
        })
    }
}

fn is_text(schema: NodeRef<'_>) -> bool {
    schema.get("type").and_then(Node::as_str) == Some("string") && !media::is_structured(schema)
}

/// Returns whether these contents have different types in a success and in an error.
pub(in crate::lower) fn has_streams(document: &Document, contents: Option<NodeRef<'_>>) -> bool {
    contents.into_iter().flat_map(Node::entries).any(|(media_type, content)| {
        let essence = media::essence(media_type);
        let format = media::format(&essence, content.get("schema"));
        matches!(format, ContentFormat::Bytes | ContentFormat::Items(_) | ContentFormat::Multipart)
            && Flow::Response.xml(document, &essence, content).is_none()
    })
}

/// Helps to type a body in XML.
pub(in crate::lower) fn help_xml(warning: &mut UnlocatedDiagnostic, media_type: &str, flow: Flow) {
    if media::is_xml(media_type) && flow != Flow::Webhook {
        warning.help("give each element without a name one: `xml: {name: …}`");
    }
}

impl<'d> Operations<'d, '_> {
    /// Returns the type of a body of items. `content` is the node of the media type.
    pub fn items(
        &mut self,
        framing: Framing,
        content: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        flow: Flow,
    ) -> Schema {
        if flow == Flow::Sent {
            self.report_unchecked_rules(content);
        }
        let position = position.items();
        if framing != Framing::Events {
            let item = match self.item_node(content) {
                Some(node) => self.schema(node, &position),
                None => Schema::new(Type::Any),
            };
            return Schema::new(Type::Stream(Box::new(Stream::Items(item))));
        }
        let document = self.document;
        let whole = media::event_schema(document, content);
        let stream = match whole.and_then(|event| self.data_of_event(event)) {
            Some(data) => Stream::Events(self.schema(data, &position)),
            None => {
                self.report_unread_content(whole);
                self.events(content, whole, &position.in_role(whole.map_or(Role::Plain, |_| Role::Event)))
            }
        };
        Schema::new(Type::Stream(Box::new(stream)))
    }

    /// Returns the stream of events. `whole` is the schema of one event, if the document has it.
    fn events(
        &mut self,
        content: NodeRef<'d>,
        whole: Option<NodeRef<'d>>,
        position: &SchemaPosition<'d>,
    ) -> Stream {
        let Some(node) = whole.or_else(|| self.item_node(content)) else {
            return Stream::Events(Schema::new(Type::Text(TextRules::default())));
        };
        let item = self.schema(node, position);
        if self.is_event(&item, MAX_STEPS) {
            return Stream::Items(item);
        }
        if whole.is_some() && self.is_3_2() && item.ty != Type::Any {
            let message = "the schema describes no event with `data`; it is used as the schema of the data";
            self.warn(Code::BadContent, node, message)
                .help("an event is an object with `data`, `event`, `id` and `retry`");
        }
        // The data of an event is text, never binary.
        Stream::Events(match item.ty {
            Type::Bytes | Type::File => Schema { ty: Type::Text(TextRules::default()), ..item },
            _ => item,
        })
    }

    /// Returns the schema of one item: `itemSchema`, or `schema`.
    ///
    /// `schema` describes all items, as an array. Many documents describe one item instead.
    fn item_node(&mut self, content: NodeRef<'d>) -> Option<NodeRef<'d>> {
        if let Some(item) = content.get("itemSchema") {
            return Some(item);
        }
        let schema = content.get("schema")?;
        let document = self.document;
        if let Some(items) = media::items_of(document, schema) {
            return Some(items);
        }
        let is_array = document
            .resolve(schema)
            .is_ok_and(|resolved| resolved.node.get("type").and_then(Node::as_str) == Some("array"));
        if is_array {
            return None;
        }
        if self.is_3_2() && media::is_structured(schema) {
            let message = "the schema of all items is not an array; it is used as the schema of one item";
            self.warn(Code::BadContent, schema, message).help("write the schema of one item in `itemSchema`");
        }
        Some(schema)
    }

    /// Reports constraints on all items of a request, which is never complete while it is read.
    pub fn report_unchecked_rules(&mut self, content: NodeRef<'d>) {
        let Some(schema) = content.get("schema") else { return };
        let Ok(resolved) = self.document.resolve(schema) else { return };
        for (keyword, node) in resolved.node.entries().filter(|(name, _)| ARRAY_RULES.contains(name)) {
            let message = format!("`{keyword}` is not checked, because items are processed as they arrive");
            self.warn(Code::Unsupported, node, message);
        }
    }

    /// Reports data whose `contentSchema` is not read, because its component is not only an event.
    fn report_unread_content(&mut self, event: Option<NodeRef<'d>>) {
        let unread = event.and_then(|event| self.components.unread_content(event, None, &mut HashSet::new()));
        let Some((content, other)) = unread else { return };
        let message = "`contentSchema` of an event is not read, because its component has other uses; the data is a string";
        self.warn(Code::Unsupported, content, message)
            .label(other, "also used here")
            .help("give the event a component of its own");
    }

    /// Returns the schema of an event's data in the form `contentSchema`, if the event's other fields are plain.
    fn data_of_event(&self, item: NodeRef<'d>) -> Option<NodeRef<'d>> {
        const PLAIN: [&str; 7] = ["type", "format", "title", "description", "minimum", "example", "examples"];
        let event = self.document.resolve(item).ok()?.node;
        if event.get("oneOf").or(event.get("anyOf")).or(event.get("allOf")).is_some() {
            return None;
        }
        let properties = event.get("properties")?;
        let is_plain = |(name, field): (&str, NodeRef<'_>)| {
            name == "data"
                || EVENT_FIELDS.contains(&name)
                    && field.entries().all(|(keyword, _)| PLAIN.contains(&keyword))
        };
        let content = properties.get("data")?.get("contentSchema")?;
        properties.entries().all(is_plain).then_some(content)
    }

    /// Returns whether a schema describes a whole event and not only its data.
    fn is_event(&self, schema: &Schema, steps: usize) -> bool {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else { return false };
        match self.types.kind(*id) {
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
    pub fn report_raw_contents(&mut self, error: NodeRef<'d>) {
        for (written, content) in error.get("content").into_iter().flat_map(Node::entries) {
            let content = media::target(self.document, content);
            let (media_type, schema) = (media::essence(written), content.get("schema"));
            let format = Flow::Failed.format(media::format(&media_type, schema), schema);
            let is_typed = Flow::Failed.xml(self.document, &media_type, content).is_some();
            if format == ContentFormat::Bytes && !is_typed {
                self.report_raw(&media_type, schema, Flow::Failed);
            }
        }
    }

    /// Reports a structured body that is treated as raw bytes.
    pub fn report_raw(&mut self, media_type: &str, schema: Option<NodeRef<'d>>, flow: Flow) {
        let document = self.document;
        if let Some(node) = schema.filter(|schema| media::is_structured(media::target(document, schema))) {
            let message = format!("unsupported schema for `{media_type}`; the body is raw bytes");
            let warning = self.warn(Code::Unsupported, node, message);
            help_xml(warning, media_type, flow);
        }
    }
}
