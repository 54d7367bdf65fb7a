//! The wire oracle: `diff` reports each value, part and operation that only one of two documents has.
//!
//! For the parts of requests and responses that both documents have, sample values are evaluated with both schemas. A
//! request that only the old document allows breaks clients in use, and so on: a change of the operation must say so
//! for this audience. The pairs are those of the rules, and fixtures with single changes. CI tries one in [`STRIDE`] of these;
//! with `WIRE_MUTANTS=1`, the test tries all of them.

mod contract;
mod differences;
mod sent;
mod values;

use std::env;

use openapi_crates::{Diff, Input, diff, internals::Document};
use openapi_crates_outlines::{
    documents::{Fixture, fixtures, in_parallel},
    mutants,
    pairs::{self, Pair},
};

use crate::oracle::folder;
use contract::Contract;
use differences::{Side, Tally, differences, unshown};

/// CI tries one in so many changes of a fixture.
const STRIDE: usize = 203;

/// What `diff` does not report, on purpose: a part of the pair's name or of the difference, and the reason.
const SILENT: &[(&str, &str)] = &[
    (
        "cross-field-rules: /components/schemas/Video/allOf/",
        "the condition repeats an entry of `x-rules`, which is checked in its place",
    ),
    ("cross-field-rules: /components/schemas/Video/not/", "the same"),
    (
        "response-discriminator-tightened: ",
        "responses have no conditions here, and a discriminator is read as one",
    ),
    ("response-discriminator-loosened: ", "the same"),
];

/// Breaking changes that no sample value shows: a part of the change, and why it is breaking all the same.
const UNSHOWN: &[(&str, &str)] = &[
    ("additional-properties-", "programs can send properties that are not described; the samples have none"),
    ("Thing.* type", "the same"),
    ("other keywords are different: properties/type", "the same"),
    (
        "-variant-removed",
        "an object of the alternative is valid for another one, which reads it as something else",
    ),
    ("-discriminator-", "JSON Schema selects no alternative by a property"),
    (
        "other keywords are stricter: anyOf",
        "a union with a discriminator has no `anyOf` beside its alternatives",
    ),
    ("x-rules", "JSON Schema has no `x-rules`"),
    ("x-media", "JSON Schema has no `x-media`"),
    ("type object `Thing` → map", "objects and maps are not compared property by property"),
    ("POST /things response.", "the samples have no callbacks"),
    ("of webhook `", "nor webhooks"),
    ("Thing.x-a type", "its pattern has another type, so the old document allows no value"),
];

/// What was found for some pairs.
#[derive(Default)]
struct Found {
    pairs: usize,
    tally: Tally,
    silent: Vec<String>,
    unshown: Vec<String>,
}

impl Found {
    /// Compares a pair of documents.
    fn see(&mut self, name: &str, old: &Side<'_>, new: &Side<'_>, diff: &Diff) {
        self.pairs += 1;
        let differences = differences(old, new, &mut self.tally);
        let silent = differences.iter().filter_map(|it| it.silent(diff)).map(|it| format!("{name}: {it}"));
        self.silent.extend(silent.filter(|it| !SILENT.iter().any(|(part, _)| it.contains(part))));
        self.unshown.extend(unshown(diff, &differences).iter().map(|it| format!("{name}: {it}")));
    }

    /// Fails if `diff` was silent, or if no value shows that a change is breaking.
    fn check(mut self) {
        println!("{} pairs, {:?}", self.pairs, self.tally);
        self.unshown.retain(|it| !UNSHOWN.iter().any(|(part, _)| it.contains(part)));
        let Self { silent, unshown, .. } = self;
        assert!(silent.is_empty(), "{} silences:\n{}", silent.len(), silent.join("\n"));
        assert!(unshown.is_empty(), "no value shows {} changes:\n{}", unshown.len(), unshown.join("\n"));
    }
}

#[test]
fn pairs_of_rules_are_reported() {
    check(&pairs::all());
}

#[test]
#[ignore = "needs a folder of documents"]
fn pairs_of_a_folder_are_reported() {
    check(&folder::pairs());
}

/// Compares pairs of documents.
fn check(pairs: &[Pair]) {
    let mut found = Found::default();
    for pair in pairs {
        let [old_name, new_name] = pair.file_names();
        let old = Contract::read(old_name, &pair.old, &[], &pair.old_options).expect("it can be read");
        let new = Contract::read(new_name, &pair.new, &[], &pair.new_options).expect("it can be read");
        found.see(&pair.rule, &Side::new(&old), &Side::new(&new), &pair.diff());
    }
    found.check();
}

#[test]
fn single_changes_of_fixtures_are_reported() {
    let stride = env::var("WIRE_MUTANTS").map_or(STRIDE, |stride| stride.parse().expect("it is a number"));
    let mut all = Found::default();
    for found in in_parallel(&fixtures("valid"), |fixture| mutate(fixture, stride)) {
        let Tally { values, schemas, without_valid, unread } = found.tally;
        all.pairs += found.pairs;
        all.tally.values += values;
        all.tally.schemas += schemas;
        all.tally.without_valid += without_valid;
        all.tally.unread += unread;
        all.silent.extend(found.silent);
        all.unshown.extend(found.unshown);
    }
    // A change of a whole document can have a reason that the list lacks, so these are printed and not checked.
    let unshown = std::mem::take(&mut all.unshown);
    println!("no value shows {} changes:\n{}", unshown.len(), unshown.join("\n"));
    all.check();
}

/// Compares a fixture with its single changes.
fn mutate(fixture: &Fixture, stride: usize) -> Found {
    let mut found = Found::default();
    let document = Document::parse(&fixture.source, &fixture.text).document.expect("a fixture can be read");
    let root = document.written_root().to_json();
    let (overlays, options) = (fixture.overlays(), fixture.options());
    let old_text = root.to_string();
    let read = |text: &str| Contract::read(&fixture.source, text, &overlays, &options);
    let old = read(&old_text).expect("a fixture can be read");
    let side = Side::new(&old);
    for change in mutants::of(&root).into_iter().skip(fixture.name.len() % stride).step_by(stride) {
        let mut mutant = root.clone();
        let what = change.apply(&mut mutant);
        let text = mutant.to_string();
        let [from, to] = [&old_text, &text].map(|text| Input::new(&fixture.source, text).overlays(&overlays));
        let compared = diff((&from, &options), (&to, &options));
        // A mistake has a recovery that no other validator knows.
        let is_mistake = compared.new.diagnostics.len() > compared.old.diagnostics.len();
        let (Some(diff), Some(new), false) = (compared.diff, read(&text), is_mistake) else { continue };
        found.see(&format!("{}: {what}", fixture.name), &side, &Side::new(&new), &diff);
    }
    found
}
