//! Webhooks: requests that the service sends to subscribers.
//!
//! Each JSON body becomes a type. If there are several, another type is the union of all.

use crate::{
    diagnostics::Code,
    document::{media, operations_of},
    ir::{
        Body, Callback, Content, ContentFormat, Docs, Kind, Module, Origin, Provenance, Schema, Type, TypeId,
    },
    lower::{
        context::component_of,
        operation::state::{Operations, Owner},
        position::{Root, SchemaPosition},
        resolver::flat::Flat,
        types::named,
    },
    names::{self, Strength},
    tree::NodeRef,
};

/// The name of the union of all bodies.
const UNION: &str = "WebhookBody";

impl<'d> Operations<'d, '_> {
    /// Returns the webhooks. Adds a type for the body of each, and a union of them if there are several.
    pub fn webhooks(&mut self) -> Vec<Callback> {
        let mut sent = Vec::new();
        let Some(webhooks) = self.document.root().get("webhooks") else { return sent };
        if self.object(webhooks, "`webhooks`").is_none() {
            return sent;
        }
        let mut found: Vec<(String, Schema, _)> = Vec::new();
        for (name, item) in webhooks.entries().filter(|(name, _)| !name.starts_with("x-")) {
            let Some(item) = self.follow_object(item, "a path item") else { continue };
            self.check_methods(item);
            for (method, operation) in operations_of(item) {
                let Some(operation) = self.followed_operation(operation) else { continue };
                let owner = Owner {
                    module: Module::Common,
                    owner: usize::MAX,
                    base: format!("{}Webhook", names::pascal(name)),
                    provenance: Provenance::Other(format!("webhook `{name}` (`{method}`)")),
                };
                let body = operation.get("requestBody").and_then(|body| self.follow(body));
                let typed = body.and_then(|body| self.json_schema(body)).map(|node| {
                    let (id, text, schema) = self.webhook_body(name, &owner, operation, node);
                    if !found.iter().any(|(_, other, _)| *other == schema) {
                        found.push((text, schema, None));
                    }
                    (node, named(id))
                });
                let body = body.and_then(|body| self.sent_body(body, typed));
                sent.push(self.sent_request((name, None, method), (item, operation), body, &owner));
            }
        }
        if found.len() > 1 {
            let root = Root {
                name: UNION.to_owned(),
                long: format!("{UNION}Request"),
                strength: Strength::Operation,
                provenance: Provenance::AnyWebhook,
            };
            let position = SchemaPosition::root(Module::Common, usize::MAX, root);
            let id = self.types.reserve(&position, None);
            let text =
                "Any webhook request body. Decode bodies as this type if one URL receives several webhooks.";
            let docs = Docs { description: Some(text.to_owned()), ..Docs::default() };
            let flat = Flat { docs, ..Flat::default() };
            self.union_type(id, &flat, found, webhooks);
            self.notes.received.push(id);
        }
        sent
    }

    /// Returns the body of a webhook. `typed` is the schema that has a type; other media types have none.
    fn sent_body(&mut self, node: NodeRef<'d>, typed: Option<(NodeRef<'d>, Schema)>) -> Option<Body> {
        let schema = typed.as_ref().map_or_else(|| Schema::new(Type::Any), |(_, schema)| schema.clone());
        let contents = node.get("content")?.entries().map(|(media_type, content)| {
            let essence = media::essence(media_type);
            let own = media::target(self.document, content).get("schema");
            let is_typed =
                typed.as_ref().is_some_and(|(node, _)| own.is_some_and(|own| std::ptr::eq(own, *node)));
            let schema = if is_typed { schema.clone() } else { Schema::new(Type::Any) };
            Content::new(essence.clone(), media::format(&essence, own), schema)
        });
        let contents = contents.collect();
        let required = self.flag(node, "required").unwrap_or_default();
        let required_at = Origin::of_field(node, "required");
        Some(Body { required, required_at, limit: None, contents, schema, origin: Origin::of(node) })
    }

    /// Returns the type of one webhook's body, and the name and the schema of its variant in the union.
    fn webhook_body(
        &mut self,
        name: &str,
        owner: &Owner,
        operation: NodeRef<'d>,
        schema: NodeRef<'d>,
    ) -> (TypeId, String, Schema) {
        let position = owner.position("", "Request", "the body");
        let id = self.types.reserve(&position, Some(schema));
        let body = self.schema_into(schema, &position, id);
        self.note_examples(&body, schema, false);
        if self.types.kind(id).is_none() {
            let docs = self.docs_of(operation);
            self.types.fill(id, docs, Kind::Alias(body.clone()));
        }
        (id, component_of(schema, "schemas").unwrap_or_else(|| name.to_owned()), body)
    }

    /// Returns the schema of a JSON body, and reports other bodies.
    fn json_schema(&mut self, body: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let contents = body.get("content")?;
        let document = self.document;
        let schema = |content: NodeRef<'d>| document.resolve(content).ok()?.node.get("schema");
        let is_json = |media_type: &str, content: NodeRef<'d>| {
            media::format(&media::essence(media_type), schema(content)) == ContentFormat::Json
        };
        let found = contents.entries().find(|(media_type, content)| is_json(media_type, content));
        if found.is_none() {
            self.warn(Code::Unsupported, contents, "the webhook's body is not JSON, so it has no type");
        }
        schema(found?.1)
    }
}
