//! The encodings of the properties of forms and multipart bodies.

use crate::{
    diagnostics::Code,
    document::NodeRef,
    ir::{ContentFormat, Encoding, Kind, Schema, Style, TextRules, Type, TypeId},
    lower::{context::Reporting, media, operation::state::Operations},
};

/// The fields of an encoding that determine a style. Each of them makes `contentType` void.
const STYLED: [&str; 3] = ["style", "explode", "allowReserved"];

impl<'d> Operations<'d, '_> {
    /// Returns the encodings of a form's properties. `form` is the type of the form.
    pub fn encodings(
        &mut self,
        media_type: &str,
        content: NodeRef<'d>,
        format: ContentFormat,
        form: &Type,
    ) -> Vec<Encoding> {
        for name in ["prefixEncoding", "itemEncoding"] {
            if let Some(node) = content.get(name) {
                let message = format!("unsupported `{name}`; the parts are not read and written one by one");
                self.warn(Code::Unsupported, node, message);
            }
        }
        let Some(nodes) = content.get("encoding").filter(|nodes| nodes.entries().len() > 0) else {
            return Vec::new();
        };
        if !matches!(format, ContentFormat::Form | ContentFormat::Multipart) {
            if media_type.starts_with("multipart/") {
                self.warn(Code::Unsupported, nodes, "unsupported `encoding`; the body is raw bytes");
            } else {
                let message = format!("`encoding` has no effect for `{media_type}`, which is no form");
                self.warn(Code::BadContent, nodes, message);
            }
            return Vec::new();
        }
        nodes.entries().filter_map(|(property, node)| self.encoding(property, node, format, form)).collect()
    }

    fn encoding(
        &mut self,
        property: &str,
        node: NodeRef<'d>,
        format: ContentFormat,
        form: &Type,
    ) -> Option<Encoding> {
        let field = self.field_of(form, property);
        if field.is_none() && self.is_struct(form) {
            let message = format!("`encoding` names an unknown property `{property}`");
            if let Some(said) = self.warn(Code::BadContent, node, message) {
                said.at_name();
            }
            return None;
        }
        self.say_unsupported(node, format);
        let style = self.style_of_encoding(node, format);
        let content_type = self.text(node, "contentType");
        if let (Some(_), Some(style), Some(at)) = (content_type, style, node.get("contentType")) {
            let because = STYLED.iter().find(|name| node.get(name).is_some()).copied().unwrap_or("style");
            let message = format!("`contentType` has no effect next to `{because}`");
            self.warn(Code::BadContent, at, message);
            return Some(self.styled(property, node, style));
        }
        if let Some(style) = style {
            return Some(self.styled(property, node, style));
        }
        let content_type = content_type?;
        if format == ContentFormat::Multipart && is_binary(content_type) {
            self.make_file(form, property, node);
        }
        let content_type = match field.map(|schema| schema.ty) {
            Some(ty) if self.is_structured(&ty) => self.json_of(content_type, node),
            _ => content_type,
        };
        let content_type = Some(content_type.to_owned());
        let (style, explode, allow_reserved) = (None, true, false);
        Some(Encoding { property: property.to_owned(), content_type, style, explode, allow_reserved })
    }

    fn styled(&mut self, property: &str, node: NodeRef<'d>, style: Style) -> Encoding {
        Encoding {
            property: property.to_owned(),
            content_type: None,
            style: Some(style),
            explode: self.flag(node, "explode").unwrap_or(style == Style::Form),
            allow_reserved: self.flag(node, "allowReserved").unwrap_or_default(),
        }
    }

    /// Returns the style of a property, if the document specifies one, at least in part.
    fn style_of_encoding(&mut self, node: NodeRef<'d>, format: ContentFormat) -> Option<Style> {
        let at = STYLED.iter().find_map(|name| node.get(name))?;
        if format == ContentFormat::Multipart && !self.context().is_3_1() {
            let message = "styles have no effect in a multipart body before OpenAPI 3.1";
            self.warn(Code::BadContent, at, message);
            return None;
        }
        Some(match self.text(node, "style") {
            None | Some("form") => Style::Form,
            Some("spaceDelimited") => Style::SpaceDelimited,
            Some("pipeDelimited") => Style::PipeDelimited,
            Some("deepObject") => Style::DeepObject,
            Some(other) => {
                let message = format!("unsupported style `{other}` in a form; `form` is used");
                self.warn(Code::BadParameter, node, message);
                Style::Form
            }
        })
    }

    /// Reports the parts of an encoding that generated code neither writes nor reads.
    fn say_unsupported(&mut self, node: NodeRef<'d>, format: ContentFormat) {
        if let Some(headers) = node.get("headers").filter(|headers| headers.entries().len() > 0) {
            if format == ContentFormat::Multipart {
                let message = "unsupported `headers` of a part; they are neither sent nor read";
                self.warn(Code::Unsupported, headers, message);
            } else {
                self.warn(Code::BadContent, headers, "`headers` has no effect in a form without parts");
            }
        }
        for name in ["encoding", "prefixEncoding", "itemEncoding"] {
            if let Some(nested) = node.get(name) {
                let message = format!("unsupported `{name}` in an encoding; it has no effect");
                self.warn(Code::Unsupported, nested, message);
            }
        }
    }

    /// Returns the JSON type in a list of media types, which is the one that generated code writes.
    fn json_of<'t>(&mut self, content_type: &'t str, node: NodeRef<'d>) -> &'t str {
        let json = media_types(content_type)
            .find(|media_type| media::format(&media::essence(media_type), None) == ContentFormat::Json);
        json.unwrap_or_else(|| {
            let at = node.get("contentType").unwrap_or(node);
            let message =
                format!("unsupported media type `{content_type}` of an object; it is written as JSON");
            self.warn(Code::Unsupported, at, message);
            "application/json"
        })
    }

    /// Makes a property of any type a file, because its encoding says that it is one.
    ///
    /// Since OpenAPI 3.1, the schema of raw bytes is empty or that of a string. A component with other uses stays as
    /// it is.
    fn make_file(&mut self, form: &Type, property: &str, node: NodeRef<'d>) {
        let Type::Named { id, .. } = form else { return };
        let components = &self.schemas.resolver.components;
        let is_own = components.get(*id).is_none() || components.has_one_use(id.0);
        let Some(Kind::Struct(def)) = self.schemas.types.kind_mut(*id) else { return };
        let Some(field) = def.fields.iter_mut().find(|field| field.wire == property) else { return };
        let schema = match &mut field.schema.ty {
            Type::Array(rules) => &mut rules.items,
            _ => &mut field.schema,
        };
        if schema.ty != Type::Any && schema.ty != Type::Text(TextRules::default()) {
            return;
        }
        if is_own {
            schema.ty = Type::File;
            return;
        }
        let message = format!("`{property}` is no file, because its component has other uses than this body");
        if let Some(said) = self.warn(Code::Unsupported, node, message) {
            said.help("write `format: binary` or `contentMediaType` in the schema of the property");
        }
    }

    fn field_of(&self, form: &Type, property: &str) -> Option<Schema> {
        let Type::Named { id, .. } = form else { return None };
        let Some(Kind::Struct(def)) = self.schemas.types.kind(*id) else { return None };
        def.fields.iter().find(|field| field.wire == property).map(|field| field.schema.clone())
    }

    fn is_struct(&self, form: &Type) -> bool {
        matches!(form, Type::Named { id, .. } if matches!(self.schemas.types.kind(*id), Some(Kind::Struct(_))))
    }

    /// Returns whether a type is an object, or an array of objects.
    fn is_structured(&self, ty: &Type) -> bool {
        let is_object = |id: TypeId| matches!(self.schemas.types.kind(id), Some(Kind::Struct(_)));
        match ty {
            Type::Map(_) => true,
            Type::Named { id, .. } => is_object(*id),
            Type::Array(rules) => match &rules.items.ty {
                Type::Map(_) => true,
                Type::Named { id, .. } => is_object(*id),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns the media types of a list that is separated by commas.
fn media_types(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// Returns whether a list of media types has one whose content is neither text nor JSON.
fn is_binary(list: &str) -> bool {
    media_types(list).any(|media_type| {
        let essence = media::essence(media_type);
        media::format(&essence, None) == ContentFormat::Bytes && !essence.ends_with("xml")
    })
}
