//! The front of all providers: records requests, and applies faults.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{self, Body};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::{StreamExt as _, future, stream};

use crate::Shared;
use crate::media::Medium;

/// A step of a job, as a request takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A job is created, or a text spoken.
    Create,
    /// The status of jobs is read.
    Poll,
    /// The output is read where that is a request of its own.
    Result,
    /// A job is cancelled.
    Cancel,
    /// An input is uploaded.
    Upload,
    /// A result is downloaded.
    Download,
    /// Anything else, such as a list of voices.
    Other,
}

impl Step {
    fn of(method: &Method, path: &str) -> Self {
        let (path, get) = (path.trim_end_matches('/'), method == Method::GET);
        if path.starts_with("/media/") || path == "/comfyui/view" {
            Self::Download
        } else if path == "/comfyui/upload/image" || path == "/replicate/v1/files" {
            Self::Upload
        } else if path.ends_with("/cancel")
            || path == "/comfyui/interrupt"
            || path == "/comfyui/queue" && !get
        {
            Self::Cancel
        } else if matches!(path, "/piper/voices" | "/replicate/v1/account" | "/comfyui/system_stats") {
            Self::Other
        } else if !get {
            Self::Create
        } else if path.starts_with("/fal/") && !path.ends_with("/status") {
            Self::Result
        } else {
            Self::Poll
        }
    }
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Responds with this status; the request has no effect.
    Status(u16),
    /// Responds with 429 and `Retry-After` in seconds; the request has no effect.
    Busy(u64),
    /// Never responds; the request has no effect.
    Hang,
    /// Accepts the request, and responds with this status.
    AcceptedStatus(u16),
    /// Accepts the request, and never responds.
    AcceptedHang,
    /// Accepts the request, and responds after this time.
    AcceptedLate(Duration),
    /// Accepts the request, and breaks the connection within the response's body.
    Truncated,
    /// Responds with this media type.
    ContentType(&'static str),
    /// Accepts the request, and responds with a text that is neither a medium nor JSON.
    Garbage,
    /// Redirects to a URL, with 307; the request has no effect.
    Redirect(String),
    /// Responds after this time.
    Late(Duration),
}

/// A request that a provider has received.
#[derive(Debug, Clone)]
pub struct Received {
    /// The effect of the request.
    pub step: Step,
    /// The method.
    pub method: Method,
    /// The path and the query.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Received {
    /// Returns the header `Authorization`.
    #[must_use]
    pub fn authorization(&self) -> Option<&str> {
        self.headers.get(AUTHORIZATION)?.to_str().ok()
    }
}

/// The requests so far, and the faults that wait for others.
#[derive(Debug, Default)]
pub(crate) struct Front {
    pub faults: Vec<(Step, Fault)>,
    pub received: Vec<Received>,
}

impl Front {
    fn take(&mut self, step: Step) -> Option<Fault> {
        let index = self.faults.iter().position(|(of, _)| *of == step)?;
        Some(self.faults.remove(index).1)
    }
}

/// Records a request, and lets it pass unless a fault stops it.
pub(crate) async fn pass(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = body::to_bytes(body, usize::MAX).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let step = Step::of(&parts.method, parts.uri.path());
    let fault = {
        let mut front = shared.front();
        let (method, headers) = (parts.method.clone(), parts.headers.clone());
        front.received.push(Received { step, method, path, headers, body: body.clone() });
        front.take(step)
    };
    let own_type = content_type_of(parts.uri.path());
    let accepted = next.run(Request::from_parts(parts, Body::from(body)));
    match fault {
        None => typed(accepted.await, own_type),
        Some(Fault::Status(status)) => failed(status),
        Some(Fault::Busy(seconds)) => {
            (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds.to_string())], detail("slow down"))
                .into_response()
        }
        Some(Fault::Hang) => future::pending().await,
        Some(Fault::AcceptedStatus(status)) => {
            drop(accepted.await);
            failed(status)
        }
        Some(Fault::AcceptedHang) => {
            drop(accepted.await);
            future::pending().await
        }
        Some(Fault::AcceptedLate(time)) => {
            let response = accepted.await;
            tokio::time::sleep(time).await;
            typed(response, own_type)
        }
        Some(Fault::Truncated) => truncated(accepted.await).await,
        Some(Fault::ContentType(name)) => typed(accepted.await, Some(name)),
        Some(Fault::Garbage) => {
            drop(accepted.await);
            "This is no JSON and no medium.".into_response()
        }
        Some(Fault::Redirect(url)) => (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, url)]).into_response(),
        Some(Fault::Late(time)) => {
            tokio::time::sleep(time).await;
            typed(accepted.await, own_type)
        }
    }
}

/// Returns the media type that a provider gives a response, where the document does not say it.
fn content_type_of(path: &str) -> Option<&'static str> {
    if path == "/piper/synthesize" {
        return Some("text/html; charset=utf-8"); // as the real server does
    }
    Medium::named(path.strip_prefix("/media/")?).map(Medium::content_type)
}

fn typed(mut response: Response, content_type: Option<&'static str>) -> Response {
    if let Some(content_type) = content_type.filter(|_| response.status().is_success()) {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    response
}

fn failed(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, detail("something is wrong")).into_response()
}

fn detail(text: &str) -> String {
    serde_json::json!({ "detail": text }).to_string()
}

/// Returns a response whose connection breaks after half of the body.
async fn truncated(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let whole = body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(whole.len()));
    let half = whole.slice(..whole.len() / 2);
    let broken = stream::once(async { Ok(half) }).chain(stream::once(async {
        // Without a pause, hyper closes the connection before it has sent the first half.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    }));
    Response::from_parts(parts, Body::from_stream(broken))
}
