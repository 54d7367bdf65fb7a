//! Long-running operations of Azure's kind: a response names the URL that reports on the work.

use http::{StatusCode, header::LOCATION};
use reqwest::Url;

use super::poll::{Ending, NoReport, Report, progress};
use crate::client::{Error, Pending, RawResponse, Received, follow::Elsewhere, probe};
use crate::types::NoError;

/// The headers with the URL of a monitor, whose responses have a status.
const MONITORS: [&str; 2] = ["operation-location", "azure-asyncoperation"];

/// Where the result of a long-running operation is, once it has succeeded (`final-state-via`).
///
/// If a monitor names the URL of the resource itself, that one has the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinalState {
    /// At the URL of the request.
    Original,
    /// At the URL in the header `Location`.
    Location,
    /// In the last response of the monitor.
    Monitor,
    /// Nowhere: the result is the response to the request.
    Nothing,
}

/// The source of the state of a long-running operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The `status` of a monitor.
    Status,
    /// The status code of the URL in `Location`: `202` while the work continues.
    Location,
    /// The `provisioningState` of the resource, or else its status code: `201` or `202` while the work continues.
    Resource,
    /// Nothing: the work was done when the response was sent.
    Nothing,
}

/// A long-running operation that has begun.
pub(super) struct Monitor {
    mode: Mode,
    state: FinalState,
    /// The URL of the request.
    original: Url,
    /// The last URL in a header `Location`.
    location: Option<Named>,
    /// The response to the request.
    created: RawResponse,
}

impl Monitor {
    /// Reads what the response to the request names. Sets the URL that `get` polls.
    pub(super) fn begin(
        state: FinalState,
        original: Url,
        created: RawResponse,
        get: &mut Pending,
    ) -> Result<Self, Error<NoError>> {
        let is_resource = matches!(get.operation.method, "PUT" | "PATCH");
        let mode = if MONITORS.iter().any(|name| created.headers.contains_key(*name)) {
            Mode::Status
        } else if created.headers.contains_key(LOCATION) && created.status != StatusCode::OK {
            Mode::Location
        } else if is_resource {
            Mode::Resource
        } else {
            Mode::Nothing
        };
        get.method = Some("GET");
        get.url = Some(original.clone());
        let mut monitor = Self { mode, state, original, location: None, created };
        let created = monitor.created.clone();
        monitor.follow(&created, get).map_err(|elsewhere| failed(elsewhere, &created, get))?;
        Ok(monitor)
    }

    /// Returns the response to the request, if it reports on the work itself.
    pub(super) fn first(&self) -> Option<Received> {
        matches!(self.mode, Mode::Resource | Mode::Nothing).then(|| self.created.clone().into())
    }

    /// Takes the URLs that a response names.
    fn follow(&mut self, raw: &RawResponse, get: &mut Pending) -> Result<(), Elsewhere> {
        let header = |name: &str| raw.headers.get(name).and_then(|value| value.to_str().ok());
        let location = header(LOCATION.as_str());
        let polled = match self.mode {
            Mode::Status => MONITORS.iter().find_map(|name| header(name)),
            Mode::Location => location,
            Mode::Resource | Mode::Nothing => None,
        };
        if let Some(text) = polled {
            get.url = Some(self.named(text, raw, get)?);
        }
        if let Some(text) = location {
            self.location = Some(self.named(text, raw, get));
        }
        Ok(())
    }

    /// Returns a URL in a response.
    fn named(&self, text: &str, raw: &RawResponse, get: &Pending) -> Named {
        get.own_named_url(&self.original, raw.url.as_deref().unwrap_or(&self.original), text)
    }

    /// Reads the response to a poll.
    pub(super) fn report(&mut self, received: Received, get: &mut Pending) -> Result<Report, NoReport> {
        let raw = &received.raw;
        self.follow(raw, get).map_err(|elsewhere| NoReport::Failed(failed(elsewhere, raw, get)))?;
        let text = |path: &[&str]| probe::text(&raw.body, path);
        let status = match self.mode {
            Mode::Status => text(&["status"]),
            Mode::Resource => {
                text(&["properties", "provisioningState"]).or_else(|| text(&["provisioningState"]))
            }
            Mode::Location | Mode::Nothing => None,
        };
        let by_code = match (self.mode, raw.status) {
            (Mode::Nothing, _) => "Succeeded",
            (_, StatusCode::ACCEPTED) | (Mode::Resource, StatusCode::CREATED) => "Running",
            (Mode::Status, _) if status.is_none() => {
                return Err(NoReport::Other(Box::new(received)));
            }
            _ => "Succeeded",
        };
        let status = status.unwrap_or_else(|| by_code.to_owned());
        let ending = match status.to_ascii_lowercase().as_str() {
            "succeeded" => Some(Ending::Done),
            "failed" | "canceled" | "cancelled" => {
                Some(Ending::Failed { message: text(&["error", "message"]) })
            }
            _ => None,
        };
        let progress = progress(&raw.body, &["percentComplete"]);
        Ok(Report { status, progress, ending, received })
    }

    /// Returns the URL of the result, or the response that is the result.
    pub(super) fn result(&self, last: Received, get: &Pending) -> Result<Source, Error<NoError>> {
        if self.state == FinalState::Nothing {
            return Ok(Source::Response(Box::new(self.created.clone().into())));
        }
        let original = || Some(Ok(self.original.clone()));
        let resource =
            || Some(self.named(&probe::text(&last.raw.body, &["resourceLocation"])?, &last.raw, get));
        let url = match self.state {
            _ if self.mode != Mode::Status => None,
            FinalState::Original => resource().or_else(original),
            FinalState::Location => {
                let is_patch = get.operation.method == "PATCH";
                resource().or_else(|| self.location.clone()).or_else(|| original().filter(|_| is_patch))
            }
            FinalState::Monitor | FinalState::Nothing => resource(),
        };
        match url.transpose() {
            Ok(Some(url)) => Ok(Source::Url(url)),
            Ok(None) => Ok(Source::Response(Box::new(last))),
            Err(elsewhere) => Err(failed(elsewhere, &last.raw, get)),
        }
    }
}

/// Returns the error of a URL that a response names.
fn failed(elsewhere: Elsewhere, raw: &RawResponse, get: &Pending) -> Error<NoError> {
    Error::new(elsewhere.into(), Some(get.operation), raw.attempts)
}

/// The source of a result.
pub(super) enum Source {
    Url(Url),
    Response(Box<Received>),
}

/// A URL in a response.
type Named = Result<Url, Elsewhere>;
