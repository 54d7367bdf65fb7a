//! Checks for path templates that a server can't route.

use std::collections::HashMap;

use crate::{diagnostics::Code, document::operations_of, lower::operation::state::Operations, tree::NodeRef};

impl<'d> Operations<'d, '_> {
    /// Reports templates that can't be routed, and templates that match the same requests.
    pub fn check_templates(&mut self, paths: NodeRef<'d>) {
        let mut shapes: HashMap<(String, &str), NodeRef<'d>> = HashMap::new();
        let document = self.document;
        for (path, item) in paths.entries().filter(|(path, _)| path.starts_with('/')) {
            let methods = || {
                let item = document.resolve(item).map_or(item, |resolved| resolved.node);
                operations_of(item).map(|(method, _)| method)
            };
            match shape(path) {
                Err(reason) => {
                    self.error(Code::PathParameter, item, format!("path `{path}` {reason}"))
                        .at_name()
                        .note("a server cannot route this path, so only the client has its operations");
                    self.unroutable.extend(methods().map(|method| (path, method)));
                }
                Ok(shape) => {
                    for method in methods() {
                        if !self.selection.has(path, method) {
                            continue;
                        }
                        let first = *shapes.entry((shape.clone(), method)).or_insert(item);
                        if !std::ptr::eq(first, item) {
                            self.report_conflict(path, method, item, first);
                            self.unroutable.insert((path, method));
                        }
                    }
                }
            }
            if let Some((what, why)) = unroutable(path) {
                self.unroutable.extend(methods().map(|method| (path, method)));
                let message = format!("path `{path}` {what}");
                self.warn(Code::PathConflict, item, message)
                    .at_name()
                    .note(format!("{why}, so only the client has its operations"));
            }
        }
    }

    fn report_conflict(&mut self, path: &str, method: &str, item: NodeRef<'d>, first: NodeRef<'d>) {
        let message = format!("`{method} {path}` matches the same requests as another path");
        self.error(Code::PathConflict, item, message)
            .at_name()
            .label(first, "the other path")
            .note("the server has the operation of the first path only; the client has both");
    }
}

/// Returns what a valid template has that a server can't route, and why.
fn unroutable(path: &str) -> Option<(&'static str, &'static str)> {
    if path.contains(['?', '#']) {
        let why = "the path of a request cannot match this path";
        return Some(("contains a query or fragment", why));
    }
    let mut parameters = path.split('{').skip(1).filter_map(|part| part.split('}').next());
    let has_pattern = parameters.any(|parameter| parameter_of(parameter).1.is_some());
    has_pattern.then_some(("has a parameter with a pattern", "a server cannot route patterns"))
}

/// Returns the name and the pattern of a parameter in a template.
///
/// A pattern follows the name, as in the templates of gRPC: `{name=projects/*}`. In those of RFC 6570, a `+` says that the
/// value can contain slashes, which is the pattern `**`.
pub(in crate::lower::operation) fn parameter_of(parameter: &str) -> (&str, Option<&str>) {
    match parameter.strip_prefix('+') {
        Some(name) => (name, Some("**")),
        None => parameter.split_once('=').map_or((parameter, None), |(name, pattern)| (name, Some(pattern))),
    }
}

/// Returns a template in which each parameter has its pattern: `/v1/{name=**}` for `/v1/{+name}`.
pub(in crate::lower::operation) fn with_patterns(path: &str) -> String {
    let mut parts = path.split("{+");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "{" + &part.replacen('}', "=**}", 1))
}

/// The literals of a template, each with the name after it, and the rest.
type Parts<'t> = (Vec<(&'t str, &'t str)>, &'t str);

/// Returns the parts of a template, or the error in its braces.
pub(in crate::lower::operation) fn braces(template: &str) -> Result<Parts<'_>, &'static str> {
    const UNOPENED: &str = "has a `}` without a `{`";
    const UNCLOSED: &str = "has a `{` without a `}`";
    let (mut parts, mut rest) = (Vec::new(), template);
    while let Some((literal, after)) = rest.split_once('{') {
        if literal.contains('}') {
            return Err(UNOPENED);
        }
        let (name, behind) = after.split_once('}').filter(|(name, _)| !name.contains('{')).ok_or(UNCLOSED)?;
        parts.push((literal, name));
        rest = behind;
    }
    if rest.contains('}') { Err(UNOPENED) } else { Ok((parts, rest)) }
}

/// Returns the template without the names of its parameters, or the error in it.
fn shape(path: &str) -> Result<String, String> {
    let mut shape = String::with_capacity(path.len());
    let mut names = Vec::new();
    let (parts, rest) = braces(path)?;
    for (literal, name) in parts {
        let (name, pattern) = parameter_of(name);
        if name.contains('/') {
            return Err(format!("has a `/` in the name `{{{name}}}`"));
        }
        if name.is_empty() {
            return Err("has a parameter without a name".to_owned());
        }
        if names.contains(&name) {
            return Err(format!("contains `{{{name}}}` twice"));
        }
        if let (Some(before), "") = (names.last(), literal) {
            return Err(format!("has nothing between `{{{before}}}` and the next parameter"));
        }
        names.push(name);
        shape.push_str(literal);
        shape.push_str(&format!("{{{}}}", pattern.unwrap_or_default()));
    }
    shape.push_str(rest);
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::{shape, with_patterns};

    #[test]
    fn patterns_of_reserved_expansions() {
        for (path, expected) in [
            ("/v1/{+name}", "/v1/{name=**}"),
            ("/{a}/{+b}:c/{+d}", "/{a}/{b=**}:c/{d=**}"),
            ("/v1/{name=x}", "/v1/{name=x}"),
        ] {
            assert_eq!(with_patterns(path), expected);
        }
    }

    #[test]
    fn templates() {
        for (path, expected) in [
            ("/a/{b}", Ok("/a/{}")),
            ("/{a}-{b}/{c}:d", Ok("/{}-{}/{}:d")),
            ("/a/", Ok("/a/")),
            ("/{a", Err("has a `{` without a `}`")),
            ("/a}", Err("has a `}` without a `{`")),
            ("/{}", Err("has a parameter without a name")),
            ("/{a}/{a}", Err("contains `{a}` twice")),
            ("/{a}{b}", Err("has nothing between `{a}` and the next parameter")),
            ("/{a{b}}", Err("has a `{` without a `}`")),
            ("/v1/{a=b/*}:c", Ok("/v1/{b/*}:c")),
            ("/v1/{+a}:c", Ok("/v1/{**}:c")),
            ("/v1/{+}", Err("has a parameter without a name")),
            ("/{a/b}", Err("has a `/` in the name `{a/b}`")),
        ] {
            assert_eq!(shape(path), expected.map(str::to_owned).map_err(str::to_owned), "{path}");
        }
    }
}
