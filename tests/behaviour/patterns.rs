//! Regular expressions of ECMA-262.

use fixture_patterns_models::common::{Names, Password};
use fixture_patterns_validation::common::{NAMES, PASSWORD};

use super::{assert_violations, wrong};

#[test]
fn each_pattern_has_the_meaning_of_ecma_262() {
    assert_violations::<Password>(
        &PASSWORD,
        &[
            (r#"{"same": "ab/É"}"#, &[]),
            (r#"{"same": "ab/é"}"#, &["same pattern"]),
            (r#"{"translated": "é."}"#, &["translated pattern"]),
            (r#"{"translated": "w."}"#, &[]),
            (r#"{"translated": "{a}"}"#, &[]),
            (r#"{"translated": "😀"}"#, &[]),
            ("{\"translated\": \"7\u{feff}a\"}", &[]),
            ("{\"translated\": \"7\u{85}a\"}", &["translated pattern"]),
            ("{\"translated\": \"\u{663} a\"}", &["translated pattern"]),
            (r#"{"look_ahead": "abc1"}"#, &[]),
            (r#"{"look_ahead": "abcd"}"#, &["look_ahead pattern"]),
            ("{\"look_ahead\": \"abc\u{663}\"}", &["look_ahead pattern"]),
            (r#"{"quoted": "'a'", "either": "b"}"#, &[]),
            (r#"{"quoted": "'a", "either": "a"}"#, &["quoted pattern", "either pattern"]),
        ],
    );
}

#[test]
fn large_repetitions_are_limits_of_the_length() {
    assert_violations::<Password>(
        &PASSWORD,
        &[
            (r#"{"long": "😀a"}"#, &[]),
            (r#"{"long": "😀"}"#, &["long min-length"]),
            (r#"{"long": "a\nb"}"#, &["long pattern"]),
        ],
    );
    let long = |count: usize| format!("{{\"long\": \"{}\"}}", "a".repeat(count));
    let (longest, too_long) = (long(200_000), long(200_001));
    assert_violations::<Password>(&PASSWORD, &[(&longest, &[]), (&too_long, &["long max-length"])]);
}

#[test]
fn an_engine_that_gives_up_rejects_the_value() {
    let slow = format!("{{\"nested\": \"{}?\"}}", "a".repeat(40));
    assert_violations::<Password>(
        &PASSWORD,
        &[(r#"{"nested": "aa!"}"#, &["nested pattern"]), (&slow, &["nested pattern-limit"])],
    );
}

#[test]
fn names_match_as_well() {
    assert_violations::<Names>(
        &NAMES,
        &[
            (r#"{"a": "ab", "x-1": "ab"}"#, &[]),
            (r#"{"a": "abc", "x-1": "a"}"#, &["a max-length", "x-1 min-length"]),
            ("{\"x-\u{663}\": \"ab\"}", &["x-\u{663} unknown"]),
        ],
    );
    let found = wrong::<Names>(&NAMES, &format!("{{\"{}\": \"ab\"}}", "a".repeat(20_000)));
    assert!(
        found.len() == 1 && found[0].ends_with(" pattern-limit"),
        "the engine reads no text of this length"
    );
}
