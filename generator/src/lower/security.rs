//! Security: schemes, and what operations require of them.

use std::collections::HashMap;

use super::Lowering;
use crate::{
    diagnostics::Code,
    document::Node,
    ir::{Ident, SchemeKind, SecurityRequirement, SecurityScheme},
    names::{self, Style},
};

impl<'d> Lowering<'d, '_> {
    /// The schemes under `components/securitySchemes`.
    pub fn security_schemes(&mut self) -> Vec<SecurityScheme> {
        let nodes = self.document.section("securitySchemes");
        let Some(nodes) = nodes.and_then(|nodes| self.object(nodes, "`securitySchemes`")) else {
            return Vec::new();
        };
        let mut found = Vec::with_capacity(nodes.entries().len());
        for (name, node) in nodes.entries() {
            let Some(node) = self.follow(node).and_then(|node| self.object(node, "a security scheme")) else {
                continue;
            };
            if let Some(kind) = self.scheme_kind(node) {
                found.push((name, kind, self.docs_of(node).description));
            }
        }
        let declared: HashMap<&str, usize> =
            found.iter().enumerate().map(|(place, (name, ..))| (*name, place)).collect();
        for alternative in self.document.root().get("security").map_or(&[][..], Node::items) {
            self.alternative(alternative, &declared);
        }
        let texts: Vec<&str> = found.iter().map(|(name, ..)| *name).collect();
        let constants = names::settle(&texts, Style::Constant);
        let methods = names::settle(&texts, Style::Setting);
        found
            .into_iter()
            .zip(constants.into_iter().zip(methods))
            .map(|((name, kind, description), (constant, method))| SecurityScheme {
                name: name.to_owned(),
                constant: Ident(constant),
                method: Ident(method),
                kind,
                description,
            })
            .collect()
    }

    fn scheme_kind(&mut self, node: &'d Node) -> Option<SchemeKind> {
        let Some(kind) = self.text(node, "type") else {
            self.error(Code::MissingField, node, "a security scheme needs a `type`");
            return None;
        };
        let kind = match kind {
            "apiKey" => {
                let (Some(name), Some(location)) = (self.text(node, "name"), self.text(node, "in")) else {
                    self.error(Code::MissingField, node, "an API key needs `name` and `in`");
                    return None;
                };
                match location {
                    "header" => SchemeKind::ApiKeyHeader(name.to_owned()),
                    "query" => SchemeKind::ApiKeyQuery(name.to_owned()),
                    "cookie" => SchemeKind::ApiKeyCookie(name.to_owned()),
                    other => {
                        let message =
                            format!("an API key stands in `header`, `query` or `cookie`, not in `{other}`");
                        self.error(Code::WrongType, node, message);
                        return None;
                    }
                }
            }
            "http" => match self.text(node, "scheme").map(str::to_ascii_lowercase).as_deref() {
                Some("basic") => SchemeKind::Basic,
                Some("bearer") => SchemeKind::Bearer,
                Some(other) => SchemeKind::Http(other.to_owned()),
                None => {
                    self.error(Code::MissingField, node, "an HTTP security scheme needs a `scheme`");
                    return None;
                }
            },
            "oauth2" | "openIdConnect" => SchemeKind::Bearer,
            "mutualTLS" => SchemeKind::MutualTls,
            other => {
                let message = format!(
                    "a security scheme is `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`, not `{other}`"
                );
                self.error(Code::WrongType, node, message);
                return None;
            }
        };
        Some(kind)
    }

    /// What an operation requires: its own `security`, else the document's.
    pub fn requirements(
        &mut self,
        operation: &'d Node,
        schemes: &[SecurityScheme],
    ) -> Vec<Vec<SecurityRequirement>> {
        let Some(node) = operation.get("security").or_else(|| self.document.root().get("security")) else {
            return Vec::new();
        };
        if !node.is_array() {
            self.wrong_type(node, "`security`", "an array");
        }
        let places: HashMap<&str, usize> =
            schemes.iter().enumerate().map(|(place, scheme)| (scheme.name.as_str(), place)).collect();
        node.items().iter().filter_map(|alternative| self.alternative(alternative, &places)).collect()
    }

    /// Schemes that must all be satisfied; none if one of them is not known.
    fn alternative(
        &mut self,
        node: &'d Node,
        places: &HashMap<&str, usize>,
    ) -> Option<Vec<SecurityRequirement>> {
        let mut all = Vec::with_capacity(node.entries().len());
        let mut known = self.object(node, "a security requirement").is_some();
        for (name, scopes) in node.entries() {
            let Some(scheme) = places.get(name) else {
                let message = format!("`{name}` is not declared under `components/securitySchemes`");
                self.error(Code::UnknownScheme, scopes, message);
                known = false;
                continue;
            };
            let scopes = scopes.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
            all.push(SecurityRequirement { scheme: *scheme, scopes });
        }
        known.then_some(all)
    }
}
