//! Request bodies, and the contents of bodies and responses, one per media type.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{
        Body, Choice, ChoiceRole, ChoiceVariant, Content, ContentFormat, Docs, Encodings, Framing, Ident,
        Kind, Origin, Schema, TextRules, Type,
    },
    lower::{
        operation::{
            state::{Operations, Owner},
            streams::{Flow, help_xml},
        },
        position::{Role, SchemaPosition},
        schema::state::XmlRoot,
        types::named,
    },
    names,
    tree::{Node, NodeRef},
};

const TEXT: &str = "text/plain";

/// Media types whose bodies are read and written in the same way.
struct Group<'d> {
    /// The one that is sent.
    media_type: String,
    /// The others.
    also: Vec<String>,
    format: ContentFormat,
    node: NodeRef<'d>,
    /// The position of the types, if the media type is a component.
    component: Option<SchemaPosition<'d>>,
}

impl Group<'_> {
    fn names(&self, media_type: &str) -> bool {
        self.media_type == media_type || self.also.iter().any(|also| also == media_type)
    }

    /// Returns whether a media type is only a name of the format. Others, such as `image/png`, say what the bytes are.
    fn names_format(&self) -> bool {
        use ContentFormat::{Items, Json, Xml};
        matches!(self.format, Json | Xml | Items(Framing::Lines | Framing::Sequence))
    }

    fn is_equal(&self, other: &Self) -> bool {
        self.format == other.format
            && ["schema", "itemSchema"].iter().all(|name| self.node.get(name) == other.node.get(name))
    }

    /// Adds a media type. The first one that is neither a range nor plain text is sent.
    fn add(&mut self, media_type: String) {
        let is_sent = |media_type: &str| !media_type.contains('*') && media_type != TEXT;
        let is_better = !is_sent(&self.media_type) && is_sent(&media_type);
        self.also.push(if is_better {
            std::mem::replace(&mut self.media_type, media_type)
        } else {
            media_type
        });
    }
}

impl<'d> Operations<'d, '_> {
    /// Lowers a request body. The types of inline schemas in a component belong to the component.
    pub fn body(&mut self, node: NodeRef<'d>, owner: &Owner, limit: Option<u64>, flow: Flow) -> Option<Body> {
        let resolved = self.resolve_in(node, "requestBodies", "a request body")?;
        let component = resolved.component("requestBodies");
        let node = self.object(resolved.node, "a request body")?;
        self.check_fields(node, "a request body", &["description", "content", "required"]);
        let owner =
            component.map_or_else(|| owner.clone(), |name| self.component_owner(&name, "request body"));
        let required = self.flag(node, "required").unwrap_or_default();
        let content = node.get("content");
        if content.is_none() {
            self.error(Code::MissingField, node, "missing field `content` in request body");
        }
        let contents = self.contents(content?, &owner, ("Body", "RequestBody"), "the body", flow);
        if contents.is_empty() {
            self.warn(Code::BadContent, node, "the request body has no media type, so it is left out");
            return None;
        }
        let schema = self.content_schema(&contents, content?, &owner, ("Body", "RequestBody"), "the body");
        let required_at = Origin::of_field(node, "required");
        Some(Body { required, required_at, limit, contents, schema, origin: Origin::of(node) })
    }

    /// Returns the contents of a body, one per media type.
    pub fn contents(
        &mut self,
        node: NodeRef<'d>,
        owner: &Owner,
        (part, long): (&str, &str),
        origin: &str,
        flow: Flow,
    ) -> Vec<Content> {
        if self.object(node, "`content`").is_none() {
            return Vec::new();
        }
        let groups = self.groups(node, flow);
        let several = groups.len() > 1;
        let mut contents: Vec<Content> = Vec::with_capacity(groups.len());
        for Group { media_type, also, node, component, .. } in groups {
            let name = names::pascal(&names::media_type_name(&media_type));
            let position = if let Some(position) = component {
                position
            } else if several {
                owner.position(&format!("{name}{part}"), &format!("{name}{long}"), origin)
            } else {
                owner.position(part, long, origin)
            };
            contents.push(Content { also, ..self.content(media_type, node, &position, flow) });
        }
        contents
    }

    /// Returns the media types of a body, without those that only repeat another one under another name.
    fn groups(&mut self, node: NodeRef<'d>, flow: Flow) -> Vec<Group<'d>> {
        let mut groups: Vec<Group<'d>> = Vec::with_capacity(node.entries().len());
        for (written, content) in node.entries() {
            let Some((content, component)) = self.media_type_of(content) else { continue };
            let media_type = media::essence(written);
            if !media_type.contains('/') {
                self.warn(Code::BadContent, content, format!("invalid media type `{written}`"));
            }
            let schema = content.get("schema");
            let is_typed_xml = flow.xml(self.document, &media_type, content).is_some();
            let format = match media::format(&media_type, schema) {
                _ if is_typed_xml => ContentFormat::Xml,
                _ if self.is_json_as_text(&media_type, content, node) => ContentFormat::Json,
                format => flow.format(format, schema),
            };
            let group = Group { media_type, also: Vec::new(), format, node: content, component };
            if let Some(known) = groups.iter().find(|known| known.names(&group.media_type)) {
                if !known.is_equal(&group) {
                    let message =
                        format!("duplicate media type `{}`; the first one is used", group.media_type);
                    self.warn(Code::BadContent, content, message);
                }
                continue;
            }
            match groups.iter_mut().find(|known| known.names_format() && known.is_equal(&group)) {
                Some(known) => known.add(group.media_type),
                None => groups.push(group),
            }
        }
        groups
    }

    /// Returns whether a content of plain text is that of JSON under another name.
    ///
    /// Frameworks such as ASP.NET list both for every operation, and send what is not a string as JSON.
    fn is_json_as_text(&self, media_type: &str, content: NodeRef<'d>, all: NodeRef<'d>) -> bool {
        let document = self.document;
        let schema = content.get("schema").map(|schema| media::target(document, schema));
        let is_json = |(name, other): (&str, NodeRef<'d>)| {
            let essence = media::essence(name);
            !essence.contains('*')
                && media::format(&essence, None) == ContentFormat::Json
                && media::target(document, other).get("schema") == content.get("schema")
        };
        media_type == TEXT && schema.is_some_and(media::is_never_text) && all.entries().any(is_json)
    }

    /// Follows a reference to a media type. Also returns the position of its types if it is a component.
    pub fn media_type_of(&mut self, node: NodeRef<'d>) -> Option<(NodeRef<'d>, Option<SchemaPosition<'d>>)> {
        let resolved = self.resolve_in(node, "mediaTypes", "a media type")?;
        let owner = resolved.component("mediaTypes").map(|name| self.component_owner(&name, "media type"));
        Some((resolved.node, owner.map(|owner| owner.position("", "Content", "the value"))))
    }

    fn content(
        &mut self,
        media_type: String,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        flow: Flow,
    ) -> Content {
        let schema = node.get("schema").filter(|_| node.is_object());
        if !node.is_object() {
            self.wrong_type(node, "a media type", "an object");
        }
        let format = flow.format(media::format(&media_type, schema), schema);
        let is_multipart = format == ContentFormat::Multipart;
        let position = if is_multipart { position.in_role(Role::Multipart) } else { position.clone() };
        self.check_item_schema(&media_type, node);
        if let Some(format) = self.parts_format(&media_type, node, flow) {
            return match self.positional_parts(format, node, &position, flow) {
                Some((schema, encodings)) => {
                    Content { encodings, ..Content::new(media_type, format, schema) }
                }
                None => Content::new(media_type, ContentFormat::Bytes, flow.bytes()),
            };
        }
        if let Some(xml) = flow.xml(self.document, &media_type, node) {
            let schema = schema.map_or_else(|| Schema::new(Type::Any), |node| self.schema(node, &position));
            if !has_text_example(node) {
                self.note_examples(&schema, node, false);
            }
            self.schemas.notes.xml_roots.push(XmlRoot { node, form: xml.clone() });
            return Content { xml: Some(xml), ..Content::new(media_type, ContentFormat::Xml, schema) };
        }
        let schema = match (format, schema) {
            (ContentFormat::Bytes, schema) => {
                if flow != Flow::Shared {
                    self.report_raw(&media_type, schema, flow);
                }
                flow.bytes()
            }
            (ContentFormat::Items(framing), _) => self.items(framing, node, &position, flow),
            (ContentFormat::Text, Some(node)) => {
                let schema = self.schema(node, &position);
                if self.is_scalar(&schema) {
                    schema
                } else {
                    if schema.ty != Type::Any {
                        let message = format!("unsupported schema for `{media_type}`; the body is a string");
                        let warning = self.warn(Code::Unsupported, node, message);
                        help_xml(warning, &media_type, flow);
                    }
                    Schema::new(Type::Text(TextRules::default()))
                }
            }
            (ContentFormat::Text, None) => Schema::new(Type::Text(TextRules::default())),
            (_, Some(node)) => self.schema(node, &position),
            (_, None) => Schema::new(Type::Any),
        };
        if !matches!(schema.ty, Type::Stream(_)) {
            self.note_examples(&schema, node, format == ContentFormat::Json);
        }
        let form = matches!(format, ContentFormat::Form | ContentFormat::Multipart);
        if let Some(node) = node.get("schema").filter(|_| form) {
            self.must_be_object(&schema, node, Code::BadContent, "the schema of a form must be an object");
        }
        let named = self.encodings(&media_type, node, format, &schema.ty);
        let encodings = Encodings { named, ..Encodings::default() };
        Content { encodings, ..Content::new(media_type, format, schema) }
    }

    /// Reports an `itemSchema` of a media type without items.
    fn check_item_schema(&mut self, media_type: &str, content: NodeRef<'d>) {
        let is_sequence = matches!(media::format(media_type, None), ContentFormat::Items(_))
            || media_type.starts_with("multipart/") && self.is_3_2();
        if let Some(node) = content.get("itemSchema").filter(|_| !is_sequence) {
            let message =
                format!("`itemSchema` has no effect for `{media_type}`, which is not a sequence of items");
            self.warn(Code::BadContent, node, message);
        }
    }

    /// Returns whether values of a schema are single values, which can be sent as text.
    pub fn is_scalar(&self, schema: &Schema) -> bool {
        match &self.types.unaliased(schema).ty {
            Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) => true,
            Type::Named { id, .. } => {
                matches!(self.types.kind(*id), Some(Kind::StringEnum(_) | Kind::IntegerEnum(_)))
            }
            _ => false,
        }
    }

    /// Returns the type of a body: nothing, the type of the only content, or a choice.
    pub fn content_schema(
        &mut self,
        contents: &[Content],
        node: NodeRef<'d>,
        owner: &Owner,
        (part, long): (&str, &str),
        origin: &str,
    ) -> Schema {
        match contents {
            [] => Schema::new(Type::Unit),
            [content] => content.schema.clone(),
            _ => {
                let media_types: Vec<&str> =
                    contents.iter().map(|content| content.media_type.as_str()).collect();
                let texts = names::media_type_names(&media_types);
                let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
                let idents = names::settle(&texts, names::Style::Variant);
                let variants = contents
                    .iter()
                    .zip(idents)
                    .map(|(content, ident)| ChoiceVariant {
                        ident: Ident(ident),
                        payload: content.schema.clone(),
                        docs: format!("`{}`", content.media_type),
                    })
                    .collect();
                let kind = Kind::Choice(Choice { role: ChoiceRole::Content, variants });
                // A component that several operations refer to has one type.
                let known = self.choices.get(&node.id()).copied();
                if let Some(id) = known.filter(|id| self.types.kind(*id) == Some(&kind)) {
                    return named(id);
                }
                let position = owner.position(part, long, origin);
                let id = self.types.reserve(&position, Some(node));
                self.types.fill(id, Docs::default(), kind);
                self.choices.insert(node.id(), id);
                named(id)
            }
        }
    }

    /// Reports a schema that is not an object where one is required.
    ///
    /// Forms and the style `deepObject` require objects.
    pub fn must_be_object(&mut self, schema: &Schema, node: NodeRef<'d>, code: Code, message: &str) {
        let types = &self.types;
        let is_scalar = match &types.unaliased(schema).ty {
            Type::Map(_) | Type::Any => false,
            Type::Named { id, .. } => {
                matches!(types.kind(*id), Some(Kind::StringEnum(_) | Kind::IntegerEnum(_)))
            }
            _ => true,
        };
        if is_scalar {
            self.warn(code, node, message);
        }
    }
}

/// Returns whether an example of a body is the text of the body.
fn has_text_example(content: NodeRef<'_>) -> bool {
    let named = content.get("examples").into_iter().flat_map(Node::entries);
    let values = named.filter_map(|(_, example)| example.get("value"));
    content.get("example").into_iter().chain(values).any(|example| example.as_str().is_some())
}
