//! Tuples.

use fixture_tuples_models::common::{Measured, Old, Place};
use fixture_tuples_validation::common::{MEASURED, OLD, PLACE};

use super::{assert_violations, received};

#[test]
fn tuples_have_a_fixed_number_of_items() {
    assert_violations::<Place>(
        &PLACE,
        &[
            ("[1, 2]", &[]),
            ("[91, 181]", &["[0] maximum", "[1] maximum"]),
            ("[1]", &["body min-items"]),
            ("[1, 2, 3]", &["body max-items"]),
            (r#"["a", 2]"#, &["[0] wrong-type"]),
        ],
    );
    assert_violations::<Old>(&OLD, &[(r#"["a", 1]"#, &[]), (r#"[1, "a"]"#, &["[0] wrong-type", "[1] wrong-type"])]);
}

#[test]
fn tuples_contain_values_of_all_types() {
    let text = r#"{"at": [1, 2], "reading": ["kelvin", null, {"id": 1}]}"#;
    assert_violations::<Measured>(
        &MEASURED,
        &[(text, &[]), (r#"{"at": [1, 2], "reading": ["celsius", 2.5, {}]}"#, &["reading[2].id missing"])],
    );
    let outer =
        format!(r#"{{"at": [0, 0], "reading": ["celsius", 2.5, {{"id": 2}}], "inner": [{text}, true]}}"#);
    assert_violations::<Measured>(&MEASURED, &[(&outer, &[])]);
    let (inner, flag) = received::<Measured>(&outer).inner.expect("it is there");
    assert!(flag && inner.at == (1.0, 2.0));
}
