//! Tests of both paths: each value is decoded and checked, and walked.
//!
//! The two must agree.

mod agreement;
mod also;
mod inputs;
mod models;
mod objects;
mod scalars;
mod unions;

use super::*;
use crate::codec::{Decode, DecodeError, Encode, JsonReader, Reader};
use crate::table::{Schema, Type};

/// Makes a row with a static lifetime.
fn leak<T>(row: T) -> &'static T {
    Box::leak(Box::new(row))
}

/// Returns a schema with this type and no other constraint.
fn schema(of: Type) -> &'static Schema {
    leak(Schema::new(of))
}

/// Returns a JSON text's violations as `name code`. Asserts that both paths agree.
fn agreed_violations<T: Decode + Encode>(schema: &'static Schema, json: &str) -> Vec<String> {
    let violations = walked(schema, json);
    match checked::<T>(schema, json) {
        Ok(Verdict::Unknown) => {}
        checked => assert_eq!(
            matches!(checked, Ok(Verdict::Valid)),
            violations.is_empty(),
            "{json}: {violations:?}, {checked:?}"
        ),
    }
    violations.iter().map(|it| format!("{} {}", it.name, it.code())).collect()
}

/// Decodes and checks a JSON text.
fn checked<T: Decode + Encode>(schema: &'static Schema, json: &str) -> Result<Verdict, DecodeError> {
    let mut reader = JsonReader::strict(json.as_bytes());
    let value = T::decode(&mut reader)?;
    reader.finish()?;
    Ok(check_decoded(schema, &value, reader.has_skipped()))
}

/// Returns the violations that the slow path finds.
fn walked(schema: &'static Schema, json: &str) -> Violations {
    let mut reader = JsonReader::strict(json.as_bytes());
    let mut out = Violations::new();
    walk(schema, &mut reader, &Position::body(), &mut out).unwrap();
    reader.finish().unwrap();
    out
}

/// Checks the violations in each JSON text of a table.
///
/// A `code` alone is of the value as a whole.
fn assert_violations<T: Decode + Encode>(schema: &'static Schema, rows: &[(&str, &[&str])]) {
    for (json, expected) in rows {
        let expected: Vec<String> = expected
            .iter()
            .map(|it| if it.contains(' ') { (*it).to_owned() } else { format!("body {it}") })
            .collect();
        assert_eq!(agreed_violations::<T>(schema, json), expected, "{json}");
    }
}
