//! The public items of the generator's library are the accepted ones.
//!
//! The items come from the sources: rustdoc lists them as data only on nightly compilers. A change of this snapshot
//! is a change that users of the library can notice, and may break their code.

use std::{collections::BTreeSet, fs, path::Path};

use insta::{Settings, assert_snapshot};
use openapi_crates::Code;
use openapi_crates_outlines::documents::{read, root};
use syn::{Attribute, Field, File, ImplItem, Item, ItemEnum, ItemImpl, ItemUse, Type, UseTree, Visibility};

#[test]
fn public_items() {
    let sources = root().join("generator/src");
    let library = parsed(&sources.join("lib.rs"));
    let exported: BTreeSet<String> = library.items.iter().flat_map(exports).collect();
    let mut files = Vec::new();
    parse_folder(&sources, &mut files);
    let mut items: Vec<Item> = files.into_iter().flat_map(|file| file.items).collect();
    items.retain_mut(|item| keep(item, &exported));
    items.sort_by_cached_key(order);
    for name in &exported {
        let definitions = items.iter().filter(|item| defined(item).as_ref() == Some(name)).count();
        // A macro defines `Code`; `openapiv3` is another crate.
        let expected = usize::from(name != "Code" && name != "openapiv3");
        assert_eq!(definitions, expected, "public items with the name `{name}`");
    }
    let internals = parsed(&sources.join("internals.rs"));
    let internals: Vec<String> = internals.items.iter().flat_map(exports).collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let items = prettyplease::unparse(&File { shebang: None, frontmatter: None, attrs: Vec::new(), items });
    let text = format!(
        "{items}\n// Diagnostic codes: {}\n\n// Hidden and not stable: {}\n",
        codes.join(", "),
        internals.join(", ")
    );
    let mut settings = Settings::new();
    settings.set_snapshot_path(root().join("tests/snapshots/facade"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("generator", text));
}

/// Adds the files of a folder, without those of the command line and of tests.
fn parse_folder(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        let name = path.file_stem().expect("entries have names").to_string_lossy().into_owned();
        match path.is_dir() {
            _ if ["cli", "main", "tests"].contains(&name.as_str()) => {}
            true => parse_folder(&path, files),
            false if path.extension().is_some_and(|extension| extension == "rs") => files.push(parsed(&path)),
            false => {}
        }
    }
}

fn parsed(path: &Path) -> File {
    syn::parse_file(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names that an item of a module makes public.
fn exports(item: &Item) -> Vec<String> {
    match item {
        Item::Use(ItemUse { vis: Visibility::Public(_), tree, .. }) => leaves(tree),
        _ => defined(item).into_iter().collect(),
    }
}

fn leaves(tree: &UseTree) -> Vec<String> {
    match tree {
        UseTree::Path(path) => leaves(&path.tree),
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
        UseTree::Name(name) => vec![name.ident.to_string()],
        UseTree::Rename(_) | UseTree::Glob(_) => panic!("the facade lists every name"),
    }
}

/// Returns the name that a public item defines.
fn defined(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Const(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        Item::Fn(item) => (&item.vis, &item.sig.ident),
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Trait(item) => (&item.vis, &item.ident),
        Item::Type(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    matches!(visibility, Visibility::Public(_)).then(|| name.to_string())
}

/// Reduces an item to what users see of it. Returns whether they see anything.
fn keep(item: &mut Item, exported: &BTreeSet<String>) -> bool {
    if let Item::Impl(item) = item {
        return implementing(item).is_some_and(|name| exported.contains(&name)) && keep_impl(item);
    }
    if !defined(item).is_some_and(|name| exported.contains(&name)) {
        return false;
    }
    match item {
        Item::Struct(item) => {
            item.attrs.retain(is_kept);
            if let syn::Fields::Named(fields) = &mut item.fields {
                let public = fields.named.iter().filter(|field| matches!(field.vis, Visibility::Public(_)));
                fields.named = public.cloned().map(without_docs).collect();
            }
        }
        Item::Enum(ItemEnum { attrs, variants, .. }) => {
            attrs.retain(is_kept);
            for variant in variants {
                variant.attrs.retain(is_kept);
                if let syn::Fields::Named(fields) = &mut variant.fields {
                    fields.named = fields.named.iter().cloned().map(without_docs).collect();
                }
            }
        }
        Item::Fn(item) => {
            item.attrs.retain(is_kept);
            item.block.stmts.clear();
        }
        Item::Type(item) => item.attrs.retain(is_kept),
        _ => panic!("the facade has a new kind of item; show it here"),
    }
    true
}

/// Keeps the public members of an implementation of a type, or the head of an implementation of a trait.
fn keep_impl(item: &mut ItemImpl) -> bool {
    item.attrs.retain(is_kept);
    if item.trait_.is_some() {
        item.items.clear();
        return true;
    }
    item.items.retain_mut(|member| match member {
        ImplItem::Fn(function) => {
            function.attrs.retain(is_kept);
            function.block.stmts.clear();
            matches!(function.vis, Visibility::Public(_))
        }
        ImplItem::Const(constant) => {
            constant.attrs.retain(is_kept);
            matches!(constant.vis, Visibility::Public(_))
        }
        _ => true,
    });
    !item.items.is_empty()
}

/// Returns the last segment of the type that an implementation is for.
fn implementing(item: &ItemImpl) -> Option<String> {
    match &*item.self_ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// Returns whether users notice a change of this attribute.
fn is_kept(attribute: &Attribute) -> bool {
    ["cfg", "derive", "non_exhaustive"].iter().any(|name| attribute.path().is_ident(name))
}

fn without_docs(mut field: Field) -> Field {
    field.attrs.retain(is_kept);
    field
}

/// Sorts by name; a type comes before its implementations.
fn order(item: &Item) -> (String, bool, String) {
    let implemented = match item {
        Item::Impl(item) => implementing(item),
        _ => None,
    };
    let name = defined(item).or_else(|| implemented.clone()).unwrap_or_default();
    (name, implemented.is_some(), quote::quote!(#item).to_string())
}
