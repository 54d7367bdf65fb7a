//! Path items and operations.

use super::{
    build::{Fields, Rewriter},
    parameters::Parameters,
    table::{Inner, Kind},
};
use crate::tree::{Node, NodeRef};

impl<'d> Rewriter<'d, '_> {
    /// Rewrites a path item.
    ///
    /// OpenAPI 3 has no bodies in path items, so those of its parameters move to the operations.
    pub fn path_item(&mut self, node: NodeRef<'d>) -> Node {
        self.check(node, Kind::PathItem);
        let inherited = self.sorted(node);
        let mut fields = Fields::new();
        for (name, value) in node.entries() {
            let is_operation =
                Kind::PathItem.row(name).is_some_and(|row| row.inner == Inner::One(Kind::Operation));
            if is_operation && value.is_object() {
                fields.push((name.to_owned(), self.operation(value, &inherited)));
            } else if name == "parameters" && value.is_array() {
                if !inherited.plain.is_empty() || value.items().is_empty() {
                    fields.push((name.to_owned(), self.plain_parameters(value, &inherited.plain)));
                }
            } else if Self::is_known(Kind::PathItem, name) {
                fields.push((name.to_owned(), self.inner(value, Inner::Plain)));
            }
        }
        self.object(node, fields)
    }

    fn operation(&mut self, node: NodeRef<'d>, inherited: &Parameters<'d>) -> Node {
        self.check(node, Kind::Operation);
        let own = self.sorted(node);
        let produces = self.media_types(node, "produces").unwrap_or_else(|| self.produces.clone());
        let body = self.request_body(node, &own, inherited);
        let mut body = body.filter(|_| node.get("requestBody").is_none());
        let mut fields = Fields::new();
        for (name, value) in node.entries() {
            match name {
                "consumes" | "produces" => {}
                "schemes" => {
                    fields.extend(self.own_servers(node).map(|servers| ("servers".to_owned(), servers)));
                }
                "parameters" if value.is_array() => {
                    if !own.plain.is_empty() || value.items().is_empty() {
                        fields.push((name.to_owned(), self.plain_parameters(value, &own.plain)));
                    }
                    fields.extend(body.take().map(|body| ("requestBody".to_owned(), body)));
                }
                "responses" => fields.push((name.to_owned(), self.responses(value, &produces))),
                "security" => fields.push((name.to_owned(), self.requirements(value))),
                _ if Self::is_known(Kind::Operation, name) => {
                    fields.push(self.field(Kind::Operation, name, value));
                }
                _ => {}
            }
        }
        fields.extend(body.map(|body| ("requestBody".to_owned(), body)));
        self.object(node, fields)
    }
}
