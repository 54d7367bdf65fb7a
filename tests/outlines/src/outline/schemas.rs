//! Rows of schemas.

use syn::Expr;

use super::{
    block::Block,
    index::Here,
    values::{Row, elements, last_name, plain, some, struct_name, text, value},
};

/// Shows a schema: its rules, or the name of its row.
pub fn schema(here: &Here<'_>, row: &Expr) -> Block {
    let row = plain(row);
    match row {
        Expr::Call(_) | Expr::Struct(_) if struct_name(row) == "Schema" => {
            let mut fields = Row::of(row);
            let of = fields.take("of");
            let facts = Facts {
                nullable: fields.take_flag("nullable"),
                allowed: fields.take_all("allowed").into_iter().map(value).collect(),
                others: fields.others(),
            };
            of.map_or_else(|| Block::line(value(row)), |of| kind(here, of, facts))
        }
        _ => Block::line(value(row)),
    }
}

/// The rules of a row that do not depend on its type.
struct Facts {
    nullable: bool,
    allowed: Vec<String>,
    others: String,
}

impl Facts {
    /// Formats a type with its rules: `nullable array maxItems 3 enum [1], [2]`.
    fn around(&self, name: &str, rules: &str) -> String {
        let nullable = if self.nullable { "nullable" } else { "" };
        let allowed =
            if self.allowed.is_empty() { String::new() } else { format!("enum {}", self.allowed.join(", ")) };
        let parts = [nullable, name, rules, &allowed, &self.others];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

fn kind(here: &Here<'_>, row: &Expr, facts: Facts) -> Block {
    let Expr::Call(call) = plain(row) else { return Block::line(facts.around(&value(row), "")) };
    let name = last_name(&call.func);
    let Some(rules) = call.args.first().filter(|_| call.args.len() == 1) else {
        return Block::line(facts.around(&value(row), ""));
    };
    match name.as_str() {
        "same" => Block::line(facts.around(&value(rules), "")),
        "text" => {
            let mut fields = Row::of(rules);
            let pattern =
                fields.take_some("pattern").map(|pattern| format!("pattern {}", here.pattern(pattern)));
            let rules = [fields.others(), pattern.unwrap_or_default()];
            Block::line(facts.around("string", rules.join(" ").trim()))
        }
        "array" => {
            let mut fields = Row::of(rules);
            let items = fields.take("items").map(|items| schema(here, items));
            let head = facts.around("array", &fields.others());
            items.map_or_else(|| Block::line(&head), |items| items.after(&format!("{head} of ")))
        }
        "tuple" => Block::over(facts.around("tuple", ""), bullets(here, &elements(rules))),
        "union" => {
            let mut fields = Row::of(rules);
            let shape = fields.take_value("shape");
            let shape = shape.strip_suffix("::SHAPE").map_or_else(|| format!("shape {shape}"), str::to_owned);
            let variants = bullets(here, &fields.take_all("variants"));
            Block::over(facts.around(&format!("union {shape}"), &fields.others()), variants)
        }
        "object" => object(here, rules, &facts),
        _ => Block::line(facts.around(&name, &Row::of(rules).others())),
    }
}

/// Shows each of several schemas in its own block.
fn bullets(here: &Here<'_>, rows: &[&Expr]) -> Vec<Block> {
    rows.iter().map(|row| schema(here, row).after("- ")).collect()
}

fn object(here: &Here<'_>, rules: &Expr, facts: &Facts) -> Block {
    let mut fields = Row::of(rules);
    let properties: Vec<Block> =
        fields.take_all("fields").into_iter().map(|row| property(here, row)).collect();
    let additional = fields.take("additional").map(plain);
    let cross = fields.take_all("rules");
    let names = fields.take_some("names");
    let (closed, kept) = match additional {
        Some(Expr::Call(call)) if value(&call.func) == "kept" => {
            ("", call.args.first().map(|values| schema(here, values).after("*: ")))
        }
        Some(other) if value(other) == "forbidden" => ("closed", None),
        Some(other) if value(other) == "ignored" => ("", None),
        Some(other) => ("", Some(Block::line(format!("*: {}", value(other))))),
        None => ("", None),
    };
    let rules = [closed, &fields.others()].join(" ");
    let mut block = Block::over(facts.around("object", rules.trim()), properties);
    block.add(kept);
    block.add(names.map(|names| self::names(here, names)).unwrap_or_default());
    block.add(cross.into_iter().map(|rule| Block::line(format!("rule {}", cross_rule(rule)))));
    block
}

fn property(here: &Here<'_>, row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let name = fields.take("name").map(text).unwrap_or_default();
    let required = if fields.take_flag("required") { "required " } else { "" };
    let default = fields.take_some("default").map(|default| format!("default {}", value(default)));
    let schema = fields.take("schema").map_or_else(|| Block::line("?"), |row| schema(here, row));
    schema.then(&default.unwrap_or_default()).then(&fields.others()).after(&format!("{name}: {required}"))
}

/// Shows the rules on the names of additional properties.
fn names(here: &Here<'_>, row: &Expr) -> Vec<Block> {
    let mut fields = Row::of(row);
    let mut lines: Vec<Block> =
        fields.take_some("each").map(|each| schema(here, each).after("each name: ")).into_iter().collect();
    for pair in fields.take_all("patterns") {
        let Expr::Tuple(pair) = plain(pair) else {
            lines.push(Block::line(format!("names {}", value(pair))));
            continue;
        };
        let pattern = pair.elems.first().map(|pattern| here.pattern(pattern)).unwrap_or_default();
        let own = pair.elems.iter().nth(1).and_then(some);
        lines.push(match own {
            Some(own) => schema(here, own).after(&format!("names {pattern}: ")),
            None => Block::line(format!("names {pattern}")),
        });
    }
    lines.extend(fields.take_some("others").map(|others| schema(here, others).after("other names: ")));
    if fields.take_flag("closed") {
        lines.push(Block::line("other names: forbidden"));
    }
    let others = fields.others();
    lines.extend((!others.is_empty()).then(|| Block::line(format!("names {others}"))));
    if lines.is_empty() {
        lines.push(Block::line("each name: any"));
    }
    lines
}

/// Shows a rule across fields: `on "speed": when "mode" = "fast" require "quality" = "low"`.
fn cross_rule(row: &Expr) -> String {
    let mut fields = Row::of(row);
    let kind = struct_path(row);
    let blamed = fields.take_value("name");
    let names = |fields: &mut Row<'_>, field: &str| {
        fields.take_all(field).into_iter().map(value).collect::<Vec<_>>().join(", ")
    };
    let rule = match kind.as_str() {
        "When" => format!("when {} require {}", names(&mut fields, "when"), names(&mut fields, "require")),
        "NotTogether" => format!("not together {}", names(&mut fields, "fields")),
        "AtLeastOne" => format!("at least one of {}", names(&mut fields, "fields")),
        "ExactlyOne" => format!("exactly one of {}", names(&mut fields, "fields")),
        "TotalItems" => format!("items in all of {}", names(&mut fields, "fields")),
        other => other.to_owned(),
    };
    format!("on {blamed}: {rule} {}", fields.others()).trim_end().to_owned()
}

/// Returns the last name of a struct's path: the variant of an enum.
fn struct_path(row: &Expr) -> String {
    match plain(row) {
        Expr::Struct(row) => {
            row.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        other => value(other),
    }
}
