//! Tests that the walk finds a violation in every query that the fast path refuses.

use bytes::Bytes;
use openapi_crates_runtime::{
    client::reqwest::header::HeaderMap,
    server::decode::{RawRequest, Refused},
    table::{Location, Operation},
    validation::ViolationKind,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::http::{service::TYPED, spec};

/// The number of queries per operation.
const CASES: u32 = 300;

#[test]
fn fast_path_and_walk_agree_on_queries() {
    let mut operations = 0;
    let (mut accepted, mut refused) = (0, 0);
    for typed in TYPED {
        let operation = spec::operation(typed.id);
        let names = query_names(operation);
        if names.is_empty() {
            continue;
        }
        operations += 1;
        let counts = std::cell::RefCell::new((&mut accepted, &mut refused));
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let ran = runner.run(&query(names), |query| {
            // An id that is valid for every operation except those with an integer.
            let id = "046b6c7f-0b8a-43b9-b35d-6489e6daee91";
            let path: Vec<(&str, &str)> = of(operation, Location::Path).map(|name| (name, id)).collect();
            let (headers, body) = (HeaderMap::new(), Bytes::new());
            let raw = RawRequest {
                path: &path,
                query: &query,
                headers: &headers,
                content: None,
                body: (&body).into(),
            };
            match (typed.decode)(operation, &raw) {
                Ok(()) => *counts.borrow_mut().0 += 1,
                Err(Refused::Invalid(violations)) => {
                    *counts.borrow_mut().1 += 1;
                    let first = violations.first().map(|violation| &violation.kind);
                    prop_assert!(
                        first
                            .is_some_and(|problem| *problem != ViolationKind::Other("must be as documented")),
                        "refused, but the walk finds nothing: {}",
                        query
                    );
                }
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
            Ok(())
        });
        ran.unwrap_or_else(|error| panic!("{}: {error}", operation.id));
    }
    assert!(operations > 30, "only {operations} operations have a query");
    assert!(accepted > 1000 && refused > 1000, "too few cases: {accepted} accepted, {refused} refused");
}

fn of(operation: &'static Operation, location: Location) -> impl Iterator<Item = &'static str> {
    let is_at_location = move |row: &&openapi_crates_runtime::table::Parameter| row.location == location;
    operation.parameters.iter().filter(is_at_location).map(|row| row.name)
}

fn query_names(operation: &'static Operation) -> Vec<&'static str> {
    of(operation, Location::Query).collect()
}

fn query(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let keys = prop::collection::vec(prop::sample::select(KEYS), 0..3).prop_map(|keys| keys.concat());
    let name = prop_oneof![
        4 => prop::sample::select(names.clone()).prop_map(str::to_owned),
        4 => (prop::sample::select(names), keys).prop_map(|(name, keys)| format!("{name}{keys}")),
        1 => prop::sample::select(KEYS).prop_map(str::to_owned),
    ];
    let value = prop::collection::vec(prop::sample::select(VALUES), 0..3).prop_map(|values| values.concat());
    let pair = (name, prop::option::weighted(0.9, value)).prop_map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => name,
    });
    prop::collection::vec(pair, 0..5).prop_map(|pairs| pairs.join("&"))
}

const KEYS: &[&str] = &[
    "[people]",
    "[orientation]",
    "[people][age]",
    "[people][include]",
    "[orientation][square]",
    "[color]",
    "[ids]",
    "[period]",
    "[vector][type]",
    "[nothing]",
    "[]",
    "[0]",
    "[",
    "]",
    "%5Bcolor%5D",
    "[%FF]",
    "[%]",
    "x",
];

const VALUES: &[&str] = &[
    "{}",
    "{\"square\":1}",
    "%7B%22people%22:%7B%22age%22:%22adult%22%7D%7D",
    "{\"people\":{\"age\":9,\"x\":1}}",
    "{",
    "{'a':1}",
    "1",
    "0",
    "20",
    "1000",
    "-1",
    "1.0",
    "1e1",
    "01",
    "+1",
    "true",
    "false",
    "adult",
    "red",
    "recent",
    "relevance",
    "last-month",
    "Jazz",
    "Hip%20Hop",
    "Hip+Hop",
    "svg",
    ",",
    "%2C",
    "",
    "%",
    "%FF",
    "%C3%A4",
    "9223372036854775808",
    "1e400",
    "null",
    "[]",
];
