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
        let inherited = self.sorted(node);
        let fields = self.convert(node, Kind::PathItem, |rewriter, name, value| {
            let inner = Kind::PathItem.field(name).map(|(_, inner)| inner)?;
            Some(if inner == Inner::One(Kind::Operation) && value.is_object() {
                vec![(name.to_owned(), rewriter.operation(value, &inherited))]
            } else if name == "parameters" && value.is_array() {
                rewriter.plain_parameters(value, &inherited.plain)
            } else {
                vec![(name.to_owned(), rewriter.keep_below(value))]
            })
        });
        self.object(node, fields)
    }

    fn operation(&mut self, node: NodeRef<'d>, inherited: &Parameters<'d>) -> Node {
        let own = self.sorted(node);
        let produces = self.media_types(node, "produces").unwrap_or_else(|| self.produces.clone());
        let body = self.request_body(node, &own, inherited);
        let mut body = body.filter(|_| node.get("requestBody").is_none());
        let mut fields = self.convert(node, Kind::Operation, |rewriter, name, value| match name {
            "consumes" | "produces" => Some(Fields::new()),
            "schemes" => {
                let servers = rewriter.own_servers(node);
                Some(servers.map(|servers| ("servers".to_owned(), servers)).into_iter().collect())
            }
            "parameters" if value.is_array() => {
                let mut fields = rewriter.plain_parameters(value, &own.plain);
                fields.extend(body.take().map(|body| ("requestBody".to_owned(), body)));
                Some(fields)
            }
            "responses" => Some(vec![(name.to_owned(), rewriter.responses(value, &produces))]),
            "security" => Some(vec![(name.to_owned(), rewriter.requirements(value))]),
            _ => None,
        });
        fields.extend(body.map(|body| ("requestBody".to_owned(), body)));
        self.object(node, fields)
    }
}
