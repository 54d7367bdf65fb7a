//! Serves result files and catalogue files, with range requests.
//!
//! File names can't be guessed, and files never change. Files of a bucket pass through the service, or clients are
//! redirected to the bucket.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use object_store::GetRange;

use super::ranges::{Requested, requested};
use super::{RoutesState, message, unavailable};
use crate::files::{Area, FilesError, REDIRECT_SECONDS, is_name, media_type};

/// The media type of SVG files. They are never redirected, because a bucket does not send the policy.
const SVG: &str = "image/svg+xml";

/// Keeps SVG files from running scripts or loading anything in a browser.
const SVG_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Returns the route of an area's files, by their folders and names.
pub(super) fn route(area: Area) -> MethodRouter<RoutesState> {
    get(
        async move |State(state): State<RoutesState>,
                    Path((folder, name)): Name,
                    method: Method,
                    headers: HeaderMap| {
            serve(&state, area, &folder, &name, &method, &headers).await
        },
    )
}

/// The folder and the name of a file.
type Name = Path<(String, String)>;

async fn serve(
    state: &RoutesState,
    area: Area,
    folder: &str,
    name: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    if !is_name(folder) || !is_name(name) {
        return not_found();
    }
    match response(state, area, &format!("{folder}/{name}"), method, headers).await {
        Ok(Some(response)) => response,
        Ok(None) => not_found(),
        Err(error) => broken(&error),
    }
}

/// Returns the response with a file, or `None` if no such file exists.
async fn response(
    state: &RoutesState,
    area: Area,
    key: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Response>, FilesError> {
    // A file never changes, so its name is a valid entity tag.
    let tag = format!("\"{}\"", key.replace('/', "-"));
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| matches(tags, &tag));
    let if_range = headers.get(header::IF_RANGE).is_none_or(|wanted| wanted.as_bytes() == tag.as_bytes());
    let is_ranged = if_range && method == Method::GET;
    let range = headers.get(header::RANGE).filter(|_| is_ranged).and_then(|range| range.to_str().ok());
    let is_download = method == Method::GET && !is_known;
    let redirect =
        if is_download && media_type(key) != SVG { state.files.redirect(area, key).await? } else { None };
    // The most frequent request opens the file at once: each request to a bucket takes time.
    let (size, whole) = if is_download && range.is_none() && redirect.is_none() {
        let Some(file) = state.files.open(area, key, None).await? else { return Ok(None) };
        (file.meta.size, Some(file))
    } else {
        let Some(size) = state.files.size(area, key).await? else { return Ok(None) };
        (size, None)
    };
    if is_known {
        return Ok(Some(with_headers(StatusCode::NOT_MODIFIED.into_response(), key, &tag)));
    }
    if let Some(url) = redirect {
        let kept = format!("private, max-age={REDIRECT_SECONDS}");
        let headers = [(header::LOCATION, url), (header::CACHE_CONTROL, kept)];
        return Ok(Some((StatusCode::TEMPORARY_REDIRECT, headers).into_response()));
    }
    let (status, range) = match requested(range, size) {
        Requested::Whole => (StatusCode::OK, 0..size),
        Requested::Range(range) => (StatusCode::PARTIAL_CONTENT, range),
        Requested::Unsatisfiable => {
            let unsatisfied = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
            return Ok(Some((StatusCode::RANGE_NOT_SATISFIABLE, unsatisfied).into_response()));
        }
    };
    let file = match whole {
        Some(file) => Some(file),
        None if method == Method::HEAD => None,
        None => {
            let wanted = (status == StatusCode::PARTIAL_CONTENT).then(|| GetRange::Bounded(range.clone()));
            let Some(file) = state.files.open(area, key, wanted).await? else { return Ok(None) };
            Some(file)
        }
    };
    let body = file.map_or_else(Body::empty, |file| Body::from_stream(file.into_stream()));
    let mut response = (status, body).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    if status == StatusCode::PARTIAL_CONTENT {
        let content = format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1));
        out.extend(HeaderValue::try_from(content).ok().map(|value| (header::CONTENT_RANGE, value)));
    }
    Ok(Some(with_headers(response, key, &tag)))
}

fn with_headers(mut response: Response, key: &str, tag: &str) -> Response {
    let media_type = media_type(key);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    if media_type == SVG {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SVG_POLICY));
    }
    headers.extend(HeaderValue::from_str(tag).ok().map(|tag| (header::ETAG, tag)));
    response
}

fn matches(tags: &HeaderValue, tag: &str) -> bool {
    let Ok(tags) = tags.to_str() else { return false };
    tags.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|known| known == tag || known == "*")
}

pub(super) fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Not found")
}

fn broken(error: &FilesError) -> Response {
    if error.is_temporary() {
        tracing::warn!(%error, "can't serve a file now");
        return unavailable();
    }
    tracing::error!(%error, "can't serve a file");
    message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
}
