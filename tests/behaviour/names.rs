//! Rules on the names of properties.

use fixture_names_of_properties_models::common::{ByColor, Labels, Listed, Mixed, Named, Open, Several};
use fixture_names_of_properties_validation::common::{BY_COLOR, LABELS, LISTED, MIXED, NAMED, OPEN, SEVERAL};

use super::assert_violations;

#[test]
fn patterns() {
    assert_violations::<Labels>(
        &LABELS,
        &[
            (r#"{"x-a": "b"}"#, &[]),
            (r#"{"x-a": "too long"}"#, &["x-a max-length"]),
            (r#"{"y": "b"}"#, &["y unknown"]),
        ],
    );
    assert_violations::<Open>(&OPEN, &[(r#"{"x-a": "b", "c": "d"}"#, &[]), (r#"{"x-a": 1}"#, &["x-a wrong-type"])]);
    assert_violations::<Several>(
        &SEVERAL,
        &[
            (r#"{"short-a": "ab", "long-a": "0123456789", "other": "abc"}"#, &[]),
            (
                r#"{"long-a": "ab", "other": "ABC", "short-a": "abc"}"#,
                &["long-a min-length", "other pattern", "short-a max-length"],
            ),
        ],
    );
    assert_violations::<Mixed>(
        &MIXED,
        &[
            (r#"{"id": "", "count_a": 1, "at_b": {"time": "2026-01-31T12:00:00Z"}}"#, &[]),
            (
                r#"{"at_b": {}, "count_a": -1, "id": "", "z": 1}"#,
                &["at_b.time missing", "count_a minimum", "z unknown"],
            ),
        ],
    );
}

#[test]
fn names() {
    assert_violations::<Named>(
        &NAMED,
        &[(r#"{"abc": 1}"#, &[]), (r#"{"ABC": 1, "abcdefghi": 1}"#, &["ABC unknown", "abcdefghi unknown"])],
    );
    assert_violations::<Listed>(&LISTED, &[(r#"{"red": 1}"#, &[]), (r#"{"blue": 1}"#, &["blue unknown"])]);
    assert_violations::<ByColor>(
        &BY_COLOR,
        &[
            (r#"{"blue": {"any": "thing"}}"#, &[]),
            // `propertyNames` also applies to the names that `properties` lists.
            (r#"{"total": 1}"#, &["total unknown"]),
            (r#"{"green": 1}"#, &["green unknown"]),
        ],
    );
}
