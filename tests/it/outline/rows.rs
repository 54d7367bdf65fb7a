//! Rows of the validation tables, as `name: rule` lines.

use syn::{Expr, ExprStruct, Member, UnOp};

use super::items::tidy;

/// A line, and the lines below it.
struct Block {
    head: String,
    below: Vec<Block>,
}

impl Block {
    fn line(head: impl Into<String>) -> Self {
        Self { head: head.into(), below: Vec::new() }
    }

    fn add(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.head = format!("{} {text}", self.head);
        }
        self
    }

    fn after(mut self, text: &str) -> Self {
        self.head = format!("{text}{}", self.head);
        self
    }

    fn write(&self, indent: usize, lines: &mut Vec<String>) {
        lines.push(format!("{}{}", "    ".repeat(indent), self.head));
        for block in &self.below {
            block.write(indent + 1, lines);
        }
    }
}

/// The lines of a static.
pub fn outline(name: &str, row: &Expr) -> Vec<String> {
    let row = plain(row);
    let block = match struct_name(row).as_str() {
        "Operation" => operation(row),
        "Schema" => schema(row),
        _ => match row {
            Expr::Array(rows) if rows.elems.iter().all(|row| struct_name(plain(row)) == "Response") => {
                Block { head: "responses".into(), below: rows.elems.iter().map(response).collect() }
            }
            Expr::Struct(fields) => Block {
                head: struct_name(row),
                below: fields
                    .fields
                    .iter()
                    .map(|field| Block::line(format!("{} {}", member(&field.member), value(&field.expr))))
                    .collect(),
            },
            _ => Block::line(value(row)),
        },
    };
    let mut lines = Vec::new();
    block.after(&format!("{name}: ")).write(0, &mut lines);
    lines
}

/// The method and path of an operation's row.
pub fn route(row: &Expr) -> Option<String> {
    (struct_name(plain(row)) == "Operation").then(|| {
        let part = |name: &str| field(row, name).map(text).unwrap_or_default();
        format!("{} {}", part("method"), part("path"))
    })
}

/// The last name of a path.
pub fn last_name(path: &Expr) -> String {
    let name = value(path);
    name.rsplit("::").next().unwrap_or(&name).to_owned()
}

fn operation(row: &Expr) -> Block {
    let route = route(row).unwrap_or_default();
    let mut block = Block::line(format!("{route} ({})", field(row, "id").map(text).unwrap_or_default()));
    block.below.extend(elements(row, "parameters").map(parameter));
    if let Some(body) = field(row, "body").and_then(some) {
        let required = if is_true(body, "required") { "required " } else { "" };
        let limit = field(body, "limit")
            .and_then(some)
            .map_or_else(String::new, |limit| format!("up to {} ", value(limit)));
        block.below.extend(
            elements(body, "contents").map(|row| content(row).after(&format!("body {required}{limit}"))),
        );
    }
    block.below.extend(elements(row, "responses").map(response));
    if let Some(errors) = field(row, "errors") {
        let documented: Vec<String> = elements(errors, "documented")
            .map(|error| {
                ["status", "row"].map(|name| field(error, name).map(value).unwrap_or_default()).join("=")
            })
            .collect();
        match field(errors, "rows").map(plain) {
            Some(Expr::Array(rows)) => {
                block.below.extend(rows.elems.iter().map(|row| response(row).after("error ")))
            }
            rows => {
                let rows = rows.map(value).unwrap_or_default();
                block.below.push(Block::line(format!("errors {rows}: {}", documented.join(", "))));
            }
        }
    }
    let security: Vec<String> = elements(row, "security").map(alternative).collect();
    if !security.is_empty() {
        block.below.push(Block::line(format!("security {}", security.join(" or "))));
    }
    let requires: Vec<String> = elements(row, "requires").map(value).collect();
    if !requires.is_empty() {
        block.below.push(Block::line(format!("requires {}", requires.join(", "))));
    }
    block
}

/// Schemes that must all be satisfied.
fn alternative(row: &Expr) -> String {
    let Expr::Array(row) = plain(row) else { return value(row) };
    let schemes = row.elems.iter().map(|requirement| {
        let scopes: Vec<String> = elements(requirement, "scopes").map(value).collect();
        let scheme = field(requirement, "scheme").map(last_name).unwrap_or_default();
        if scopes.is_empty() { scheme } else { format!("{scheme} ({})", scopes.join(", ")) }
    });
    let schemes: Vec<String> = schemes.collect();
    if schemes.is_empty() { "nothing".to_owned() } else { schemes.join(" and ") }
}

fn parameter(row: &Expr) -> Block {
    let part = |name: &str| field(row, name).map(last_name).unwrap_or_default().to_lowercase();
    let name = field(row, "name").map(text).unwrap_or_default();
    let required = if is_true(row, "required") { "required " } else { "" };
    let explode = if is_true(row, "explode") { " exploded" } else { "" };
    let content = field(row, "content").and_then(some).map(|content| format!(" as {}", last_name(content)));
    let reason = field(row, "reason").and_then(some).map(|reason| format!(" reason {}", value(reason)));
    let schema = field(row, "schema").map_or_else(|| Block::line("?"), schema);
    let style = format!("({}{explode}{})", part("style"), content.unwrap_or_default());
    schema
        .add(&style)
        .add(reason.unwrap_or_default().trim())
        .after(&format!("{} {name}: {required}", part("location")))
}

fn response(row: &Expr) -> Block {
    let status = field(row, "status").map(value).unwrap_or_default();
    let mut block = Block::line(status);
    for header in elements(row, "headers") {
        let name = field(header, "name").map(text).unwrap_or_default();
        let required = if is_true(header, "required") { "required " } else { "" };
        let schema = field(header, "schema").map_or_else(|| Block::line("?"), schema);
        block.below.push(schema.after(&format!("header {name}: {required}")));
    }
    block.below.extend(elements(row, "contents").map(content));
    block
}

fn content(row: &Expr) -> Block {
    let schema = field(row, "schema").map_or_else(|| Block::line("?"), schema);
    let media_type = field(row, "media_type").map(text).unwrap_or_default();
    let format = field(row, "format").map(last_name).unwrap_or_default().to_lowercase();
    let mut block = schema.after(&format!("{media_type} ({format}): "));
    block.below.extend(elements(row, "encodings").map(|row| Block::line(format!("encoding {}", value(row)))));
    block
}

fn schema(row: &Expr) -> Block {
    let row = plain(row);
    match row {
        Expr::Call(call) if value(&call.func) == "Schema::new" => {
            call.args.first().map_or_else(|| Block::line("?"), kind)
        }
        Expr::Struct(_) => {
            let nullable = if is_true(row, "nullable") { "nullable" } else { "" };
            let allowed: Vec<String> = elements(row, "allowed").map(value).collect();
            let allowed =
                if allowed.is_empty() { String::new() } else { format!("of {}", allowed.join(", ")) };
            field(row, "of").map_or_else(|| Block::line("?"), kind).add(nullable).add(&allowed)
        }
        _ => Block::line(value(row)),
    }
}

fn kind(row: &Expr) -> Block {
    let Expr::Call(call) = plain(row) else {
        return Block::line(value(row).trim_start_matches("Type::").to_lowercase());
    };
    let name = value(&call.func).trim_start_matches("Type::").to_lowercase();
    let Some(rules) = call.args.first().map(plain) else { return Block::line(name) };
    match name.as_str() {
        "same" => schema(rules),
        "array" => {
            let items = field(rules, "items").map_or_else(|| Block::line("?"), schema);
            items.add(&others(rules, &["items"])).after("array of ")
        }
        "union" => {
            let variants = elements(rules, "variants").map(schema).collect();
            Block { head: format!("union {}", others(rules, &["variants"])), below: variants }
        }
        "object" => object(rules),
        _ => Block::line(name).add(&others(rules, &[])),
    }
}

fn object(rules: &Expr) -> Block {
    // `Object::new(fields)`, or a struct over such a call.
    let base = match rules {
        Expr::Struct(rules) => rules.rest.as_deref(),
        other => Some(other),
    };
    let given = base.map(plain).and_then(|base| match base {
        Expr::Call(call) => call.args.first(),
        _ => None,
    });
    let fields = field(rules, "fields").or(given);
    let mut block = Block::line("object").add(&others(rules, &["fields", "rules", "additional"]));
    match field(rules, "additional").map(plain) {
        Some(Expr::Call(kept)) => {
            let rest = kept.args.first().map_or_else(|| Block::line("?"), schema);
            block.below.push(rest.after("*: "));
        }
        Some(additional) => block = block.add(&last_name(additional).to_lowercase()),
        None => {}
    }
    if let Some(Expr::Array(fields)) = fields.map(plain) {
        block.below.splice(0..0, fields.elems.iter().map(property));
    }
    block.below.extend(elements(rules, "rules").map(|rule| Block::line(format!("rule {}", value(rule)))));
    block
}

fn property(row: &Expr) -> Block {
    let name = field(row, "name").map(text).unwrap_or_default();
    let required = if is_true(row, "required") { "required " } else { "" };
    let default = field(row, "default").and_then(some).map(|default| format!("default {}", value(default)));
    let schema = field(row, "schema").map_or_else(|| Block::line("?"), schema);
    schema.add(&default.unwrap_or_default()).after(&format!("{name}: {required}"))
}

/// The fields of a struct that say something, but for these.
fn others(row: &Expr, but: &[&str]) -> String {
    let Expr::Struct(row) = row else { return String::new() };
    let parts = row.fields.iter().filter_map(|field| {
        let name = member(&field.member);
        let value = value(&field.expr);
        let silent = but.contains(&name.as_str()) || ["None", "false", "[]"].contains(&value.as_str());
        (!silent).then(|| if value == "true" { name.clone() } else { format!("{name} {value}") })
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// Any expression in few words.
fn value(expression: &Expr) -> String {
    match plain(expression) {
        Expr::Lit(literal) => tidy(literal),
        Expr::Path(path) => {
            let names: Vec<String> =
                path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let known = names.len().saturating_sub(2);
            let name = names[known..].join("::");
            ["Format::", "Width::"]
                .iter()
                .find_map(|kind| name.strip_prefix(kind))
                .map_or(name.clone(), str::to_lowercase)
        }
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => format!("-{}", value(&unary.expr)),
        Expr::Array(array) => format!("[{}]", array.elems.iter().map(value).collect::<Vec<_>>().join(", ")),
        Expr::Tuple(tuple) => tuple.elems.iter().map(value).collect::<Vec<_>>().join(" = "),
        Expr::Call(call) => {
            let arguments = call.args.iter().map(value).collect::<Vec<_>>().join(", ");
            match value(&call.func).as_str() {
                "Some" => arguments,
                name if name.starts_with("Literal::") || name == "Status::Code" => arguments,
                name => format!("{name}({arguments})"),
            }
        }
        Expr::Struct(row) => {
            let name = row.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            format!("{name} {{ {} }}", others(plain(expression), &[]))
        }
        other => tidy(other),
    }
}

fn text(expression: &Expr) -> String {
    match plain(expression) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text.value(),
        other => value(other),
    }
}

/// What stands behind `&` and parentheses.
fn plain(expression: &Expr) -> &Expr {
    match expression {
        Expr::Reference(reference) => plain(&reference.expr),
        Expr::Paren(paren) => plain(&paren.expr),
        Expr::Group(group) => plain(&group.expr),
        other => other,
    }
}

fn some(expression: &Expr) -> Option<&Expr> {
    match plain(expression) {
        Expr::Call(call) if value(&call.func) == "Some" => call.args.first(),
        _ => None,
    }
}

fn struct_name(expression: &Expr) -> String {
    match expression {
        Expr::Struct(row) => {
            row.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        Expr::Call(call) => value(&call.func).split("::").next().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

fn field<'a>(row: &'a Expr, name: &str) -> Option<&'a Expr> {
    let Expr::Struct(ExprStruct { fields, .. }) = plain(row) else { return None };
    fields.iter().find(|field| member(&field.member) == name).map(|field| &field.expr)
}

fn elements<'a>(row: &'a Expr, name: &str) -> impl Iterator<Item = &'a Expr> {
    let array = field(row, name).map(plain).and_then(|array| match array {
        Expr::Array(array) => Some(&array.elems),
        _ => None,
    });
    array.into_iter().flatten()
}

fn is_true(row: &Expr, name: &str) -> bool {
    field(row, name)
        .is_some_and(|value| matches!(plain(value), Expr::Lit(literal) if tidy(literal) == "true"))
}

fn member(member: &Member) -> String {
    match member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
