//! The forms in which documents describe pages: `x-pagination`, and those of other tools.

use crate::{
    ir::{Origins, Path},
    lower::finish::bodies::{Severity, pointer},
    tree::{Node, NodeRef},
};

/// A description of pages that is not checked yet.
#[derive(Debug)]
pub(in crate::lower) struct Draft<'d> {
    pub severity: Severity,
    /// The extension.
    pub node: NodeRef<'d>,
    pub step: Step,
    /// The part of the request that selects the page.
    pub at: Option<Target<'d>>,
    /// The cursor or URL of the next page.
    pub next: Option<Target<'d>>,
    /// The number of the last page, or of all items.
    pub bound: Option<Target<'d>>,
    pub items: Option<Target<'d>>,
    pub more: Option<Target<'d>>,
    pub origins: Origins,
}

/// How the next page is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Step {
    Page,
    Offset,
    Cursor,
    Url,
    Link,
}

/// A part of a message, and where the document names it.
#[derive(Debug)]
pub(in crate::lower) struct Target<'d> {
    pub node: NodeRef<'d>,
    pub path: Path,
    /// Whether it is a property of a body. Otherwise, it can also be a parameter.
    pub is_body: bool,
}

impl<'d> Target<'d> {
    const fn new(node: NodeRef<'d>, path: Path, is_body: bool) -> Self {
        Self { node, path, is_body }
    }
}

/// A description that can't be read: the node and the reason.
pub(in crate::lower) type Unreadable<'d> = (NodeRef<'d>, String);

type Read<'d, T> = Result<T, Unreadable<'d>>;

/// The fields of `x-pagination` that say how the next page is requested. One of them is enough.
const STEPS: [(&str, Step); 5] = [
    ("page", Step::Page),
    ("offset", Step::Offset),
    ("cursor", Step::Cursor),
    ("next-url", Step::Url),
    ("link", Step::Link),
];

/// All fields of `x-pagination`.
pub(in crate::lower) const KNOWN: &[&str] =
    &["page", "offset", "cursor", "next-url", "link", "next", "last", "total", "items", "more"];

impl<'d> Draft<'d> {
    fn new(severity: Severity, node: NodeRef<'d>, step: Step) -> Self {
        let origins = Origins::new(node, []);
        Self { severity, node, step, at: None, next: None, bound: None, items: None, more: None, origins }
    }

    /// Reads `x-pagination`, with the defaults of the document.
    ///
    /// An operation that has a step of its own takes only `items` and `more` from the defaults.
    pub fn own(own: NodeRef<'d>, shared: Option<NodeRef<'d>>) -> Read<'d, Self> {
        let has_step = STEPS.iter().any(|(name, _)| own.get(name).is_some());
        let of_step = |name: &str| own.get(name).or_else(|| shared.filter(|_| !has_step)?.get(name));
        let other = |name: &str| own.get(name).or_else(|| shared?.get(name));
        let mut steps = STEPS.iter().filter_map(|(name, step)| Some((of_step(name)?, *step)));
        let names = "`page`, `offset`, `cursor`, `next-url` or `link`";
        let (node, step) =
            steps.next().ok_or_else(|| (own, format!("`x-pagination` needs one of {names}")))?;
        if let Some((node, _)) = steps.next() {
            return Err((node, format!("`x-pagination` can have only one of {names}")));
        }
        let at_pointer = |node: NodeRef<'d>| match node.as_str().and_then(pointer) {
            Some(path) => Ok(Target::new(node, path, true)),
            None => Err((node, "the value must be a JSON pointer, such as `/data/next`".to_owned())),
        };
        let target = |node: Option<NodeRef<'d>>| node.map(at_pointer).transpose();
        let mut draft = Self::new(Severity::Error, own, step);
        match step {
            Step::Page | Step::Offset | Step::Cursor => draft.at = Some(slot(node)?),
            Step::Url => draft.next = target(Some(node))?,
            Step::Link if node.as_bool() == Some(true) => {}
            Step::Link => return Err((node, "`link` must be `true`".to_owned())),
        }
        match step {
            Step::Page => draft.bound = target(of_step("last"))?,
            Step::Offset => draft.bound = target(of_step("total"))?,
            Step::Cursor => draft.next = target(of_step("next"))?,
            Step::Url | Step::Link => {}
        }
        draft.items = target(other("items"))?;
        draft.more = target(other("more"))?;
        let whole = shared.filter(|_| !own.is_object()).unwrap_or(own);
        draft.origins = Origins::new(whole, KNOWN.iter().map(|name| (*name, other(name))));
        Ok(draft)
    }

    /// Reads `x-ms-pageable`. Returns `None` if the operation has one page only.
    ///
    /// `has` returns whether the response has a property. A name such as `@odata.nextLink` is one property, and
    /// `page.nextLink` can be the path of a property in an object.
    pub fn microsoft(node: NodeRef<'d>, has: impl Fn(&Path) -> bool) -> Read<'d, Option<Self>> {
        let text = |name: &str| node.get(name).and_then(|value| Some((value, value.as_str()?)));
        let Some((next, name)) = text("nextLinkName").filter(|(_, name)| !name.is_empty()) else {
            return Ok(None);
        };
        let mut draft = Self::new(Severity::Warning, node, Step::Url);
        let path = |name: &str| {
            let inner: Path = name.split('.').map(str::to_owned).collect();
            let own = vec![name.to_owned()];
            if !has(&own) && has(&inner) { inner } else { own }
        };
        draft.next = Some(Target::new(next, path(name), true));
        let (items, name) = text("itemName").unwrap_or((node, "value"));
        draft.items = Some(Target::new(items, path(name), true));
        Ok(Some(draft))
    }

    /// Reads `x-fern-pagination`.
    pub fn fern(node: NodeRef<'d>) -> Read<'d, Self> {
        let target = |name: &str| node.get(name).map(expression).transpose();
        let step = match (node.get("offset"), node.get("cursor")) {
            (Some(_), _) if node.get("step").is_some() => Step::Offset,
            (Some(_), _) => Step::Page,
            (None, Some(_)) => Step::Cursor,
            (None, None) => Step::Url,
        };
        let mut draft = Self::new(Severity::Warning, node, step);
        draft.at = target(if step == Step::Cursor { "cursor" } else { "offset" })?;
        draft.next = match target("next_cursor")? {
            Some(next) => Some(next),
            None => target("next_uri")?.map_or_else(|| target("next_path"), |next| Ok(Some(next)))?,
        };
        draft.items = target("results")?;
        draft.more = target("has-next-page")?;
        Ok(draft)
    }

    /// Reads `x-speakeasy-pagination`.
    pub fn speakeasy(node: NodeRef<'d>) -> Read<'d, Self> {
        let inputs = node.get("inputs").map_or(&[][..], Node::items);
        let is = |input: &&Node, kind: &str| input.get("type").and_then(Node::as_str) == Some(kind);
        let input = |kind: &str| inputs.iter().find(|input| is(input, kind));
        let kind = node.get("type").and_then(Node::as_str);
        let (step, at, next, bound) = match kind {
            Some("offsetLimit") => match input("page") {
                Some(page) => (Step::Page, Some(page), None, Some("numPages")),
                None => (Step::Offset, input("offset"), None, None),
            },
            Some("cursor") => (Step::Cursor, input("cursor"), Some("nextCursor"), None),
            Some("url") => (Step::Url, None, Some("nextUrl"), None),
            _ => return Err((node, "`type` must be `offsetLimit`, `cursor` or `url`".to_owned())),
        };
        let outputs = node.get("outputs");
        let target = |name: Option<&str>| outputs.and_then(|it| it.get(name?)).map(expression).transpose();
        let mut draft = Self::new(Severity::Warning, node, step);
        draft.at = at.and_then(|input| {
            let name = input.get("name")?;
            let is_body = input.get("in").and_then(Node::as_str) == Some("requestBody");
            Some(Target::new(name, vec![name.as_str()?.to_owned()], is_body))
        });
        draft.next = target(next)?;
        draft.bound = target(bound)?;
        draft.items = target(Some("results"))?;
        Ok(draft)
    }
}

/// Reads the name of a parameter, or a JSON pointer to a property of the request body.
fn slot(node: NodeRef<'_>) -> Read<'_, Target<'_>> {
    match node.as_str() {
        Some(text) if text.starts_with('/') => Ok(Target::new(node, pointer(text).unwrap_or_default(), true)),
        Some(text) if !text.is_empty() => Ok(Target::new(node, vec![text.to_owned()], false)),
        _ => {
            let message =
                "the value must be the name of a query parameter, or a JSON pointer into the request body";
            Err((node, message.to_owned()))
        }
    }
}

/// Reads `$response.data.next`, `$request.cursor` or `$.data.next`.
fn expression(node: NodeRef<'_>) -> Read<'_, Target<'_>> {
    let text = node.as_str().unwrap_or_default();
    let (path, is_body) = match text.split_once('.') {
        Some(("$response" | "$", path)) => (path, true),
        Some(("$request", path)) => (path, false),
        _ if text == "$" || text == "$response" => return Ok(Target::new(node, Vec::new(), true)),
        _ => ("", true),
    };
    let names: Path = path.split('.').map(str::to_owned).collect();
    let is_name = |name: &String| !name.is_empty() && !name.contains(['[', ']', '*', '?', '(', '@']);
    if names.iter().all(is_name) {
        return Ok(Target::new(node, names, is_body));
    }
    Err((node, format!("the expression `{text}` is not supported")))
}
