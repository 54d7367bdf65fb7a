//! The position in a list, and the requests of its pages. It does not depend on the types of the operation.

use std::collections::HashSet;

use reqwest::Url;

use super::{PageSlot, PageStep, Paging, link};
use crate::{
    client::{
        error::{ErrorKind, PagingError},
        exchange::{Outcome, exchange},
        follow::{Change, without_query},
        pending::Pending,
        probe::{self, Found},
        response::RawResponse,
    },
    types::NoError,
};

/// The position in a list.
pub(super) struct Cursor {
    /// The call whose request all others follow from.
    first: Box<Pending>,
    paging: &'static Paging,
    /// The position of the next page, or `None` if it is that of the first request.
    position: Option<String>,
    /// Whether the response has the position as a number.
    is_number: bool,
    state: State,
    /// The hashes of all positions so far.
    seen: HashSet<u64>,
    /// The hash of the last page.
    last: Option<u64>,
}

/// Whether there is a next page.
enum State {
    Open,
    /// The next page can't be requested.
    Stuck(PagingError),
    Ended,
}

/// A page that was received, or the error of its call.
pub(super) struct Fetched {
    pub attempts: u32,
    pub outcome: Outcome,
    /// The position of the page after this one.
    pub next: Option<String>,
}

impl Cursor {
    pub(super) fn new(first: Box<Pending>, paging: &'static Paging) -> Self {
        Self {
            first,
            paging,
            position: None,
            is_number: false,
            state: State::Open,
            seen: HashSet::new(),
            last: None,
        }
    }

    pub(super) fn resume_at(&mut self, position: String) {
        self.seen.insert(probe::hash(&position));
        self.position = Some(position);
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }

    /// Requests the next page.
    pub(super) async fn fetch(mut self: Box<Self>) -> (Box<Self>, Fetched) {
        let (attempts, outcome) = match self.request() {
            Ok(pending) => exchange(pending, false).await,
            Err(kind) => (0, Err(kind)),
        };
        let outcome = outcome.and_then(|received| match self.arrive(&received.raw) {
            Ok(()) => Ok(received),
            Err(error) => Err(ErrorKind::Paging(error)),
        });
        if outcome.is_err() {
            self.state = State::Ended;
        }
        let next = if self.has_ended() { None } else { self.position.clone() };
        (self, Fetched { attempts, outcome, next })
    }

    /// Returns the request of the next page.
    fn request(&mut self) -> Result<Box<Pending>, ErrorKind<NoError>> {
        if let State::Stuck(error) = std::mem::replace(&mut self.state, State::Open) {
            return Err(ErrorKind::Paging(error));
        }
        let Some(position) = self.position.as_deref() else { return self.first.following(Change::Nothing) };
        let change = match self.paging.step {
            PageStep::Url { .. } | PageStep::Link => Change::Url(position),
            PageStep::Page { at: PageSlot::Query(name), .. }
            | PageStep::Offset { at: PageSlot::Query(name), .. }
            | PageStep::Cursor { at: PageSlot::Query(name), .. } => Change::Query(name, position),
            PageStep::Cursor { at: PageSlot::Body(path), .. } => {
                let number = serde_json::from_str(position).ok().filter(|_| self.is_number);
                Change::Body(path, number.unwrap_or_else(|| position.into()))
            }
            PageStep::Page { at: PageSlot::Body(path), .. }
            | PageStep::Offset { at: PageSlot::Body(path), .. } => {
                Change::Body(path, position.parse::<u64>().map_or_else(|_| position.into(), Into::into))
            }
        };
        self.first.following(change)
    }

    /// Takes the position of the next page from a response. An error is about the page itself.
    fn arrive(&mut self, raw: &RawResponse) -> Result<(), PagingError> {
        let next = if raw.status.is_success() { self.next(raw) } else { None };
        let Some(next) = next.map(|next| self.located(raw, next)) else {
            self.state = match self.cursor(raw) {
                Some(Found::Items(_) | Found::Object | Found::Flag(true)) => {
                    self.position = None;
                    State::Stuck(PagingError::Position)
                }
                _ => State::Ended,
            };
            return Ok(());
        };
        self.is_number = matches!(self.cursor(raw), Some(Found::Number(_)));
        if !self.is_bounded(raw) {
            let page = probe::hash(&raw.body);
            if self.last.replace(page) == Some(page) {
                return Err(PagingError::SamePage { position: self.position.take().unwrap_or_default() });
            }
        }
        if !self.seen.insert(probe::hash(&next)) {
            self.state = State::Stuck(PagingError::Repeated { position: self.shown(&next) });
        }
        self.position = Some(next);
        Ok(())
    }

    /// Returns a position that does not depend on the page that named it: a URL becomes a path with a query.
    fn located(&self, raw: &RawResponse, next: String) -> String {
        if !matches!(self.paging.step, PageStep::Url { .. } | PageStep::Link) {
            return next;
        }
        let own = self.first.own_url().ok().flatten();
        let stays = |url: &Url| own.is_some_and(|own| own.origin() == url.origin());
        match raw.url.as_deref().and_then(|base| self.first.named_url(base, &next)) {
            // The start of `//path` would be a host.
            Some(url) if stays(&url) && !url.path().starts_with("//") => {
                let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
                format!("{}{query}", url.path())
            }
            Some(url) => url.into(),
            None => next,
        }
    }

    /// Returns a position as errors show it.
    fn shown(&self, position: &str) -> String {
        match self.paging.step {
            PageStep::Url { .. } | PageStep::Link => without_query(position),
            _ => position.to_owned(),
        }
    }

    /// Returns the cursor or URL in a successful response, of whatever kind, unless this is the last page.
    fn cursor(&self, raw: &RawResponse) -> Option<Found> {
        match self.paging.step {
            PageStep::Cursor { next, .. } | PageStep::Url { next }
                if raw.status.is_success() && self.may_go_on(raw) =>
            {
                probe::find(&raw.body, next)
            }
            _ => None,
        }
    }

    /// Returns whether the response does not say that there are no more pages.
    fn may_go_on(&self, raw: &RawResponse) -> bool {
        self.paging.more.is_none_or(|path| probe::find(&raw.body, path) != Some(Found::Flag(false)))
    }

    /// Returns whether something ends the list, even if the server ignores the position of the request.
    fn is_bounded(&self, raw: &RawResponse) -> bool {
        let bound = match self.paging.step {
            PageStep::Page { last, .. } => last,
            PageStep::Offset { total, .. } => total,
            // Positions that repeat are found.
            PageStep::Cursor { .. } | PageStep::Url { .. } | PageStep::Link => return true,
        };
        bound.is_some_and(|path| probe::number(&raw.body, path).is_some())
    }

    /// Returns the position of the page after this one, or `None` if this is the last one.
    fn next(&self, raw: &RawResponse) -> Option<String> {
        let body = &raw.body;
        if !self.may_go_on(raw) {
            return None;
        }
        match self.paging.step {
            PageStep::Page { at, first, last } => {
                self.count(raw)?;
                let current = self.current(at).unwrap_or(first);
                let is_last =
                    last.and_then(|path| probe::number(body, path)).is_some_and(|last| current >= last);
                (!is_last).then(|| current.checked_add(1))?.map(|next| next.to_string())
            }
            PageStep::Offset { at, total } => {
                let next = self.current(at).unwrap_or(0).checked_add(self.count(raw)?)?;
                let is_last =
                    total.and_then(|path| probe::number(body, path)).is_some_and(|total| next >= total);
                (!is_last).then(|| next.to_string())
            }
            PageStep::Cursor { next, .. } | PageStep::Url { next } => probe::text(body, next),
            PageStep::Link => link::next(&raw.headers),
        }
    }

    /// Returns the number of items on a page, or `None` if there are none.
    fn count(&self, raw: &RawResponse) -> Option<u64> {
        match probe::find(&raw.body, self.paging.items)? {
            Found::Items(count) if count > 0 => Some(count),
            _ => None,
        }
    }

    /// Returns the number of the page that was requested.
    fn current(&self, at: PageSlot) -> Option<u64> {
        let of_first = || match at {
            PageSlot::Query(name) => self.first.query_value(name),
            PageSlot::Body(path) => self.first.body_value(path),
        };
        self.position.clone().or_else(of_first)?.parse().ok()
    }
}
