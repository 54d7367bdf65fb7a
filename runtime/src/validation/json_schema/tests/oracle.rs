//! Random schemas and values, compared with the crate `jsonschema`.

use proptest::prelude::*;

use super::random::Words;
use super::*;
use crate::validation::ViolationKind;

const WORDS: Words = Words {
    names: &["a", "b", "c", "ab"],
    scalars: || {
        let scalars = json!([
            null,
            true,
            false,
            0,
            1,
            2,
            2.0,
            3,
            6,
            -1,
            1.5,
            0.3,
            9_007_199_254_740_993_i64,
            u64::MAX,
            1e20,
            "",
            "a",
            "ab",
            "b1",
            "äö",
        ]);
        scalars.as_array().unwrap().clone()
    },
};

/// Compares the verdicts of a schema on some values.
fn compare(schema: &Value, values: &[Value]) {
    let oracle = jsonschema::validator_for(schema).unwrap();
    let row = row(schema);
    for value in values {
        let expected = oracle.is_valid(value);
        assert_eq!(is_valid(row, value), expected, "{schema} {value}");
        let found = violations(row, value, &Position::body(), &Context::new());
        assert_eq!(found.is_empty(), expected, "{schema} {value} {found:?}");
        assert!(!found.iter().any(|it| it.kind == ViolationKind::UNSPECIFIC), "{schema} {value}");
    }
}

proptest! {
    #[test]
    fn verdicts_agree_for_any_schema(schema in WORDS.schema(), values in prop::collection::vec(WORDS.value(), 12)) {
        compare(&schema, &values);
    }

    #[test]
    fn verdicts_agree_for_evaluated_names(
        schema in WORDS.evaluating(true),
        values in prop::collection::vec(prop::collection::btree_map("[abc]", 0..4_i64, 0..4), 12),
    ) {
        compare(&schema, &values.iter().map(|value| json!(value)).collect::<Vec<_>>());
    }

    #[test]
    fn verdicts_agree_for_evaluated_items(
        schema in WORDS.evaluating(false),
        values in prop::collection::vec(prop::collection::vec(0..4_i64, 0..4), 12),
    ) {
        compare(&schema, &values.iter().map(|value| json!(value)).collect::<Vec<_>>());
    }
}
