//! Parts whose value is a struct of headers, media type and content.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{Docs, Encoding, Kind, Parameter, Schema, StructDef, StructRole, TextRules, Type},
    lower::{
        operation::state::{Operations, Owner},
        position::{Role, SchemaPosition},
        schema::state::Default,
        types::{id_of, named},
    },
    tree::{Node, NodeRef},
};

/// The field of the content.
const CONTENT: &str = "content";

impl<'d> Operations<'d, '_> {
    /// Returns the headers of a part, without those that can't be parameters of it.
    pub fn part_headers(
        &mut self,
        encoding: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        may_be_named: bool,
    ) -> Vec<Parameter> {
        if encoding.get("headers").is_none() {
            return Vec::new();
        }
        let owner = part_owner(position);
        let mut headers = self.headers(encoding, &owner);
        headers.retain(|header| {
            let nodes = encoding.get("headers").into_iter().flat_map(Node::entries);
            let mut nodes = nodes.filter(|(name, _)| name.eq_ignore_ascii_case(&header.name));
            let Some((_, node)) = nodes.next() else { return true };
            if header.name == "content-disposition" && !may_be_named {
                let message =
                    "`Content-Disposition` has no effect here, because it states the name of the property";
                self.warn(Code::BadContent, node, message);
                return false;
            }
            let target = media::target(self.document, node);
            let is_forbidden = target.get("schema").and_then(Node::as_bool) == Some(false);
            if is_forbidden {
                let message = format!("a part with the header `{}` is not rejected", header.name);
                self.warn(Code::Unsupported, node, message);
            }
            !is_forbidden
        });
        headers
    }

    /// Returns the struct of a part's headers, media type and content.
    pub fn envelope(&mut self, content: Schema, row: &Encoding, position: &SchemaPosition<'d>) -> Schema {
        let position = part_owner(position).position("Part", "PartWithHeaders", "headers and content");
        let id = self.types.reserve(&position, None);
        let mut fields: Vec<(String, Schema, bool, Docs)> = Vec::with_capacity(row.headers.len() + 2);
        for header in &row.headers {
            let clashes = header.name == CONTENT;
            let wire = if clashes { format!("header_{CONTENT}") } else { header.name.clone() };
            fields.push((wire, header.schema.clone(), header.required, header.docs.clone()));
        }
        if row.own_type {
            let list =
                row.content_type.as_deref().unwrap_or_default().replace(',', "`, `").replace("` ", "`");
            let description = Some(format!("The media type of the part: `{list}`."));
            let schema = Schema::new(Type::Text(TextRules::default()));
            fields.push(("content-type".to_owned(), schema, true, Docs { description, ..Docs::default() }));
        }
        let description = Some("The content of the part.".to_owned());
        fields.push((CONTENT.to_owned(), content, true, Docs { description, ..Docs::default() }));
        let kind = Kind::Struct(StructDef::new(StructRole::Object, super::responses::fields_of(fields)));
        self.types.fill(id, Docs::default(), kind);
        named(id)
    }

    /// Adds the headers of a property's parts, if it has any, and the media type, if callers choose it.
    pub fn envelop_property(
        &mut self,
        form: &Type,
        property: &'d str,
        node: NodeRef<'d>,
        row: &mut Encoding,
    ) {
        let Some(position) = self.position_of_property(form, property) else {
            row.own_type = false;
            return self.report_no_headers(node, "the form is a map");
        };
        row.headers = self.part_headers(node, &position, false);
        if !row.has_envelope() {
            return;
        }
        let reason = if self.is_own(form) {
            self.has_own_schema(form).then_some("constraints of the body depend on its value")
        } else {
            Some("its component has other uses than this body")
        };
        if let Some(reason) = reason {
            if row.own_type {
                let at = node.get("contentType").unwrap_or(node);
                let message =
                    format!("callers can't choose the media type of `{property}`, because {reason}");
                self.warn(Code::Unsupported, at, message);
            }
            (row.own_type, row.headers) = (false, Vec::new());
            return self.report_no_headers(node, reason);
        }
        let Some(content) = self.part_of(form, property).map(|schema| schema.clone()) else { return };
        let envelope = self.envelope(content, row, &position);
        self.replace_part(form, property, envelope);
    }

    /// Makes a property's parts multipart bodies.
    pub fn nested_property(
        &mut self,
        form: &Type,
        property: &'d str,
        node: NodeRef<'d>,
        content: NodeRef<'d>,
    ) -> Option<Encoding> {
        let mut row = Encoding::new(property);
        let content_type = self.text(node, "contentType")?;
        row.content_type = Some(content_type.to_owned());
        let document = self.document;
        let schema = content.get("schema").map(|schema| media::target(document, schema));
        let schema = schema.and_then(|schema| schema.get("properties")?.get(property));
        // The encoding of an array applies to each item.
        let parts = schema.and_then(|schema| {
            let items = || media::target(document, schema).get("items").filter(|items| items.is_object());
            if self.is_array(schema) { items() } else { Some(schema) }
        });
        let position = self.position_of_property(form, property).filter(|_| self.is_own(form));
        let (Some(parts), Some(position)) = (parts, position) else {
            let message = format!("unsupported multipart body in `{property}`; it is raw bytes");
            self.warn(Code::Unsupported, node, message);
            return None;
        };
        let Some((value, encodings)) =
            self.nested(parts, content_type, node, &position.variant("part".to_owned()))
        else {
            self.replace_part(form, property, Schema::new(Type::File));
            return Some(row);
        };
        row.content_type = Some(media::essence(content_type));
        row.parts = encodings;
        self.replace_part(form, property, value);
        self.envelop_property(form, property, node, &mut row);
        Some(row)
    }

    /// Reports headers of a part that are neither sent nor read.
    fn report_no_headers(&mut self, node: NodeRef<'d>, reason: &str) {
        if let Some(headers) = node.get("headers").filter(|headers| headers.entries().len() > 0) {
            let message = format!("unsupported `headers` of a part, because {reason}");
            self.warn(Code::Unsupported, headers, message);
        }
    }

    fn position_of_property(&self, form: &Type, property: &'d str) -> Option<SchemaPosition<'d>> {
        self.types.struct_of(form)?.fields.iter().find(|field| field.wire == property)?;
        let position = &self.types.get(id_of(form)?.0)?.position;
        Some(position.property(property).in_role(Role::Multipart))
    }

    /// Returns whether the schema of the document is more specific than the type of a form.
    fn has_own_schema(&self, form: &Type) -> bool {
        let draft = id_of(form).and_then(|id| self.types.get(id.0));
        draft.is_some_and(|draft| draft.also.is_some())
            || self.types.struct_of(form).is_some_and(|def| !def.rules.is_empty())
    }

    /// Replaces the type of a property's parts, and forgets its default, which is one of the content.
    fn replace_part(&mut self, form: &Type, property: &str, schema: Schema) {
        let fields = self.types.struct_of(form).map_or(&[][..], |def| def.fields.as_slice());
        if let Some(index) = fields.iter().position(|field| field.wire == property) {
            let is_own = |default: &Default<'_>| Some(default.id) == id_of(form) && default.field == index;
            self.schemas.notes.defaults.retain(|default| !is_own(default));
        }
        if let Some(part) = self.part_of(form, property) {
            *part = schema;
        }
    }
}

/// Returns the owner of the types of a part's headers.
fn part_owner(position: &SchemaPosition<'_>) -> Owner {
    Owner {
        module: position.module,
        owner: position.owner,
        base: position.name(),
        provenance: position.provenance(),
    }
}
