//! Tests that `generator/SUPPORT.md` and the fixtures match.
//!
//! Every fixture in a row exists, and every valid fixture has a row.

use std::collections::BTreeSet;

use crate::support::{fixtures, read, root};

#[test]
fn each_fixture_has_a_row_and_each_row_a_fixture() {
    let table = read(&root().join("generator/SUPPORT.md"));
    let rows = table.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let named: BTreeSet<String> =
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    let present: BTreeSet<String> = fixtures("valid").into_iter().map(|fixture| fixture.name).collect();
    let missing: Vec<_> = named.difference(&present).collect();
    assert!(missing.is_empty(), "generator/SUPPORT.md names fixtures that do not exist: {missing:?}");
    let unnamed: Vec<_> = present.difference(&named).collect();
    assert!(unnamed.is_empty(), "give each of these fixtures a row in generator/SUPPORT.md: {unnamed:?}");
}
