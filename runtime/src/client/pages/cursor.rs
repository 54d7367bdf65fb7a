//! The position in a list, and the requests of its pages. It does not depend on the types of the operation.

use std::collections::HashSet;

use reqwest::Url;

use super::link;
use crate::client::follow::{Change, without_query};
use crate::client::probe::{Found, Path};
use crate::client::{
    Error, PageSlot, PageStep, Paging, PagingError, Pending, RawResponse, Received, exchange::exchange, probe,
};
use crate::types::{NoError, Value};

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

/// A page with the position of the next one, or the error of its call.
pub(super) type Fetched = Result<(Received, Option<String>), Error<NoError>>;

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

    pub(super) async fn fetch(mut self: Box<Self>) -> (Box<Self>, Fetched) {
        let received = match self.request() {
            Ok(pending) => exchange(pending, false).await,
            Err(error) => Err(error),
        };
        let operation = Some(self.first.operation);
        let fetched = received.and_then(|received| match self.arrive(&received.raw) {
            Ok(next) => Ok((received, next)),
            Err(error) => Err(Error::new(error.into(), operation, received.raw.attempts)),
        });
        if fetched.is_err() {
            self.state = State::Ended;
        }
        (self, fetched)
    }

    fn request(&mut self) -> Result<Box<Pending>, Error<NoError>> {
        if let State::Stuck(error) = std::mem::replace(&mut self.state, State::Open) {
            return Err(self.first.failed(error));
        }
        let Some(position) = self.position.as_deref() else { return self.first.following(Change::Nothing) };
        let change = match self.paging.step {
            PageStep::Url { .. } | PageStep::Link => Change::Url(position),
            PageStep::Page { at, .. } | PageStep::Offset { at, .. } | PageStep::Cursor { at, .. } => match at
            {
                PageSlot::Query(name) => Change::Query(name, position),
                PageSlot::Body(path) => {
                    let is_number = self.is_number || !matches!(self.paging.step, PageStep::Cursor { .. });
                    let number = serde_json::from_str::<Value>(position).ok();
                    let number = number.filter(|value| is_number && value.is_number());
                    Change::Body(path, number.unwrap_or_else(|| position.into()))
                }
            },
        };
        self.first.following(change)
    }

    /// Takes the position of the next page from a response, and returns it. An error is about the page itself.
    fn arrive(&mut self, raw: &RawResponse) -> Result<Option<String>, PagingError> {
        let has_next = raw.status.is_success() && self.may_go_on(raw);
        let next = if has_next { self.next(raw) } else { Ok(None) };
        let (next, is_number) = match next {
            Ok(Some(next)) => next,
            Ok(None) => {
                self.state = State::Ended;
                return Ok(None);
            }
            Err(error) => {
                self.position = None;
                self.state = State::Stuck(error);
                return Ok(None);
            }
        };
        let next = self.located(raw, next);
        self.is_number = is_number;
        if !self.is_bounded(raw) {
            let page = probe::hash(&raw.body);
            if self.last.replace(page) == Some(page) {
                return Err(PagingError::SamePage { position: self.position.take().unwrap_or_default() });
            }
        }
        if !self.seen.insert(probe::hash(&next)) {
            self.state = State::Stuck(PagingError::Repeated { position: self.shown(&next) });
        }
        self.position = Some(next.clone());
        Ok(Some(next))
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

    /// Returns the position of the page after this one, and whether it is a number in the response. Returns `None` if
    /// this is the last page.
    fn next(&self, raw: &RawResponse) -> Result<Option<(String, bool)>, PagingError> {
        let next = match self.paging.step {
            PageStep::Page { at, first, last } => self.counted(raw, last, |_| {
                let current = self.current(at).unwrap_or(first);
                Some((current, current.checked_add(1)?))
            }),
            PageStep::Offset { at, total } => self.counted(raw, total, |count| {
                let next = self.current(at).unwrap_or(0).checked_add(count)?;
                Some((next, next))
            }),
            PageStep::Cursor { next, .. } | PageStep::Url { next } => match probe::find(&raw.body, next) {
                Some(Found::Number(next)) => return Ok(Some((next, true))),
                Some(Found::Text(next)) => Some(next).filter(|next| !next.is_empty()),
                Some(Found::Items(_) | Found::Object | Found::Flag(true)) => {
                    return Err(PagingError::Position);
                }
                Some(Found::Flag(false)) | None => None,
            },
            PageStep::Link => link::next(&raw.headers),
        };
        Ok(next.map(|next| (next, false)))
    }

    /// Returns the number of the next page, unless the page has no items or is the last one.
    ///
    /// `numbers` returns what is compared with the `last` number in the response, and the next one.
    fn counted(
        &self,
        raw: &RawResponse,
        last: Option<Path>,
        numbers: impl Fn(u64) -> Option<(u64, u64)>,
    ) -> Option<String> {
        let Found::Items(count @ 1..) = probe::find(&raw.body, self.paging.items)? else { return None };
        let (reached, next) = numbers(count)?;
        let is_last =
            last.and_then(|path| probe::number(&raw.body, path)).is_some_and(|last| reached >= last);
        (!is_last).then(|| next.to_string())
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
