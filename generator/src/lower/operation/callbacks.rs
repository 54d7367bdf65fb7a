//! Callbacks: requests that the service sends.

use crate::{
    diagnostics::Code,
    document::{component_name, operations_of},
    ir::Callback,
    lower::{
        context::Reporting,
        operation::{owner::Owner, state::Operations, streams::Flow},
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
            let component = node
                .get("$ref")
                .and_then(Node::as_str)
                .and_then(|reference| component_name(reference, "callbacks"));
            let owner = component.map_or_else(
                || Owner { base: names::joined(&owner.base, name), ..owner.clone() },
                |name| self.component_owner(&name, "callback"),
            );
            let Some(node) = self.follow(node).and_then(|node| self.object(node, "a callback")) else {
                continue;
            };
            for (expression, item) in node.entries().filter(|(name, _)| !name.starts_with("x-")) {
                let Some(item) = self.follow(item).and_then(|item| self.object(item, "a path item")) else {
                    continue;
                };
                self.check_methods(item);
                for (method, request) in operations_of(item) {
                    self.check_callback_id(request);
                    callbacks.push(Callback {
                        name: name.to_owned(),
                        expression: expression.to_owned(),
                        method: method.to_owned(),
                        body: request
                            .get("requestBody")
                            .and_then(|body| self.body(body, &owner, None, Flow::Webhook)),
                        docs: self.context().docs_of(request),
                    });
                }
            }
        }
        callbacks
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
