//! The router: it finds the operation for a method and a path.
//!
//! All templates are merged into one trie when the service is built. A lookup compares segments from left to
//! right. In each segment literal text has precedence over text mixed with parameters, more literal text over
//! less, and all of these over a parameter alone. If the preferred branch does not match further right, the
//! next one is tried.
//!
//! The path is matched before the method. If the path that matches does not have the method, the response is
//! 405, even if a template of lower precedence has the method. HEAD finds the route of GET if the document
//! has none for HEAD (RFC 9110, section 9.3.2). OPTIONS is a route only if the document has it.
//!
//! The segments of a request are compared percent-decoded. Captured parameters are passed on still encoded.
//! Paths are not normalised in any other way: `/icons/` is not `/icons`.

use memchr::{memchr, memrchr_iter};

use super::template::{Mixed, Segment, Template, TemplateError};

mod captures;
mod literals;
#[cfg(test)]
mod tests;

pub(super) use captures::Captures;
use literals::Literals;

/// The reason why templates can't be merged into a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RouteError {
    /// The template can't be parsed.
    Template(TemplateError),
    /// The route with this index has the same method and template, apart from names.
    Conflict(usize),
}

/// The result of a lookup.
#[derive(Debug)]
pub(super) enum Found<'r> {
    /// A route, and the ranges of its parameters in the path.
    Route(usize, Captures),
    /// The path is known, but does not have the method.
    ///
    /// The text lists the methods it has.
    MethodNotAllowed(&'r str),
    /// The path is not known.
    NoRoute,
}

/// All routes, merged into a trie.
#[derive(Debug)]
pub(super) struct Router {
    /// Shortcuts to nodes: those after literal text only, by that text (`/v1/icons`).
    prefixes: Literals,
    nodes: Vec<Node>,
    routes: Vec<Vec<&'static str>>,
}

/// The branches that can follow some segments.
#[derive(Debug, Default)]
struct Node {
    literals: Literals,
    /// Sorted by precedence.
    mixed: Vec<(Mixed, usize)>,
    parameter: Option<usize>,
    /// The path that ends here. It has no methods if none does.
    resource: Resource,
}

/// A path, with its methods in the order of the document.
#[derive(Debug, Default)]
struct Resource {
    methods: Vec<(&'static str, usize)>,
    allow: String,
}

impl Resource {
    fn route(&self, method: &str) -> Option<usize> {
        let route = |method| self.methods.iter().find(|(known, _)| *known == method).map(|(_, route)| *route);
        route(method).or_else(|| if method == "HEAD" { route("GET") } else { None })
    }

    fn add(&mut self, method: &'static str, route: usize) {
        self.methods.push((method, route));
        let mut methods: Vec<&str> = self.methods.iter().map(|(method, _)| *method).collect();
        if methods.contains(&"GET") && !methods.contains(&"HEAD") {
            methods.push("HEAD");
        }
        self.allow = methods.join(", ");
    }
}

impl Router {
    pub(super) fn new() -> Self {
        Self { prefixes: Literals::default(), nodes: vec![Node::default()], routes: Vec::new() }
    }

    /// Adds a route. Its index is the number of routes added before it.
    pub(super) fn add(&mut self, method: &'static str, template: &'static str) -> Result<(), RouteError> {
        let Template { segments, names } = Template::parse(template).map_err(RouteError::Template)?;
        let (mut node, mut end, mut is_literal) = (0, 0, true);
        for segment in segments {
            // Text that is encoded in the document is compared decoded, without shortcuts.
            is_literal &= matches!(segment, Segment::Literal(_)) && !template.contains('%');
            node = self.child(node, segment);
            if is_literal {
                end = template
                    .get(end + 1..)
                    .and_then(|rest| rest.find('/'))
                    .map_or(template.len(), |next| end + 1 + next);
                self.prefixes.get_or_insert(template.as_bytes().get(..end).unwrap_or_default().into(), node);
            }
        }
        let route = self.routes.len();
        let Some(Node { resource, .. }) = self.nodes.get_mut(node) else { return Ok(()) };
        if let Some((_, earlier)) = resource.methods.iter().find(|(known, _)| *known == method) {
            return Err(RouteError::Conflict(*earlier));
        }
        resource.add(method, route);
        self.routes.push(names);
        Ok(())
    }

    /// Returns the names of a route's parameters, in the order of its captures.
    pub(super) fn names(&self, route: usize) -> &[&'static str] {
        self.routes.get(route).map_or(&[], Vec::as_slice)
    }

    /// Finds the route for a request. `path` is still percent-encoded.
    pub(super) fn find(&self, method: &str, path: &str) -> Found<'_> {
        let mut captures = Captures::new();
        // Captures can't hold positions beyond `u16`. Servers do not accept such long paths either.
        let is_path = path.starts_with('/') && path.len() <= usize::from(u16::MAX);
        let resource = if is_path { self.resource_of(path.as_bytes(), &mut captures) } else { None };
        let Some(resource) = resource else { return Found::NoRoute };
        match resource.route(method) {
            Some(route) => Found::Route(route, captures),
            None => Found::MethodNotAllowed(&resource.allow),
        }
    }

    /// Returns the resource of an absolute path.
    ///
    /// The lookup begins after the longest prefix that is literal text of a template. A lookup from the root
    /// would try that branch first.
    fn resource_of(&self, path: &[u8], captures: &mut Captures) -> Option<&Resource> {
        if let Some(resource) = self.prefixes.get(path).and_then(|node| self.resource_at(node)) {
            return Some(resource);
        }
        let prefix = |end: usize| Some((self.prefixes.get(path.get(..end)?)?, end));
        let favourite = memrchr_iter(b'/', path).find_map(prefix);
        // The prefix contains no `%`.
        let rest = path.get(favourite.map_or(0, |(_, end)| end)..).unwrap_or_default();
        let lookup = Lookup { router: self, path, encoded: memchr(b'%', rest).is_some() };
        let found = favourite.and_then(|(node, end)| lookup.descend(node, end + 1, captures));
        found.or_else(|| lookup.descend(0, 1, captures))
    }

    /// Returns the child of `parent` for `segment`; creates it if it does not exist.
    fn child(&mut self, parent: usize, segment: Segment) -> usize {
        let next = self.nodes.len();
        let Some(node) = self.nodes.get_mut(parent) else { return parent };
        let child = match segment {
            Segment::Literal(text) => node.literals.get_or_insert(text, next),
            Segment::Mixed(mixed) => {
                match node.mixed.binary_search_by(|(known, _)| known.precedence(&mixed)) {
                    Ok(at) => node.mixed.get(at).map_or(next, |(_, child)| *child),
                    Err(at) => {
                        node.mixed.insert(at, (mixed, next));
                        next
                    }
                }
            }
            Segment::Parameter => *node.parameter.get_or_insert(next),
        };
        if child == next {
            self.nodes.push(Node::default());
        }
        child
    }

    /// Returns the resource at `node`, if a path can end there.
    fn resource_at(&self, node: usize) -> Option<&Resource> {
        self.nodes.get(node).map(|node| &node.resource).filter(|resource| !resource.methods.is_empty())
    }
}

/// A lookup of one path.
struct Lookup<'r, 'p> {
    router: &'r Router,
    path: &'p [u8],
    /// Whether the path contains a `%`.
    encoded: bool,
}

impl<'r> Lookup<'r, '_> {
    /// Returns the resource for the path from `start` on, below `node`.
    ///
    /// A lookup visits every node of the trie at most once, so its time is bounded for all paths. If it finds
    /// nothing, `captures` stays unchanged.
    fn descend(&self, node: usize, start: usize, captures: &mut Captures) -> Option<&'r Resource> {
        let node = self.router.nodes.get(node)?;
        let rest = self.path.get(start..)?;
        let length = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let segment = rest.get(..length)?;
        let end = start + length;
        match if self.encoded { Decoded::new(segment) } else { None } {
            None => self.follow(node, segment, (start, end), &|at| start + at, captures),
            Some(Decoded { bytes, origins }) => {
                let position = |at| start + origins.get(at).copied().unwrap_or(at);
                self.follow(node, &bytes, (start, end), &position, captures)
            }
        }
    }

    /// Returns the resource for the path from the segment at `start` on, below `node`.
    ///
    /// The segment ends at `end` and is decoded to `text`.
    fn follow(
        &self,
        node: &Node,
        text: &[u8],
        (start, end): (usize, usize),
        position: &dyn Fn(usize) -> usize,
        captures: &mut Captures,
    ) -> Option<&'r Resource> {
        if let Some(child) = node.literals.get(text) {
            let found = self.resource_after(child, end, captures);
            if found.is_some() {
                return found;
            }
        }
        let mark = captures.len();
        for (mixed, child) in &node.mixed {
            if mixed.capture(text, captures, position) {
                let found = self.resource_after(*child, end, captures);
                if found.is_some() {
                    return found;
                }
                captures.truncate(mark);
            }
        }
        let parameter = node.parameter.filter(|_| start < end)?;
        captures.push(start, end);
        let found = self.resource_after(parameter, end, captures);
        if found.is_none() {
            captures.truncate(mark);
        }
        found
    }

    /// Returns the resource for the path after `end`, below `node`.
    fn resource_after(&self, node: usize, end: usize, captures: &mut Captures) -> Option<&'r Resource> {
        if end < self.path.len() {
            self.descend(node, end + 1, captures)
        } else {
            self.router.resource_at(node)
        }
    }
}

/// A percent-decoded segment.
///
/// Only this part of a lookup allocates, and few segments contain a `%`.
struct Decoded {
    bytes: Vec<u8>,
    /// The position in the segment of each decoded byte, and of the end.
    origins: Vec<usize>,
}

impl Decoded {
    /// Decodes a segment; `None` if nothing in it is encoded.
    fn new(segment: &[u8]) -> Option<Self> {
        memchr(b'%', segment)?;
        let (mut bytes, mut origins, mut at) = (Vec::with_capacity(segment.len()), Vec::new(), 0);
        for byte in percent_encoding::percent_decode(segment) {
            bytes.push(byte);
            origins.push(at);
            at += if segment.get(at..).is_some_and(is_escape) { 3 } else { 1 };
        }
        origins.push(at);
        Some(Self { bytes, origins })
    }
}

/// Returns whether the text begins with a percent-encoded byte.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}
