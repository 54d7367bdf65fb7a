//! Shows expressions of rows in a few words.

use syn::{Expr, Lit, Member, UnOp};

pub use super::tokens::tidy;

/// The enums of the tables whose variants are shown without the enum's name.
const ENUMS: [&str; 11] = [
    "Additional",
    "ContentFormat",
    "Format",
    "Framing",
    "Literal",
    "Location",
    "Status",
    "Style",
    "Type",
    "Width",
    "XmlNode",
];

/// A struct in a row, whose fields are taken one by one.
///
/// [`Row::others`] shows the fields that are left, so that a new field of the runtime's tables appears in outlines
/// without further code.
pub struct Row<'e> {
    fields: Vec<(String, &'e Expr)>,
    /// The expression after `..`, unless it is a constant without rules.
    base: Option<&'e Expr>,
    /// Whether `None`, `false` and `[]` are the same as an absent field.
    is_plain: bool,
}

impl<'e> Row<'e> {
    /// Reads a struct, a constant with no rules (`Text::ANY`), `Object::new(fields)` or `Schema::new(of)`.
    pub fn of(row: &'e Expr) -> Self {
        let row = plain(row);
        let Expr::Struct(row) = row else {
            let mut read = Self { fields: Vec::new(), base: None, is_plain: true };
            read.add_base(row);
            return read;
        };
        let fields = row.fields.iter().map(|field| (member(&field.member), &field.expr)).collect();
        let mut read = Self { fields, base: None, is_plain: true };
        if let Some(base) = row.rest.as_deref() {
            read.add_base(plain(base));
        }
        read
    }

    fn add_base(&mut self, base: &'e Expr) {
        match base {
            Expr::Path(_) if last_name(base) == "ANY" => {}
            Expr::Call(call)
                if call.args.len() == 1 && matches!(&*value(&call.func), "Object::new" | "Schema::new") =>
            {
                let name = if value(&call.func) == "Object::new" { "fields" } else { "of" };
                if !self.fields.iter().any(|(field, _)| field == name) {
                    self.fields.extend(call.args.first().map(|given| (name.to_owned(), given)));
                }
            }
            other => {
                self.base = Some(other);
                self.is_plain = false;
            }
        }
    }

    /// Takes a field.
    pub fn take(&mut self, name: &str) -> Option<&'e Expr> {
        let place = self.fields.iter().position(|(field, _)| field == name)?;
        Some(self.fields.remove(place).1)
    }

    /// Takes the value of an optional field, in `Some` or set by a function.
    pub fn take_some(&mut self, name: &str) -> Option<&'e Expr> {
        let value = self.take(name)?;
        some(value).or(Some(value).filter(|value| tidy(value) != "None"))
    }

    /// Takes the elements of a field's array.
    pub fn take_all(&mut self, name: &str) -> Vec<&'e Expr> {
        self.take(name).map(elements).unwrap_or_default()
    }

    /// Takes a boolean field.
    pub fn take_flag(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|flag| value(flag) == "true")
    }

    /// Takes a field and returns its value as text.
    pub fn take_value(&mut self, name: &str) -> String {
        self.take(name).map(value).unwrap_or_default()
    }

    /// Returns the fields that are left, as `name value` each.
    pub fn others(&self) -> String {
        let parts = self.fields.iter().filter_map(|(name, expression)| {
            let (name, value) = (keyword(name), value(expression));
            match value.as_str() {
                "None" | "false" | "[]" if self.is_plain => None,
                "true" => Some(name),
                _ => Some(format!("{name} {value}")),
            }
        });
        let base = self.base.map(|base| format!("else {}", value(base)));
        parts.chain(base).collect::<Vec<_>>().join(" ")
    }
}

/// Shows any expression in a few words.
pub fn value(expression: &Expr) -> String {
    match plain(expression) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => format!("{:?}", text.value()),
            other => tidy(other),
        },
        Expr::Path(_) => name(expression),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => format!("-{}", value(&unary.expr)),
        Expr::Array(array) => format!("[{}]", array.elems.iter().map(value).collect::<Vec<_>>().join(", ")),
        Expr::Tuple(tuple) => tuple.elems.iter().map(value).collect::<Vec<_>>().join(" = "),
        Expr::Field(field) => format!("{}.{}", value(&field.base), member(&field.member)),
        Expr::Call(call) => {
            let arguments: Vec<String> = call.args.iter().map(value).collect();
            let arguments = arguments.join(", ");
            match tidy(&call.func).as_str() {
                "Some" | "Literal::Text" | "Literal::Integer" | "Literal::Number" | "Literal::Boolean" => {
                    arguments
                }
                // Strings are quoted and JSON is not, so that they differ.
                "Literal::Json" => call.args.first().map(text).unwrap_or_default(),
                "Status::Code" => arguments,
                "Status::Class" => format!("{arguments}XX"),
                "ContentFormat::Items" => format!("items, {arguments}"),
                _ => format!("{}({arguments})", value(&call.func)),
            }
        }
        Expr::Struct(row) => {
            let name = row.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            if name == "Xml" {
                return xml(expression);
            }
            format!("{name} {{ {} }}", Row::of(expression).others())
        }
        other => tidy(other),
    }
}

/// Shows the form of a value in XML: `(Element "photos" items [(Element "photo")])`.
fn xml(row: &Expr) -> String {
    let mut fields = Row::of(row);
    let parts = [fields.take_value("node"), fields.take_value("name"), fields.others()];
    format!("({})", parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" "))
}

/// Shows a path without `crate` and without the names of the tables' enums.
fn name(path: &Expr) -> String {
    let Expr::Path(path) = plain(path) else { return tidy(path) };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "crate").collect();
    match names.as_slice() {
        ["Format", format] => words(format, "-"),
        [known, variant] if ENUMS.contains(known) => first_lower(variant),
        names => names.join("::"),
    }
}

/// Returns the last name of a path.
pub fn last_name(path: &Expr) -> String {
    let name = value(path);
    name.rsplit("::").next().unwrap_or(&name).to_owned()
}

/// Returns the text of a string without quotes, and [`value`] of anything else.
pub fn text(expression: &Expr) -> String {
    match plain(expression) {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => text.value(),
        other => value(other),
    }
}

/// Removes references and parentheses.
pub fn plain(expression: &Expr) -> &Expr {
    match expression {
        Expr::Reference(reference) => plain(&reference.expr),
        Expr::Paren(paren) => plain(&paren.expr),
        Expr::Group(group) => plain(&group.expr),
        other => other,
    }
}

/// Returns the value in `Some`.
pub fn some(expression: &Expr) -> Option<&Expr> {
    match plain(expression) {
        Expr::Call(call) if tidy(&call.func) == "Some" => call.args.first(),
        _ => None,
    }
}

/// Returns the elements of an array.
pub fn elements(array: &Expr) -> Vec<&Expr> {
    match plain(array) {
        Expr::Array(array) => array.elems.iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns the name of a struct, or of the type whose function is called: `Schema` for `Schema::new(…)`.
pub fn struct_name(expression: &Expr) -> String {
    match plain(expression) {
        Expr::Struct(row) => {
            row.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        Expr::Call(call) => tidy(&call.func).split("::").next().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// Returns the keyword of OpenAPI for a field of the tables: `minLength` for `min_length`.
fn keyword(field: &str) -> String {
    let field = if field == "unique" { "unique_items" } else { field };
    let mut parts = field.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let mut letters = part.chars();
        let capital = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        all + &capital + letters.as_str()
    })
}

/// Converts `DateTime` to `date-time`.
fn words(name: &str, between: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push_str(between);
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Converts `DeepObject` to `deepObject`.
pub fn first_lower(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

fn member(member: &Member) -> String {
    match member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
