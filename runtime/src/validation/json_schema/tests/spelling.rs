//! Values of models, which can differ from their input.

use super::*;
use crate::codec::{Encode, Kinds};
use crate::table::{Format, Keyword, Literal};
use crate::types::{Base64, Bytes, Timestamp, Uuid};

/// Returns whether a value is valid, and whether the verdict depends on its spelling.
fn verdict_on(keyword: Keyword, value: &dyn Encode) -> (bool, bool) {
    let schema: &'static JsonSchema = Box::leak(Box::new(JsonSchema(vec![keyword].leak())));
    let context = Context::new();
    assert!(!context.has_evaluated());
    let is_valid = context.is_valid(schema, value);
    assert!(context.has_evaluated());
    (is_valid, context.is_lossy())
}

#[test]
fn constraints_on_rewritten_texts_depend_on_their_spelling() {
    let uuid = Uuid::nil();
    assert_eq!(verdict_on(Keyword::MinLength(36), &uuid), (true, true));
    assert_eq!(verdict_on(Keyword::Enum(&[Literal::Text("x")]), &uuid), (false, true));
    assert_eq!(verdict_on(Keyword::Enum(&[Literal::Integer(1)]), &uuid), (false, false));
    assert_eq!(verdict_on(Keyword::Type(Kinds::STRING), &uuid), (true, false));
    assert_eq!(verdict_on(Keyword::Format(Format::Uuid), &uuid), (true, false));
    assert_eq!(verdict_on(Keyword::Format(Format::Ipv4), &uuid), (false, true));
    assert_eq!(verdict_on(Keyword::UniqueItems, &vec![uuid]), (true, true));
    assert_eq!(verdict_on(Keyword::Enum(&[Literal::Json("[1]")]), &vec![uuid]), (false, true));
    let at: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
    assert_eq!(verdict_on(Keyword::MaxLength(1), &at), (false, true));
    assert_eq!(verdict_on(Keyword::MaxLength(9), &Base64(vec![1])), (true, true));
    let limit = Literal::Text("2026-01-31T13:00:00.0+01:00");
    assert_eq!(verdict_on(Keyword::FormatMaximum(limit), &at), (true, false));
    assert_eq!(verdict_on(Keyword::FormatExclusiveMaximum(limit), &at), (false, false));
}

#[test]
fn constraints_on_exact_texts_do_not_depend_on_their_spelling() {
    assert_eq!(verdict_on(Keyword::MinLength(2), &"ab".to_owned()), (true, false));
    assert_eq!(verdict_on(Keyword::MinLength(2), &Bytes::from_static(b"ab")), (true, false));
    assert_eq!(verdict_on(Keyword::MinLength(4), &Bytes::from_static(b"\xff")), (true, true));
    assert_eq!(verdict_on(Keyword::UniqueItems, &vec!["a".to_owned(), "b".to_owned()]), (true, false));
    assert_eq!(verdict_on(Keyword::MinLength(2), &json!("ab")), (true, false));
}

#[test]
fn large_numbers_of_models_may_be_rounded() {
    assert_eq!(verdict_on(Keyword::Minimum(Literal::Integer(1)), &2.5), (true, false));
    assert_eq!(verdict_on(Keyword::Minimum(Literal::Integer(1)), &i64::MAX), (true, false));
    assert_eq!(verdict_on(Keyword::Minimum(Literal::Integer(1)), &1e17), (true, true));
    assert_eq!(verdict_on(Keyword::Minimum(Literal::Integer(1)), &json!(1e17)), (true, false));
}

#[test]
fn absent_fields_do_not_depend_on_their_spelling() {
    assert_eq!(verdict_on(Keyword::Type(Kinds::NULL), &None::<i64>), (true, false));
    assert_eq!(verdict_on(Keyword::MaxItems(2), &vec![None::<i64>, Some(1)]), (true, false));
}
