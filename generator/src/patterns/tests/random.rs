//! Random patterns on random texts.

use proptest::prelude::*;

use super::super::{Compiled, Engine, decide, parse, references, tree::Node};

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

/// Returns a pattern for `regress` with the same meaning, or `None` if it mistakes the pattern.
///
/// - In ECMA-262, a reference within its own group matches the empty text. `regress` finds no match of `^(a|\1)a$` in
///   `a`; V8 does.
/// - `regress` finds no match of `(?:(?:a+)+){2}` in `aa`; V8 does.
fn for_regress(written: &str) -> Option<String> {
    let tree = parse::parse(written).ok()?;
    if repeats_nested_loops(&tree) {
        return None;
    }
    let mut within = Vec::new();
    references_within(&tree, &mut Vec::new(), &mut within);
    let mut chars: Vec<char> = written.chars().collect();
    within.sort_unstable();
    for at in within.into_iter().rev() {
        chars.splice(at..at + r"\1".len(), "(?:)".chars());
    }
    Some(chars.into_iter().collect())
}

/// Returns whether a part with a repetition within a repetition is repeated at least twice.
fn repeats_nested_loops(node: &Node) -> bool {
    let is_found = match node {
        Node::Repeat(repeat) => repeat.times.least >= 2 && nested_loops(&repeat.body) >= 2,
        _ => false,
    };
    is_found || parts(node).into_iter().any(repeats_nested_loops)
}

/// Returns how many repetitions are within each other.
fn nested_loops(node: &Node) -> usize {
    let inner = parts(node).into_iter().map(nested_loops).max().unwrap_or_default();
    inner + usize::from(matches!(node, Node::Repeat(_)))
}

fn parts(node: &Node) -> Vec<&Node> {
    match node {
        Node::Group(group) => vec![&group.body],
        Node::Look { body, .. } => vec![body],
        Node::Repeat(repeat) => vec![&repeat.body],
        Node::Sequence(parts) | Node::Choice(parts) => parts.iter().collect(),
        _ => Vec::new(),
    }
}

/// Lists the positions of references that are within the group to which they refer.
fn references_within(node: &Node, open: &mut Vec<u32>, found: &mut Vec<usize>) {
    match node {
        Node::Reference { group, at } if open.contains(group) => found.push(*at),
        Node::Group(group) => {
            open.push(group.number);
            references_within(&group.body, open, found);
            open.pop();
        }
        other => parts(other).into_iter().for_each(|part| references_within(part, open, found)),
    }
}

#[test]
fn patterns_that_regress_misreads_are_rewritten() {
    assert_eq!(for_regress("(?:(?:-+)+){2}"), None);
    for (written, expected) in [
        (r"((?:[\w-]|\1))\p{L}", r"((?:[\w-]|(?:)))\p{L}"),
        (r"(é\1(\2\1)*)\1\2", r"(é(?:)((?:)(?:))*)\1\2"),
        (r"(a)\1", r"(a)\1"),
        (r"(?:(?:-+)+)+", r"(?:(?:-+)+)+"),
        (r"(?:-+){2}", r"(?:-+){2}"),
    ] {
        assert_eq!(for_regress(written).as_deref(), Some(expected), "{written}");
    }
    // V8 finds these matches, too.
    for (written, text) in [
        (r"((?:[\w-]|\1))\p{L}", "a"),
        (r"^(a|\1)a$", "a"),
        ("(?:(?:(?:-)+)+){2}", "--"),
        ("^(?:(?:a+)+){2}$", "aaa"),
    ] {
        let decision = decide(written, false).unwrap();
        assert!(Compiled::new(decision.engine, &decision.source).unwrap().is_match(text), "{written}");
        let misreads = regress::Regex::with_flags(written, "u").unwrap().find(text).is_none();
        assert!(misreads, "regress reads {written} correctly: the tests need no `for_regress`");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A translated pattern matches the same texts as the oracle.
    #[test]
    fn translations_mean_the_same(written in patterns(), texts in texts()) {
        let Some(Ok(oracle)) = for_regress(&written).map(|it| regress::Regex::with_flags(&it, "u")) else {
            return Ok(());
        };
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

    /// A printed pattern compiles.
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
