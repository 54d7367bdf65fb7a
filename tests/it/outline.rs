//! This API's generated crates as a reviewer wants to see them: what each family's file declares, without its bodies.

mod items;
mod rows;

use std::collections::BTreeMap;

use openapi_crates::CrateKind;

use crate::support::{Files, Snapshots, project_files, spec, text_files};

/// A row of operations of each constant in the tables: `CREATE_TASK` is `POST /tasks`.
type Routes = BTreeMap<String, String>;

#[test]
fn models() {
    outlines(CrateKind::Models);
}

#[test]
fn validation() {
    outlines(CrateKind::Validation);
}

#[test]
fn server() {
    outlines(CrateKind::Server);
}

#[test]
fn client() {
    outlines(CrateKind::Client);
}

/// Compares the outline of each file of a crate.
fn outlines(kind: CrateKind) {
    let files = text_files(&project_files(&spec()));
    let folder = format!("{}/src/", kind.folder());
    let mut snapshots = Snapshots::of(kind.folder());
    for (path, text) in &files {
        let Some(name) = path.strip_prefix(&folder).and_then(|name| name.strip_suffix(".rs")) else {
            continue;
        };
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path} is no Rust: {error}"));
        snapshots.compare(name, &items::outline(&file, &routes(&files, name)));
    }
    snapshots.finish(true);
}

/// The method and path of each operation row of a family.
fn routes(files: &Files, family: &str) -> Routes {
    let Some(tables) = files.get(&format!("validation/src/{family}.rs")) else { return Routes::new() };
    let file = syn::parse_file(tables).expect("the tables are Rust");
    let statics = file.items.iter().filter_map(|item| match item {
        syn::Item::Static(item) => Some(item),
        _ => None,
    });
    statics.filter_map(|item| Some((item.ident.to_string(), rows::route(&item.expr)?))).collect()
}
