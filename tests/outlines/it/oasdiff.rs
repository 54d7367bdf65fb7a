//! The comparison of the rules of `openapi-crates diff` with the checks of oasdiff names rules that exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use openapi_crates::Rule;

/// The number of checks that are compared.
const CHECKS: usize = 509;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_check_has_rules_or_a_reason() {
    let table = read("pairs/oasdiff.tsv");
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.next(), Some("id\tkind\trules\tnote"));
    let mut ids = BTreeSet::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
        let (id, kind, note) = (cell(0), cell(1), cell(3));
        let rules: Vec<&str> = cell(2).split(',').filter(|rule| !rule.is_empty()).collect();
        assert!(ids.insert(id), "{id} is there twice");
        for rule in &rules {
            assert!(Rule::from_name(rule).is_some(), "{id}: unknown rule `{rule}`");
        }
        let is_complete = match kind {
            "same" => rules.len() == 1,
            "finer" => !rules.is_empty(),
            "wider" => !rules.is_empty() && !note.is_empty(),
            "not-compared" | "not-applicable" => rules.is_empty() && !note.is_empty(),
            _ => false,
        };
        assert!(is_complete, "{id}: {kind} with {} rules and the note `{note}`", rules.len());
        *kinds.entry(kind).or_default() += 1;
    }
    assert_eq!(ids.len(), CHECKS);
    let page = read("../../docs/design/diff.md");
    for (kind, count) in kinds {
        let row = format!("| `{kind}` | {count} |");
        assert!(page.contains(&row), "docs/design/diff.md has no row `{row}`");
    }
}
