//! Pairs of real documents in a folder, outside CI: `OPENAPI_PAIRS=<folder> cargo test … oracle::folder -- --ignored`.
//!
//! The folder has two files for each pair: `petstore.old.yaml` and `petstore.new.yaml`.

use std::{
    collections::{BTreeMap, HashSet},
    env, fs,
    path::Path,
};

use openapi_crates::{Options, Rule, Strictness};
use openapi_crates_outlines::pairs::Pair;
use openapi_crates_suite::oracle::{self, Document, Oracle, Outcome, Verdict};

use super::rules::compared;

/// Returns the errors of the compiler in which no changed item occurs.
fn unexplained(pair: &Pair, outcome: &Outcome) -> Vec<String> {
    let diff = compared(pair);
    let of_rust = diff.changes.iter().filter(|change| matches!(change.rule, Rule::Rust(_)));
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let names: HashSet<String> = of_rust
        .flat_map(|change| [Some(&change.subject), Some(&change.message), change.old_value.as_ref()])
        .flatten()
        .flat_map(|text| text.split(|c| !is_name(c)).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let errors = [&outcome.client, &outcome.server].into_iter().flat_map(|verdict| match verdict {
        Verdict::Compiles => &[][..],
        Verdict::Fails(errors) => errors,
    });
    let is_known = |error: &&String| error.split(|c| !is_name(c)).any(|word| names.contains(word));
    errors.filter(|error| !is_known(error)).cloned().collect()
}

#[test]
#[ignore = "needs a folder of documents"]
fn verdicts_agree_with_the_compiler() {
    let folder = env::var("OPENAPI_PAIRS").expect("OPENAPI_PAIRS names a folder");
    let mut texts: BTreeMap<String, [String; 2]> = BTreeMap::new();
    for file in fs::read_dir(Path::new(&folder)).expect("the folder can be listed") {
        let path = file.expect("the folder can be listed").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let mut parts = name.split('.');
        if let (Some(name), Some(side @ ("old" | "new"))) = (parts.next(), parts.next()) {
            let text = fs::read_to_string(&path).expect("a document can be read");
            let pair = texts.entry(name.to_owned()).or_default();
            pair[usize::from(side == "new")] = text;
        }
    }
    let options = || Options::new("things", "things.json").strictness(Strictness::Lenient);
    let document = |text: &str| Document { text: text.to_owned(), overlays: Vec::new(), options: options() };
    let pairs: Vec<oracle::Pair> = texts
        .iter()
        .map(|(name, [old, new])| oracle::Pair {
            name: name.clone(),
            old: document(old),
            new: Some(document(new)),
        })
        .collect();
    let outcomes = Oracle::new("folder", &super::target()).judge(&pairs).expect("the pairs can be judged");
    let mut wrong: Vec<String> = Vec::new();
    for ((name, [old, new]), outcome) in texts.iter().zip(&outcomes) {
        let pair = Pair {
            rule: name.clone(),
            old: old.clone(),
            new: new.clone(),
            old_options: options(),
            new_options: options(),
            exact: None,
        };
        println!("{name}: client {}, server {}", outcome.client.compiles(), outcome.server.compiles());
        wrong.extend(super::rules::disagreement(&pair, outcome));
        wrong.extend(
            unexplained(&pair, outcome).into_iter().map(|error| format!("no change explains: {error}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
