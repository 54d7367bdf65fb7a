//! The router: which operation a path and a method are.
//!
//! All templates are merged into one trie when the service is built. Segments are compared from left to right; at each
//! of them literal text wins over text mixed with parameters, more literal text over less, and all that over a
//! parameter alone. Where the favourite leads nowhere further right, the next one is tried. The path is chosen before
//! the method: a path that has no such method is answered 405, even where a less favoured template has it. No method
//! stands in for another: HEAD and OPTIONS are routes only where the document has them.
//!
//! A request's segments are compared percent-decoded; what parameters capture is handed on as it came, still encoded.
//! Paths are not normalised otherwise: `/icons/` is not `/icons`.

use memchr::{memchr, memrchr_iter};

use super::template::{Mixed, Segment, Template, TemplateError};

mod captures;
mod literals;
#[cfg(test)]
mod tests;

pub(super) use captures::Captures;
use literals::Literals;

/// Why templates can't be merged into a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RouteError {
    /// The template can't be parsed.
    Template(TemplateError),
    /// An earlier route, of this index, has the same method and the same template (but for names).
    Conflict(usize),
}

/// What a lookup found.
#[derive(Debug)]
pub(super) enum Found<'r> {
    /// A route, and where its parameters stand in the path.
    Route(usize, Captures),
    /// The path is known, the method is not; these are.
    MethodNotAllowed(&'r str),
    /// The path is not known.
    NoRoute,
}

/// All routes, merged.
#[derive(Debug)]
pub(super) struct Router {
    /// The nodes behind literal text alone, by that text (`/v1/icons`): a short cut past their ancestors.
    prefixes: Literals,
    nodes: Vec<Node>,
    resources: Vec<Resource>,
    routes: Vec<Vec<&'static str>>,
}

/// What may follow after some segments.
#[derive(Debug, Default)]
struct Node {
    literals: Literals,
    /// Sorted by precedence.
    mixed: Vec<(Mixed, usize)>,
    parameter: Option<usize>,
    /// Where the path may end here.
    resource: Option<usize>,
}

/// One path, with its methods in the order of the document.
#[derive(Debug, Default)]
struct Resource {
    methods: Vec<(&'static str, usize)>,
    allow: String,
}

impl Router {
    /// A router without routes.
    pub(super) fn new() -> Self {
        Self {
            prefixes: Literals::default(),
            nodes: vec![Node::default()],
            resources: Vec::new(),
            routes: Vec::new(),
        }
    }

    /// Adds a route; its index is the number of routes before it.
    pub(super) fn add(&mut self, method: &'static str, template: &'static str) -> Result<(), RouteError> {
        let Template { segments, names } = Template::parse(template).map_err(RouteError::Template)?;
        let (mut node, mut end, mut is_literal) = (0, 0, true);
        for segment in segments {
            // What is encoded in the document is compared decoded, without short cuts.
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
        let resource = self.resource(node);
        let route = self.routes.len();
        let Some(resource) = self.resources.get_mut(resource) else { return Ok(()) };
        if let Some((_, earlier)) = resource.methods.iter().find(|(known, _)| *known == method) {
            return Err(RouteError::Conflict(*earlier));
        }
        resource.methods.push((method, route));
        if !resource.allow.is_empty() {
            resource.allow.push_str(", ");
        }
        resource.allow.push_str(method);
        self.routes.push(names);
        Ok(())
    }

    /// The names of a route's parameters, in the order of its captures.
    pub(super) fn names(&self, route: usize) -> &[&'static str] {
        self.routes.get(route).map_or(&[], Vec::as_slice)
    }

    /// Looks a request up. `path` is the request's, still percent-encoded.
    pub(super) fn find(&self, method: &str, path: &str) -> Found<'_> {
        let mut captures = Captures::new();
        // Captures hold no positions beyond; no server takes such a path either.
        let is_path = path.starts_with('/') && path.len() <= usize::from(u16::MAX);
        let resource = if is_path { self.resource_of(path.as_bytes(), &mut captures) } else { None };
        let Some(resource) = resource.and_then(|resource| self.resources.get(resource)) else {
            return Found::NoRoute;
        };
        match resource.methods.iter().find(|(known, _)| *known == method) {
            Some((_, route)) => Found::Route(*route, captures),
            None => Found::MethodNotAllowed(&resource.allow),
        }
    }

    /// The resource of an absolute path. The walk begins behind the longest prefix that is a template's literal text:
    /// that is where a walk from the root would look first.
    fn resource_of(&self, path: &[u8], captures: &mut Captures) -> Option<usize> {
        if let Some(node) = self.prefixes.get(path)
            && let Some(resource) = self.nodes.get(node)?.resource
        {
            return Some(resource);
        }
        let prefix = |end: usize| Some((self.prefixes.get(path.get(..end)?)?, end));
        let favourite = memrchr_iter(b'/', path).find_map(prefix);
        // The prefix holds no `%`.
        let rest = path.get(favourite.map_or(0, |(_, end)| end)..).unwrap_or_default();
        let lookup = Lookup { router: self, path, encoded: memchr(b'%', rest).is_some() };
        let found = favourite.and_then(|(node, end)| lookup.descend(node, end + 1, captures));
        found.or_else(|| lookup.descend(0, 1, captures))
    }

    /// The node behind `segment` of `parent`; made if need be.
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

    /// The resource that ends at `node`; made if need be.
    fn resource(&mut self, node: usize) -> usize {
        let next = self.resources.len();
        let resource = self.nodes.get_mut(node).map_or(next, |node| *node.resource.get_or_insert(next));
        if resource == next {
            self.resources.push(Resource::default());
        }
        resource
    }
}

/// One lookup.
struct Lookup<'r, 'p> {
    router: &'r Router,
    path: &'p [u8],
    /// Whether there is a `%` anywhere in the path.
    encoded: bool,
}

impl Lookup<'_, '_> {
    /// The resource of what stands from `start` on, behind `node`. A walk visits every node of the trie at most
    /// once, so that no path is slow, however its favourites mislead. Captures are as before where it finds nothing.
    fn descend(&self, node: usize, start: usize, captures: &mut Captures) -> Option<usize> {
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

    /// The resource behind a segment, decoded to `text`, that stands from `start` to `end`.
    fn follow(
        &self,
        node: &Node,
        text: &[u8],
        (start, end): (usize, usize),
        position: &dyn Fn(usize) -> usize,
        captures: &mut Captures,
    ) -> Option<usize> {
        if let Some(child) = node.literals.get(text) {
            let found = self.behind(child, end, captures);
            if found.is_some() {
                return found;
            }
        }
        let mark = captures.len();
        for (mixed, child) in &node.mixed {
            if mixed.capture(text, captures, position) {
                let found = self.behind(*child, end, captures);
                if found.is_some() {
                    return found;
                }
                captures.truncate(mark);
            }
        }
        let parameter = node.parameter.filter(|_| start < end)?;
        captures.push(start, end);
        let found = self.behind(parameter, end, captures);
        if found.is_none() {
            captures.truncate(mark);
        }
        found
    }

    /// The resource behind `node`, whose segment ends at `end`.
    fn behind(&self, node: usize, end: usize, captures: &mut Captures) -> Option<usize> {
        if end < self.path.len() {
            self.descend(node, end + 1, captures)
        } else {
            self.router.nodes.get(node)?.resource
        }
    }
}

/// A percent-decoded segment. This is the only part of a lookup that allocates, and few segments hold a `%`.
struct Decoded {
    bytes: Vec<u8>,
    /// For each byte, and for the end, where it stands in the segment.
    origins: Vec<usize>,
}

impl Decoded {
    /// `None` where nothing is encoded.
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

/// Whether this begins with a percent-encoded byte.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}
