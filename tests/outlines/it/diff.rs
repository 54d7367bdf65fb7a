//! Each rule of `openapi-crates diff` reports the change for which it is meant.

use std::{collections::BTreeSet, fmt::Write as _};

use openapi_crates::{Input, Rule, Verdict, diff};
use openapi_crates_outlines::pairs;

#[test]
fn every_rule_reports_its_change() {
    let mut silent = Vec::new();
    let mut known = BTreeSet::new();
    let mut report = String::new();
    for pair in pairs::all() {
        let diff = pair.diff();
        let rules: BTreeSet<String> = diff.changes.iter().map(|change| change.rule.name()).collect();
        let is_rust = |rule: &&String| rule.starts_with("rust-");
        let is_reported = match &pair.exact {
            Some(exact) => rules.iter().filter(|rule| !is_rust(rule)).eq(exact),
            None => rules.contains(&pair.rule),
        };
        if !is_reported {
            silent.push(format!("{} {:?}: {rules:?}\n  {}\n  {}", pair.rule, pair.exact, pair.old, pair.new));
        }
        known.insert(pair.rule.clone());
        // One line for each change: an edit of a rule shows what it changes.
        writeln!(report, "{}", pair.rule).expect("a string");
        for change in &diff.changes {
            let verdicts = change.verdicts;
            let [clients, servers, users, implementors] =
                [verdicts.clients, verdicts.servers, verdicts.client_users, verdicts.implementors]
                    .map(letter);
            writeln!(
                report,
                "    {clients}{servers}{users}{implementors} {}: {} [{}]",
                change.subject,
                change.message,
                change.rule.name()
            )
            .expect("a string");
        }
    }
    assert!(silent.is_empty(), "rules that don't report their pair:\n{}", silent.join("\n"));
    let without: Vec<String> = Rule::all().map(Rule::name).filter(|name| !known.contains(name)).collect();
    assert!(without.is_empty(), "rules without a pair of documents: {without:?}");
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../../snapshots/diff", omit_expression => true }, {
        insta::assert_snapshot!("rules", report);
    });
}

#[test]
fn a_document_does_not_differ_from_itself() {
    for pair in pairs::all() {
        let input = Input::new("old.json", &pair.old);
        let compared = diff((&input, &pair.old_options), (&input, &pair.old_options));
        assert_eq!(compared.diff.map(|diff| diff.changes), Some(Vec::new()), "{}", pair.rule);
    }
}

#[test]
fn a_required_property_is_located_at_its_entry_of_required() {
    let document = |required: &str| {
        format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\nwebhooks:\n  w:\n    post:\n      \
             requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}\n      \
             responses: {{'204': {{description: None.}}}}\ncomponents:\n  schemas:\n    A:\n      type: object\n      \
             {required}\n      properties:\n        a: {{type: string}}\n        b: {{type: string}}\n"
        )
    };
    let options = openapi_crates::Options::new("t", "t.yaml");
    let (less, more) = (document("required: [a]"), document("required: [a, b]"));
    for (old, new, expected) in [
        (&less, &more, ["old.yaml:16:9", "new.yaml:13:21"]),
        (&more, &less, ["old.yaml:13:21", "new.yaml:16:9"]),
    ] {
        let diff =
            diff((&Input::new("old.yaml", old), &options), (&Input::new("new.yaml", new), &options)).diff;
        let diff = diff.expect("the documents are valid");
        let change = diff.changes.iter().find(|change| change.subject == "A.b").expect("it is a change");
        let found = [&change.old, &change.new].map(|at| at.as_ref().map(ToString::to_string));
        assert_eq!(found, expected.map(|at| Some(at.to_owned())), "{}", change.message);
    }
}

/// Returns the first letter of a verdict: fine, Risky, Breaking.
fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Fine => '.',
        Verdict::Risky => 'r',
        Verdict::Breaking => 'B',
    }
}
