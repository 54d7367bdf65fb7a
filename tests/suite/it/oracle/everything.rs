//! The programs use everything public that the generator emits for a document.

use openapi_crates::{Input, generate_from, internals::lowered};
use openapi_crates_outlines::documents::fixtures;
use openapi_crates_suite::oracle::programs::Programs;
use syn::{Fields, ImplItem, Item, ItemImpl, TraitItem, Type, Visibility};

#[test]
fn programs_use_everything() {
    let mut used = 0;
    for fixture in fixtures("valid") {
        let (overlays, options) = (fixture.overlays(), fixture.options());
        let input = Input::new(&fixture.source, &fixture.text).overlays(&overlays);
        let files =
            generate_from(&input, &options, &|_| {}).expect("it emits Rust").files.expect("it is valid");
        let api = lowered(&input, &options).expect("it is valid");
        let programs = Programs::of(&api, &options);
        let text = programs.client + &programs.server;
        for (path, source) in files.iter().filter(|(path, _)| path.ends_with(".rs") && !is_by_hand(path)) {
            let file = syn::parse_file(source).expect("it is Rust");
            for usage in file.items.iter().flat_map(usages) {
                assert!(text.contains(&usage), "{path}: the programs don't use `{usage}`");
                used += 1;
            }
        }
    }
    assert!(used > 3000, "only {used} usages were found");
}

/// Returns whether a file is the same for every document, or is not used by the programs.
///
/// The programs receive no webhooks. `tests/behaviour` does.
fn is_by_hand(path: &str) -> bool {
    let files = ["server/src/builder.rs", "client/src/dynamic.rs", "client/src/receiver.rs"];
    path.starts_with("validation/") || files.contains(&path)
}

/// Returns texts by which programs use an item.
fn usages(item: &Item) -> Vec<String> {
    match item {
        Item::Struct(item) => match &item.fields {
            // The struct of a constructor's arguments is built, others are read.
            Fields::Named(fields) => {
                let is_built = item.attrs.iter().all(|attribute| !attribute.path().is_ident("derive"));
                let names = fields.named.iter().filter_map(|field| field.ident.as_ref());
                names
                    .map(|name| if is_built { format!(" {name}: a") } else { format!("value.{name}") })
                    .collect()
            }
            _ => Vec::new(),
        },
        Item::Enum(item) => {
            item.variants.iter().map(|variant| format!("{}::{}", item.ident, variant.ident)).collect()
        }
        Item::Type(item) => vec![format!("::{}", item.ident)],
        Item::Trait(item) => {
            let items = item.items.iter().filter_map(|item| match item {
                TraitItem::Fn(function) => Some(format!("async fn {}(", function.sig.ident)),
                TraitItem::Type(ty) => Some(format!("type {} = ", ty.ident)),
                _ => None,
            });
            items.chain([format!("::{} for Service", item.ident)]).collect()
        }
        Item::Impl(item) => functions(item),
        Item::Macro(item) if item.mac.path.segments.last().is_some_and(|last| last.ident == "object") => {
            setters(&item.mac.tokens.to_string())
        }
        _ => Vec::new(),
    }
}

/// Returns the calls of public functions, and of `from` and `try_from`.
fn functions(item: &ItemImpl) -> Vec<String> {
    let Type::Path(own) = &*item.self_ty else { return Vec::new() };
    let own = own.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
    let call = |name: &str, is_method: bool| match (is_method, name) {
        (true, _) => format!(".{name}("),
        (false, _) => format!("::{own}::{name}("),
    };
    let functions = item.items.iter().filter_map(|function| match function {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let named = functions.filter(|function| {
        let name = function.sig.ident.to_string();
        matches!(function.vis, Visibility::Public(_))
            || ["from", "try_from", "default"].contains(&name.as_str())
    });
    named.map(|function| call(&function.sig.ident.to_string(), function.sig.receiver().is_some())).collect()
}

/// Returns the setters in a call of `object!`, whose optional fields are `[age with_age : i64]`, or `[@null age …]`.
fn setters(tokens: &str) -> Vec<String> {
    let optional = tokens.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    let unmarked = optional.map(|field| field.trim_start().strip_prefix("@ null").unwrap_or(field));
    let setter = unmarked.filter_map(|field| field.split_whitespace().nth(1));
    setter.map(|name| format!(".{}(", name.trim_end_matches([':', '=']))).collect()
}
