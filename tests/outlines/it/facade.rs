//! The public items of the generator's library, and of the runtime's modules that users call, are the accepted ones.
//!
//! The items come from the sources: rustdoc lists them as data only on nightly compilers. A change of these snapshots
//! is a change that users can notice, and may break their code.

use std::{collections::BTreeSet, fs, path::Path};

use insta::{Settings, assert_snapshot};
use openapi_crates::Code;
use openapi_crates_outlines::documents::{read, root};
use syn::{
    Attribute, Field, File, ImplItem, Item, ItemEnum, ItemImpl, ItemUse, TraitItem, Type, UseTree, Visibility,
};

/// The modules of the runtime whose public items `docs/stability.md` promises to keep.
const MODULES: [&str; 3] = ["types", "server", "client"];

#[test]
fn exports_of_the_generator_are_the_listed_ones() {
    let sources = root().join("generator/src");
    let exported = exported(&sources.join("lib.rs"));
    let (items, elsewhere) = items(&sources, &exported);
    // A macro defines `Code`; `openapiv3` is another crate.
    assert_eq!(
        elsewhere,
        ["CallRule", "Code", "Constraint", "RustRule", "ValueRule", "openapiv3"],
        "public items without a definition"
    );
    let internals = exported_in_order(&sources.join("internals.rs"));
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let text = format!(
        "{items}\n// Diagnostic codes: {}\n\n// Hidden and not stable: {}\n",
        codes.join(", "),
        internals.join(", ")
    );
    check("generator", &text);
}

#[test]
fn exports_of_the_runtime_are_the_listed_ones() {
    for module in MODULES {
        let sources = root().join("runtime/src").join(module);
        let exported = exported(&sources.join("mod.rs"));
        let (items, elsewhere) = items(&sources, &exported);
        check(
            &format!("runtime-{module}"),
            &format!("{items}\n// Defined elsewhere: {}\n", elsewhere.join(", ")),
        );
    }
}

/// Compares a text with the accepted one.
fn check(name: &str, text: &str) {
    let mut settings = Settings::new();
    settings.set_snapshot_path(root().join("tests/snapshots/facade"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, text));
}

/// Returns the definitions of public items in a folder, and the names without a definition there.
fn items(sources: &Path, exported: &BTreeSet<String>) -> (String, Vec<String>) {
    let mut files = Vec::new();
    parse_folder(sources, &mut files);
    let mut items: Vec<Item> = files.into_iter().flat_map(|file| file.items).collect();
    items.retain_mut(|item| keep(item, exported));
    items.sort_by_cached_key(order);
    let mut elsewhere = Vec::new();
    for name in exported {
        match items.iter().filter(|item| defined(item).as_ref() == Some(name)).count() {
            0 => elsewhere.push(name.clone()),
            count => assert_eq!(count, 1, "public items with the name `{name}`"),
        }
    }
    (prettyplease::unparse(&File { shebang: None, frontmatter: None, attrs: Vec::new(), items }), elsewhere)
}

/// Returns the names that a file makes public.
fn exported(path: &Path) -> BTreeSet<String> {
    exported_in_order(path).into_iter().collect()
}

fn exported_in_order(path: &Path) -> Vec<String> {
    parsed(path).items.iter().flat_map(exports).collect()
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
    if let Some(name) = implementing(item) {
        let is_shown = exported.contains(&name);
        return is_shown && if let Item::Impl(item) = item { keep_impl(item) } else { true };
    }
    if !defined(item).is_some_and(|name| exported.contains(&name)) {
        return false;
    }
    match item {
        Item::Struct(item) => {
            item.attrs.retain(is_kept);
            match &mut item.fields {
                syn::Fields::Named(fields) => {
                    let public =
                        fields.named.iter().filter(|field| matches!(field.vis, Visibility::Public(_)));
                    fields.named = public.cloned().map(without_docs).collect();
                }
                syn::Fields::Unnamed(fields) => {
                    let hidden =
                        fields.unnamed.iter_mut().filter(|field| !matches!(field.vis, Visibility::Public(_)));
                    hidden.for_each(|field| field.ty = syn::parse_quote!(_));
                }
                syn::Fields::Unit => {}
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
        Item::Const(item) => item.attrs.retain(is_kept),
        Item::Static(item) => item.attrs.retain(is_kept),
        Item::Trait(item) => {
            item.attrs.retain(is_kept);
            for member in &mut item.items {
                keep_member(member);
            }
        }
        _ => panic!("the facade has a new kind of item; show it here"),
    }
    true
}

/// Removes the documentation of a trait's member. The body of a default method stays as `{}`.
fn keep_member(member: &mut TraitItem) {
    match member {
        TraitItem::Fn(function) => {
            function.attrs.retain(is_kept);
            if let Some(block) = &mut function.default {
                block.stmts.clear();
            }
        }
        TraitItem::Type(item) => item.attrs.retain(is_kept),
        TraitItem::Const(item) => item.attrs.retain(is_kept),
        _ => {}
    }
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

/// Returns the last segment of the type that an implementation is for, or that `setters!` adds methods to.
fn implementing(item: &Item) -> Option<String> {
    match item {
        Item::Impl(item) => match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        },
        Item::Macro(item) if item.mac.path.is_ident("setters") => {
            item.mac.tokens.clone().into_iter().next().map(|name| name.to_string())
        }
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
    let implemented = implementing(item);
    let name = defined(item).or_else(|| implemented.clone()).unwrap_or_default();
    (name, implemented.is_some(), quote::quote!(#item).to_string())
}
