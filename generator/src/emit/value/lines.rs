//! Writes values as statements of an example, in the layout of rustfmt.

use std::collections::HashSet;

use super::Built;
use crate::ir::TextType;

/// The maximum width of a line in characters.
const WIDTH: usize = 84;

/// The maximum width of a chain of calls on one line, as in rustfmt.
const CHAIN_WIDTH: usize = 60;

/// The statements of an example, under construction.
#[derive(Debug, Default)]
pub(in crate::emit) struct Lines {
    pub(in crate::emit) lines: Vec<String>,
    names: HashSet<String>,
}

impl Lines {
    /// Creates an empty list of statements. `names` are variables that exist already.
    pub(in crate::emit) fn new(names: &[&str]) -> Self {
        Self { lines: Vec::new(), names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// Adds `let name = value;` and the assignments to its fields. Returns the name of the variable.
    pub(in crate::emit) fn bind(&mut self, wanted: &str, built: &Built) -> String {
        let (made, set): (&Built, &[_]) = match built {
            Built::With(made, set) => (made, set),
            other => (other, &[]),
        };
        let name = self.free(wanted);
        let made = match made {
            Built::Chain(made, calls) => self.chain(made, calls, wanted),
            made => self.expression(made, wanted, 0),
        };
        // The values of fields come first, because they can need statements of their own.
        let values: Vec<String> = set.iter().map(|(field, value)| self.expression(value, field, 0)).collect();
        let mutable = if set.is_empty() { "" } else { "mut " };
        self.push(&format!("let {mutable}{name} = {made};"));
        for ((field, _), value) in set.iter().zip(values) {
            self.push(&format!("{name}.{field} = {value};"));
        }
        name
    }

    /// Adds a statement, which can have several lines.
    pub(in crate::emit) fn push(&mut self, statement: &str) {
        self.lines.extend(statement.lines().map(str::to_owned));
    }

    /// Returns the value as an expression at this depth.
    ///
    /// Adds statements for the variables that the expression needs.
    ///
    /// `hint` is the preferred name of such a variable.
    pub(in crate::emit) fn expression(&mut self, built: &Built, hint: &str, depth: usize) -> String {
        match built {
            Built::Plain(text) => text.clone(),
            Built::Number(value) => format!("{value:?}"),
            Built::Str(text) => format!("{text:?}"),
            Built::Text(text) => format!("{text:?}.to_owned()"),
            Built::Parsed(ty @ TextType::Base64, text) | Built::ParsedAs(ty, text) => {
                format!("{text:?}.parse::<types::{ty:?}>()?")
            }
            Built::Parsed(_, text) => format!("{text:?}.parse()?"),
            Built::Json(value) => {
                let text = format!("{value:#}").replace('\n', &format!("\n{}", pad(depth)));
                format!("serde_json::json!({text})")
            }
            Built::Call(path, arguments) => match arguments.as_slice() {
                [only] => format!("{path}({})", self.expression(only, hint, depth)),
                several => self.listed((&format!("{path}("), ")"), several, hint, depth),
            },
            Built::List(items) => self.listed(("vec![", "]"), items, hint, depth),
            Built::Tuple(items) if items.len() == 1 => self.listed(("(", ",)"), items, hint, depth),
            Built::Tuple(items) => self.listed(("(", ")"), items, hint, depth),
            Built::Map(entries) => {
                let mut entry = |(name, value): &(String, Built)| {
                    format!("({name:?}.to_owned(), {})", self.expression(value, hint, depth + 1))
                };
                let entries = entries.iter().map(&mut entry).collect();
                fitted(("types::Map::from([", "])"), entries, depth)
            }
            Built::Fields(path, fields) => {
                let mut field = |(name, value): &(String, Built)| {
                    let value = self.expression(value, name, depth + 1);
                    if value == *name { value } else { format!("{name}: {value}") }
                };
                let fields = fields.iter().map(&mut field).collect();
                on_lines((&format!("{path} {{"), "}"), fields, depth)
            }
            Built::Chain(made, calls) => {
                let text = self.chain(made, calls, hint);
                if !text.contains('\n') {
                    return text;
                }
                let name = self.free(hint);
                self.push(&format!("let {name} = {text};"));
                name
            }
            Built::With(..) => self.bind(hint, built),
        }
    }

    /// Returns a value with the calls of its setters, each on its own line if they don't fit on one.
    fn chain(&mut self, made: &Built, calls: &[(String, Built)], hint: &str) -> String {
        let made = self.expression(made, hint, 0);
        let mut call = |(setter, value): &(String, Built)| {
            let hint = setter.strip_prefix("with_").unwrap_or(setter);
            format!(".{setter}({})", self.expression(value, hint, 1))
        };
        let calls: Vec<String> = calls.iter().map(&mut call).collect();
        let one_line = format!("{made}{}", calls.concat());
        if !one_line.contains('\n') && one_line.len() <= CHAIN_WIDTH {
            return one_line;
        }
        let separator = format!("\n{}", pad(1));
        [made].into_iter().chain(calls).collect::<Vec<_>>().join(&separator)
    }

    fn listed(&mut self, around: (&str, &str), items: &[Built], hint: &str, depth: usize) -> String {
        let items = items.iter().map(|item| self.expression(item, hint, depth + 1)).collect();
        fitted(around, items, depth)
    }

    /// Returns a name that no variable has yet, with a number if `wanted` is taken.
    fn free(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        name
    }
}

/// Writes the items on one line if they fit, else each on its own line.
fn fitted((open, close): (&str, &str), items: Vec<String>, depth: usize) -> String {
    let one_line = format!("{open}{}{close}", items.join(", "));
    if items.is_empty() || (!one_line.contains('\n') && depth * 4 + one_line.len() <= WIDTH) {
        return one_line;
    }
    on_lines((open, close), items, depth)
}

/// Writes each item on its own line.
fn on_lines((open, close): (&str, &str), items: Vec<String>, depth: usize) -> String {
    let items: String = items.iter().map(|item| format!("\n{}{item},", pad(depth + 1))).collect();
    format!("{open}{items}\n{}{close}", pad(depth))
}

fn pad(depth: usize) -> String {
    " ".repeat(depth * 4)
}
