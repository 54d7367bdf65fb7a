//! Shows items of Rust: types with their fields, functions with their signatures.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Expr, ExprMethodCall, ExprStruct, Fields, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl,
    ItemMacro, ItemStatic, ItemStruct, ItemTrait, Signature, TraitItem, Visibility,
};

use super::{
    block::Block,
    index::Here,
    json_schemas, operations,
    rows::expanded,
    schemas,
    shapes::{self, Union},
    values::{Row, elements, last_name, plain, struct_name, tidy, value},
};

/// The traits whose implementations are shown. All other implementations follow from the kind of type.
const TRAITS: [&str; 4] = ["Default", "Error", "From", "TryFrom"];

/// Returns the blocks of a file.
pub fn blocks(here: &Here<'_>, file: &syn::File) -> Vec<Block> {
    let mut blocks = Vec::new();
    let bridged = bridged(file);
    for item in &file.items {
        match item {
            Item::Impl(item) => add_impl(here, item, &mut blocks),
            Item::Static(item) if item.ident == "OPERATIONS" => blocks.extend(reordered(here, file)),
            Item::Static(item) if item.ident == "DYNAMIC" => blocks.extend(dynamic(file, item)),
            Item::Static(item) => blocks.extend(row(here, item)),
            Item::Struct(item) if is_public(&item.vis) => blocks.push(a_struct(item, bridged.as_deref())),
            Item::Enum(item) if is_public(&item.vis) => blocks.push(an_enum(item, bridged.as_deref())),
            Item::Type(item) if is_public(&item.vis) => {
                blocks.push(Block::line(format!("type {} = {}", item.ident, tidy(&item.ty))));
            }
            Item::Trait(item) => blocks.push(a_trait(item)),
            Item::Const(item) => {
                blocks.push(Block::line(format!("const {}: {}", item.ident, tidy(&item.ty))))
            }
            Item::Mod(item) => {
                let public = if is_public(&item.vis) { "pub " } else { "" };
                blocks.push(Block::line(format!("{}{public}mod {}", gate(&item.attrs), item.ident)));
            }
            Item::Use(item) if is_public(&item.vis) => {
                blocks.push(Block::line(tidy(item).trim_end_matches(';')));
            }
            Item::Macro(item) if is_called(item, "object") => add_object(item, &mut blocks),
            Item::Macro(item) if is_called(item, "union") => add_union(item, &mut blocks),
            Item::Macro(item) => blocks.extend(a_macro(item)),
            _ => {}
        }
    }
    blocks
}

/// Shows a row. Patterns are shown by the rows that refer to them.
pub fn row(here: &Here<'_>, item: &ItemStatic) -> Option<Block> {
    let name = item.ident.to_string();
    let row = &expanded(plain(&item.expr));
    let block = match struct_name(row).as_str() {
        "Pattern" if here.is_unused(&name) => Block::line(value(row)),
        "Pattern" => return None,
        "Operation" => operations::operation(here, &name, row),
        "Schema" => schemas::schema(here, row),
        "JsonSchema" => json_schemas::schema(here, row).after("json schema "),
        "Scheme" => scheme(row),
        "Response" => operations::response(here, row),
        _ if tidy(&item.ty).ends_with("[&Response]") => operations::shared(here, &name, row),
        _ if matches!(row, Expr::Struct(_)) => settings(row),
        _ => Block::line(value(row)),
    };
    Some(block.after(&format!("{name}: ")))
}

/// Shows a security scheme: `scheme "api_key": ApiKeyHeader("x-api-key")`.
fn scheme(row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let (name, kind) = (fields.take_value("name"), fields.take_value("kind"));
    Block::line(format!("scheme {name}: {}", kind.trim_start_matches("SchemeKind::"))).then(&fields.others())
}

/// Shows a struct of settings, a line per field.
fn settings(row: &Expr) -> Block {
    let Expr::Struct(fields) = row else { return Block::line(value(row)) };
    let base = fields.rest.as_deref().map(value);
    let usual = format!("rt::{}::PROBLEM_DETAILS", tidy(&fields.path));
    let lines = fields.fields.iter().map(|field| {
        let name = tidy(&field.member);
        match plain(&field.expr) {
            Expr::Struct(of) => Block::line(format!("{name}: {}", setting(&format!("{usual}.{name}"), of))),
            Expr::Array(list) => Block::over(
                format!("{name}:"),
                list.elems.iter().map(|entry| Block::line(value(entry))).collect(),
            ),
            other => Block::line(format!("{name}: {}", value(other))),
        }
    });
    let rest = base.filter(|base| *base != usual).map(|base| Block::line(format!("else {base}")));
    Block::over(struct_name(row), lines.chain(rest).collect())
}

/// Shows a struct in a struct of settings. Leaves out its `..` expression if it is the usual one.
fn setting(usual: &str, of: &ExprStruct) -> String {
    let said = of.fields.iter().map(|field| format!("{} {}", tidy(&field.member), value(&field.expr)));
    let rest = of.rest.as_deref().map(value).filter(|rest| rest != usual);
    said.chain(rest.map(|rest| format!("else {rest}"))).collect::<Vec<_>>().join(", ")
}

/// Shows the list of a module's operations if its order differs from that of the rows.
fn reordered(here: &Here<'_>, file: &syn::File) -> Option<Block> {
    let rows = super::index::statics(file).map(|item| item.ident.to_string());
    let rows: Vec<String> = rows.filter(|row| here.is_routed(row)).collect();
    (rows != here.routed()).then(|| Block::line(format!("OPERATIONS: {}", here.routed().join(", "))))
}

/// Shows the list of dynamic calls if its types differ from those of the methods.
fn dynamic(file: &syn::File, list: &ItemStatic) -> Option<Block> {
    let functions = file.items.iter().filter_map(|item| match item {
        Item::Impl(item) => Some(item.items.iter().filter_map(function)),
        _ => None,
    });
    let usual = functions.flatten().filter_map(|function| {
        let row = function.block.stmts.iter().find_map(|statement| match statement {
            syn::Stmt::Expr(Expr::MethodCall(call), _) if call.method == "call" => call.args.first(),
            _ => None,
        })?;
        let output = tidy(&function.sig.output);
        let types = output.strip_prefix("-> rt::Call<")?.strip_suffix('>')?;
        let input = function.sig.inputs.iter().nth(1).map(tidy);
        let input = match &input {
            Some(input) => input.strip_prefix("input: impl Into<")?.strip_suffix('>')?,
            None => "()",
        };
        Some(format!("rt::Dynamic::new::<{input}, {types}>({})", tidy(row)))
    });
    let usual: Vec<String> = usual.collect();
    let listed: Vec<String> = elements(&list.expr).into_iter().map(tidy).collect();
    (usual != listed).then(|| Block::over("DYNAMIC", listed.into_iter().map(Block::line).collect()))
}

fn a_struct(item: &ItemStruct, bridged: Option<&[String]>) -> Block {
    let mut facts = derives(&item.attrs);
    facts.extend((!has(&item.attrs, "non_exhaustive")).then(|| "exhaustive".to_owned()));
    facts.extend(unbridged(bridged, &item.ident.to_string()));
    let head = format!("struct {}{}{}", item.ident, tidy(&item.generics), listed(&facts));
    Block::over(head, fields(&item.fields))
}

fn an_enum(item: &ItemEnum, bridged: Option<&[String]>) -> Block {
    let mut facts = derives(&item.attrs);
    facts.extend(has(&item.attrs, "non_exhaustive").then(|| "non-exhaustive".to_owned()));
    facts.extend(unbridged(bridged, &item.ident.to_string()));
    let head = format!("enum {}{}", item.ident, listed(&facts));
    let variants = item
        .variants
        .iter()
        .map(|variant| Block::line(format!("{}{}", variant.ident, tidy(&variant.fields))));
    Block::over(head, variants.collect())
}

fn a_trait(item: &ItemTrait) -> Block {
    let members = item.items.iter().map(|member| match member {
        TraitItem::Fn(function) => Block::line(signature(&function.sig)),
        TraitItem::Type(ty) => Block::line(format!("type {}: {}", ty.ident, tidy(&ty.bounds))),
        other => Block::line(tidy(other)),
    });
    Block::over(format!("trait {}: {}", item.ident, tidy(&item.supertraits)), members.collect())
}

/// Adds inherent functions and the implementations of [`TRAITS`] to the type's block.
fn add_impl(here: &Here<'_>, item: &ItemImpl, blocks: &mut Vec<Block>) {
    let mut lines = Vec::new();
    if let Some((path, _)) = &item.trait_ {
        let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if TRAITS.contains(&name.as_str()) {
            lines.push(Block::line(format!("impl {}", tidy(path))));
        }
    } else {
        for member in &item.items {
            match member {
                ImplItem::Fn(function) if is_public(&function.vis) => {
                    let mounts = function.block.stmts.iter().filter_map(|statement| mounted(here, statement));
                    let line = Block::over(signature(&function.sig), mounts.collect());
                    lines.push(line.then(&default(function).unwrap_or_default()));
                }
                ImplItem::Const(constant) if is_public(&constant.vis) => {
                    lines.push(Block::line(format!("const {}: {}", constant.ident, tidy(&constant.ty))));
                }
                _ => {}
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    let name = tidy(&item.self_ty);
    match block_of(blocks, name.split('<').next().unwrap_or_default()) {
        Some(block) => block.add(lines),
        None => blocks.push(Block::over(format!("{}impl {name}", gate(&item.attrs)), lines)),
    }
}

/// Shows what a function like `limit_or_default` returns for an absent value: `= 10`.
fn default(function: &ImplItemFn) -> Option<String> {
    let name = function.sig.ident.to_string();
    let statement = function.block.stmts.last().filter(|_| name.ends_with("_or_default"))?;
    let syn::Stmt::Expr(Expr::MethodCall(call), _) = statement else {
        return Some(format!("= {}", tidy(statement)));
    };
    Some(match call.args.first()? {
        Expr::Closure(closure) => format!("= {}", tidy(&closure.body)),
        value => format!("= {}", tidy(value)),
    })
}

/// Returns the block of a struct or enum.
fn block_of<'b>(blocks: &'b mut [Block], name: &str) -> Option<&'b mut Block> {
    let is_own = |block: &&mut Block| {
        let words: Vec<&str> = block.head().split([' ', '<']).take(2).collect();
        ["struct", "enum"].iter().any(|kind| words == [*kind, name])
    };
    blocks.iter_mut().find(is_own)
}

/// Adds what the codec of a struct implements besides: the conversion from arguments, and setters.
///
/// A setter that converts its argument is shown with `impl Into`.
fn add_object(item: &ItemMacro, blocks: &mut [Block]) {
    let lines = arguments(&item.mac.tokens);
    let mut lines = lines.iter().map(String::as_str);
    let head = lines.next().unwrap_or_default();
    let (head, from) = head.split_once(" from").unwrap_or((head, ""));
    let from = from.trim();
    let name = head.split(" + ").next().unwrap_or_default().trim_start_matches("closed ");
    let setter = |line: &str| {
        let (_, field) = line.split_once('[')?;
        let (_, setter) = field.trim_end_matches(']').split_once(' ')?;
        Some(match setter.split_once(" => ") {
            Some((setter, ty)) => format!("{setter}: impl Into<{ty}>"),
            None => setter.to_owned(),
        })
    };
    let setters: Vec<String> = lines.filter_map(setter).collect();
    let from = (!from.is_empty()).then(|| Block::line(format!("from {from}")));
    let setters = (!setters.is_empty()).then(|| Block::line(format!("setters {}", setters.join(", "))));
    if let Some(block) = block_of(blocks, name) {
        block.add(from.into_iter().chain(setters));
    }
}

/// Adds the shapes of a union's variants, and the types that convert into it.
///
/// Shows a macro that can't be read as it is.
fn add_union(item: &ItemMacro, blocks: &mut Vec<Block>) {
    let Ok(Union { name, shape, from }) = item.mac.parse_body() else {
        return blocks.extend(a_macro(item));
    };
    if let Some(block) = block_of(blocks, &name) {
        block.add(shapes::shape(&name, &shape));
        let from: Vec<String> = from.iter().map(tidy).collect();
        block.add((!from.is_empty()).then(|| Block::line(format!("from {}", from.join(", ")))));
    }
}

fn is_called(item: &ItemMacro, name: &str) -> bool {
    item.mac.path.segments.last().is_some_and(|last| last.ident == name)
}

/// Shows a statement that mounts an operation: `POST /tasks -> T::create_task(&api, context, input) (secured)`.
/// Of a statement that calls an operation, shows the method and path.
fn mounted(here: &Here<'_>, statement: &syn::Stmt) -> Option<Block> {
    let syn::Stmt::Expr(Expr::MethodCall(call), _) = statement else { return None };
    let ExprMethodCall { method, args, .. } = call;
    let route = here.route(&last_name(args.first()?))?;
    let handler = args.iter().nth(1).filter(|_| method == "mount").map(|handler| {
        let text = tidy(handler);
        let security =
            text.split_once('(').map_or("", |(name, _)| name).trim_start_matches("rt::").to_owned();
        let call = text.split_once("move {").map_or(text.as_str(), |(_, body)| body);
        let call = call.trim_end_matches([')', '}', ' ']).replace(".await", "");
        format!(" -> {} ({security})", call.trim())
    });
    Some(Block::line(format!("{route}{}", handler.unwrap_or_default())))
}

/// Shows the arguments of a macro. What `tags!` declares beside the modules is shown separately.
fn a_macro(item: &ItemMacro) -> Vec<Block> {
    let name = item.mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let lines = arguments(&item.mac.tokens);
    match name.as_str() {
        "serde_bridge" | "choice" | "string_enum" => Vec::new(),
        "tags" => {
            let (tags, declared): (Vec<String>, _) =
                lines.into_iter().partition(|line| line.starts_with('"'));
            let tags = Block::over("tags", tags.into_iter().map(Block::line).collect());
            declared.into_iter().map(Block::line).chain([tags]).collect()
        }
        _ => vec![Block::over(format!("{name}!"), lines.into_iter().map(Block::line).collect())],
    }
}

/// Returns the types of a file that implement serde's traits. `None` if the file has no such list.
fn bridged(file: &syn::File) -> Option<Vec<String>> {
    file.items.iter().find_map(|item| match item {
        Item::Macro(item) if is_called(item, "serde_bridge") => Some(arguments(&item.mac.tokens)),
        _ => None,
    })
}

fn unbridged(bridged: Option<&[String]>, name: &str) -> Option<String> {
    bridged
        .is_some_and(|bridged| !bridged.iter().any(|bridged| bridged == name))
        .then(|| "no serde".to_owned())
}

/// Returns the arguments of a macro, without attributes.
fn arguments(tokens: &TokenStream) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut argument = TokenStream::new();
    let mut attribute = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => attribute = true,
            TokenTree::Group(_) if attribute => attribute = false,
            TokenTree::Punct(punct) if [',', ';'].contains(&punct.as_char()) => {
                arguments.push(std::mem::take(&mut argument));
            }
            _ => argument.extend([token]),
        }
    }
    arguments.push(argument);
    arguments.iter().filter(|argument| !argument.is_empty()).map(tidy).collect()
}

fn fields(fields: &Fields) -> Vec<Block> {
    let lines = fields.iter().map(|field| {
        let name = field.ident.as_ref().map_or_else(|| "0".to_owned(), ToString::to_string);
        let private = if is_public(&field.vis) { "" } else { "(private) " };
        Block::line(format!("{private}{name}: {}", tidy(&field.ty)))
    });
    lines.collect()
}

/// Shows a signature. `impl Future<Output = T> + Send` becomes `async T`.
fn signature(signature: &Signature) -> String {
    let text = tidy(signature);
    let parts = text.split_once("-> impl Future<Output = ");
    match parts.and_then(|(head, output)| Some((head, output.strip_suffix("> + Send")?))) {
        Some((head, output)) => format!("{head}-> async {output}"),
        None => text,
    }
}

/// Returns unusual derives, and the usual ones that are missing.
fn derives(attributes: &[Attribute]) -> Vec<String> {
    let mut derived = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // Attributes that can't be parsed derive nothing.
        let _ = attribute.parse_nested_meta(|meta| {
            derived.push(tidy(&meta.path));
            Ok(())
        });
    }
    let usual = ["Debug", "Clone", "PartialEq"];
    let missing = usual.iter().filter(|name| !derived.iter().any(|derived| derived == *name));
    let missing: Vec<String> = missing.map(|name| format!("no {name}")).collect();
    derived.into_iter().filter(|name| !usual.contains(&name.as_str())).chain(missing).collect()
}

fn listed(facts: &[String]) -> String {
    if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) }
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

fn gate(attributes: &[Attribute]) -> String {
    let gates = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    gates.map(|gate| format!("#[{}] ", tidy(&gate.meta))).collect()
}

fn function(member: &ImplItem) -> Option<&ImplItemFn> {
    match member {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}
