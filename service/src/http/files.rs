//! Serves result files and catalogue files, with range requests.
//!
//! File names can't be guessed, and files never change.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use object_store::GetRange;

use super::RoutesState;
use super::ranges::{Requested, requested};
use crate::files::{Area, is_name, media_type};

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
    let key = format!("{folder}/{name}");
    let size = match state.files.size(area, &key).await {
        Ok(Some(size)) => size,
        Ok(None) => return not_found(),
        Err(error) => return broken(&error),
    };
    // A file never changes, so its name is a valid entity tag.
    let tag = format!("\"{folder}-{name}\"");
    if headers.get(header::IF_NONE_MATCH).is_some_and(|tags| matches(tags, &tag)) {
        return with_headers(StatusCode::NOT_MODIFIED.into_response(), name, &tag);
    }
    let if_range = headers.get(header::IF_RANGE).is_none_or(|wanted| wanted.as_bytes() == tag.as_bytes());
    let range = headers.get(header::RANGE).filter(|_| if_range).and_then(|range| range.to_str().ok());
    let (status, range) = match requested(range, size) {
        Requested::Whole => (StatusCode::OK, 0..size),
        Requested::Range(range) => (StatusCode::PARTIAL_CONTENT, range),
        Requested::Unsatisfiable => {
            let unsatisfied = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
            return (StatusCode::RANGE_NOT_SATISFIABLE, unsatisfied).into_response();
        }
    };
    let wanted = (status == StatusCode::PARTIAL_CONTENT).then(|| GetRange::Bounded(range.clone()));
    let body = if method == Method::HEAD {
        Body::empty()
    } else {
        match state.files.open(area, &key, wanted).await {
            Ok(Some(file)) => Body::from_stream(file.into_stream()),
            Ok(None) => return not_found(),
            Err(error) => return broken(&error),
        }
    };
    let mut response = (status, body).into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    if status == StatusCode::PARTIAL_CONTENT {
        let content = format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1));
        out.extend(HeaderValue::try_from(content).ok().map(|value| (header::CONTENT_RANGE, value)));
    }
    with_headers(response, name, &tag)
}

fn with_headers(mut response: Response, name: &str, tag: &str) -> Response {
    let media_type = media_type(name);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if media_type == "image/svg+xml" {
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
    (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "application/json")], r#"{"message":"Not found"}"#)
        .into_response()
}

fn broken(error: &crate::files::FilesError) -> Response {
    tracing::error!(%error, "can't serve a file");
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::INTERNAL_SERVER_ERROR, headers, r#"{"message":"Internal Server Error"}"#).into_response()
}
