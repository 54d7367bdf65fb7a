//! The full texts show each kind of item that the generator emits, and `tests/README.md` lists them.

use std::collections::BTreeSet;

use openapi_crates_outlines::{
    TEXTS,
    documents::{Files, read, root},
    snapshots::FIXTURES,
};
use quote::ToTokens;
use syn::Item;

#[test]
fn show_each_kind_of_item() {
    let mut emitted = BTreeSet::new();
    let mut shown = BTreeSet::new();
    for made in FIXTURES.iter() {
        kinds(&made.files, &mut emitted);
        let texts = TEXTS.iter().filter(|(name, _)| *name == made.name);
        let files = texts.map(|(_, path)| {
            let text = made.files.get(*path).unwrap_or_else(|| panic!("{} has no {path}", made.name));
            ((*path).to_owned(), text.clone())
        });
        kinds(&files.collect(), &mut shown);
    }
    let missing: Vec<&String> = emitted.difference(&shown).collect();
    assert!(missing.is_empty(), "no full text shows {missing:#?}");
}

#[test]
fn stand_in_the_readme() {
    let readme = read(&root().join("tests/README.md"));
    let rows = readme.lines().filter(|line| line.starts_with("| `texts/"));
    let named: BTreeSet<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let names = TEXTS.map(|(fixture, path)| {
        format!("texts/{fixture}.{}.snap", path.replace("src/", "").replace('/', "."))
    });
    assert_eq!(
        named,
        names.iter().map(String::as_str).collect(),
        "tests/README.md says what each full text shows"
    );
}

/// Collects the kinds of files, and the kinds of items in Rust files by crate.
fn kinds(files: &Files, kinds: &mut BTreeSet<String>) {
    for (path, text) in files {
        let krate = path.split('/').next().unwrap_or_default();
        if !path.ends_with(".rs") {
            let ending = path.rsplit('.').next().unwrap_or_default();
            kinds.insert(format!("a file of {ending}"));
            continue;
        }
        let file = syn::parse_file(text).expect("it is Rust");
        for item in &file.items {
            let kind = match item {
                Item::Impl(item) => {
                    let last =
                        |path: &syn::Path| path.segments.last().map(|segment| segment.ident.to_string());
                    let of = item.trait_.as_ref().and_then(|(path, _)| last(path));
                    of.map_or("functions".to_owned(), |of| format!("implementation of {of}"))
                }
                Item::Macro(item) => {
                    // The same macro serves each crate.
                    kinds.insert(format!("{}!", item.mac.path.segments.last().expect("it has a name").ident));
                    continue;
                }
                Item::Static(item) => format!("static of {}", item.ty.to_token_stream()),
                Item::Const(item) => format!("constant {}", item.ident),
                Item::Struct(_) => "struct".to_owned(),
                Item::Enum(_) => "enum".to_owned(),
                Item::Type(_) => "type".to_owned(),
                Item::Trait(_) => "trait".to_owned(),
                Item::Use(_) => "import".to_owned(),
                Item::Mod(_) => {
                    kinds.insert("module".to_owned());
                    continue;
                }
                other => other.to_token_stream().to_string(),
            };
            kinds.insert(format!("{krate}: {kind}"));
        }
    }
}
