//! Rows of schemas as JSON Schema means them.

use syn::Expr;

use super::{
    block::Block,
    index::Here,
    values::{Row, elements, first_lower, last_name, plain, text, tidy, value},
};

/// Shows a schema: its keywords, or the name of its row.
pub fn schema(here: &Here<'_>, row: &Expr) -> Block {
    let Expr::Call(call) = plain(row) else { return Block::line(value(row)) };
    if tidy(&call.func) != "JsonSchema::new" {
        return Block::line(value(row));
    }
    let keywords: Vec<Block> = call
        .args
        .first()
        .map(elements)
        .unwrap_or_default()
        .into_iter()
        .map(|row| keyword(here, row))
        .collect();
    match keywords.as_slice() {
        [] => Block::line("any"),
        [only] => only.clone(),
        several if several.iter().all(Block::is_line) => {
            Block::line(several.iter().map(Block::head).collect::<Vec<_>>().join(", "))
        }
        _ => Block::over("all", keywords),
    }
}

fn keyword(here: &Here<'_>, row: &Expr) -> Block {
    match plain(row) {
        Expr::Call(call) => match call.args.first() {
            Some(of) => simple(here, &first_lower(&last_name(&call.func)), of),
            None => Block::line(value(row)),
        },
        Expr::Struct(fields) => {
            let name = fields.path.segments.last().map(|segment| segment.ident.to_string());
            compound(here, &first_lower(&name.unwrap_or_default()), Row::of(row))
        }
        other => Block::line(first_lower(&last_name(other))),
    }
}

/// Shows a keyword with one value.
fn simple(here: &Here<'_>, name: &str, of: &Expr) -> Block {
    match name {
        "pattern" => Block::line(format!("pattern {}", here.pattern(of))),
        "type" => {
            let kinds = tidy(of).replace("Kinds::", "").replace(".or(", " ").replace(')', "");
            Block::line(format!("type {}", kinds.to_lowercase()))
        }
        "allOf" | "anyOf" | "oneOf" => {
            let all = elements(of).into_iter().map(|row| schema(here, row).after("- "));
            Block::over(name, all.collect())
        }
        "not" | "propertyNames" | "ref" | "unevaluatedItems" | "unevaluatedProperties" => {
            schema(here, of).after(&format!("{name} "))
        }
        "dependentSchemas" => Block::over(name, pairs(here, elements(of), text)),
        _ => Block::line(format!("{name} {}", value(of))),
    }
}

/// Shows a keyword with several values.
fn compound(here: &Here<'_>, name: &str, mut fields: Row<'_>) -> Block {
    let mut below = Vec::new();
    below.extend(fields.take_all("prefix").into_iter().map(|row| schema(here, row).after("- ")));
    below.extend(pairs(here, fields.take_all("listed"), text));
    below.extend(pairs(here, fields.take_all("patterns"), |pattern| here.pattern(pattern)));
    for (field, word) in [("schema", ""), ("condition", "if "), ("then", "then "), ("otherwise", "else ")] {
        let row = fields.take(field);
        below.extend(
            row.and_then(|row| super::values::some(row).or(Some(row)).filter(|row| value(row) != "None"))
                .map(|row| schema(here, row).after(word)),
        );
    }
    below.extend(fields.take_some("others").map(|row| schema(here, row).after("*: ")));
    let rest = fields.others();
    let head = if rest.is_empty() { name.to_owned() } else { format!("{name} {rest}") };
    Block::over(head, below)
}

/// Shows pairs of a name and a schema.
fn pairs(here: &Here<'_>, rows: Vec<&Expr>, name: impl Fn(&Expr) -> String) -> Vec<Block> {
    let pair = |row: &Expr| match plain(row) {
        Expr::Tuple(pair) => match (pair.elems.first(), pair.elems.last()) {
            (Some(first), Some(last)) => schema(here, last).after(&format!("{}: ", name(first))),
            _ => Block::line(value(row)),
        },
        other => Block::line(value(other)),
    };
    rows.into_iter().map(pair).collect()
}
