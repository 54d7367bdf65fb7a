//! Responses: `schema` and `examples` become contents of the media types that the operation produces.

use super::{
    build::{Fields, JSON, MediaTypes, Rewriter, is_reference, texts},
    table::Kind,
};
use crate::{
    diagnostics::Code,
    document::media,
    ir::ContentFormat,
    tree::{Node, NodeRef},
};

/// The media type of a file whose operation names none.
const BYTES: &str = "application/octet-stream";

impl<'d> Rewriter<'d, '_> {
    /// Rewrites the responses of an operation.
    pub fn responses(&mut self, node: NodeRef<'d>, produces: &MediaTypes<'d>) -> Node {
        // The specification has references only to single responses, but documents in several files have them here.
        let node = if is_reference(node) { self.resolve(node).unwrap_or(node) } else { node };
        if !node.is_object() {
            return self.keep_below(node);
        }
        let mut fields = Fields::new();
        for (status, response) in node.entries() {
            if status.starts_with("x-") {
                fields.push((status.to_owned(), self.keep_below(response)));
            } else if self.leads_to(response, Kind::Response) {
                fields.push((status.to_owned(), self.operation_response(response, produces)));
            }
        }
        self.object(node, fields)
    }

    /// Rewrites a response, or copies a shared one whose other users produce other media types.
    fn operation_response(&mut self, node: NodeRef<'d>, produces: &MediaTypes<'d>) -> Node {
        if !is_reference(node) {
            return self.response(node, produces);
        }
        if let Some(target) = self.resolve(node) {
            let shared = self.usage.of(target).unwrap_or_default();
            let is_same = target.get("schema").is_none_or(|schema| {
                let (shared, own) = (self.structured(schema, &shared), self.structured(schema, produces));
                texts(&shared) == texts(&own)
            });
            if !is_same {
                return self.response(target, produces);
            }
        }
        self.reference(node)
    }

    /// Rewrites a response of an operation that produces these media types.
    pub fn response(&mut self, node: NodeRef<'d>, produces: &MediaTypes<'d>) -> Node {
        if !node.is_object() {
            return self.keep_below(node);
        }
        if is_reference(node) {
            return self.reference(node);
        }
        let fields = self.convert(node, Kind::Response, |rewriter, name, value| match name {
            "schema" => Some(vec![("content".to_owned(), rewriter.response_content(node, value, produces))]),
            "examples" => {
                rewriter.check_examples(node, value);
                Some(Fields::new())
            }
            _ => None,
        });
        self.object(node, fields)
    }

    fn response_content(
        &mut self,
        node: NodeRef<'d>,
        schema: NodeRef<'d>,
        produces: &MediaTypes<'d>,
    ) -> Node {
        let is_file = schema.get("type").and_then(Node::as_str) == Some("file");
        let produces = &if is_file { produces.clone() } else { self.structured(schema, produces) };
        if is_file && produces.is_empty() {
            let schema = self.schema(schema);
            let content = self.object(node, vec![("schema".to_owned(), schema)]);
            return self.object(node, vec![(BYTES.to_owned(), content)]);
        }
        let mut types = produces.clone();
        if !is_file {
            types.extend(self.types_of_examples(node, produces));
        }
        self.content(node, &types, |rewriter, media_type, _| {
            let mut fields = vec![("schema".to_owned(), rewriter.schema(schema))];
            let examples = node.get("examples").into_iter().flat_map(Node::entries);
            let mut examples = examples.filter(|(name, _)| is_same_type(name, media_type));
            if let Some((_, example)) = examples.next() {
                fields.push(("example".to_owned(), rewriter.keep_below(example)));
            }
            fields
        })
    }

    /// Returns the media types that a response with this schema can have.
    ///
    /// Operations that produce files list the media types of the files, but their errors are objects.
    fn structured(&mut self, schema: NodeRef<'d>, produces: &MediaTypes<'d>) -> MediaTypes<'d> {
        let target = self.resolve(schema).unwrap_or(schema);
        let kind = target.get("type").and_then(Node::as_str);
        let is_structured = matches!(kind, Some("object" | "array"))
            || kind.is_none()
                && ["properties", "allOf", "items"].iter().any(|name| target.get(name).is_some());
        if !is_structured || !produces.iter().all(|(text, _)| is_opaque(text, target)) {
            return produces.clone();
        }
        if let Some((_, first)) = produces.first() {
            let message =
                "no media type in `produces` can contain an object or array; `application/json` is assumed";
            self.warn(Code::BadContent, schema, message).label(first, "this is for files");
        }
        MediaTypes::new()
    }

    /// Reports examples without effect.
    fn check_examples(&mut self, node: NodeRef<'d>, examples: NodeRef<'d>) {
        if !examples.is_object() {
            self.diagnostics.wrong_type(examples, "`examples`", "an object");
        } else if node.get("schema").is_none() && examples.entries().len() > 0 {
            let message = "a response without `schema` has no content, so its `examples` have no effect";
            self.warn(Code::BadExample, examples, message).at_name();
        }
    }

    /// Returns the media types of examples that are not in `produces`, and reports them.
    ///
    /// Operations that produce streams describe their errors so: only the example says that they are JSON.
    fn types_of_examples(&mut self, node: NodeRef<'d>, produces: &MediaTypes<'d>) -> MediaTypes<'d> {
        let known = texts(produces);
        let examples = node.get("examples").into_iter().flat_map(Node::entries);
        let is_other = |(name, _): &(&str, NodeRef<'d>)| {
            name.contains('/') && !known.iter().any(|media_type| is_same_type(name, media_type))
        };
        let mut others: MediaTypes<'d> = examples.filter(is_other).collect();
        for (name, example) in &others {
            let message = format!("`{name}` is not in `produces`; the response has this media type, too");
            self.warn(Code::BadContent, example, message).at_name();
        }
        if produces.is_empty() && !others.is_empty() {
            others.insert(0, (JSON, node));
        }
        others
    }
}

/// Returns whether a media type is one of files, which contain no objects. XML does.
fn is_opaque(media_type: &str, schema: NodeRef<'_>) -> bool {
    let essence = media::essence(media_type);
    media::is_media_type(&essence)
        && !media::is_xml(&essence)
        && media::format(&essence, Some(schema)) == ContentFormat::Bytes
}

/// Returns whether two media types are equal but for case and parameters.
fn is_same_type(one: &str, other: &str) -> bool {
    media::essence(one) == media::essence(other)
}
