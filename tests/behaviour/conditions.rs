//! Conditions on the fields of an object.

use fixture_conditions_models::common::{Contact, Never, Parts, Variants};
use fixture_conditions_validation::common::{CONTACT, NEVER, PARTS, VARIANTS};

use super::assert_violations;

#[test]
fn conditions_of_one_object_are_validated() {
    assert_violations::<Contact>(
        &CONTACT,
        &[
            (r#"{"mail": "m", "person": "p"}"#, &[]),
            (r#"{"mail": "m", "company": "c", "kind": "private"}"#, &[]),
            (r#"{"mail": "m", "company": "c", "kind": "business", "vat": null}"#, &[]),
            (r#"{"person": "p"}"#, &["body no-variant"]),
            (r#"{"mail": "m"}"#, &["body no-variant"]),
            (r#"{"mail": "m", "company": "c"}"#, &["body no-variant"]),
            (r#"{"mail": "m", "person": "p", "extension": "1"}"#, &["phone missing"]),
            (r#"{"phone": "2", "person": "p", "extension": "1"}"#, &[]),
            (r#"{"mail": "m", "company": "c", "kind": "business"}"#, &["vat missing"]),
            (r#"{"mail": "m", "company": "c", "kind": "private", "vat": "v"}"#, &["vat forbidden"]),
            (r#"{"mail": "m", "person": "p", "notes": "n"}"#, &["kind missing"]),
        ],
    );
}

#[test]
fn conditions_of_parts_and_variants_are_validated() {
    assert_violations::<Parts>(
        &PARTS,
        &[
            ("{}", &[]),
            (r#"{"a": ""}"#, &[]),
            (r#"{"b": ""}"#, &["body no-variant"]),
            (r#"{"a": "", "b": ""}"#, &["body forbidden"]),
        ],
    );
    assert_violations::<Variants>(
        &VARIANTS,
        &[
            (r#"{"id": "1", "circle": 1}"#, &[]),
            (r#"{"name": "n", "square": 1}"#, &[]),
            (r#"{"square": 1}"#, &["body no-variant"]),
        ],
    );
    assert_violations::<Never>(&NEVER, &[("{}", &[]), (r#"{"x": 1}"#, &["x unknown"])]);
}
