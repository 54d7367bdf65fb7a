//! The full texts show each kind of item that the generator emits, and `tests/README.md` lists them.

use std::collections::BTreeSet;

use openapi_crates_outlines::{
    TEXTS,
    documents::{Files, read, root},
    snapshots::FIXTURES,
};

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
fn are_listed_in_the_readme() {
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
        match path.rsplit_once('.') {
            Some((_, "rs")) => kinds.extend(text.lines().filter_map(item).map(|item| match item.as_str() {
                // The same macros and modules serve each crate.
                item if item == "mod" || item.ends_with('!') => item.to_owned(),
                item => format!("{krate}: {item}"),
            })),
            _ => drop(kinds.insert(format!("a file of {}", path.rsplit('.').next().unwrap_or_default()))),
        }
    }
}

/// Returns the kind of the item that a line begins: `impl Default`, `static of Schema`, `rt::object!`.
fn item(line: &str) -> Option<String> {
    let is_item = line.starts_with(|first: char| first.is_ascii_lowercase());
    let line = line.strip_prefix("pub(crate) ").unwrap_or(line.strip_prefix("pub ").unwrap_or(line));
    let (word, rest) = line.split_once([' ', '<']).filter(|_| is_item)?;
    Some(match word {
        // The type that is implemented for differs, the trait does not.
        "impl" => match rest.split_once(" for ") {
            Some((name, _)) => format!("impl {}", name.split('<').next().unwrap_or_default()),
            None => "functions".to_owned(),
        },
        "static" => {
            let (_, ty) = rest.split_once(": ")?;
            format!("static of {}", ty.split(" = ").next().unwrap_or_default().trim_end_matches(" ="))
        }
        "const" => format!("constant {}", rest.split(':').next().unwrap_or_default()),
        word => word.to_owned(),
    })
}
