//! Words of lines: types, references, values.

use crate::{
    emit,
    ir::{
        Api, Direction, Docs, Engine, Field, Ident, JsonSchemaId, Literal, Module, Pattern, PatternId,
        Schema, Type, TypeId, Xml, XmlNode,
    },
    names,
};

/// A module of the generated crates, from which names are seen.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) api: &'a Api,
    pub(super) module: Module,
}

impl Here<'_> {
    /// Returns the Rust type of a schema: `Vec<common::Task>`.
    pub(super) fn ty(self, schema: &Schema) -> String {
        emit::type_within(self.api, self.module, schema)
    }

    /// Returns the Rust type of a field: `Option<common::Task>`.
    pub(super) fn field_ty(self, field: &Field) -> String {
        emit::field_type_within(self.api, self.module, field)
    }

    /// Returns the path of a type.
    pub(super) fn named(self, id: TypeId) -> String {
        self.ty(&Schema::new(Type::Named { id, boxed: false }))
    }

    /// Returns a pattern: `/\d/ as /[0-9]/`, or `/(?!a)/ as fancy /(?!a)/` if another engine runs it.
    pub(super) fn pattern(self, id: PatternId) -> String {
        let Some(pattern) = self.api.patterns.get(id.0) else { return String::new() };
        // The static is private.
        let Pattern { module: _, constant: _, written, engine, source } = pattern;
        match engine {
            Engine::Regex if written == source => format!("/{written}/"),
            Engine::Regex => format!("/{written}/ as /{source}/"),
            Engine::Fancy => format!("/{written}/ as fancy /{source}/"),
        }
    }

    /// Returns the path of a static of a JSON Schema.
    pub(super) fn json_schema(self, id: JsonSchemaId) -> String {
        self.api.json_schemas.get(id.0).map_or_else(String::new, |def| self.path(def.module, &def.constant))
    }

    fn path(self, module: Module, constant: &Ident) -> String {
        match module {
            _ if module == self.module => constant.to_string(),
            _ => format!("{}::{constant}", emit::module_name(self.api, module)),
        }
    }
}

/// Joins words, and leaves out empty ones.
pub(super) fn joined<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && !word.as_ref().is_empty() {
            text.push(' ');
        }
        text.push_str(word.as_ref());
    }
    text
}

/// Returns `word value`, or nothing without a value.
pub(super) fn labelled(word: &str, value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| format!("{word} {}", value.to_string()))
}

/// Returns the word if the flag holds, else nothing.
pub(super) const fn flag(word: &str, holds: bool) -> &str {
    if holds { word } else { "" }
}

/// Returns facts with commas, without empty ones.
pub(super) fn listed_facts(facts: &[String]) -> String {
    facts.iter().map(String::as_str).filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns facts in parentheses, or nothing if there are none.
pub(super) fn noted(facts: &[String]) -> String {
    Some(listed_facts(facts))
        .filter(|text| !text.is_empty())
        .map_or(String::new(), |text| format!("({text})"))
}

/// Returns texts in quotes, with commas.
pub(super) fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ")
}

/// Returns names with commas.
pub(super) fn listed(names: &[&Ident]) -> String {
    names.iter().map(|name| name.0.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns a number as Rust writes it: `1.0`.
pub(super) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// Returns a constant: texts in quotes, arrays and objects as JSON.
pub(super) fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Number(value) => number(*value),
        Literal::Text(value) => format!("{value:?}"),
        Literal::Json(value) => value.to_string(),
    }
}

/// Returns constants with commas.
pub(super) fn literals(values: &[Literal]) -> String {
    values.iter().map(literal).collect::<Vec<_>>().join(", ")
}

/// Returns `row NAME` if the static of a table row is not named after its type or operation.
pub(super) fn row(constant: &Ident, name: &Ident) -> String {
    let usual = names::constant(name.0.strip_prefix("r#").unwrap_or(&name.0));
    if constant.0 == usual { String::new() } else { format!("row {constant}") }
}

/// Returns the parts of documentation other than texts and examples.
pub(super) fn status(docs: &Docs) -> String {
    let Docs { summary: _, description: _, deprecated, direction, example: _, origin: _ } = docs;
    let direction = match direction {
        Some(Direction::Request) => "writeOnly",
        Some(Direction::Response) => "readOnly",
        None => "",
    };
    joined([direction, flag("deprecated", *deprecated)])
}

/// Returns a form in XML: `(element "photos" items [(element "photo")])`.
pub(super) fn xml(form: &Xml) -> String {
    let Xml { node, name, namespace, prefix, items } = form;
    let node = match node {
        XmlNode::Element => "element",
        XmlNode::Attribute => "attribute",
        XmlNode::Text => "text",
        XmlNode::Cdata => "cdata",
        XmlNode::None => "none",
    };
    let in_quotes = |text: &String| format!("{text:?}");
    let items: Vec<String> = items.iter().map(xml).collect();
    let items = (!items.is_empty()).then(|| format!("[{}]", items.join(", ")));
    let words = [
        node.to_owned(),
        Some(name).filter(|name| !name.is_empty()).map(in_quotes).unwrap_or_default(),
        labelled("prefix", prefix.as_ref().map(in_quotes)),
        labelled("namespace", namespace.as_ref().map(in_quotes)),
        labelled("items", items),
    ];
    format!("({})", joined(words))
}
