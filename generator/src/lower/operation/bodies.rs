//! Request bodies.

use crate::{
    diagnostics::Code,
    ir::{Body, Origin},
    lower::operation::{owner::Owner, state::Operations, streams::Flow},
    tree::NodeRef,
};

impl<'d> Operations<'d, '_> {
    /// Lowers a request body. The types of inline schemas in a component belong to the component.
    pub fn body(&mut self, node: NodeRef<'d>, owner: &Owner, limit: Option<u64>, flow: Flow) -> Option<Body> {
        let resolved = self.resolve_in(node, "requestBodies", "a request body")?;
        let component = resolved.component("requestBodies");
        let node = self.object(resolved.node, "a request body")?;
        self.check_fields(node, "a request body", &["description", "content", "required"]);
        let owner =
            component.map_or_else(|| owner.clone(), |name| self.component_owner(&name, "request body"));
        let required = self.flag(node, "required").unwrap_or_default();
        let content = node.get("content");
        if content.is_none() {
            self.error(Code::MissingField, node, "missing field `content` in request body");
        }
        let contents = self.contents(content?, &owner, ("Body", "RequestBody"), "the body", flow);
        if contents.is_empty() {
            self.warn(Code::BadContent, node, "the request body has no media type, so it is left out");
            return None;
        }
        let schema = self.content_schema(&contents, content?, &owner, ("Body", "RequestBody"), "the body");
        let required_at = Origin::of_field(node, "required");
        Some(Body { required, required_at, limit, contents, schema, origin: Origin::of(node) })
    }
}
