//! Templates: JSON in which strings may be expressions over the request.
//!
//! A string that is `{{ … }}` as a whole is an expression: its value keeps its type, and a field whose
//! expression is undefined is left out. All other strings stand for themselves. So no text of a client is ever
//! read as part of a template.

mod reads;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, Expression, UndefinedBehavior};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::config::{Checked, InvalidSetting, no_such};
use crate::engine::family::Family;
use crate::engine::media_fields;
use crate::engine::schema::{self, VOICE};
use reads::Variable;

/// The language of expressions.
static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut language = Environment::new();
    language.set_undefined_behavior(UndefinedBehavior::Chainable);
    language
});

/// A template.
#[derive(Debug)]
pub enum Template {
    /// A value that stands for itself.
    Literal(Value),
    /// An expression, and the variables that it reads.
    Expression(Expression<'static, 'static>, BTreeSet<Variable>),
    /// The items.
    Array(Vec<Self>),
    /// The fields, with their names.
    Object(Vec<(String, Self)>),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unrendered(pub String);

impl Unrendered {
    fn new(error: &minijinja::Error) -> Self {
        let (kind, detail) = (error.kind(), error.detail().unwrap_or_default());
        let name = detail
            .strip_suffix(" is unknown")
            .map(|name| ["filter ", "test "].iter().find_map(|what| name.strip_prefix(what)).unwrap_or(name));
        Self(match (kind, name, detail) {
            (_, Some(name), _) => format!("{kind} `{name}`"),
            (_, _, "") => kind.to_string(),
            (ErrorKind::InvalidOperation, _, detail) => detail.to_owned(),
            _ => format!("{kind}: {detail}"),
        })
    }
}

/// The variables that a template may use.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    /// The names of all variables: `request`, `seed`.
    pub names: &'static [&'static str],
    /// The fields of the variable `request`.
    pub fields: BTreeSet<String>,
    /// Fields of free text, which must not be arguments.
    pub texts: BTreeSet<String>,
    /// The fields of the variable `media`.
    pub media: BTreeSet<String>,
    /// The names of the variable `files`.
    pub files: BTreeSet<String>,
    /// Whether the family has voices, and thus the variable `voice`.
    pub has_voices: bool,
    /// The family, whose requests may have fields within these.
    pub family: Option<&'static Family>,
}

impl Variables {
    /// Returns variables with these fields of the family's requests.
    #[must_use]
    pub fn of(family: &'static Family, names: &'static [&'static str], fields: BTreeSet<String>) -> Self {
        Self { names, fields, media: media_fields::names(family), family: Some(family), ..Self::default() }
    }

    /// Returns why a variable such as `request.duration` does not exist.
    fn refuse(&self, variable: &Variable) -> Result<(), String> {
        let Some((root, path)) = variable.split_first() else { return Ok(()) };
        if !self.names.contains(&root.as_str()) {
            return Err(no_such("variable", root, self.names));
        }
        if root == "voice" && !self.has_voices {
            return Err("`voice` is never defined, because the family has no `voices`: add them".to_owned());
        }
        match path.first() {
            Some(field) if root == "request" => self.refuse_field(field, &path.join(".")),
            Some(name) if root == "media" => known("media field", name, &self.media),
            Some(name) if root == "files" => known("file", name, &self.files),
            _ => Ok(()),
        }
    }

    /// Returns why requests have no field at a path that begins with this field.
    fn refuse_field(&self, field: &str, path: &str) -> Result<(), String> {
        let is_known = self.fields.contains(field);
        if field == VOICE && !is_known {
            return Err(format!("`request.{VOICE}` can't be used here: use `voice`, its entry in `voices`"));
        }
        if self.texts.contains(field) {
            return Err(format!(
                "free text can't be an argument, because a text that begins with `-` is an option: pass `request.{field}` \
                 in `files` or `stdin`"
            ));
        }
        if !is_known {
            return known("field", field, &self.fields);
        }
        match self.family.filter(|family| schema::lacks(family, path)) {
            Some(family) => known("field", path, &schema::beside(family, path)),
            None => Ok(()),
        }
    }
}

/// Returns why a name is none of these.
fn known<'n>(what: &str, name: &str, all: impl IntoIterator<Item = &'n String>) -> Result<(), String> {
    let all: Vec<&str> = all.into_iter().map(String::as_str).collect();
    if all.contains(&name) { Ok(()) } else { Err(no_such(what, name, &all)) }
}

impl Template {
    /// Returns the template of a text that is not an expression.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self::Literal(Value::from(text))
    }

    /// Checks that all expressions use what exists: variables, fields of the request, filters.
    ///
    /// # Errors
    /// Returns the error of the setting with this name, or of one below it.
    pub fn check(&self, setting: &str, variables: &Variables) -> Checked {
        match self {
            Self::Literal(_) => Ok(()),
            Self::Expression(expression, used) => {
                let invalid = |why| InvalidSetting::because(setting, why);
                used.iter().try_for_each(|variable| variables.refuse(variable)).map_err(invalid)?;
                // Names of filters are the only ones that no variable changes.
                match expression.eval(()) {
                    Err(error) if is_unknown_name(&error) => Err(invalid(Unrendered::new(&error).0)),
                    _ => Ok(()),
                }
            }
            Self::Array(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(index, item)| item.check(&format!("{setting}[{index}]"), variables)),
            Self::Object(fields) => fields
                .iter()
                .try_for_each(|(name, field)| field.check(&format!("{setting}.{name}"), variables)),
        }
    }

    /// Returns the text, if the template is a text and not an expression.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match self {
            Self::Literal(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the value for these variables; `None` if all of it is undefined.
    ///
    /// # Errors
    /// An expression fails, as with `1 / 0`.
    pub fn render(&self, variables: &Value) -> Result<Option<Value>, Unrendered> {
        Ok(Some(match self {
            Self::Literal(value) => value.clone(),
            Self::Expression(expression, _) => {
                let value = expression.eval(minijinja::Value::from(Serde(variables)));
                let value = value.map_err(|error| Unrendered::new(&error))?;
                if value.is_undefined() {
                    return Ok(None);
                }
                let failed = |error| Unrendered(format!("{}: {error}", ErrorKind::BadSerialization));
                serde_json::to_value(&value).map_err(failed)?
            }
            Self::Array(items) => {
                let items = items.iter().filter_map(|item| item.render(variables).transpose());
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(fields) => {
                let mut object = Map::new();
                for (name, field) in fields {
                    if let Some(value) = field.render(variables)? {
                        object.insert(name.clone(), value);
                    }
                }
                Value::Object(object)
            }
        }))
    }

    /// Returns the value as a text; `None` if it is undefined or null.
    ///
    /// # Errors
    /// An expression fails.
    pub fn text(&self, variables: &Value) -> Result<Option<String>, Unrendered> {
        Ok(match self.render(variables)? {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(value) => Some(value.to_string()),
        })
    }

    /// Returns the fields of the request that the template reads, also by the variables `media` and `seed`.
    ///
    /// A field within another has a path: `output_options.compression`.
    #[must_use]
    pub fn fields(&self) -> BTreeSet<String> {
        match self {
            Self::Literal(_) => BTreeSet::new(),
            Self::Expression(_, variables) => variables.iter().filter_map(read_by).collect(),
            Self::Array(items) => items.iter().flat_map(Self::fields).collect(),
            Self::Object(fields) => fields.iter().flat_map(|(_, field)| field.fields()).collect(),
        }
    }
}

impl Default for Template {
    fn default() -> Self {
        Self::Object(Vec::new())
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TemplateVisitor)
    }
}

struct TemplateVisitor;

impl<'de> Visitor<'de> for TemplateVisitor {
    type Value = Template;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value, or an expression `{{ … }}`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Template, E> {
        let expected = "one expression `{{ … }}` as a whole, or a text without `{{`; `~` joins texts";
        match expression_of(text) {
            Some(source) => compile(source).map_err(|error| E::custom(Unrendered::new(&error))),
            None if text.contains("{{") => Err(E::invalid_value(Unexpected::Other("text"), &expected)),
            None => Ok(Template::literal(text)),
        }
    }

    fn visit_i64<E>(self, number: i64) -> Result<Template, E> {
        Ok(Template::Literal(Value::from(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Template, E> {
        Ok(Template::Literal(Value::from(number)))
    }

    fn visit_bool<E>(self, is: bool) -> Result<Template, E> {
        Ok(Template::Literal(Value::from(is)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Template, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(Template::Array(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Template, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = fields.next_entry()? {
            nodes.push(node);
        }
        Ok(Template::Object(nodes))
    }
}

/// Returns the source of an expression: the text between `{{` and `}}`.
fn expression_of(text: &str) -> Option<&str> {
    let source = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!source.contains("{{") && !source.contains("}}")).then_some(source.trim())
}

/// Returns the field of the request that has an effect by a variable.
fn read_by(variable: &Variable) -> Option<String> {
    match variable.split_first()? {
        // The seed of the task is the request's seed, if it has one.
        (root, []) => (root == "seed").then(|| root.clone()),
        (root, path) if root == "request" => Some(path.join(".")),
        (root, [field, ..]) => (root == "media").then(|| field.clone()),
    }
}

fn compile(source: &str) -> Result<Template, minijinja::Error> {
    let expression = LANGUAGE.compile_expression_owned(source.to_owned())?;
    Ok(Template::Expression(expression, reads::variables(source)?))
}

fn is_unknown_name(error: &minijinja::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction)
}
