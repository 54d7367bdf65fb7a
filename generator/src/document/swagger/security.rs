//! Security schemes, and the requirements that name them.

use super::{
    build::{Fields, Rewriter},
    table::Kind,
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef},
};

/// The flows of OAuth 2.0: their names here and in OpenAPI 3, and the URLs that they need.
const FLOWS: &[(&str, &str, &[&str])] = &[
    ("implicit", "implicit", &["authorizationUrl"]),
    ("password", "password", &["tokenUrl"]),
    ("application", "clientCredentials", &["tokenUrl"]),
    ("accessCode", "authorizationCode", &["authorizationUrl", "tokenUrl"]),
];

/// The types of security schemes that only OpenAPI 3 has.
const LATER: &[&str] = &["http", "openIdConnect", "mutualTLS"];

impl<'d> Rewriter<'d, '_> {
    /// Rewrites a security scheme. What can't be read becomes a bearer token, so that no operation becomes public.
    pub fn security_scheme(&mut self, node: NodeRef<'d>) -> Node {
        self.check(node, Kind::SecurityScheme);
        let kind = node.get("type").unwrap_or(node);
        let mut fields = match kind.as_str() {
            _ if node.get("$ref").is_some() => return self.fields(node, Kind::SecurityScheme),
            Some("basic") => self.http(kind, "basic"),
            Some("apiKey") => self.api_key(node),
            Some("oauth2") if node.get("flow").is_none() && node.get("flows").is_some() => {
                return self.fields(node, Kind::SecurityScheme);
            }
            Some("oauth2") => self.oauth2(node, kind),
            Some(later) if LATER.contains(&later) => {
                let message = format!(
                    "Swagger 2.0 has no security scheme of type `{later}`; it is read as in OpenAPI 3"
                );
                self.warn(Code::NotInSwagger, kind, message);
                return self.fields(node, Kind::SecurityScheme);
            }
            _ => {
                let message = "a security scheme needs the `type` `basic`, `apiKey` or `oauth2`; a bearer token is assumed";
                self.error(Code::WrongType, kind, message);
                self.http(kind, "bearer")
            }
        };
        for (name, value) in
            node.entries().filter(|(name, _)| *name == "description" || name.starts_with("x-"))
        {
            fields.push((name.to_owned(), self.keep_below(value)));
        }
        self.object(node, fields)
    }

    fn http(&mut self, at: NodeRef<'d>, scheme: &str) -> Fields {
        vec![("type".to_owned(), self.text(at, "http")), ("scheme".to_owned(), self.text(at, scheme))]
    }

    fn api_key(&mut self, node: NodeRef<'d>) -> Fields {
        let mut fields = Fields::new();
        for name in ["type", "name", "in"] {
            let Some(value) = node.get(name) else { continue };
            fields.push((name.to_owned(), self.keep_below(value)));
        }
        if node.get("in").and_then(Node::as_str) == Some("cookie") {
            let at = node.get("in").unwrap_or(node);
            let message = "Swagger 2.0 has no API keys in cookies; it is read as in OpenAPI 3";
            self.warn(Code::NotInSwagger, at, message);
        }
        fields
    }

    fn oauth2(&mut self, node: NodeRef<'d>, kind: NodeRef<'d>) -> Fields {
        let written = node.get("flow");
        let row = FLOWS.iter().find(|(name, ..)| written.and_then(Node::as_str) == Some(name));
        let Some((name, flow, urls)) = row else {
            let known = "`implicit`, `password`, `application` or `accessCode`";
            let message = format!("an OAuth 2.0 scheme needs the `flow` {known}; a bearer token is assumed");
            self.error(Code::MissingField, written.unwrap_or(node), message);
            return self.http(kind, "bearer");
        };
        let mut inner = Fields::new();
        for field in ["authorizationUrl", "tokenUrl"] {
            match node.get(field) {
                Some(value) => inner.push((field.to_owned(), self.keep_below(value))),
                None if urls.contains(&field) => {
                    let message = format!("the flow `{name}` needs the field `{field}`");
                    self.warn(Code::MissingField, node, message);
                }
                None => {}
            }
        }
        let scopes = match node.get("scopes") {
            Some(scopes) => self.keep_below(scopes),
            None => {
                self.warn(Code::MissingField, node, "missing field `scopes` in an OAuth 2.0 scheme");
                self.object(node, Fields::new())
            }
        };
        inner.push(("scopes".to_owned(), scopes));
        let at = written.unwrap_or(node);
        let flow = (*flow).to_owned();
        let inner = self.object(at, inner);
        vec![
            ("type".to_owned(), self.keep_below(kind)),
            ("flows".to_owned(), self.object(at, vec![(flow, inner)])),
        ]
    }

    /// Rewrites security requirements: the names of schemes become the keys of components.
    pub fn requirements(&mut self, node: NodeRef<'d>) -> Node {
        if node.items().iter().any(|item| !item.is_object()) || !node.is_array() {
            return self.keep_below(node);
        }
        let items = node.items().iter().map(|item| {
            let fields = item.entries().map(|(name, scopes)| {
                let key = self.keys.key("securityDefinitions", name).to_owned();
                (key, self.keep_below(scopes))
            });
            let fields = fields.collect();
            self.object(item, fields)
        });
        let items = items.collect();
        self.array(node, items)
    }
}
