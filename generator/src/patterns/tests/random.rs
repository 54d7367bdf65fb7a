//! Random patterns on random texts.

use proptest::prelude::*;

use super::super::{Compiled, Engine, decide, parse, references};

/// Returns patterns with most constructs.
fn patterns() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => "[abé0_-]",
        1 => Just(".".to_owned()),
        1 => Just(r"\d".to_owned()),
        1 => Just(r"\w".to_owned()),
        1 => Just(r"\s".to_owned()),
        1 => Just(r"\W".to_owned()),
        1 => Just("[^ab]".to_owned()),
        1 => Just(r"[\w-]".to_owned()),
        1 => Just(r"[\D0]".to_owned()),
        1 => Just(r"\b".to_owned()),
        1 => Just(r"\B".to_owned()),
        1 => Just("^".to_owned()),
        1 => Just("$".to_owned()),
        2 => Just(r"\1".to_owned()),
        1 => Just(r"\2".to_owned()),
        1 => Just(r"\p{L}".to_owned()),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..3).prop_map(|parts| parts.concat()),
            2 => (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("(?:{one}|{other})")),
            2 => inner.clone().prop_map(|body| format!("({body})")),
            1 => inner.clone().prop_map(|body| format!("(?={body})")),
            1 => inner.clone().prop_map(|body| format!("(?!{body})")),
            1 => inner.clone().prop_map(|body| format!("(?<={body})")),
            1 => inner.clone().prop_map(|body| format!("(?<!{body})")),
            2 => (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,2}", "*?", "{0}"]))
                .prop_map(|(body, times)| format!("(?:{body}){times}")),
        ]
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[abé0_ \n-]{0,6}", 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// What is translated has the meaning that the oracle finds.
    #[test]
    fn translations_mean_the_same(written in patterns(), texts in texts()) {
        let Ok(oracle) = regress::Regex::with_flags(&written, "u") else { return Ok(()) };
        let Ok(decision) = decide(&written, false) else { return Ok(()) };
        let ours = Compiled::new(decision.engine, &decision.source).expect("it was compiled before");
        for text in texts {
            let found = match &ours {
                Compiled::Regex(regex) => regex.is_match(&text),
                Compiled::Fancy(regex) => match regex.is_match(&text) {
                    Ok(found) => found,
                    Err(_) => continue,
                },
            };
            let expected = oracle.find(&text).is_some();
            prop_assert_eq!(found, expected, "{} as {} on {:?}", written, decision.source, text);
        }
    }

    /// What is printed compiles.
    #[test]
    fn translations_compile(written in patterns()) {
        let Ok(mut tree) = parse::parse(&written) else { return Ok(()) };
        if references::settle(&mut tree).is_err() {
            return Ok(());
        }
        let decision = decide(&written, false);
        prop_assert!(decision.is_ok(), "{}: {:?}", written, decision);
    }

    /// No text makes the translation panic.
    #[test]
    fn any_text_has_a_result(written in r"[\\\[\](){}^$.*+?|<>=!:,\-a-fkpux0-9é😀]{0,24}") {
        let _ = decide(&written, true);
    }
}

#[test]
fn random_patterns_reach_both_engines() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut count = |wanted: Engine| {
        let written = (0..300).map(|_| patterns().new_tree(&mut runner).unwrap().current());
        written.filter(|written| decide(written, false).is_ok_and(|it| it.engine == wanted)).count()
    };
    assert!(count(Engine::Regex) > 50 && count(Engine::Fancy) > 30);
}
