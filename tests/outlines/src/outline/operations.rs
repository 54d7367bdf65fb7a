//! Shows rows of operations and responses.

use syn::Expr;

use super::{
    block::Block,
    index::Here,
    schemas::schema,
    values::{Row, elements, plain, struct_name, text, value},
};

/// Shows the row of an operation.
pub fn operation(here: &Here<'_>, name: &str, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let id = fields.take("id").map(text).unwrap_or_default();
    let (method, path) =
        ["method", "path"].map(|part| fields.take(part).map(text).unwrap_or_default()).into();
    let tag = fields.take("tag").map(text).unwrap_or_default();
    // The module usually has the name of the tag.
    let tag = if tag.replace('-', "_") == here.module { String::new() } else { format!(", tag {tag:?}") };
    let routed = if here.is_routed(name) { "" } else { ", not routed" };
    let mut block = Block::line(format!("{method} {path} ({id}{tag}{routed})"));
    block.add(fields.take_all("parameters").into_iter().map(|row| parameter(here, row)));
    if let Some(body) = fields.take_some("body") {
        block.add(self::body(here, body));
    }
    block.add(fields.take_all("responses").into_iter().map(|row| response(here, row)));
    if let Some(errors) = fields.take("errors") {
        block.add(self::errors(here, name, errors));
    }
    let security: Vec<String> = fields.take_all("security").into_iter().map(alternative).collect();
    block.add((!security.is_empty()).then(|| Block::line(format!("security {}", security.join(" or ")))));
    let requires: Vec<String> = fields.take_all("requires").into_iter().map(value).collect();
    block.add((!requires.is_empty()).then(|| Block::line(format!("requires {}", requires.join(", ")))));
    block.add(fields.take_flag("closed_query").then(|| Block::line("closed query")));
    let others = fields.others();
    block.add((!others.is_empty()).then(|| Block::line(others)));
    block
}

/// Shows the list of responses that operations share, after the variants of the error type.
pub fn shared(here: &Here<'_>, name: &str, rows: &Expr) -> Block {
    let rows = elements(rows).into_iter().enumerate().map(|(place, row)| {
        let variant = here.error(name, place).map(|variant| format!("{variant} "));
        Block::line(format!("{}{}", variant.unwrap_or_default(), value(row)))
    });
    Block::over("responses", rows.collect())
}

fn parameter(here: &Here<'_>, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let (location, style) = (fields.take_value("location"), fields.take_value("style"));
    let name = fields.take("name").map(text).unwrap_or_default();
    let required = if fields.take_flag("required") { "required " } else { "" };
    let explode = if fields.take_flag("explode") { ", exploded" } else { "" };
    let content =
        fields.take_some("content").map(|format| format!(", as {}", value(format))).unwrap_or_default();
    let schema = fields.take("schema").map_or_else(|| Block::line("?"), |row| schema(here, row));
    schema
        .then(&format!("({style}{explode}{content})"))
        .then(&fields.others())
        .after(&format!("{location} {name}: {required}"))
}

/// Shows a body: a block per media type, each with the rules of the whole body.
fn body(here: &Here<'_>, row: &Expr) -> Vec<Block> {
    let mut fields = Row::of(row);
    let contents = fields.take_all("contents");
    let required = if fields.take_flag("required") { " required" } else { "" };
    let others = fields.others();
    let head = format!("body{required}{}{others}", if others.is_empty() { "" } else { " " });
    if contents.is_empty() {
        return vec![Block::line(head)];
    }
    contents.into_iter().map(|row| content(here, row).after(&format!("{head} "))).collect()
}

/// Shows a response: `200 application/json (json): PET`. Several media types are listed below the status.
pub fn response(here: &Here<'_>, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let status = fields.take_value("status");
    let headers = fields.take_all("headers");
    let contents = fields.take_all("contents");
    let permanent = fields.take_some("permanent").map(|field| format!(", permanent if {}", value(field)));
    let head = format!("{status}{} {}", permanent.unwrap_or_default(), fields.others());
    let head = head.trim_end();
    let mut block = match contents.as_slice() {
        [only] => content(here, only).after(&format!("{head} ")),
        several => Block::over(head, several.iter().map(|row| content(here, row)).collect()),
    };
    block.add(headers.into_iter().map(|row| header(here, row)));
    block
}

fn header(here: &Here<'_>, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let name = fields.take("name").map(text).unwrap_or_default();
    let required = if fields.take_flag("required") { "required " } else { "" };
    let explode = if fields.take_flag("explode") { "(exploded)" } else { "" };
    let schema = fields.take("schema").map_or_else(|| Block::line("?"), |row| schema(here, row));
    schema.then(explode).then(&fields.others()).after(&format!("header {name}: {required}"))
}

fn content(here: &Here<'_>, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let media_type = fields.take("media_type").map(text).unwrap_or_default();
    let format = fields.take_value("format");
    let encodings = encodings(here, &mut fields);
    let schema = fields.take("schema").map_or_else(|| Block::line("?"), |row| schema(here, row));
    let mut block = schema.then(&fields.others()).after(&format!("{media_type} ({format}): "));
    block.add(encodings);
    block
}

/// Shows the encodings of properties and of parts by position.
fn encodings(here: &Here<'_>, fields: &mut Row<'_>) -> Vec<Block> {
    let named = fields.take_all("encodings").into_iter().map(|row| encoding(here, row, ""));
    let mut blocks: Vec<Block> = named.collect();
    for (index, row) in fields.take_all("prefix_encodings").into_iter().enumerate() {
        blocks.push(encoding(here, row, &format!("part {}", index + 1)));
    }
    blocks.extend(fields.take_some("item_encoding").map(|row| encoding(here, row, "other parts")));
    blocks
}

/// Shows the encoding of a property: `encoding of tags: (form, exploded)`; or of a part, which `part` describes.
fn encoding(here: &Here<'_>, row: &Expr, part: &str) -> Block {
    let mut fields = Row::of(row);
    let property = fields.take("property").map(text).unwrap_or_default();
    let style = fields.take_some("style").map_or_else(|| "by media type".to_owned(), value);
    let explode = if fields.take_flag("explode") { ", exploded" } else { "" };
    let content_type = fields.take_some("content_type").map(text).unwrap_or_default();
    let headers = fields.take_all("headers").into_iter().map(|row| header(here, row));
    let mut inner: Vec<Block> = headers.collect();
    inner.append(&mut encodings(here, &mut fields));
    let mut block = Block::line(format!("encoding of {property}{part}: ({style}{explode})"))
        .then(&content_type)
        .then(&fields.others());
    block.add(inner);
    block
}

/// Shows the errors of an operation: its own in full, shared ones by status and name.
fn errors(here: &Here<'_>, operation: &str, row: &Expr) -> Vec<Block> {
    let mut fields = Row::of(row);
    let rows = fields.take("rows").map(plain);
    let documented = fields.take("documented");
    let uses = documented.map(elements).unwrap_or_default().into_iter().map(|row| {
        let mut fields = Row::of(row);
        let (status, row) = (fields.take_value("status"), fields.take_value("row"));
        let name = here.shared_error(operation, rows, &row).map_or(row.as_str(), |name| name);
        format!("{status} {name} {}", fields.others()).trim_end().to_owned()
    });
    let list = uses.collect::<Vec<_>>().join(", ");
    let list = if list.is_empty() { "none" } else { &list };
    let mut blocks = match (rows, documented) {
        (Some(Expr::Array(rows)), None) => {
            let own = rows.elems.iter().enumerate();
            own.map(|(place, row)| named(here, operation, place, row).after("error ")).collect()
        }
        (Some(rows), _) => vec![Block::line(format!("errors {}: {list}", value(rows)))],
        (None, _) => vec![Block::line(value(row))],
    };
    let others = fields.others();
    blocks.extend((!others.is_empty()).then(|| Block::line(format!("errors {others}"))));
    blocks
}

/// Shows a response after its name.
fn named(here: &Here<'_>, name: &str, place: usize, row: &Expr) -> Block {
    match here.error(name, place) {
        Some(variant) => response(here, row).after(&format!("{variant} ")),
        None => response(here, row),
    }
}

/// Shows a list of schemes that must all be satisfied.
fn alternative(row: &Expr) -> String {
    if struct_name(row) == "Requirement" {
        return value(row);
    }
    let schemes: Vec<String> = elements(row)
        .into_iter()
        .map(|requirement| {
            let mut fields = Row::of(requirement);
            let scheme = fields.take_value("scheme");
            let scheme = scheme.strip_prefix("security::").unwrap_or(&scheme).to_owned();
            let scopes: Vec<String> = fields.take_all("scopes").into_iter().map(value).collect();
            let scopes = if scopes.is_empty() { String::new() } else { format!("({})", scopes.join(", ")) };
            let parts = [scheme, scopes, fields.others()];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    if schemes.is_empty() { "nothing".to_owned() } else { schemes.join(" and ") }
}
