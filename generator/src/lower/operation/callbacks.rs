//! Callbacks: requests that the service sends.

use crate::{
    document::{Node, NodeRef, component_name},
    ir::Callback,
    lower::{
        context::Reporting,
        operation::{owner::Owner, state::Operations, streams::Flow},
    },
    names,
    selection::operations_of,
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
}
