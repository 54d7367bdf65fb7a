//! Compares what clients do after a call: they read the next page, or wait for a task.
//!
//! A description consists of parts: the values that a program sends or reads. If the other document lacks a part or gives it
//! another meaning, programs that rely on it break.

use super::{
    compare::Compare,
    operations::key,
    position::{Position, Step},
    rule::CallRule,
};
use crate::{
    ir::{
        Api, FinalState, Location, Operation, Origins, PageSlot, PageStep, Paging, Path, Task, TaskStep,
        pointer,
    },
    lower::{Body, missing},
    outline::{result_of, slot},
};

/// The description of the pages of an operation, or of its task.
struct Description<'d> {
    parts: Vec<Part>,
    origins: &'d Origins,
}

/// A value that a program sends or reads to wait for a task or to get pages.
struct Part {
    /// Its purpose: `next`.
    name: &'static str,
    /// The field of the extension.
    field: &'static str,
    /// A parameter, a property, an operation or values.
    at: String,
    /// What `at` means: ` as cursor`.
    role: String,
    /// Whether the other document has `at`, or programs do not need it.
    is_known: bool,
}

impl Part {
    fn new(name: &'static str, field: &'static str, at: String, is_known: bool) -> Self {
        Self { name, field, at, role: String::new(), is_known }
    }

    fn text(&self) -> String {
        format!("{}{}", self.at, self.role)
    }
}

/// The rules of a kind of description.
struct Rules {
    changed: CallRule,
    breaks_clients: CallRule,
    breaks_servers: CallRule,
    breaks_both: CallRule,
    removed: CallRule,
}

const PAGES: Rules = Rules {
    changed: CallRule::PagingChanged,
    breaks_clients: CallRule::PagingBreaksClients,
    breaks_servers: CallRule::PagingBreaksServers,
    breaks_both: CallRule::PagingBreaksBoth,
    removed: CallRule::PagingRemoved,
};

const TASKS: Rules = Rules {
    changed: CallRule::TaskChanged,
    breaks_clients: CallRule::TaskBreaksClients,
    breaks_servers: CallRule::TaskBreaksServers,
    breaks_both: CallRule::TaskBreaksBoth,
    removed: CallRule::TaskRemoved,
};

impl Compare<'_> {
    pub(super) fn pages(&mut self, old: &Operation, new: &Operation, at: &Position<'_>) {
        if old.paging == new.paging {
            return;
        }
        let (own, other) = (Side::of(self.old, old), Side::of(self.new, new));
        let from = old.paging.as_ref().map(|paging| pages(paging, &own, &other));
        let to = new.paging.as_ref().map(|paging| pages(paging, &other, &own));
        self.descriptions(&PAGES, (from, to), &at.at(Step::Named("pages")));
    }

    pub(super) fn tasks(&mut self, old: &Operation, new: &Operation, at: &Position<'_>) {
        let (from, to) = (old.task.as_ref(), new.task.as_ref());
        if from.is_none() && to.is_none() {
            return;
        }
        let (own, other) = (Side::of(self.old, old), Side::of(self.new, new));
        let parts =
            (from.map(|task| tasks(task, to, &own, &other)), to.map(|task| tasks(task, from, &other, &own)));
        self.descriptions(&TASKS, parts, &at.at(Step::Named("task")));
    }

    /// Compares how a client follows a long-running operation of Azure.
    pub(super) fn monitored(&mut self, old: Option<FinalState>, new: Option<FinalState>, at: &Position<'_>) {
        let rule = if new.is_none() { CallRule::TaskRemoved } else { CallRule::TaskChanged };
        let results = (old.map(result_of), new.map(result_of));
        self.text(rule, "result of the long-running operation", results, at);
    }

    fn descriptions(
        &mut self,
        rules: &Rules,
        (old, new): (Option<Description<'_>>, Option<Description<'_>>),
        at: &Position<'_>,
    ) {
        match (old, new) {
            (None, None) => {}
            (None, Some(to)) => {
                self.add(rules.changed, &at.added(to.origins.whole()), format!("new: {}", to.text()));
                for part in to.parts.iter().filter(|part| !part.is_known) {
                    self.parts(rules, (None, Some(part)), &at.added(to.origins.of(part.field)));
                }
            }
            (Some(from), None) => {
                let here = at.removed(from.origins.whole());
                self.add(rules.removed, &here, format!("no longer described, was: {}", from.text()));
                for part in from.parts.iter().filter(|part| !part.is_known) {
                    self.parts(rules, (Some(part), None), &at.removed(from.origins.of(part.field)));
                }
            }
            (Some(from), Some(to)) => {
                let lone = to.parts.iter().filter(|part| from.part(part.name).is_none());
                let lone = lone.map(|part| (None, Some(part)));
                let pairs = from.parts.iter().map(|part| (Some(part), to.part(part.name)));
                for (one, other) in pairs.chain(lone) {
                    let origin = |it: &Description<'_>, part: Option<&Part>| {
                        part.map_or(it.origins.whole(), |part| it.origins.of(part.field))
                    };
                    self.parts(rules, (one, other), &at.located(origin(&from, one), origin(&to, other)));
                }
            }
        }
    }

    fn parts(&mut self, rules: &Rules, (old, new): (Option<&Part>, Option<&Part>), at: &Position<'_>) {
        let (from, to) = (old.map(Part::text), new.map(Part::text));
        let Some(Part { name, .. }) = old.or(new).filter(|_| from != to) else { return };
        let has_other_meaning = old.zip(new).is_some_and(|(old, new)| old.at == new.at);
        let breaks = |part: Option<&Part>| part.is_some_and(|part| has_other_meaning || !part.is_known);
        let rule = match (breaks(old), breaks(new)) {
            (false, false) => rules.changed,
            (true, false) => rules.breaks_clients,
            (false, true) => rules.breaks_servers,
            (true, true) => rules.breaks_both,
        };
        self.between(rule, name, (from, to), at);
    }
}

impl Description<'_> {
    fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Returns `by query after as cursor, next /next, items /data`.
    fn text(&self) -> String {
        self.parts.iter().map(|part| format!("{} {}", part.name, part.text())).collect::<Vec<_>>().join(", ")
    }
}

/// An operation in its document.
#[derive(Clone, Copy)]
struct Side<'a> {
    api: &'a Api,
    index: usize,
    operation: &'a Operation,
}

impl<'a> Side<'a> {
    fn of(api: &'a Api, operation: &'a Operation) -> Self {
        let index = api.operations.iter().position(|it| std::ptr::eq(it, operation)).unwrap_or(usize::MAX);
        Self { api, index, operation }
    }

    /// Returns the operation of this document that is the same as `other` of another document.
    fn same(&self, other: &Operation) -> Option<Self> {
        let (index, operation) =
            self.api.operations.iter().enumerate().find(|(_, it)| key(it) == key(other))?;
        Some(Self { index, operation, ..*self })
    }

    fn responds_with(&self, path: &Path) -> bool {
        missing(self.api, Body::Response(self.index), path).is_none()
    }

    fn takes(&self, slot: &PageSlot) -> bool {
        match slot {
            PageSlot::Query(name) => {
                let mut parameters = self.operation.parameters.iter();
                parameters.any(|it| it.location == Location::Query && it.name == *name)
            }
            PageSlot::Body(path) => missing(self.api, Body::Request(self.index), path).is_none(),
        }
    }

    fn has_link(&self) -> bool {
        let mut headers = self.operation.responses.iter().flat_map(|response| &response.headers);
        headers.any(|header| header.name.eq_ignore_ascii_case("link"))
    }
}

/// Returns the description of pages of one document.
fn pages<'d>(paging: &'d Paging, own: &Side<'_>, other: &Side<'_>) -> Description<'d> {
    let Paging { step, items, more, origins } = paging;
    let by = |field, at: &PageSlot, role: &str| Part {
        role: role.to_owned(),
        ..Part::new("by", field, slot(at), other.takes(at))
    };
    let read = |name, field, path: &Path| {
        let text = if path.is_empty() { "the body".to_owned() } else { pointer(path) };
        Part::new(name, field, text, other.responds_with(path))
    };
    // Without this property, a client stops at an empty page.
    let end = |name, path: &Path| Part { is_known: true, ..read(name, name, path) };
    let mut parts = match step {
        PageStep::Page { at, first, last } => {
            let by = by("page", at, &format!(" from {first}"));
            std::iter::once(by).chain(last.as_ref().map(|path| end("last", path))).collect()
        }
        PageStep::Offset { at, total } => {
            let by = by("offset", at, " as offset");
            std::iter::once(by).chain(total.as_ref().map(|path| end("total", path))).collect()
        }
        PageStep::Cursor { at, next } => vec![by("cursor", at, " as cursor"), read("next", "next", next)],
        PageStep::Url { next } => {
            vec![Part { role: " as URL".to_owned(), ..read("next", "next-url", next) }]
        }
        // Many documents leave out the header.
        PageStep::Link => {
            let is_known = other.has_link() || !own.has_link();
            vec![Part::new("by", "link", "header Link".to_owned(), is_known)]
        }
    };
    parts.push(read("items", "items", items));
    parts.extend(more.as_ref().map(|path| end("more", path)));
    Description { parts, origins }
}

/// Returns the description of a task of one document. `counterpart` is that of the other one.
fn tasks<'d>(
    task: &'d Task,
    counterpart: Option<&Task>,
    own: &Side<'_>,
    other: &Side<'_>,
) -> Description<'d> {
    let Task { get, cancel, id, status, done, failed, message, progress, origins } = task;
    let called = |step: &TaskStep| own.api.operations.get(step.operation);
    let text = |operation: Option<&Operation>| {
        operation.map(key).map_or_else(String::new, |(method, path)| format!("{method} {path}"))
    };
    let getter = called(get).and_then(|get| other.same(get));
    let reads = |name, path: &Path, is_known| Part::new(name, name, pointer(path), is_known);
    // A program waits forever for a status that ends a task only in the other document.
    let ends = |name, own: &[String], others: Option<&Vec<String>>| {
        let is_known = others.is_none_or(|others| others.iter().all(|value| own.contains(value)));
        let mut values = own.to_vec();
        values.sort_unstable();
        let text = if values.is_empty() { "none".to_owned() } else { values.join(" or ") };
        Part::new(name, name, text, is_known)
    };
    let mut parts = vec![
        Part::new("got by", "get", text(called(get)), getter.is_some()),
        reads("id", id, other.responds_with(id)),
        reads("status", status, getter.is_none_or(|getter| getter.responds_with(status))),
        ends("done", done, counterpart.map(|task| &task.done)),
        ends("failed", failed, counterpart.map(|task| &task.failed)),
    ];
    parts.extend(cancel.iter().map(|step| Part::new("cancelled by", "cancel", text(called(step)), true)));
    parts.extend(message.iter().map(|path| reads("message", path, true)));
    parts.extend(progress.iter().map(|path| reads("progress", path, true)));
    Description { parts, origins }
}
