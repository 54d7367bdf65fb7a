//! Runs generated code: decodes and encodes with the fixtures' models, and validates with their tables.
//!
//! These sources are compiled with the fixtures' crates (see `it/compile.rs`), which they name `fixture_<name>_models`
//! and `fixture_<name>_validation`.

#![cfg(test)]

mod arguments;
mod byte_streams;
mod conditions;
mod constants;
mod constraints;
mod credentials;
mod defaults;
mod directions;
mod dynamic_references;
mod echoes;
mod event_streams;
mod formats;
mod gallery;
mod gallery_client;
mod gallery_server;
mod in_practice;
mod in_practice_3_1;
mod inheritance;
mod multipart;
mod multipart_3_2;
mod names;
mod patterns;
mod petstore;
mod petstore_client;
mod petstore_readme;
mod petstore_server;
mod receivers;
mod response_headers;
mod serving;
mod settings;
mod shown_streams;
mod shown_webhooks;
mod streams_3_2;
mod swagger_2;
mod tuples;
mod unions;
mod values_3_2;
mod variants;
mod version_3_2;
mod xml;

use openapi_crates_runtime::{
    codec::{Decode, Encode, JsonReader, from_json, to_json},
    table::Schema,
    validation::{check, violations_of},
};
use serde_json::Value;

/// Returns the violations in a text as `name code`.
///
/// The fast and the slow path must agree. A valid text must be encoded as it was decoded.
fn wrong<T: Decode + Encode>(schema: &'static Schema, text: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).expect("the test's input is JSON");
    let found = violations_of(schema, &value);
    let found: Vec<String> = found.iter().map(|it| format!("{} {}", it.name, it.code().as_str())).collect();
    let decoded = from_json::<T>(text.as_bytes());
    let is_valid = decoded.as_ref().is_ok_and(|decoded| check(schema, decoded));
    assert_eq!(is_valid, found.is_empty(), "the two paths agree on {text}: {found:?}, {:?}", decoded.err());
    if let (true, Ok(decoded)) = (is_valid, from_json::<T>(text.as_bytes())) {
        let written: Value = serde_json::from_slice(&to_json(&decoded)).expect("what is written is JSON");
        assert_eq!(plain(written), plain(value), "nothing is lost");
    }
    found
}

/// Returns the value with all numbers in one notation.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, plain(value))).collect(),
        other => other,
    }
}

/// Returns the violations in several texts.
fn assert_violations<T: Decode + Encode>(schema: &'static Schema, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(wrong::<T>(schema, text), *expected, "{text}");
    }
}

/// Decodes a text as a client does.
fn received<T: Decode>(text: &str) -> T {
    match JsonReader::tolerant(text.as_bytes()).read() {
        Ok(value) => value,
        Err(error) => panic!("{text}: {error}"),
    }
}
