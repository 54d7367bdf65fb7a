//! Security schemes and the security requirements of operations.

use crate::{
    diagnostics::{Code, nearest},
    ir::{Docs, FlowKind, Ident, Location, OAuthFlow, SchemeKind, SecurityRequirement, SecurityScheme},
    lower::operation::{parameters::Lowered, state::Operations},
    names::{self, Style},
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
    /// Reads the schemes under `components/securitySchemes`.
    pub fn read_security_schemes(&mut self) {
        let nodes = self.document.section("securitySchemes");
        let nodes = nodes.and_then(|nodes| self.object(nodes, "`securitySchemes`"));
        let (mut siblings, mut found) = (Vec::new(), Vec::new());
        // An invalid scheme falls back to a bearer token: an error must never make an operation public.
        for (name, written) in nodes.into_iter().flat_map(Node::entries) {
            let node = self.follow_object(written, "a security scheme");
            let kind = node.and_then(|node| self.scheme_kind(node)).unwrap_or(SchemeKind::Bearer);
            node.map(|node| self.flag(node, "deprecated"));
            let flows = node.map(|node| self.flows(node)).unwrap_or_default();
            let docs = node.map_or_else(Docs::default, |node| self.docs_of(node));
            siblings.push((vec![written], name));
            found.push((name, kind, docs, flows));
        }
        for name in self.undeclared_schemes(&found.iter().map(|(name, ..)| *name).collect::<Vec<_>>()) {
            siblings.push((Vec::new(), name));
            found.push((name, SchemeKind::Bearer, Docs::default(), Vec::new()));
        }
        let texts = self.renames.texts(&siblings);
        let constants = names::settle(&texts, Style::Constant);
        let methods = names::settle(&texts, Style::Setting);
        let schemes = found.into_iter().zip(constants.into_iter().zip(methods));
        let schemes = schemes.map(|((name, kind, docs, flows), (constant, method))| SecurityScheme {
            name: name.to_owned(),
            constant: Ident(constant),
            method: Ident(method),
            kind,
            description: docs.description,
            deprecated: docs.deprecated,
            flows,
            origin: docs.origin,
        });
        self.schemes = schemes.collect();
    }

    /// Returns the flows of an OAuth 2.0 scheme that have a token endpoint.
    fn flows(&mut self, scheme: NodeRef<'d>) -> Vec<OAuthFlow> {
        let flows =
            scheme.get("flows").filter(|_| scheme.get("type").and_then(Node::as_str) == Some("oauth2"));
        let mut found = Vec::new();
        for (name, flow) in flows.into_iter().flat_map(Node::entries) {
            let Some(kind) = FlowKind::ALL.into_iter().find(|kind| kind.name() == name) else { continue };
            let mut url = |name: &str| {
                self.text(flow, name).map(str::trim).filter(|url| !url.is_empty()).map(str::to_owned)
            };
            let Some(token_url) = url("tokenUrl") else { continue };
            found.push(OAuthFlow { kind, token_url, refresh_url: url("refreshUrl") });
        }
        found
    }

    /// Returns the schemes that are required but not declared, and reports them.
    fn undeclared_schemes(&mut self, declared: &[&str]) -> Vec<&'d str> {
        let document = self.document;
        let operations = self.selection.operations(document).map(|(_, _, operation)| operation);
        let mut undeclared = Vec::new();
        for requirements in
            std::iter::once(document.root()).chain(operations).filter_map(|node| node.get("security"))
        {
            for (name, scopes) in alternatives(requirements).iter().flat_map(Node::entries) {
                if document.required_scheme(name).is_some_and(|name| declared.contains(&name)) {
                    continue;
                }
                let message = format!("unknown security scheme `{name}`; a bearer token is assumed");
                self.error(Code::UnknownScheme, scopes, message)
                    .near("a security scheme with a similar name", nearest(name, declared.iter().copied()));
                if !undeclared.contains(&name) {
                    undeclared.push(name);
                }
            }
        }
        undeclared
    }

    fn scheme_kind(&mut self, node: NodeRef<'d>) -> Option<SchemeKind> {
        let kind = match self.needed_text(node, "type", "security scheme")? {
            "apiKey" => {
                let (Some(name), Some(location)) = (self.text(node, "name"), self.text(node, "in")) else {
                    self.error(Code::MissingField, node, "missing field `name` or `in` in API key");
                    return None;
                };
                match location {
                    "header" => SchemeKind::ApiKeyHeader(name.to_owned()),
                    "query" => SchemeKind::ApiKeyQuery(name.to_owned()),
                    "cookie" => SchemeKind::ApiKeyCookie(name.to_owned()),
                    other => {
                        let message = format!(
                            "unknown API key location `{other}`; known locations: `header`, `query`, `cookie`"
                        );
                        self.error(Code::WrongType, node, message);
                        return None;
                    }
                }
            }
            "http" => match self.needed_text(node, "scheme", "HTTP security scheme")?.to_ascii_lowercase() {
                scheme if scheme == "basic" => SchemeKind::Basic,
                scheme if scheme == "bearer" => SchemeKind::Bearer,
                other => SchemeKind::Http(other),
            },
            "oauth2" | "openIdConnect" => SchemeKind::Bearer,
            "mutualTLS" => SchemeKind::MutualTls,
            other => {
                let message = format!(
                    "unknown security scheme type `{other}`; known types: `apiKey`, `http`, `oauth2`, `openIdConnect`, \
                     `mutualTLS`"
                );
                self.error(Code::WrongType, node, message);
                return None;
            }
        };
        Some(kind)
    }

    /// Returns the `security` of an operation, or else that of the document.
    pub fn security_of(&self, operation: NodeRef<'d>) -> Option<NodeRef<'d>> {
        operation.get("security").or_else(|| self.document.root().get("security"))
    }

    /// Returns the requirements of an operation.
    pub fn requirements(&mut self, operation: NodeRef<'d>) -> Vec<Vec<SecurityRequirement>> {
        let Some(node) = self.security_of(operation) else { return Vec::new() };
        if !node.is_array() {
            self.wrong_type(node, "`security`", "an array");
        }
        alternatives(node).iter().filter_map(|alternative| self.alternative(alternative)).collect()
    }

    /// Reports an API key in the query if there is a parameter that is the whole query string.
    pub fn check_query_string(&mut self, parameters: &[Lowered<'d>], security: &[Vec<SecurityRequirement>]) {
        let is_whole = |lowered: &&Lowered<'_>| lowered.parameter.location == Location::QueryString;
        let Some(whole) = parameters.iter().find(is_whole) else { return };
        let mut required =
            security.iter().flatten().filter_map(|requirement| self.schemes.get(requirement.scheme));
        let Some(key) = required.find(|scheme| matches!(scheme.kind, SchemeKind::ApiKeyQuery(_))) else {
            return;
        };
        let message =
            format!("the query string leaves no room for the API key `{}`, which is in the query", key.name);
        self.error(Code::BadParameter, whole.node, message).help("put the API key in a header");
    }

    /// Returns the schemes of one alternative, all of which are required.
    fn alternative(&mut self, node: NodeRef<'d>) -> Option<Vec<SecurityRequirement>> {
        let requirements = self.object(node, "a security requirement")?.entries();
        let position = |name: &str| self.schemes.iter().position(|scheme| scheme.name == name);
        let requirement = |(name, scopes): (&str, NodeRef<'_>)| {
            let scopes = scopes.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
            let scheme = position(name).or_else(|| position(self.document.required_scheme(name)?))?;
            Some(SecurityRequirement { scheme, scopes })
        };
        Some(requirements.filter_map(requirement).collect())
    }
}

/// Returns the alternatives of `security`. A single object is accepted in place of a list.
fn alternatives(node: NodeRef<'_>) -> &[Node] {
    if node.is_object() { std::slice::from_ref(node) } else { node.items() }
}
