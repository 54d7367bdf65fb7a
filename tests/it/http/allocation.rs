//! Tests that the validation of a valid request does not allocate.

use allocation_counter::measure;
use openapi_crates_runtime::{
    codec::{JsonReader, Kinds, Shape, UnionShape},
    table::{Field, Schema, Text},
    validation::{Position, Violations, walk},
};

use super::{service::TYPED, spec};

/// The walk of a union variant counts all violations, because it may discard them.
///
/// It keeps only a limited number.
#[test]
fn a_walk_keeps_a_limited_number_of_violations() {
    static TEXTS: Schema = Schema::array(&Schema::text(Text::ANY.max_length(1)));
    static FIELDS: &[Field] = &[Field::optional("texts", &TEXTS)];
    static CLOSED: Schema = Schema::closed_object(FIELDS);
    static OPEN: Schema = Schema::object(FIELDS);
    static SHAPE: UnionShape =
        UnionShape::new("Either", &[Shape::new("Closed", Kinds::OBJECT), Shape::new("Open", Kinds::OBJECT)]);
    static EITHER: Schema = Schema::union(&SHAPE, &[&CLOSED, &OPEN]);

    let unknown: String = (0..50_000).map(|index| format!(r#""x{index}": 1, "#)).collect();
    let texts = vec![r#""long""#; 50_000].join(", ");
    for (body, expected) in [
        (format!(r#"{{{unknown} "texts": []}}"#), 0),
        (format!(r#"{{"texts": [{texts}]}}"#), Violations::CAP),
        (format!(r#"{{"texts": [{texts}], {unknown} "x": 1}}"#), Violations::CAP),
    ] {
        let mut out = Violations::new();
        let counted = measure(|| {
            walk(&EITHER, &mut JsonReader::strict(body.as_bytes()), &Position::body(), &mut out)
                .expect("it is JSON");
        });
        assert_eq!(out.len(), expected);
        assert!(counted.bytes_max < 100_000, "{} bytes for {} of input", counted.bytes_max, body.len());
    }
}

#[test]
fn checking_a_good_input_allocates_nothing() {
    let mut allocating = Vec::new();
    for typed in TYPED {
        let operation = spec::operation(typed.id);
        (typed.with_check)(operation, &spec::input_example(operation), &mut |check| {
            // The first check compiles the patterns.
            assert!(check(), "{}: the example violates a constraint", operation.id);
            let counted = measure(|| {
                std::hint::black_box(check());
            });
            if counted.count_total > 0 {
                allocating.push((operation.id, counted.count_total));
            }
        });
    }
    assert!(allocating.is_empty(), "checking allocates: {allocating:#?}");
}

/// Checks that the counter counts. Otherwise the test above could not fail.
#[test]
fn allocations_are_counted() {
    let counted = measure(|| {
        std::hint::black_box(vec![0_u8; std::hint::black_box(10)]);
    });
    assert_eq!(counted.count_total, 1);
}
