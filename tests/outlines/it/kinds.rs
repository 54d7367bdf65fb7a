//! The fixtures use every field and variant of the generator's intermediate representation.
//!
//! With `mutants`, this shows that outlines leave out no kind of rule.

use std::{collections::BTreeSet, fs};

use openapi_crates::internals::{Document, lower};
use openapi_crates_outlines::documents::{fixtures, read, root};
use syn::{Fields, Item, Type};

/// The parts that only settings with crates of the user add. A test of the generator's module `outline` shows them.
const UNSEEN: [&str; 5] =
    ["Api.derives", "Api.foreign_types", "Derive.left_out", "Foreign", "StructDef.exhaustive"];

#[test]
fn all_kinds_of_nodes_are_in_fixtures() {
    let declared = declared();
    let shown: String = fixtures("valid")
        .iter()
        .map(|fixture| {
            let overlays = fixture.overlays();
            let parsed = Document::parse_with(&fixture.source, &fixture.text, &overlays, None);
            let document = parsed.document.expect("a fixture can be read");
            format!("{:?}\n", lower(&document, &fixture.options(), &mut Default::default()).api)
        })
        .collect();
    let words: BTreeSet<&str> = shown.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_unseen = |name: &&String| match name.split_once('.') {
        // Nothing but `None`, `false` and `[]`.
        Some((_, field)) => {
            let (nothing, label) = (["None", "false", "[]", "{}"], format!(" {field}: "));
            let mut values = shown.split(&label).skip(1);
            values.all(|value| nothing.iter().any(|nothing| value.starts_with(nothing)))
        }
        None => !words.contains(name.as_str()),
    };
    let missing: BTreeSet<&str> = declared.iter().filter(is_unseen).map(String::as_str).collect();
    assert_eq!(missing, BTreeSet::from(UNSEEN), "a fixture should have each of these");
}

/// Returns the variants of all enums, and the fields that can be nothing: `Variant`, `Struct.field`.
fn declared() -> BTreeSet<String> {
    let mut declared = BTreeSet::new();
    let files = fs::read_dir(root().join("generator/src/ir")).expect("the folder can be listed");
    for file in files {
        let text = read(&file.expect("the folder can be listed").path());
        for item in syn::parse_file(&text).expect("it is Rust").items {
            match item {
                Item::Struct(item) => declare(&item.ident, &item.fields, &mut declared),
                Item::Enum(item) => item.variants.iter().for_each(|variant| {
                    declared.insert(variant.ident.to_string());
                    declare(&variant.ident, &variant.fields, &mut declared);
                }),
                _ => {}
            }
        }
    }
    assert!(declared.len() > 150, "only {} nodes are declared", declared.len());
    declared
}

/// Adds the fields that can be nothing.
fn declare(of: &syn::Ident, fields: &Fields, declared: &mut BTreeSet<String>) {
    let can_be_nothing =
        |ty: &Type| match ty {
            Type::Path(path) => path.path.segments.last().is_some_and(|last| {
                ["Option", "Vec", "BTreeSet", "bool"].iter().any(|name| last.ident == name)
            }),
            _ => false,
        };
    let fields = fields.iter().filter(|field| can_be_nothing(&field.ty));
    declared.extend(fields.filter_map(|field| Some(format!("{of}.{}", field.ident.as_ref()?))));
}
