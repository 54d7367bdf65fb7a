//! Shows the shapes that distinguish the variants of a union.

use syn::{
    Expr, Ident, Token, Type, parenthesized,
    parse::{Parse, ParseStream, Result},
    parse_quote,
};

use super::{
    block::Block,
    rows::expanded,
    values::{Row, elements, last_name, plain, text, value},
};

/// The arguments of `rt::union!`.
pub struct Union {
    /// The name of the type.
    pub name: String,
    /// The row that distinguishes the variants.
    pub shape: Expr,
    /// The types that convert into the union.
    pub from: Vec<Type>,
}

impl Parse for Union {
    /// Reads `Pet + Unknown by discriminator("kind"); Cat(Cat) => shape, Dog => shape,`.
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse::<Ident>()?.to_string();
        if input.parse::<Option<Token![+]>>()?.is_some() {
            input.parse::<Ident>()?;
        }
        let mut discriminator = None;
        if !input.peek(Token![;]) {
            input.parse::<Ident>()?;
            let function = input.parse::<Ident>()?;
            let property;
            parenthesized!(property in input);
            discriminator = Some((function, property.parse::<Expr>()?));
        }
        input.parse::<Token![;]>()?;
        let (mut shapes, mut from): (Vec<Expr>, _) = (Vec::new(), Vec::new());
        while !input.is_empty() {
            input.parse::<Ident>()?;
            if !input.peek(Token![=>]) {
                let ty;
                parenthesized!(ty in input);
                from.push(ty.parse()?);
            }
            input.parse::<Token![=>]>()?;
            shapes.push(input.parse()?);
            input.parse::<Option<Token![,]>>()?;
        }
        let mut shape: Expr = parse_quote!(rt::UnionShape::new(#name, &[#(#shapes),*]));
        if let Some((function, property)) = discriminator {
            shape = parse_quote!(#shape.#function(#property));
        }
        Ok(Self { name, shape, from })
    }
}

/// Shows the discriminator of a union and the shape of each variant.
pub fn shape(union: &str, row: &Expr) -> Vec<Block> {
    let row = expanded(row);
    let mut fields = Row::of(&row);
    let name = fields.take("name").map(text).unwrap_or_default();
    let variants = fields.take_all("variants");
    let mut lines = Vec::new();
    lines.extend((name != union).then(|| Block::line(format!("shape called {name:?}"))));
    lines.extend(fields.take_some("discriminator").map(discriminator));
    lines.extend(variants.iter().map(|row| Block::line(variant(row))));
    let others = fields.others();
    lines.extend((!others.is_empty()).then(|| Block::line(format!("shape {others}"))));
    lines
}

/// Shows a discriminator: `discriminator kind`, `integer discriminator size`.
fn discriminator(row: &Expr) -> Block {
    let mut fields = Row::of(row);
    let kind = fields.take("kind").map(last_name).filter(|kind| kind != "discriminator");
    let kind = kind.map(|kind| format!("{kind} ")).unwrap_or_default();
    let property = fields.take("property").map(text).unwrap_or_default();
    Block::line(format!("{kind}discriminator {property}")).then(&fields.others())
}

/// Shows the shape of a variant: `shape of Cat: object {kind: "cat", lives, good?} closed tagged "cat"`.
fn variant(row: &Expr) -> String {
    let mut fields = Row::of(row);
    let name = fields.take("name").map(text).unwrap_or_default();
    let kinds = fields.take("kinds").map(self::kinds).unwrap_or_default();
    let [required, known] = ["required", "known"].map(|list| texts(fields.take_all(list)));
    let constants: Vec<(String, String)> =
        fields.take_all("constants").into_iter().filter_map(constant).collect();
    let has_properties = !known.is_empty() || !constants.is_empty() || !required.is_empty();
    let closed = if fields.take_flag("closed") { "closed" } else { "" };
    let (mut required, mut constants) = (required.into_iter().peekable(), constants.into_iter().peekable());
    let properties: Vec<String> = known
        .iter()
        .map(|property| {
            let optional = if required.next_if_eq(property).is_some() { "" } else { "?" };
            let values = constants.next_if(|(constant, _)| constant == property);
            let values = values.map(|(_, values)| format!(": {values}")).unwrap_or_default();
            format!("{property}{optional}{values}")
        })
        .collect();
    // Properties that are unknown, or in another order than the known ones.
    let required: Vec<String> = required.collect();
    let required =
        if required.is_empty() { String::new() } else { format!("requires {}", required.join(", ")) };
    let constants: Vec<String> = constants.map(|(name, values)| format!("{name}: {values}")).collect();
    let properties = match has_properties || !closed.is_empty() {
        true => format!(" {{{}}}", properties.join(", ")),
        false => String::new(),
    };
    let head = format!("shape of {name}: {kinds}{properties}");
    let tags: Vec<String> = fields.take_all("tags").into_iter().map(value).collect();
    let tagged = if tags.is_empty() { String::new() } else { format!("tagged {}", tags.join(" | ")) };
    let parts = [head, required, constants.join(", "), closed.to_owned(), tagged, fields.others()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns a property and its allowed values.
fn constant(row: &Expr) -> Option<(String, String)> {
    let Expr::Tuple(pair) = plain(row) else { return Some((value(row), String::new())) };
    let values = pair.elems.iter().nth(1).map(elements).unwrap_or_default();
    let values: Vec<String> = values.into_iter().map(value).collect();
    Some((pair.elems.first().map(text)?, values.join(" | ")))
}

fn texts(rows: Vec<&Expr>) -> Vec<String> {
    rows.into_iter().map(text).collect()
}

/// Shows kinds of JSON: `object or null`.
fn kinds(row: &Expr) -> String {
    match plain(row) {
        Expr::MethodCall(call) if call.method == "or" && call.args.len() == 1 => {
            let other = call.args.first().map(kinds).unwrap_or_default();
            format!("{} or {other}", kinds(&call.receiver))
        }
        other => last_name(other).to_lowercase(),
    }
}
