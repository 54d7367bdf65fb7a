//! Callbacks: requests that the service sends.

use crate::{
    diagnostics::Code,
    document::operations_of,
    ir::{Body, Callback, Response, Schema, Type},
    lower::{
        context::component_of,
        operation::{
            responses::ONE_OF,
            state::{Operations, Owner},
            streams::Flow,
        },
        resolver::state::PatternDraft,
    },
    names,
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
    /// Returns the callbacks of an operation.
    ///
    /// The types of inline schemas in a component belong to the component.
    pub fn callbacks(&mut self, operation: NodeRef<'d>, owner: &Owner) -> Vec<Callback> {
        let mut callbacks = Vec::new();
        for (name, node) in operation.get("callbacks").into_iter().flat_map(Node::entries) {
            let owner = component_of(node, "callbacks").map_or_else(
                || Owner { base: names::joined(&owner.base, name), ..owner.clone() },
                |name| self.component_owner(&name, "callback"),
            );
            let Some(node) = self.follow_object(node, "a callback") else { continue };
            for (expression, item) in node.entries().filter(|(name, _)| !name.starts_with("x-")) {
                let Some(item) = self.follow_object(item, "a path item") else { continue };
                self.check_methods(item);
                for (method, request) in operations_of(item) {
                    let Some(request) = self.followed_operation(request) else { continue };
                    self.check_callback_id(request);
                    let body = request.get("requestBody");
                    let body = body.and_then(|body| self.body(body, &owner, None, Flow::Webhook));
                    let names = (name, Some(expression), method);
                    callbacks.push(self.sent_request(names, (item, request), body, &owner));
                }
            }
        }
        callbacks
    }

    /// Returns a request that the service sends, with this body.
    pub fn sent_request(
        &mut self,
        (name, expression, method): (&str, Option<&str>, &str),
        (item, request): (NodeRef<'d>, NodeRef<'d>),
        body: Option<Body>,
        owner: &Owner,
    ) -> Callback {
        let parameters = self.written_parameters(item, request, owner);
        let mut callback = Callback {
            name: name.to_owned(),
            expression: expression.map(str::to_owned),
            id: request.get("operationId").and_then(Node::as_str).map(str::to_owned),
            method: method.to_owned(),
            parameters: parameters.into_iter().map(|lowered| lowered.parameter).collect(),
            body,
            responses: self.received_responses(request, method, owner),
            docs: self.docs_of(request),
        };
        let patterns = &self.patterns;
        callback.schemas_mut(&mut |schema| schema.visit_mut(&mut |schema| leave_unchecked(schema, patterns)));
        callback
    }

    /// Returns the responses to a request that the service sends.
    fn received_responses(&mut self, request: NodeRef<'d>, method: &str, owner: &Owner) -> Vec<Response> {
        if request.get("responses").is_none() {
            return Vec::new();
        }
        let mut responses = Vec::new();
        for one in self.documented(request, method) {
            responses.push(match one.shared.and_then(|index| self.shared.get(index)) {
                Some(shared) => shared.parts.row(one.status),
                None => {
                    let base = format!("{}{}", owner.base, names::status_name(one.status));
                    let flow = if one.has_no_body { Flow::Bodiless } else { Flow::Webhook };
                    self.parts(one.node, &Owner { base, ..owner.clone() }, ONE_OF, flow).row(one.status)
                }
            });
        }
        responses
    }

    /// Reports the `operationId` of a callback if an operation or another callback has it, too.
    fn check_callback_id(&mut self, request: NodeRef<'d>) {
        let Some((node, id)) = request.get("operationId").and_then(|node| Some((node, node.as_str()?)))
        else {
            return;
        };
        let first = *self.operation_ids.entry(id).or_insert(request);
        // Several operations can refer to one callback.
        if std::ptr::eq(first, request) {
            return;
        }
        let message = format!("duplicate `operationId` `{id}` of a callback");
        self.error(Code::DuplicateOperationId, node, message).label(first, "also used here");
    }
}

/// Makes the constraints of a schema that no table has documentation: patterns would be statics without a use.
fn leave_unchecked(schema: &mut Schema, patterns: &[PatternDraft<'_>]) {
    schema.also = None;
    match &mut schema.ty {
        Type::Text(rules) => {
            if let Some(pattern) = rules.pattern.take().and_then(|id| patterns.get(id.0)) {
                rules.stated.get_or_insert_default().pattern = Some(pattern.written.clone());
            }
        }
        Type::Map(rules) => rules.names = rules.names.take().filter(|names| names.patterns.is_empty()),
        _ => {}
    }
}
