//! `openapi-crates diff` says of Rust what the compiler says, for the pair of documents of each rule.

use std::collections::BTreeSet;

use openapi_crates::{Diff, DiffChange, Options, Rule, Verdict};
use openapi_crates_outlines::pairs::{self, Pair};
use openapi_crates_suite::oracle::{self, Document, Oracle, Outcome};

#[test]
fn verdicts_agree_with_the_compiler() {
    check("rules", &pairs::all());
}

/// Compiles the programs of pairs, and fails where `diff` says something else than the compiler: another verdict, or an error
/// that names no item of a change.
pub(super) fn check(name: &str, pairs: &[Pair]) {
    let document = |text: &str, options: &Options| Document {
        text: text.to_owned(),
        overlays: Vec::new(),
        options: options.clone(),
    };
    let of_oracle: Vec<oracle::Pair> = pairs
        .iter()
        .map(|pair| oracle::Pair {
            name: pair.rule.clone(),
            old: document(&pair.old, &pair.old_options),
            new: Some(document(&pair.new, &pair.new_options)),
        })
        .collect();
    let outcomes = Oracle::new(name, &crate::target()).judge(&of_oracle).expect("the pairs can be judged");
    let disagreements: Vec<String> =
        pairs.iter().zip(&outcomes).flat_map(|(pair, outcome)| disagreements(pair, outcome)).collect();
    assert!(disagreements.is_empty(), "{} disagreements:\n{}", disagreements.len(), disagreements.join("\n"));
}

/// Returns where `diff` says of a pair what the compiler does not: the worst verdicts, and errors that no change explains.
fn disagreements(pair: &Pair, outcome: &Outcome) -> Vec<String> {
    let diff = pair.diff();
    let unexplained =
        unexplained(&diff, outcome).into_iter().map(|error| format!("no change explains {error}"));
    let wrong = wrong_verdicts(&diff, outcome).into_iter().chain(unexplained);
    wrong.map(|it| format!("{}: {it}", pair.rule)).collect()
}

fn wrong_verdicts(diff: &Diff, outcome: &Outcome) -> Option<String> {
    let of_rust = |of: fn(&openapi_crates::Verdicts) -> Verdict| worst(diff, of);
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
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

/// Returns the errors of the compiler that name no item of a change.
fn unexplained(diff: &Diff, outcome: &Outcome) -> Vec<String> {
    let of_rust = diff.changes.iter().filter(|change| matches!(change.rule, Rule::Rust(_)));
    // The name of a constant is that of its scheme in upper case.
    let names: BTreeSet<String> = of_rust.flat_map(names).map(str::to_lowercase).collect();
    let errors = [&outcome.client, &outcome.server].into_iter().flat_map(|verdict| match verdict {
        oracle::Verdict::Compiles => &[][..],
        oracle::Verdict::Fails(errors) => errors,
    });
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let is_known =
        |error: &&String| error.split(|c| !is_name(c)).any(|word| names.contains(&word.to_lowercase()));
    errors.filter(|error| !is_known(error)).cloned().collect()
}

/// Returns the names of the items of a change: its type, what its texts quote, and the types of its old value.
fn names(change: &DiffChange) -> impl Iterator<Item = &str> {
    let of_type = change.subject.contains("::").then_some(change.subject.as_str());
    let quoted =
        [&change.subject, &change.message].into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let is_path = |c: char| c.is_alphanumeric() || "_#:".contains(c);
    let paths = change.old_value.iter().flat_map(move |text| text.split(move |c| !is_path(c)));
    let types = paths.filter(|path| path.contains("::") && !path.contains("types::"));
    of_type.into_iter().chain(quoted).chain(types).filter_map(|path| path.rsplit("::").next())
}

/// Returns the worst verdict of the changes of Rust items.
fn worst(diff: &Diff, of: fn(&openapi_crates::Verdicts) -> Verdict) -> Verdict {
    let of_rust = diff.changes.iter().filter(|change| matches!(change.rule, Rule::Rust(_)));
    of_rust.map(|change| of(&change.verdicts)).max().unwrap_or_default()
}
