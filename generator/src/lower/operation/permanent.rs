//! `x-permanent`: the boolean property of an error that rules out a retry.

use crate::{
    diagnostics::Code,
    ir::{Content, ContentFormat},
    lower::operation::{notes::Permanent, state::Operations},
    tree::NodeRef,
};

impl<'d> Operations<'d, '_> {
    /// Reads the `x-permanent` of a response with these contents.
    pub fn permanent(&mut self, response: NodeRef<'d>, contents: &[Content]) -> Option<String> {
        let node = response.get("x-permanent")?;
        let Some(property) = node.as_str() else {
            let message = format!("`x-permanent` must be the name of a property, not {}", node.kind_name());
            self.error(Code::BadExtension, node, message);
            return None;
        };
        let is_json = |content: &&Content| content.format == ContentFormat::Json;
        let bodies = contents.iter().filter(is_json).map(|content| content.schema.clone()).collect();
        self.notes.permanents.push(Permanent { node, property, bodies });
        Some(property.to_owned())
    }
}
