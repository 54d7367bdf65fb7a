//! Servers, from `schemes`, `host` and `basePath`.

use super::build::{Fields, Rewriter};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef},
};

/// The protocols that `schemes` can have, encrypted ones first.
///
/// The order of `schemes` has no meaning in Swagger 2.0, but clients use the first server, to which they send credentials.
const SCHEMES: &[&str] = &["https", "wss", "http", "ws"];

impl<'d> Rewriter<'d, '_> {
    /// Returns the servers of the document.
    pub fn servers(&mut self) -> Option<Node> {
        let root = self.document.root();
        let schemes = self.schemes(root);
        self.servers_with(root, &schemes)
    }

    /// Returns the servers of a document, or of an operation with `schemes` of its own.
    ///
    /// Without `host`, the server is the one that serves the document, so its URL is relative.
    fn servers_with(&mut self, owner: NodeRef<'d>, schemes: &[NodeRef<'d>]) -> Option<Node> {
        let root = self.document.root();
        let (host, base) = (root.get("host"), root.get("basePath"));
        let path = self.base_path(base);
        let host = host.and_then(|at| Some((at, at.as_str().filter(|host| !host.is_empty())?)));
        let Some((at, host)) = host else {
            // Some documents repeat them in each operation.
            if let Some(first) = schemes.first()
                && std::ptr::eq(owner, root)
            {
                let message = "`schemes` has no effect without `host`: the server of the document is used";
                self.warn(Code::BadServer, first, message);
            }
            let base = base.filter(|_| !path.is_empty() && std::ptr::eq(owner, root))?;
            return Some(self.list(base, &[(base, path)]));
        };
        let (own, host) = self.host(at, host);
        let mut urls: Vec<(NodeRef<'d>, String)> = schemes
            .iter()
            .filter_map(|scheme| Some((*scheme, format!("{}://{host}{path}", scheme.as_str()?))))
            .collect();
        if urls.is_empty() {
            let scheme = own.or_else(|| self.scheme_of_document()).unwrap_or("https");
            urls.push((at, format!("{scheme}://{host}{path}")));
        }
        Some(self.list(at, &urls))
    }

    fn list(&mut self, at: NodeRef<'d>, urls: &[(NodeRef<'d>, String)]) -> Node {
        let servers = urls.iter().map(|(at, url)| {
            let url = self.text(at, url.as_str());
            self.object(at, vec![("url".to_owned(), url)] as Fields)
        });
        let servers = servers.collect();
        self.array(at, servers)
    }

    /// Returns the valid strings of `schemes`, and reports the others.
    fn schemes(&mut self, owner: NodeRef<'d>) -> Vec<NodeRef<'d>> {
        let Some(list) = owner.get("schemes") else { return Vec::new() };
        if !list.is_array() {
            self.diagnostics.wrong_type(list, "`schemes`", "an array");
        }
        for item in list.items() {
            if !item.as_str().is_some_and(|text| SCHEMES.contains(&text)) {
                let message =
                    "`schemes` can have `http`, `https`, `ws` and `wss`, so this item has no effect";
                self.warn(Code::BadServer, item, message);
            }
        }
        valid_schemes(owner)
    }

    /// Returns the scheme that `host` may have by mistake, and the host.
    fn host(&mut self, at: NodeRef<'d>, host: &str) -> (Option<&'static str>, String) {
        let (scheme, rest) =
            host.split_once("://").map_or((None, host), |(scheme, rest)| (Some(scheme), rest));
        let own = scheme.and_then(|scheme| SCHEMES.iter().find(|known| **known == scheme).copied());
        let rest = rest.trim_end_matches('/');
        if scheme.is_some() || rest.contains('/') || host.ends_with('/') {
            let message = "`host` is the name of a host with an optional port, without a scheme and a path";
            self.warn(Code::BadServer, at, message).help("write the others in `schemes` and `basePath`");
        }
        (own, self.without_braces(at, "host", rest))
    }

    /// Returns `basePath` without a slash at its end, because paths begin with one.
    fn base_path(&mut self, base: Option<NodeRef<'d>>) -> String {
        let Some((at, path)) = base.and_then(|at| Some((at, at.as_str()?))) else { return String::new() };
        let path = path.trim_end_matches('/');
        if path.is_empty() || path.starts_with('/') {
            return self.without_braces(at, "basePath", path);
        }
        self.warn(Code::BadServer, at, "`basePath` must begin with `/`, which is assumed");
        let path = format!("/{path}");
        self.without_braces(at, "basePath", &path)
    }

    /// Returns a text in which braces are encoded, because these fields are not templates.
    fn without_braces(&mut self, at: NodeRef<'d>, name: &str, text: &str) -> String {
        if !text.contains(['{', '}']) {
            return text.to_owned();
        }
        let message =
            format!("`{name}` is not a template in Swagger 2.0, so its braces are sent as they are");
        self.warn(Code::BadServer, at, message)
            .help("set the base URL of the client, or write the values here");
        text.replace('{', "%7B").replace('}', "%7D")
    }

    /// Returns the scheme of the document's own URL.
    fn scheme_of_document(&self) -> Option<&'static str> {
        let name = self.document.source().name.as_str();
        let scheme = name.split_once("://").map(|(scheme, _)| scheme)?;
        SCHEMES.iter().find(|known| **known == scheme).copied()
    }

    /// Returns the servers of an operation whose schemes differ from those of the document.
    pub fn own_servers(&mut self, operation: NodeRef<'d>) -> Option<Node> {
        let own = self.schemes(operation);
        let usual = valid_schemes(self.document.root());
        let is_own = !own.is_empty() && texts(&own).ne(texts(&usual));
        if is_own { self.servers_with(operation, &own) } else { None }
    }
}

/// Returns the valid strings of `schemes`, each once, encrypted ones first.
fn valid_schemes(owner: NodeRef<'_>) -> Vec<NodeRef<'_>> {
    let items = owner.get("schemes").map_or(&[][..], Node::items);
    let find = |known: &&str| items.iter().find(|item| item.as_str() == Some(*known));
    SCHEMES.iter().filter_map(find).collect()
}

fn texts<'n>(schemes: &[NodeRef<'n>]) -> impl Iterator<Item = Option<&'n str>> {
    schemes.iter().map(|scheme| scheme.as_str())
}

/// The fields of the root that become servers.
pub const FIELDS: [&str; 3] = ["host", "basePath", "schemes"];

/// Returns the first of these fields, where the servers take its place.
pub fn first_field(root: &Node) -> Option<&str> {
    root.entries().map(|(name, _)| name).find(|name| FIELDS.contains(name))
}
