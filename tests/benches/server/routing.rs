//! Routing: the compiled route table against axum's router and `matchit`.
//!
//! axum's router uses `matchit`. Neither supports templates with literal text next to a parameter
//! (`/v1/ai/{model}-image-edit`), so they contain only the other routes. Our table contains all routes, and
//! the requested paths are those of the other routes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use asset_api_validation::OPERATIONS;
use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode};
use axum::routing::{MethodFilter, on};
use openapi_crates_runtime::server::{Builder, Failure, NoSecurity, RejectionStyle, Service, open};
use openapi_crates_runtime::table::Operation;
use tower_service::Service as _;

use crate::rounds::{Contestant, Pace, Table, Target};

pub fn measure(table: &mut Table) {
    let operations: Vec<&'static Operation> = OPERATIONS.concat();
    let shared: Vec<&'static Operation> =
        operations.iter().copied().filter(|operation| is_taken_by_axum(operation.path)).collect();
    let asked = shuffled(shared.iter().map(|operation| Asked::of(operation)).collect());

    let service = service(&operations);
    let matchit = by_matchit(&shared);
    for asked in &asked {
        let found = service.operation(&asked.method, &asked.path).map(|operation| operation.id);
        assert_eq!(found, Some(asked.operation.id), "{}", asked.path);
        assert_eq!(lookup(&matchit, asked).map(|operation| operation.id), found, "{}", asked.path);
    }

    let what = format!("routing, {} routes: lookup", operations.len());
    let mut turn = asked.iter().cycle();
    let mut other_turn = asked.iter().cycle();
    table.compare(
        &what,
        Pace::SHORT,
        vec![
            Contestant::new("ours", || {
                turn.next().and_then(|asked| service.operation(&asked.method, &asked.path))
            }),
            Contestant::new("matchit", || other_turn.next().and_then(|asked| lookup(&matchit, asked))),
        ],
        &[Target::AtMost(1.0)],
    );

    let mut service = service;
    let mut router = by_axum(&shared);
    let what = format!("routing, {} routes: whole call", operations.len());
    table.compare(
        &what,
        Pace::SHORT,
        vec![
            Contestant::timed("ours", |times| calls(&asked, times, |request| status(service.call(request)))),
            Contestant::timed("axum", |times| calls(&asked, times, |request| status(router.call(request)))),
        ],
        &[Target::AtMost(1.0)],
    );
}

/// A request to route.
struct Asked {
    operation: &'static Operation,
    method: Method,
    path: String,
}

impl Asked {
    /// Creates a request for this operation, with an id for each parameter.
    fn of(operation: &'static Operation) -> Self {
        let mut path = String::new();
        let mut rest = operation.path;
        while let Some((before, behind)) = rest.split_once('{') {
            path += before;
            path += "046b6c7f-0b8a-43b9-b35d-6489e6daee91";
            rest = behind.split_once('}').map_or("", |(_, behind)| behind);
        }
        path += rest;
        Self { operation, method: method(operation), path }
    }

    fn request(&self) -> Request<Body> {
        Request::builder()
            .method(self.method.clone())
            .uri(&self.path)
            .body(Body::empty())
            .expect("the path is one")
    }
}

fn method(operation: &Operation) -> Method {
    operation.method.parse().expect("a method")
}

/// Returns whether no segment has literal text next to a parameter.
pub fn is_taken_by_axum(template: &str) -> bool {
    template.split('/').all(|segment| {
        !segment.contains('{') || segment.starts_with('{') && segment.find('}') == Some(segment.len() - 1)
    })
}

/// Shuffles the items into the same random order every time.
fn shuffled<T>(mut items: Vec<T>) -> Vec<T> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for last in (1..items.len()).rev() {
        // Xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(last, (state % (last as u64 + 1)) as usize);
    }
    items
}

/// Creates a service of all routes without parameters, bodies or credentials.
fn service(operations: &[&'static Operation]) -> Service {
    let bare: Vec<&'static Operation> = operations
        .iter()
        .map(|operation| {
            let bare = Operation::new(operation.id, operation.tag, operation.method, operation.path);
            &*Box::leak(Box::new(bare))
        })
        .collect();
    let mut builder = Builder::new(&[&bare], NoSecurity, &RejectionStyle::PROBLEM_DETAILS);
    for operation in bare {
        let nothing = |_, _, ()| async { Ok::<(), Failure<()>>(()) };
        builder.mount(operation, open(&Arc::new(()), nothing));
    }
    builder.build().expect("the routes can be merged")
}

fn by_axum(operations: &[&'static Operation]) -> axum::Router {
    operations.iter().fold(axum::Router::new(), |router, operation| {
        let filter = MethodFilter::try_from(method(operation)).expect("a method");
        router.route(operation.path, on(filter, async || StatusCode::NO_CONTENT))
    })
}

/// The operations of each template by method.
type Matchit = matchit::Router<Vec<(Method, &'static Operation)>>;

fn by_matchit(operations: &[&'static Operation]) -> Matchit {
    let mut by_path: HashMap<&str, Vec<_>> = HashMap::new();
    for operation in operations {
        by_path.entry(operation.path).or_default().push((method(operation), *operation));
    }
    let mut table = Matchit::new();
    for (path, methods) in by_path {
        table.insert(path, methods).expect("matchit takes it");
    }
    table
}

fn lookup(table: &Matchit, asked: &Asked) -> Option<&'static Operation> {
    let found = table.at(&asked.path).ok()?;
    // The captured parameters are part of the result.
    black_box(&found.params);
    found.value.iter().find(|(method, _)| *method == asked.method).map(|(_, operation)| *operation)
}

/// Calls `times` times and returns the duration without creating the requests.
fn calls(asked: &[Asked], times: usize, mut call: impl FnMut(Request<Body>) -> StatusCode) -> Duration {
    let requests: Vec<_> = asked.iter().cycle().take(times).map(Asked::request).collect();
    let start = Instant::now();
    for request in requests {
        assert_eq!(call(request), StatusCode::NO_CONTENT);
    }
    start.elapsed()
}

/// Returns the status of a response that is immediately ready.
fn status<B>(response: impl Future<Output = Result<Response<B>, Infallible>>) -> StatusCode {
    match pin!(response).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(response)) => response.status(),
        Poll::Pending => StatusCode::REQUEST_TIMEOUT,
    }
}
