//! Values of parameters and headers: their schema or content, and their serialization.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{ContentFormat, Encoding, Location, Origin, Parameter, Schema, Style, TextRules, Type},
    lower::{operation::state::Operations, position::SchemaPosition},
    tree::NodeRef,
};

/// The value of a parameter: the format of its content, if it has `content`, and its schema.
struct Value {
    content: Option<ContentFormat>,
    schema: Schema,
    encodings: Vec<Encoding>,
}

impl Value {
    fn text(content: Option<ContentFormat>) -> Self {
        Self { content, schema: Schema::new(Type::Text(TextRules::default())), encodings: Vec::new() }
    }
}

impl<'d> Operations<'d, '_> {
    /// Lowers the parts that parameters and headers have in common.
    pub fn parameter_value(
        &mut self,
        node: NodeRef<'d>,
        name: &str,
        location: Location,
        position: &SchemaPosition<'d>,
    ) -> Parameter {
        let style = self.style(node, location);
        let explode = self.flag(node, "explode");
        self.flag(node, "deprecated");
        let allows_empty = self.flag(node, "allowEmptyValue").unwrap_or_default();
        let required = self.flag(node, "required").unwrap_or_default();
        let value = self.value_of(node, location, position);
        if style == Style::DeepObject {
            let at = node.get("style").unwrap_or(node);
            let message = "style `deepObject` requires an object schema";
            self.must_be_object(&value.schema, at, Code::BadParameter, message);
        }
        Parameter {
            name: name.to_owned(),
            location,
            required,
            required_at: Origin::of_field(node, "required"),
            style,
            explode: explode.unwrap_or(matches!(style, Style::Form | Style::DeepObject | Style::Cookie)),
            allow_reserved: self.allows_reserved(node, location, style, value.content),
            // OpenAPI defines it for the query. A required parameter can't be absent, so it has the empty value.
            allow_empty: allows_empty && location == Location::Query && !required,
            content: value.content,
            encodings: value.encodings,
            schema: value.schema,
            reason: self.text(node, "x-reason").map(str::to_owned),
            docs: self.docs_of(node),
        }
    }

    /// Returns whether reserved characters stay. Before OpenAPI 3.2 this was for queries only.
    ///
    /// It belongs to the style, which `content` replaces.
    fn allows_reserved(
        &mut self,
        node: NodeRef<'d>,
        location: Location,
        style: Style,
        content: Option<ContentFormat>,
    ) -> bool {
        let is_allowed = self.flag(node, "allowReserved").unwrap_or_default();
        let is_encoded = match location {
            _ if content.is_some() => false,
            Location::Query => true,
            Location::Path => self.is_3_2(),
            Location::Cookie => self.is_3_2() && style != Style::Cookie,
            Location::Header | Location::QueryString => false,
        };
        if is_allowed && !is_encoded {
            let at = node.get("allowReserved").unwrap_or(node);
            self.warn(Code::BadParameter, at, "`allowReserved` has no effect here");
        }
        is_allowed && is_encoded
    }

    fn value_of(&mut self, node: NodeRef<'d>, location: Location, position: &SchemaPosition<'d>) -> Value {
        if let Some(schema) = node.get("schema") {
            if let Some(content) = node.get("content") {
                self.warn(Code::BadParameter, content, "`content` has no effect next to `schema`");
            }
            if location == Location::QueryString {
                let message = "a query string needs `content`, not `schema`; a string is assumed";
                self.error(Code::BadParameter, schema, message);
                return Value::text(Some(ContentFormat::Text));
            }
            let schema = self.schema(schema, position);
            self.note_examples(&schema, node, false);
            return Value { content: None, schema, encodings: Vec::new() };
        }
        let Some((media_type, content)) = node.get("content").and_then(|content| content.entries().next())
        else {
            self.warn(Code::MissingField, node, "missing field `schema` or `content`; a string is assumed");
            return Value::text((location == Location::QueryString).then_some(ContentFormat::Text));
        };
        if let Some((_, second)) = node.get("content").and_then(|content| content.entries().nth(1)) {
            self.warn(
                Code::BadParameter,
                second,
                "a parameter has only one media type, so this one has no effect",
            );
        }
        self.content_value(media_type, content, location, position)
    }

    fn content_value(
        &mut self,
        media_type: &str,
        content: NodeRef<'d>,
        location: Location,
        position: &SchemaPosition<'d>,
    ) -> Value {
        let (content, component) = self.media_type_of(content).unwrap_or((content, None));
        let position = component.as_ref().unwrap_or(position);
        let node = content.get("schema");
        let media_type = media::essence(media_type);
        let format = media::format(&media_type, node);
        let schema = node.map_or_else(|| Schema::new(Type::Any), |node| self.schema(node, position));
        self.note_examples(&schema, content, format == ContentFormat::Json);
        let is_form = format == ContentFormat::Form && location == Location::QueryString;
        if format == ContentFormat::Json || is_form {
            if let Some(node) = node.filter(|_| is_form) {
                let message = "the schema of a form must be an object";
                self.must_be_object(&schema, node, Code::BadContent, message);
            }
            let encodings = self.encodings(&media_type, content, format, &schema.ty);
            return Value { content: Some(format), schema, encodings };
        }
        if self.is_scalar(&schema) {
            return Value { content: Some(ContentFormat::Text), schema, encodings: Vec::new() };
        }
        if schema.ty != Type::Any {
            let message =
                format!("unsupported schema for a parameter in `{media_type}`; the value is a string");
            self.warn(Code::Unsupported, content, message);
        }
        Value::text(Some(ContentFormat::Text))
    }

    fn style(&mut self, node: NodeRef<'d>, location: Location) -> Style {
        let usual = match location {
            Location::Query | Location::QueryString | Location::Cookie => Style::Form,
            Location::Path | Location::Header => Style::Simple,
        };
        let Some(written) = self.text(node, "style") else { return usual };
        match (written, location) {
            ("form", Location::Query | Location::Cookie) => Style::Form,
            ("cookie", Location::Cookie) if self.is_3_2() => Style::Cookie,
            ("simple", Location::Path | Location::Header) => Style::Simple,
            ("label", Location::Path) => Style::Label,
            ("matrix", Location::Path) => Style::Matrix,
            ("spaceDelimited", Location::Query) => Style::SpaceDelimited,
            ("pipeDelimited", Location::Query) => Style::PipeDelimited,
            ("deepObject", Location::Query) => Style::DeepObject,
            _ => {
                let at = node.get("style").unwrap_or(node);
                self.warn(
                    Code::BadParameter,
                    at,
                    format!("unsupported style `{written}` in this location; the default style is used"),
                );
                usual
            }
        }
    }
}
