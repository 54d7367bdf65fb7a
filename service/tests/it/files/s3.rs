//! A small S3 server in memory, with faults on demand.
//!
//! It has the requests that the service sends, checks no signature, and lists few objects per page.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use asset_service::time::{Clock, timestamp};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use axum::response::IntoResponse as _;
use parking_lot::Mutex;
use url::form_urlencoded;

/// The secret key of the service.
pub const SECRET: &str = "a-secret-key";

/// The number of objects in a page of a list.
const PAGE: usize = 7;

/// What the server does with requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It works.
    Works,
    /// It takes this long for each request.
    Slow(Duration),
    /// It responds with this status and code, as an error of S3 that quotes a secret of the request.
    Fails(u16, &'static str),
    /// It never responds.
    Hangs,
}

/// A server, which ends with the test's runtime.
#[derive(Clone)]
pub struct S3 {
    url: String,
    state: Arc<Mutex<Stored>>,
}

struct Stored {
    mode: Mode,
    objects: BTreeMap<String, Object>,
    /// The parts of unfinished uploads, by their ids.
    uploads: BTreeMap<String, BTreeMap<usize, Bytes>>,
    /// The number of requests by their names in the API.
    requests: BTreeMap<&'static str, usize>,
    ids: usize,
}

#[derive(Clone)]
struct Object {
    bytes: Bytes,
    headers: HeaderMap,
    put_at: String,
}

impl S3 {
    /// Starts a server.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(Stored {
            mode: Mode::Works,
            objects: BTreeMap::new(),
            uploads: BTreeMap::new(),
            requests: BTreeMap::new(),
            ids: 0,
        }));
        let app = axum::Router::new().fallback(respond).with_state(Arc::clone(&state));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, app).into_future());
        Self { url, state }
    }

    /// Returns the environment with which the service uses the server.
    pub fn environment(&self) -> [(&str, &str); 4] {
        [
            ("AWS_ENDPOINT_URL", self.url.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
        ]
    }

    /// Changes what the server does from now on.
    pub fn set(&self, mode: Mode) {
        self.state.lock().mode = mode;
    }

    /// Returns the names of all objects that begin with this, as `bucket/name`.
    pub fn objects(&self, prefix: &str) -> Vec<String> {
        self.state.lock().objects.keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }

    /// Removes an object, as a rule of the bucket does.
    pub fn remove(&self, name: &str) {
        self.state.lock().objects.remove(name).unwrap();
    }

    /// Returns the number of unfinished uploads.
    pub fn unfinished(&self) -> usize {
        self.state.lock().uploads.len()
    }

    /// Returns the number of parts of unfinished uploads.
    pub fn parts(&self) -> usize {
        self.state.lock().uploads.values().map(BTreeMap::len).sum()
    }

    /// Returns the requests since the last call, as `2 GetObject, 1 PutObject`.
    pub fn requests(&self) -> String {
        let requests = std::mem::take(&mut self.state.lock().requests);
        let requests: Vec<_> = requests.iter().map(|(name, count)| format!("{count} {name}")).collect();
        requests.join(", ")
    }
}

async fn respond(State(state): State<Arc<Mutex<Stored>>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let query: BTreeMap<String, String> =
        form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let mode = state.lock().mode;
    match mode {
        Mode::Works => {}
        Mode::Slow(by) => tokio::time::sleep(by).await,
        Mode::Fails(status, code) => {
            let error =
                xml(format!("<Error><Code>{code}</Code><StringToSign>{SECRET}</StringToSign></Error>"));
            return (StatusCode::from_u16(status).unwrap(), error).into_response();
        }
        Mode::Hangs => std::future::pending().await,
    }
    if !parts.headers.contains_key(header::AUTHORIZATION) && !query.contains_key("X-Amz-Signature") {
        return StatusCode::FORBIDDEN.into_response();
    }
    // `bucket/name`, or `bucket` alone for a list.
    let name = parts.uri.path().trim_start_matches('/');
    state.lock().respond(&parts.method, name, &query, &parts.headers, body)
}

impl Stored {
    fn respond(
        &mut self,
        method: &Method,
        name: &str,
        query: &BTreeMap<String, String>,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response<Body> {
        let upload = query.get("uploadId");
        let (request, response) = match (method.as_str(), upload) {
            ("PUT", Some(upload)) => ("UploadPart", self.put_part(upload, query, body)),
            ("PUT", None) => match headers.get("x-amz-copy-source") {
                Some(source) => ("CopyObject", self.copy(source, name)),
                None => ("PutObject", self.put(name, headers, body)),
            },
            ("POST", Some(upload)) => ("CompleteMultipartUpload", self.complete(upload, name)),
            ("POST", None) if query.contains_key("uploads") => ("CreateMultipartUpload", self.create(name)),
            ("POST", None) => ("DeleteObjects", self.delete_all(name, &body)),
            ("DELETE", Some(upload)) => ("AbortMultipartUpload", self.abort(upload)),
            ("DELETE", None) => {
                self.objects.remove(name);
                ("DeleteObject", StatusCode::NO_CONTENT.into_response())
            }
            ("GET", None) if query.contains_key("list-type") => ("ListObjectsV2", self.list(name, query)),
            ("HEAD", None) => ("HeadObject", self.get(name, &HeaderMap::new())),
            ("GET", None) => ("GetObject", self.get(name, headers)),
            _ => panic!("{method} {name} {query:?} is not a request of the service"),
        };
        *self.requests.entry(request).or_default() += 1;
        response
    }

    fn put(&mut self, name: &str, headers: &HeaderMap, bytes: Bytes) -> Response<Body> {
        if headers.contains_key(header::IF_NONE_MATCH) && self.objects.contains_key(name) {
            return StatusCode::PRECONDITION_FAILED.into_response();
        }
        if let Some(tag) = headers.get(header::IF_MATCH)
            && self.objects.get(name).is_none_or(|object| object.headers.get(header::ETAG) != Some(tag))
        {
            return StatusCode::PRECONDITION_FAILED.into_response();
        }
        let mut kept = HeaderMap::new();
        for name in [header::CONTENT_TYPE, header::CACHE_CONTROL] {
            kept.extend(headers.get(&name).map(|value| (name, value.clone())));
        }
        self.ids += 1;
        let tag = HeaderValue::try_from(format!("\"{}\"", self.ids)).unwrap();
        kept.insert(header::ETAG, tag.clone());
        let put_at = timestamp(Clock::System.now()).to_string();
        self.objects.insert(name.to_owned(), Object { bytes, headers: kept, put_at });
        [(header::ETAG, tag)].into_response()
    }

    fn copy(&mut self, source: &HeaderValue, name: &str) -> Response<Body> {
        let source = source.to_str().unwrap().trim_start_matches('/');
        let Some(object) = self.objects.get(source).cloned() else {
            return StatusCode::NOT_FOUND.into_response();
        };
        self.objects.insert(name.to_owned(), object);
        xml("<CopyObjectResult></CopyObjectResult>".to_owned())
    }

    fn get(&self, name: &str, headers: &HeaderMap) -> Response<Body> {
        let Some(object) = self.objects.get(name) else { return StatusCode::NOT_FOUND.into_response() };
        let size = object.bytes.len();
        let range = headers.get(header::RANGE).map(|range| {
            let (first, last) =
                range.to_str().unwrap().strip_prefix("bytes=").unwrap().split_once('-').unwrap();
            first.parse::<usize>().unwrap()..last.parse::<usize>().map_or(size, |last| size.min(last + 1))
        });
        let mut response = match range {
            Some(range) => {
                let content = format!("bytes {}-{}/{size}", range.start, range.end - 1);
                let bytes = object.bytes.slice(range);
                (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, content)], bytes).into_response()
            }
            None => object.bytes.clone().into_response(),
        };
        response.headers_mut().extend(object.headers.clone());
        let now = httpdate::fmt_http_date(std::time::SystemTime::now());
        response.headers_mut().insert(header::LAST_MODIFIED, HeaderValue::try_from(now).unwrap());
        response
    }

    fn list(&self, bucket: &str, query: &BTreeMap<String, String>) -> Response<Body> {
        let (prefix, after) = (query.get("prefix"), query.get("continuation-token"));
        let (prefix, after) = (prefix.map_or("", String::as_str), after.map_or("", String::as_str));
        let bucket = format!("{}/", bucket.trim_end_matches('/'));
        let names =
            self.objects.iter().filter_map(|(name, object)| Some((name.strip_prefix(&bucket)?, object)));
        let mut names = names.filter(|(name, _)| name.starts_with(prefix) && *name > after);
        let page: Vec<_> = names.by_ref().take(PAGE).collect();
        let next = names.next().and_then(|_| page.last());
        let next = next
            .map(|(name, _)| format!("<NextContinuationToken>{name}</NextContinuationToken>"))
            .unwrap_or_default();
        let contents: String = page
            .iter()
            .map(|(name, Object { bytes, put_at, .. })| {
                let size = bytes.len();
                format!(
                    "<Contents><Key>{name}</Key><Size>{size}</Size><LastModified>{put_at}</LastModified></Contents>"
                )
            })
            .collect();
        xml(format!("<ListBucketResult>{contents}{next}</ListBucketResult>"))
    }

    fn create(&mut self, name: &str) -> Response<Body> {
        self.ids += 1;
        let upload = format!("{name}:{}", self.ids);
        self.uploads.insert(upload.clone(), BTreeMap::new());
        xml(format!(
            "<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
        ))
    }

    fn put_part(&mut self, upload: &str, query: &BTreeMap<String, String>, bytes: Bytes) -> Response<Body> {
        let Some(parts) = self.uploads.get_mut(upload) else { return StatusCode::NOT_FOUND.into_response() };
        parts.insert(query["partNumber"].parse().unwrap(), bytes);
        [(header::ETAG, HeaderValue::from_static("\"part\""))].into_response()
    }

    fn complete(&mut self, upload: &str, name: &str) -> Response<Body> {
        let Some(parts) = self.uploads.remove(upload) else { return StatusCode::NOT_FOUND.into_response() };
        let sizes: Vec<usize> = parts.values().map(Bytes::len).collect();
        let (_, full) = sizes.split_last().unwrap();
        assert!(full.iter().all(|size| *size >= 5 * 1024 * 1024), "{sizes:?}: S3 refuses such parts");
        self.put(name, &HeaderMap::new(), parts.into_values().collect::<Vec<_>>().concat().into());
        xml("<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>"
            .to_owned())
    }

    fn abort(&mut self, upload: &str) -> Response<Body> {
        self.uploads.remove(upload);
        StatusCode::NO_CONTENT.into_response()
    }

    fn delete_all(&mut self, bucket: &str, body: &[u8]) -> Response<Body> {
        let text = std::str::from_utf8(body).unwrap();
        let names = text.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
        let removed: String = names
            .map(|name| {
                self.objects.remove(&format!("{}/{name}", bucket.trim_end_matches('/')));
                format!("<Deleted><Key>{name}</Key></Deleted>")
            })
            .collect();
        xml(format!("<DeleteResult>{removed}</DeleteResult>"))
    }
}

fn xml(text: String) -> Response<Body> {
    ([(header::CONTENT_TYPE, "application/xml")], text).into_response()
}
