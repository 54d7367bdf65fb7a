//! Tests that the fast path, the walk and JSON Schema agree.
//!
//! The fast path must refuse a body if and only if the walk finds a violation, and JSON Schema must agree
//! with both. The bodies are mutated examples of every operation with a body. The seeds are fixed.

mod mutate;
mod oracle;
mod queries;

use bytes::Bytes;
use openapi_crates_runtime::{
    client::reqwest::header::HeaderMap,
    codec::JsonReader,
    server::decode::{RawRequest, Refused},
    table::{Location, Operation},
    validation::{Code, Position, ViolationKind, Violations, walk},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};

use self::mutate::{Mutation, mutation};
use super::{
    draft::{Draft, encode},
    json::Json,
    service::{TYPED, Typed},
    spec,
    violations::full,
};

/// The number of bodies per operation.
const CASES: u32 = 150;

/// The number of accepted and refused bodies of an operation.
#[derive(Default)]
struct Tally {
    accepted: u32,
    refused: u32,
}

#[test]
fn fast_path_walk_and_json_schema_agree() {
    let mut failures = Vec::new();
    let mut operations = 0;
    for typed in TYPED {
        let operation = spec::operation(typed.id);
        if operation.body.is_none() {
            continue;
        }
        operations += 1;
        match try_operation(operation, typed) {
            Ok(tally) if tally.accepted == 0 || tally.refused == 0 => failures.push(format!(
                "{}: too few cases: {} accepted, {} refused",
                operation.id, tally.accepted, tally.refused
            )),
            Ok(_) => {}
            Err(failure) => failures.push(format!("{}: {failure}", operation.id)),
        }
    }
    assert!(operations > 30, "only {operations} operations have a body");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn try_operation(operation: &'static Operation, typed: &Typed) -> Result<Tally, String> {
    let example = Draft::example(operation).body.expect("an operation with a body has an example");
    let everything = full(operation.body.as_ref().expect("it has a body").contents[0].schema);
    let second = oracle::validator(operation);
    let tally = std::cell::RefCell::new(Tally::default());
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let bases = prop::sample::select(vec![example, everything]);
    let strategy = (bases, prop::collection::vec(mutation(), 0..4));
    let ran = runner.run(&strategy, |(mut body, mutations): (Json, Vec<Mutation>)| {
        mutations.iter().for_each(|mutation| mutation.apply(&mut body));
        let text = body.text();
        let is_accepted = try_body(operation, typed, &second, &text)?;
        let mut tally = tally.borrow_mut();
        if is_accepted {
            tally.accepted += 1;
        } else {
            tally.refused += 1;
        }
        Ok(())
    });
    ran.map_err(|error| error.to_string())?;
    Ok(tally.into_inner())
}

/// Returns whether a body is accepted. All implementations must agree.
fn try_body(
    operation: &'static Operation,
    typed: &Typed,
    second: &jsonschema::Validator,
    text: &str,
) -> Result<bool, TestCaseError> {
    let decoded = decode(operation, typed, text);
    let Some(walked) = walked(operation, text) else {
        prop_assert!(
            matches!(decoded, Err(Refused::MalformedBody(_))),
            "the walk finds malformed JSON, the fast path returns {decoded:?}: {text}"
        );
        return Ok(false);
    };
    match &decoded {
        Ok(()) => prop_assert!(walked.is_empty(), "accepted, but the walk finds {walked:?}: {text}"),
        Err(Refused::Invalid(found)) => {
            prop_assert!(!walked.is_empty(), "refused, but the walk finds nothing: {text}");
            prop_assert_eq!(found, &walked, "{}", text);
        }
        Err(other) => return Err(TestCaseError::fail(format!("{other:?}: {text}"))),
    }
    // serde_json does not parse numbers beyond f64. Our validation reports them as violations.
    let Ok(value) = serde_json::from_str(text) else { return Ok(decoded.is_ok()) };
    if second.is_valid(&value) {
        let unexplained: Vec<_> =
            walked.iter().filter(|violation| !oracle::is_beyond_json_schema(violation)).collect();
        // Of a duplicate field, JSON Schema sees the last value and we validate the first.
        let is_doubled = walked.iter().any(|violation| violation.code() == Code::Duplicate);
        prop_assert!(
            unexplained.is_empty() || is_doubled,
            "JSON Schema accepts it, but we refuse it: {unexplained:?}: {text}"
        );
    } else {
        let why: Vec<String> = second.iter_errors(&value).map(|error| error.to_string()).collect();
        prop_assert!(!walked.is_empty(), "JSON Schema refuses it, but we accept it: {why:.300?}: {text}");
    }
    Ok(decoded.is_ok())
}

/// Decodes a body on the fast path, with valid parameters.
fn decode(operation: &'static Operation, typed: &Typed, text: &str) -> Result<(), Refused> {
    let example = Draft::example(operation);
    let path: Vec<(&str, String)> = operation
        .parameters
        .iter()
        .zip(&example.parameters)
        .filter(|(parameter, _)| parameter.location == Location::Path)
        .map(|(parameter, value)| match value {
            Some(Json::String(text)) => (parameter.name, encode(text)),
            other => panic!("{} has no text for an example: {other:?}", parameter.name),
        })
        .collect();
    let path: Vec<(&str, &str)> = path.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let body = Bytes::copy_from_slice(text.as_bytes());
    let headers = HeaderMap::new();
    (typed.decode)(
        operation,
        &RawRequest { path: &path, query: "", headers: &headers, content: Some(0), body: (&body).into() },
    )
}

/// Returns the violations that the walk finds, or `None` if the text is not JSON.
fn walked(operation: &'static Operation, text: &str) -> Option<Violations> {
    let schema = operation.body.as_ref()?.contents.first()?.schema;
    let (position, mut violations) = (Position::body(), Violations::new());
    let mut reader = JsonReader::strict(text.as_bytes());
    match walk(schema, &mut reader, &position, &mut violations) {
        Ok(()) => reader.finish().ok()?,
        Err(error) if error.is_syntax() => return None,
        Err(_) => violations.push(position.violation(ViolationKind::Other("must not be nested so deeply"))),
    }
    Some(violations)
}
