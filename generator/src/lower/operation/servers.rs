//! The servers of the document, of path items and of operations.

use std::collections::HashMap;

use crate::{
    diagnostics::{Code, UnlocatedDiagnostic},
    ir::NamedServer,
    lower::operation::{root::plain_text, state::Operations, templates::braces},
    names::{self, Style},
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
    /// Returns the URL of the document's first server.
    pub fn server_url(&mut self) -> Option<String> {
        let server = self.document.root().get("servers")?.items().first()?;
        self.url_of(server)
    }

    /// Returns the URL of the first server of an operation or else of its path, unless it is that of the document.
    ///
    /// A URL with variables that have no default can't be called, so the operation keeps the document's server.
    pub fn nearest_server(&mut self, operation: NodeRef<'d>, item: NodeRef<'d>) -> Option<String> {
        let first = |owner: NodeRef<'d>| owner.get("servers").and_then(|servers| servers.items().first());
        let server = first(operation).or_else(|| first(item))?;
        let url = self.url_of(server).filter(|url| !url.contains(['{', '}', '?', '#']))?;
        let is_secured = self.security_of(operation).is_some_and(|security| !security.items().is_empty());
        let is_encrypted = self.server_url().is_some_and(|url| url.starts_with("https://"));
        if is_secured && is_encrypted && url.starts_with("http://") {
            let message =
                "this server is not encrypted, unlike that of the document; credentials would be sent to it";
            self.warn(Code::BadServer, server, message);
        }
        (self.server_url().as_deref() != Some(url.as_str())).then_some(url)
    }

    /// Returns the document's servers that have a name.
    ///
    /// Their methods differ from those of the security schemes, which the same builder has.
    pub fn named_servers(&mut self) -> Vec<NamedServer> {
        let mut named: Vec<(&str, String, Option<String>)> = Vec::new();
        for server in self.document.root().get("servers").map_or(&[][..], Node::items) {
            let Some((name, url)) = self.text(server, "name").zip(self.url_of(server)) else { continue };
            if named.iter().all(|(other, ..)| *other != name) {
                named.push((name, url, self.text(server, "description").map(str::to_owned)));
            }
        }
        let texts: Vec<&str> = named.iter().map(|(name, ..)| *name).collect();
        let methods = names::settle(&texts, Style::Field).into_iter().map(|name| {
            let method = format!("server_{}", name.strip_prefix("r#").unwrap_or(&name));
            names::free(&[&method], |name| self.schemes.iter().any(|scheme| scheme.method.0 == name))
        });
        let servers = named.into_iter().zip(methods.collect::<Vec<_>>());
        servers
            .map(|((name, url, description), method)| NamedServer {
                name: name.to_owned(),
                method,
                url,
                description,
            })
            .collect()
    }

    /// Returns the URL of a server, with the defaults of its variables.
    fn url_of(&mut self, server: NodeRef<'d>) -> Option<String> {
        let mut url = self.text(server, "url")?.to_owned();
        for (name, variable) in server.get("variables").into_iter().flat_map(Node::entries) {
            let Some(default) = variable.get("default") else { continue };
            url = url.replace(&format!("{{{name}}}"), &plain_text(default));
        }
        Some(url)
    }

    /// Reports mistakes in the `servers` of the document, a path item or an operation.
    pub fn check_servers(&mut self, owner: NodeRef<'d>) {
        const KNOWN: &[&str] = &["url", "description", "name", "variables"];
        let mut names: HashMap<&str, NodeRef<'d>> = HashMap::new();
        for server in self.list(owner, "servers") {
            if self.object(server, "a server").is_none() {
                continue;
            }
            self.check_fields(server, "a server", KNOWN);
            if server.get("url").is_none() {
                self.error(Code::MissingField, server, "a server needs a `url`");
            }
            self.check_variables(server);
            self.check_template(server);
            let (Some(name), Some(at)) = (self.text(server, "name"), server.get("name")) else { continue };
            if let Some(first) = names.insert(name, at) {
                self.error(Code::BadServer, at, format!("duplicate server name `{name}`"))
                    .label(first, "first used here")
                    .help("give each server a name of its own");
            }
        }
    }

    /// Reports the parts of a URL that a client can't replace by values of variables.
    fn check_template(&mut self, server: NodeRef<'d>) {
        let (Some(url), Some(at)) = (self.text(server, "url"), server.get("url")) else { return };
        let declared = server.get("variables");
        let used = match variables(url) {
            Ok(used) => used,
            Err(reason) => {
                self.report_url(at, format!("the URL of the server {reason}"));
                return;
            }
        };
        let mut mistakes: Vec<String> = Vec::new();
        for (position, name) in used.iter().enumerate() {
            if used.iter().take(position).any(|earlier| earlier == name) {
                mistakes.push(format!("variable `{{{name}}}` occurs twice in the URL of the server"));
            } else if declared.is_none_or(|declared| declared.get(name).is_none()) {
                mistakes.push(format!("variable `{{{name}}}` of the server is not declared in `variables`"));
            }
        }
        if url.contains(['?', '#']) {
            mistakes.push("the URL of a server must not have a query or fragment".to_owned());
        }
        let mut mistakes = mistakes.into_iter();
        if let Some(first) = mistakes.next() {
            mistakes.fold(self.report_url(at, first), |reported, mistake| reported.note(mistake))
                .help("write values into the URL, or a variable for each part that varies, and declare it with a `default`");
        }
        for (name, variable) in declared.into_iter().flat_map(Node::entries) {
            if !used.contains(&name) {
                let message = format!("the URL of the server has no variable `{{{name}}}`");
                self.warn(Code::BadServer, variable, message)
                    .at_name()
                    .help("remove the variable, or write it in the `url`");
            }
        }
    }

    /// Reports mistakes in the values of variables.
    fn check_variables(&mut self, server: NodeRef<'d>) {
        const KNOWN: &[&str] = &["enum", "default", "description"];
        let Some(variables) = server.get("variables") else { return };
        if !variables.is_null() && self.object(variables, "`variables`").is_none() {
            return;
        }
        for (name, variable) in variables.entries() {
            if self.object(variable, "a server variable").is_none() {
                continue;
            }
            self.check_fields(variable, "a server variable", KNOWN);
            let Some(default) = variable.get("default") else {
                self.error(Code::MissingField, variable, "missing field `default` in server variable");
                continue;
            };
            let Some(values) = variable.get("enum").filter(|values| values.is_array()) else { continue };
            let is_allowed = values.items().iter().any(|value| value.to_json() == default.to_json());
            if is_allowed {
                continue;
            }
            let message =
                format!("the default {} of variable `{name}` is not in its `enum`", default.to_json());
            // Only a recommendation in 3.0.
            let diagnostic = match self.is_3_1() {
                true => self.error(Code::BadServer, default, message),
                false => self.warn(Code::BadServer, default, message),
            };
            diagnostic
                .label(values, "the values")
                .help("add the default to the `enum`, or choose one of its values");
        }
    }

    /// Reports a URL that OpenAPI 3.2 forbids, and that has no meaning in earlier versions.
    fn report_url(&mut self, url: NodeRef<'d>, message: impl Into<String>) -> &mut UnlocatedDiagnostic {
        match self.is_3_2() {
            true => self.error(Code::BadServer, url, message),
            false => self.warn(Code::BadServer, url, message),
        }
    }
}

/// Returns the names of the variables in a URL template, or the error in its braces.
fn variables(url: &str) -> Result<Vec<&str>, &'static str> {
    let (parts, _) = braces(url)?;
    let name = |(_, name): (&str, _)| Some(name).filter(|name: &&str| !name.is_empty());
    parts.into_iter().map(name).collect::<Option<_>>().ok_or("has a variable without a name")
}
