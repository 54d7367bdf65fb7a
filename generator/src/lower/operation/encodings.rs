//! The encodings of the properties of forms and multipart bodies.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{ContentFormat, Encoding, Schema, Style, TextRules, Type},
    lower::{operation::state::Operations, types::id_of},
    tree::NodeRef,
};

/// The fields of an encoding that determine a style. Each of them makes `contentType` void.
pub(in crate::lower) const STYLED: [&str; 3] = ["style", "explode", "allowReserved"];

/// The fields of an encoding that encode the parts within a part.
pub(in crate::lower) const NESTED: [&str; 3] = ["encoding", "prefixEncoding", "itemEncoding"];

impl<'d> Operations<'d, '_> {
    /// Returns the encodings of a form's properties. `form` is the type of the form.
    pub fn encodings(
        &mut self,
        media_type: &str,
        content: NodeRef<'d>,
        format: ContentFormat,
        form: &Type,
    ) -> Vec<Encoding> {
        self.report_no_positions(media_type, content);
        let Some(nodes) = content.get("encoding").filter(|nodes| nodes.entries().len() > 0) else {
            return Vec::new();
        };
        if !matches!(format, ContentFormat::Form | ContentFormat::Multipart) {
            if media_type.starts_with("multipart/") {
                self.warn(Code::Unsupported, nodes, "unsupported `encoding`; the body is raw bytes");
            } else {
                let message = format!("`encoding` has no effect for `{media_type}`, which is not a form");
                self.warn(Code::BadContent, nodes, message);
            }
            return Vec::new();
        }
        nodes
            .entries()
            .filter_map(|(property, node)| self.encoding(property, node, content, format, form))
            .collect()
    }

    /// Reports encodings by position, which have no effect for a body whose parts have names or that has no parts.
    fn report_no_positions(&mut self, media_type: &str, content: NodeRef<'d>) {
        for name in ["prefixEncoding", "itemEncoding"] {
            let Some(node) = content.get(name) else { continue };
            if !media_type.starts_with("multipart/") {
                let message = format!("`{name}` has no effect for `{media_type}`, which is not multipart");
                self.warn(Code::BadContent, node, message);
            } else if !self.is_3_2() {
                let message = format!("`{name}` has no effect before OpenAPI 3.2");
                self.warn(Code::BadContent, node, message);
            } else if content.get("itemSchema").is_some()
                || content.get("schema").is_some_and(|it| self.is_array(it))
            {
                self.warn(Code::Unsupported, node, format!("unsupported `{name}`; the body is raw bytes"));
            } else {
                let message = format!("`{name}` has no effect without `itemSchema` or an array as `schema`");
                self.warn(Code::BadContent, node, message);
            }
        }
    }

    fn encoding(
        &mut self,
        property: &'d str,
        node: NodeRef<'d>,
        content: NodeRef<'d>,
        format: ContentFormat,
        form: &Type,
    ) -> Option<Encoding> {
        let field = self.field_of(form, property);
        if field.is_none() && self.types.struct_of(form).is_some() {
            let message = format!("`encoding` names an unknown property `{property}`");
            self.warn(Code::BadContent, node, message).at_name();
            return None;
        }
        let style = self.style_of_encoding(node, format);
        let content_type = self.text(node, "contentType");
        if let Some(style) = style {
            if let (Some(_), Some(at)) = (content_type, node.get("contentType")) {
                let because = STYLED.iter().find(|name| node.get(name).is_some()).copied().unwrap_or("style");
                let message = format!("`contentType` has no effect next to `{because}`");
                self.warn(Code::BadContent, at, message);
            }
            self.report_no_parts(node, "a property with a style");
            return Some(Encoding {
                style: Some(style),
                explode: self.flag(node, "explode").unwrap_or(style == Style::Form),
                allow_reserved: self.flag(node, "allowReserved").unwrap_or_default(),
                ..Encoding::new(property)
            });
        }
        if format == ContentFormat::Form {
            self.report_no_parts(node, "a form without parts");
            let content_type = Some(self.written_type(content_type?, field.as_ref(), node).0);
            return Some(Encoding { content_type, ..Encoding::new(property) });
        }
        if content_type.is_some_and(is_multipart) {
            return self.nested_property(form, property, node, content);
        }
        self.report_no_nesting(node);
        if content_type.is_some_and(is_binary) {
            self.make_file(form, property, node);
        }
        let mut encoding = Encoding::new(property);
        if let Some(content_type) = content_type {
            let field = self.field_of(form, property);
            let (content_type, own_type) = self.written_type(content_type, field.as_ref(), node);
            (encoding.content_type, encoding.own_type) = (Some(content_type), own_type);
        }
        self.envelop_property(form, property, node, &mut encoding);
        (encoding != Encoding::new(property)).then_some(encoding)
    }

    /// Returns the style of a property, if the document specifies one, at least in part.
    fn style_of_encoding(&mut self, node: NodeRef<'d>, format: ContentFormat) -> Option<Style> {
        let at = STYLED.iter().find_map(|name| node.get(name))?;
        if format == ContentFormat::Multipart && !self.is_3_1() {
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

    /// Reports the headers of something that is not a separate part, and encodings within it.
    fn report_no_parts(&mut self, node: NodeRef<'d>, what: &str) {
        if let Some(headers) = node.get("headers").filter(|headers| headers.entries().len() > 0) {
            self.warn(Code::BadContent, headers, format!("`headers` has no effect for {what}"));
        }
        self.report_no_nesting(node);
    }

    /// Reports encodings within a part that is not a multipart body.
    pub fn report_no_nesting(&mut self, node: NodeRef<'d>) {
        for name in NESTED {
            if let Some(nested) = node.get(name) {
                let message = format!("`{name}` has no effect, because the part is not multipart");
                self.warn(Code::BadContent, nested, message)
                    .help("write the media type of the part in `contentType`: `multipart/mixed`");
            }
        }
    }

    /// Returns the media types of a part that generated code can write, and whether the caller has to choose one.
    ///
    /// A file states its media type itself.
    pub fn written_type(&mut self, list: &str, schema: Option<&Schema>, node: NodeRef<'d>) -> (String, bool) {
        let is_choice = |list: &str| list.contains([',', '*']);
        let Some(schema) = schema else { return (list.to_owned(), false) };
        if self.is_structured(&schema.ty) {
            let is_json =
                |media_type: &&str| media::format(&media::essence(media_type), None) == ContentFormat::Json;
            let json: Vec<&str> = media_types(list).filter(is_json).collect();
            if json.is_empty() {
                let at = node.get("contentType").unwrap_or(node);
                let message = format!("unsupported media type `{list}` of an object; it is written as JSON");
                self.warn(Code::Unsupported, at, message);
                return ("application/json".to_owned(), false);
            }
            return (json.join(", "), json.len() > 1);
        }
        let ty = match &schema.ty {
            Type::Array(rules) => &rules.items.ty,
            ty => ty,
        };
        (list.to_owned(), is_choice(list) && self.is_scalar(&Schema::new(ty.clone())))
    }

    /// Makes a property of any type a file, because its encoding says that it is one.
    ///
    /// Since OpenAPI 3.1, the schema of raw bytes is empty or that of a string. A component with other uses stays as
    /// it is.
    fn make_file(&mut self, form: &Type, property: &str, node: NodeRef<'d>) {
        let is_own = self.is_own(form);
        let Some(schema) = self.part_of(form, property) else { return };
        if !may_be_file(&schema.ty) {
            return;
        }
        if is_own {
            schema.ty = Type::File;
            return;
        }
        let message =
            format!("`{property}` is not a file, because its component has other uses than this body");
        self.warn(Code::Unsupported, node, message)
            .help("write `format: binary` or `contentMediaType` in the schema of the property");
    }

    /// Returns whether no other body uses the type of a form.
    pub fn is_own(&self, form: &Type) -> bool {
        id_of(form).is_some_and(|id| self.components.has_one_use(id))
    }

    /// Returns the schema of a property's parts: its own, or that of its items.
    pub fn part_of(&mut self, form: &Type, property: &str) -> Option<&mut Schema> {
        let fields = &mut self.types.struct_mut(id_of(form)?)?.fields;
        match &mut fields.iter_mut().find(|field| field.wire == property)?.schema {
            Schema { ty: Type::Array(rules), .. } => Some(&mut rules.items),
            schema => Some(schema),
        }
    }

    fn field_of(&self, form: &Type, property: &str) -> Option<Schema> {
        let fields = &self.types.struct_of(form)?.fields;
        fields.iter().find(|field| field.wire == property).map(|field| field.schema.clone())
    }

    /// Returns whether a type is an object, or an array of objects.
    pub fn is_structured(&self, ty: &Type) -> bool {
        let is_object = |ty: &Type| matches!(ty, Type::Map(_)) || self.types.struct_of(ty).is_some();
        match ty {
            Type::Array(rules) => is_object(&rules.items.ty),
            ty => is_object(ty),
        }
    }
}

/// Returns the media types of a list that is separated by commas.
fn media_types(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim)
}

/// Returns whether a media type is one of multipart bodies.
pub(in crate::lower) fn is_multipart(media_type: &str) -> bool {
    media::essence(media_type).starts_with("multipart/")
}

/// Returns whether the schema of raw bytes can have this type.
pub(in crate::lower) fn may_be_file(ty: &Type) -> bool {
    *ty == Type::Any || *ty == Type::Text(TextRules::default())
}

/// Returns whether a list of media types has one whose content is neither text nor JSON.
pub(in crate::lower) fn is_binary(list: &str) -> bool {
    media_types(list).any(|media_type| {
        let essence = media::essence(media_type);
        media::format(&essence, None) == ContentFormat::Bytes && !essence.ends_with("xml")
    })
}
