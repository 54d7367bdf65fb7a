//! Items of Rust in a line each: types with their fields, functions with their signatures.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Expr, ExprMethodCall, Fields, ImplItem, Item, ItemImpl, Signature, TraitItem, Visibility,
};

use super::{Routes, rows};

/// The outline of a file.
pub fn outline(file: &syn::File, routes: &Routes) -> String {
    let mut lines = Vec::new();
    for item in &file.items {
        outline_item(item, routes, &mut lines);
    }
    lines.join("\n") + "\n"
}

fn outline_item(item: &Item, routes: &Routes, lines: &mut Vec<String>) {
    match item {
        Item::Struct(item) if is_public(&item.vis) => {
            head(lines, format!("struct {}{}", item.ident, derives(&item.attrs)));
            fields(&item.fields, lines);
        }
        Item::Enum(item) if is_public(&item.vis) => {
            head(lines, format!("enum {}{}", item.ident, derives(&item.attrs)));
            for variant in &item.variants {
                lines.push(format!("    {}{}", variant.ident, tidy(&variant.fields)));
            }
        }
        Item::Type(item) if is_public(&item.vis) => {
            head(lines, format!("type {} = {}", item.ident, tidy(&item.ty)))
        }
        Item::Trait(item) => {
            head(lines, format!("trait {}: {}", item.ident, tidy(&item.supertraits)));
            for member in &item.items {
                match member {
                    TraitItem::Fn(function) => lines.push(format!("    {}", signature(&function.sig))),
                    TraitItem::Type(ty) => lines.push(format!("    type {}: {}", ty.ident, tidy(&ty.bounds))),
                    other => lines.push(format!("    {}", tidy(other))),
                }
            }
        }
        Item::Impl(item) => outline_impl(item, routes, lines),
        // The lists of a family's rows repeat their names.
        Item::Static(item) if item.ident == "OPERATIONS" || item.ident == "DYNAMIC" => {}
        Item::Static(item) => {
            let mut rows = rows::outline(&item.ident.to_string(), &item.expr).into_iter();
            head(lines, rows.next().unwrap_or_default());
            lines.extend(rows);
        }
        Item::Const(item) => head(lines, format!("const {}: {}", item.ident, tidy(&item.ty))),
        Item::Mod(item) => head(lines, format!("{}mod {}", gate(&item.attrs), item.ident)),
        Item::Use(item) if is_public(&item.vis) => head(lines, tidy(item)),
        Item::Macro(item) => {
            let name =
                item.mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            if name != "serde_bridge" {
                head(lines, format!("{name}!"));
                lines.extend(arguments(&item.mac.tokens).iter().map(|argument| format!("    {argument}")));
            }
        }
        _ => {}
    }
}

/// Inherent functions; of traits, only conversions say something that the type doesn't.
fn outline_impl(item: &ItemImpl, routes: &Routes, lines: &mut Vec<String>) {
    if let Some((path, _)) = &item.trait_ {
        if path.segments.last().is_some_and(|segment| segment.ident == "From") {
            lines.push(format!("    impl {} for {}", tidy(path), tidy(&item.self_ty)));
        }
        return;
    }
    if !lines.last().is_some_and(|line| line.starts_with("    ")) || tidy(&item.self_ty).starts_with("crate")
    {
        head(lines, format!("impl {}", tidy(&item.self_ty)));
    }
    for member in &item.items {
        match member {
            ImplItem::Fn(function) if is_public(&function.vis) => {
                lines.push(format!("    {}", signature(&function.sig)));
                let mut mounts = Vec::new();
                for statement in &function.block.stmts {
                    mounted(statement, routes, &mut mounts);
                }
                lines.extend(mounts.into_iter().map(|mount| format!("        {mount}")));
            }
            ImplItem::Const(constant) if is_public(&constant.vis) => {
                lines.push(format!("    const {}: {}", constant.ident, tidy(&constant.ty)));
            }
            _ => {}
        }
    }
}

/// `POST /tasks -> api.create_task(context, input)` of a statement that mounts an operation, or calls one.
fn mounted(statement: &syn::Stmt, routes: &Routes, lines: &mut Vec<String>) {
    let syn::Stmt::Expr(Expr::MethodCall(call), _) = statement else { return };
    let ExprMethodCall { method, args, .. } = call;
    let Some(row) = args.first().map(rows::last_name) else { return };
    let Some(route) = routes.get(&row) else { return };
    let handler = args.iter().nth(1).filter(|_| method == "mount").map(|handler| {
        let text = tidy(handler);
        let security =
            text.split_once('(').map_or("", |(name, _)| name).trim_start_matches("rt::").to_owned();
        let call = text.split_once("move {").map_or(text.as_str(), |(_, body)| body);
        format!(" -> {} ({security})", call.trim_end_matches([')', '}', ' ']).replace(".await", "").trim())
    });
    lines.push(format!("{route}{}", handler.unwrap_or_default()));
}

/// The arguments of a macro, without attributes.
fn arguments(tokens: &TokenStream) -> Vec<String> {
    let mut arguments = vec![TokenStream::new()];
    let mut attribute = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => attribute = true,
            TokenTree::Group(_) if attribute => attribute = false,
            TokenTree::Punct(punct) if [',', ';'].contains(&punct.as_char()) => {
                arguments.push(TokenStream::new())
            }
            _ => arguments.last_mut().expect("there is always one").extend([token]),
        }
    }
    arguments.iter().filter(|argument| !argument.is_empty()).map(tidy).collect()
}

fn head(lines: &mut Vec<String>, text: String) {
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(text);
}

fn fields(fields: &Fields, lines: &mut Vec<String>) {
    for field in fields {
        let name = field.ident.as_ref().map_or_else(|| "0".to_owned(), ToString::to_string);
        let private = if is_public(&field.vis) { "" } else { "(private) " };
        lines.push(format!("    {private}{name}: {}", tidy(&field.ty)));
    }
}

fn signature(signature: &Signature) -> String {
    tidy(signature)
}

/// The derives that say something about a type's values; the others are everywhere.
fn derives(attributes: &[Attribute]) -> String {
    let derived: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"))
        .flat_map(|attribute| {
            let text = attribute.meta.to_token_stream().to_string();
            ["Copy", "Default", "Eq"].map(|name| text.contains(&format!(", {name}")).then(|| name.to_owned()))
        })
        .flatten()
        .collect();
    if derived.is_empty() { String::new() } else { format!(" ({})", derived.join(", ")) }
}

fn gate(attributes: &[Attribute]) -> String {
    let gates = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    gates.map(|gate| format!("#[{}] ", tidy(&gate.meta))).collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Tokens as a person writes them.
pub fn tidy(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string().replace('\n', " ");
    for (spaced, tight) in [
        (" :: ", "::"),
        ("& 'static ", "&'static "),
        ("& mut ", "&mut "),
        ("& ", "&"),
        (" < ", "<"),
        (" >", ">"),
        (" ,", ","),
        (", >", ">"),
        (",>", ">"),
        (" !", "!"),
        (" ;", ";"),
        (" : ", ": "),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" . ", "."),
        ("-> ", "-> "),
        ("->", " -> "),
    ] {
        text = text.replace(spaced, tight);
    }
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("= >", "=>")
        .replace("< ", "<")
        .replace(",)", ")")
}
