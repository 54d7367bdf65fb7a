//! Multipart bodies whose parts have no names (`multipart/mixed`): an array with a part for each item.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{ArrayRules, ContentFormat, Encoding, Encodings, Schema, Stream, TextRules, Type},
    lower::{
        operation::{
            encodings::{NESTED, STYLED, is_binary, is_multipart, may_be_file},
            state::Operations,
            streams::Flow,
        },
        position::{Role, SchemaPosition},
        schema::same_rust_type,
    },
    tree::{Node, NodeRef},
};

/// The keywords of an array that are not checked for parts.
const UNCHECKED: [&str; 9] = [
    "allOf",
    "anyOf",
    "contains",
    "maxContains",
    "minContains",
    "oneOf",
    "unevaluatedItems",
    "uniqueItems",
    "x-rules",
];

impl<'d> Operations<'d, '_> {
    /// Returns the format of a body whose parts have no names, if the document describes its parts.
    pub fn parts_format(&self, media_type: &str, content: NodeRef<'d>, flow: Flow) -> Option<ContentFormat> {
        let is_typed = self.is_3_2() && matches!(flow, Flow::Sent | Flow::Response);
        let is_positional = media_type != "multipart/form-data"
            || content.get("prefixEncoding").or(content.get("itemEncoding")).is_some();
        if !is_typed || !is_positional || !is_multipart(media_type) {
            return None;
        }
        if content.get("itemSchema").is_some() {
            return Some(ContentFormat::PartStream);
        }
        let is_array = content.get("schema").is_some_and(|schema| self.is_array(schema));
        is_array.then_some(ContentFormat::Parts)
    }

    /// Returns whether a schema describes an array.
    pub fn is_array(&self, schema: NodeRef<'d>) -> bool {
        let node = media::target(self.document, schema);
        match node.get("type").map(|kind| (kind.as_str(), kind.items())) {
            Some((Some(kind), _)) => kind == "array",
            Some((None, kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("array")),
            None => node.get("prefixItems").or(node.get("items")).is_some(),
        }
    }

    /// Returns the type and the encodings of a body whose parts have no names, or `None` if they can't be typed.
    pub fn positional_parts(
        &mut self,
        format: ContentFormat,
        content: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        flow: Flow,
    ) -> Option<(Schema, Encodings)> {
        if format == ContentFormat::Parts {
            return self.sequence(content.get("schema")?, content, position);
        }
        if flow == Flow::Sent {
            self.report_unchecked_rules(content);
        }
        let (item, encodings) = self.uniform_parts(content.get("itemSchema"), content, &position.items());
        Some((Schema::new(Type::Stream(Box::new(Stream::Items(item)))), encodings))
    }

    /// Returns the type and the encodings of an array of parts. `container` has the encodings.
    pub fn sequence(
        &mut self,
        schema: NodeRef<'d>,
        container: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<(Schema, Encodings)> {
        let array = media::target(self.document, schema);
        for (keyword, node) in array.entries().filter(|(name, _)| UNCHECKED.contains(name)) {
            self.warn(Code::Unsupported, node, format!("`{keyword}` of an array of parts is not checked"));
        }
        let first = array.get("prefixItems").map_or(&[][..], Node::items);
        if first.is_empty() {
            let (items, encodings) = self.uniform_parts(array.get("items"), container, &position.items());
            return Some((Schema::new(array_of(items, array)), encodings));
        }
        let (prefix, item) = self.positions(container);
        let others = array.get("items").filter(|items| items.is_object());
        let mut parts = Vec::with_capacity(first.len() + 1);
        for (index, node) in first.iter().enumerate() {
            let encoding = prefix.get(index).copied().or(item);
            parts.push(self.part(Some(node), encoding, &position.variant(format!("item {}", index + 1))));
        }
        let is_fixed = count(array, "minItems").is_some_and(|least| least >= first.len() as u64)
            && (array.get("items").and_then(Node::as_bool) == Some(false)
                || count(array, "maxItems") == Some(first.len() as u64));
        if first.len() <= Type::MAX_TUPLE && (is_fixed || others.is_none()) {
            if !is_fixed {
                let count = first.len();
                let message =
                    format!("the number of parts is not fixed; exactly {count} parts are read and written");
                self.warn(Code::Unsupported, array, message)
                    .help(format!("write `minItems: {count}` and `items: false`"));
            }
            let (schemas, prefix) = parts.into_iter().unzip();
            return Some((Schema::new(Type::Tuple(schemas)), Encodings { prefix, ..Encodings::default() }));
        }
        if !is_fixed {
            parts.push(self.part(others, item, &position.items()));
        }
        let (schemas, mut rows): (Vec<Schema>, Vec<Encoding>) = parts.into_iter().unzip();
        let (one, rest) = schemas.split_first()?;
        let is_like = |other: &Schema| same_rust_type(&one.ty, &other.ty) && other.nullable == one.nullable;
        if !rest.iter().all(is_like) || rows.iter().any(Encoding::has_envelope) {
            let message = "unsupported schema of parts, whose number is not fixed and whose types differ; the body is raw bytes";
            self.warn(Code::Unsupported, array, message).help(format!(
                "at most {} parts, all listed in `prefixItems`, become a tuple",
                Type::MAX_TUPLE
            ));
            return None;
        }
        let item = if is_fixed { None } else { rows.pop().map(Box::new) };
        let schema = Schema::new(array_of(one.clone(), array));
        Some((schema, Encodings { prefix: rows, item, ..Encodings::default() }))
    }

    /// Returns the type and the encodings of parts that have one schema.
    ///
    /// They have one Rust type, so the encodings of the first parts can only differ in their media types.
    fn uniform_parts(
        &mut self,
        schema: Option<NodeRef<'d>>,
        container: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> (Schema, Encodings) {
        let (prefix, item) = self.positions(container);
        let (schema, row) = self.part(schema, item.or(prefix.first().copied()), position);
        let first = usize::from(item.is_none());
        for node in prefix.iter().skip(first) {
            for name in NESTED.iter().chain(&["headers"]) {
                if let Some(node) = node.get(name) {
                    let message = format!("unsupported `{name}` of one of several parts with one type");
                    self.warn(Code::Unsupported, node, message);
                }
            }
        }
        let mut rows = Vec::with_capacity(prefix.len());
        for node in &prefix {
            let own = self.text(node, "contentType").filter(|own| !is_multipart(own) && !row.own_type);
            let content_type = own.map(str::to_owned).or_else(|| row.content_type.clone());
            rows.push(Encoding { content_type, ..row.clone() });
        }
        (schema, Encodings { prefix: rows, item: Some(Box::new(row)), ..Encodings::default() })
    }

    /// Returns the nodes of `prefixEncoding` and `itemEncoding`.
    fn positions(&mut self, container: NodeRef<'d>) -> (Vec<NodeRef<'d>>, Option<NodeRef<'d>>) {
        if let Some(node) = container.get("encoding") {
            let message = "`encoding` has no effect for parts without names";
            self.warn(Code::BadContent, node, message)
                .help("use `prefixEncoding` and `itemEncoding`, which exclude `encoding`");
        }
        let list = container.get("prefixEncoding");
        if let Some(node) = list.filter(|node| !node.is_array()) {
            self.wrong_type(node, "`prefixEncoding`", "an array");
        }
        let prefix = list.map_or(&[][..], Node::items).iter().collect();
        let item = container.get("itemEncoding").and_then(|node| self.object(node, "`itemEncoding`"));
        (prefix, item)
    }

    /// Returns the type and the encoding of one part.
    fn part(
        &mut self,
        schema: Option<NodeRef<'d>>,
        encoding: Option<NodeRef<'d>>,
        position: &SchemaPosition<'d>,
    ) -> (Schema, Encoding) {
        let node = encoding.or(schema);
        let content_type = encoding.and_then(|node| self.text(node, "contentType"));
        for name in STYLED {
            if let Some(node) = encoding.and_then(|node| node.get(name)) {
                self.warn(Code::BadContent, node, format!("`{name}` has no effect for parts without names"));
            }
        }
        let mut row = Encoding::new("");
        let nested = content_type.filter(|list| is_multipart(list)).zip(encoding);
        let nested =
            nested.and_then(|(content_type, node)| self.nested(schema?, content_type, node, position));
        let mut value = match (nested, node) {
            (Some((value, nested)), _) => {
                (row.content_type, row.parts) = (content_type.map(media::essence), nested);
                value
            }
            (None, node) => {
                let role = position.in_role(Role::Multipart);
                let value = schema.map_or_else(|| Schema::new(Type::Any), |node| self.schema(node, &role));
                if let Some(node) = encoding.filter(|_| !content_type.is_some_and(is_multipart)) {
                    self.report_no_nesting(node);
                }
                let value = as_part(value, content_type);
                if let (Some(list), Some(node)) = (content_type, node) {
                    let (content_type, own_type) = self.written_type(list, Some(&value), node);
                    (row.content_type, row.own_type) = (Some(content_type), own_type);
                }
                value
            }
        };
        if let Some(node) = encoding {
            row.headers = self.part_headers(node, position, true);
        }
        if row.has_envelope() {
            value = self.envelope(value, &row, position);
        }
        (value, row)
    }

    /// Returns the type and the encodings of a part that is a multipart body itself.
    pub fn nested(
        &mut self,
        schema: NodeRef<'d>,
        content_type: &str,
        encoding: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<(Schema, Encodings)> {
        let media_type = media::essence(content_type);
        if content_type.contains([',', '*']) {
            let message = format!(
                "unsupported list of media types with a multipart one; `{content_type}` is raw bytes"
            );
            self.warn(Code::Unsupported, encoding, message);
            return None;
        }
        if self.is_array(schema) {
            return self.sequence(schema, encoding, position);
        }
        if media_type != "multipart/form-data" {
            let message = format!("the schema of `{media_type}` must be an array; the part is raw bytes");
            self.warn(Code::BadContent, schema, message);
            return None;
        }
        let value = self.schema(schema, &position.in_role(Role::Multipart));
        if self.types.struct_of(&value.ty).is_none() {
            self.warn(
                Code::BadContent,
                schema,
                "the schema of a form must be an object; the part is raw bytes",
            );
            return None;
        }
        let named = self.encodings(&media_type, encoding, ContentFormat::Multipart, &value.ty);
        Some((value, Encodings { named, ..Encodings::default() }))
    }
}

/// Returns the type of a part without a name: raw bytes are a file.
fn as_part(value: Schema, content_type: Option<&str>) -> Schema {
    let is_json = |list: &str| media::format(&media::essence(list), None) == ContentFormat::Json;
    let ty = match content_type {
        Some(list) if is_binary(list) && may_be_file(&value.ty) => Type::File,
        None if value.ty == Type::Any => Type::File,
        Some(list) if value.ty == Type::Any && !is_json(list) => Type::Text(TextRules::default()),
        _ => return value,
    };
    Schema { ty, ..value }
}

fn array_of(items: Schema, array: NodeRef<'_>) -> Type {
    let least = count(array, "minItems").filter(|least| *least > 0);
    Type::Array(Box::new(ArrayRules {
        items,
        min_items: least,
        max_items: count(array, "maxItems"),
        unique: false,
    }))
}

fn count(array: NodeRef<'_>, keyword: &str) -> Option<u64> {
    array.get(keyword).and_then(Node::as_u64)
}
