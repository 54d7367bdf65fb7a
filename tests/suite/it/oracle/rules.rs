//! `openapi-crates diff` says of Rust what the compiler says, for the pair of documents of each rule.

use openapi_crates::{Diff, Input, Rule, Verdict, diff};
use openapi_crates_outlines::pairs::{self, Pair};
use openapi_crates_suite::oracle::{self, Document, Oracle, Outcome};

#[test]
fn verdicts_agree_with_the_compiler() {
    let pairs = pairs::all();
    let document = |text: &str, options| Document { text: text.to_owned(), overlays: Vec::new(), options };
    let of_oracle: Vec<oracle::Pair> = pairs
        .iter()
        .map(|pair| oracle::Pair {
            name: pair.rule.clone(),
            old: document(&pair.old, pair.old_options.clone()),
            new: Some(document(&pair.new, pair.new_options.clone())),
        })
        .collect();
    let outcomes = Oracle::new("rules", &super::target()).judge(&of_oracle).expect("the pairs can be judged");
    let mut disagreements = Vec::new();
    for (pair, outcome) in pairs.iter().zip(&outcomes) {
        disagreements.extend(disagreement(pair, outcome));
    }
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n"));
}

/// Returns where `diff` says of a pair what the compiler does not.
pub(super) fn disagreement(pair: &Pair, outcome: &Outcome) -> Option<String> {
    let diff = compared(pair);
    let of_rust = |of: fn(&openapi_crates::Verdicts) -> Verdict| worst(&diff, of);
    let (client, server) = (of_rust(|it| it.client_users), of_rust(|it| it.implementors));
    let sides = [("client", client, &outcome.client), ("server", server, &outcome.server)];
    let wrong: Vec<String> = sides
        .into_iter()
        .filter(|(_, verdict, compiled)| match verdict {
            Verdict::Breaking => compiled.compiles(),
            Verdict::Fine => !compiled.compiles(),
            // It depends on the program.
            Verdict::Risky => false,
        })
        .map(|(side, verdict, compiled)| format!("{side} is {}, but {compiled:?}", verdict.name()))
        .collect();
    (!wrong.is_empty()).then(|| format!("{}: {}", pair.rule, wrong.join("; ")))
}

/// Returns the changes of a pair.
pub(super) fn compared(pair: &Pair) -> Diff {
    // A name decides between JSON and YAML.
    let name = |text: &str| if text.trim_start().starts_with('{') { "pair.json" } else { "pair.yaml" };
    let old = Input::new(name(&pair.old), &pair.old);
    let new = Input::new(name(&pair.new), &pair.new);
    let compared = diff((&old, &pair.old_options), (&new, &pair.new_options));
    let reports = format!("{}{}", compared.old, compared.new);
    compared.diff.unwrap_or_else(|| panic!("{}: {reports}", pair.rule))
}

/// Returns the worst verdict of the changes of Rust items.
fn worst(diff: &Diff, of: fn(&openapi_crates::Verdicts) -> Verdict) -> Verdict {
    let of_rust = diff.changes.iter().filter(|change| matches!(change.rule, Rule::Rust(_)));
    of_rust.map(|change| of(&change.verdicts)).max().unwrap_or_default()
}
