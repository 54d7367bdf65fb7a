//! Templates: JSON in which strings may be expressions over the request.
//!
//! A string that is `{{ … }}` as a whole is an expression: its value keeps its type, and a field whose
//! expression is undefined is left out. All other strings stand for themselves. So no text of a client is ever
//! read as part of a template.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, Expression, UndefinedBehavior};
use serde_json::{Map, Value};

use super::family::Family;
use super::schema;
use crate::config::InvalidSetting;

/// The language of expressions.
static LANGUAGE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut language = Environment::new();
    language.set_undefined_behavior(UndefinedBehavior::Chainable);
    language
});

/// A template.
#[derive(Debug)]
pub struct Template(Node);

#[derive(Debug)]
enum Node {
    Literal(Value),
    /// An expression, and the variables that it reads.
    Expression(Expression<'static, 'static>, BTreeSet<String>),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// The variables that a template may use.
#[derive(Debug, Clone)]
pub struct Variables {
    /// The names of all variables: `request`, `seed`.
    pub names: &'static [&'static str],
    /// The fields of the variable `request`.
    pub fields: BTreeSet<String>,
    /// The family, whose requests may have fields within these.
    pub family: Option<&'static Family>,
}

impl Variables {
    /// Returns variables with these fields of the family's requests.
    #[must_use]
    pub fn of(family: &'static Family, names: &'static [&'static str], fields: BTreeSet<String>) -> Self {
        Self { names, fields, family: Some(family) }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// An expression can't be read, or uses a variable or a field of the request that does not exist.
    pub fn new(place: &str, value: &toml::Value, variables: &Variables) -> Result<Self, InvalidSetting> {
        Node::new(place, value, variables).map(Self)
    }

    /// Returns the value for these variables; `None` if all of it is undefined.
    ///
    /// # Errors
    /// An expression fails, as with `1 / 0`.
    pub fn render(&self, variables: &Value) -> Result<Option<Value>, minijinja::Error> {
        self.0.render(variables)
    }

    /// Returns the fields of the request that the template reads, also by the variables `media` and `seed`.
    ///
    /// A field within another has a path: `output_options.compression`.
    #[must_use]
    pub fn fields(&self) -> BTreeSet<String> {
        let mut read = BTreeSet::new();
        self.0.read_fields(&mut read);
        read
    }
}

impl Node {
    fn new(place: &str, value: &toml::Value, variables: &Variables) -> Result<Self, InvalidSetting> {
        Ok(match value {
            toml::Value::String(text) => match expression_of(text) {
                Some(source) => {
                    let (expression, used) = compile(place, source, variables)?;
                    Self::Expression(expression, used)
                }
                None if text.contains("{{") => {
                    let expected =
                        "one expression `{{ … }}` as a whole, or a text without `{{`; `~` joins texts";
                    return Err(InvalidSetting { setting: place.to_owned(), expected: expected.to_owned() });
                }
                None => Self::Literal(Value::from(text.as_str())),
            },
            toml::Value::Array(items) => {
                let item = |(index, item)| Self::new(&format!("{place}[{index}]"), item, variables);
                Self::Array(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            toml::Value::Table(fields) => {
                let field = |(name, field): (&String, &toml::Value)| {
                    Ok((name.clone(), Self::new(&format!("{place}.{name}"), field, variables)?))
                };
                Self::Object(fields.iter().map(field).collect::<Result<_, InvalidSetting>>()?)
            }
            toml::Value::Integer(number) => Self::Literal(Value::from(*number)),
            toml::Value::Float(number) => Self::Literal(Value::from(*number)),
            toml::Value::Boolean(is) => Self::Literal(Value::from(*is)),
            toml::Value::Datetime(time) => Self::Literal(Value::from(time.to_string())),
        })
    }

    fn render(&self, variables: &Value) -> Result<Option<Value>, minijinja::Error> {
        Ok(Some(match self {
            Self::Literal(value) => value.clone(),
            Self::Expression(expression, _) => {
                let value = expression.eval(minijinja::Value::from(Serde(variables)))?;
                if value.is_undefined() {
                    return Ok(None);
                }
                serde_json::to_value(&value).map_err(|error| {
                    minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string())
                })?
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

    fn read_fields(&self, read: &mut BTreeSet<String>) {
        match self {
            Self::Literal(_) => {}
            Self::Expression(_, variables) => {
                read.extend(variables.iter().filter_map(|variable| Some(read_by(variable)?.to_owned())));
            }
            Self::Array(items) => items.iter().for_each(|item| item.read_fields(read)),
            Self::Object(fields) => fields.iter().for_each(|(_, field)| field.read_fields(read)),
        }
    }
}

/// Returns the source of an expression: the text between `{{` and `}}`.
fn expression_of(text: &str) -> Option<&str> {
    let source = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!source.contains("{{") && !source.contains("}}")).then_some(source.trim())
}

/// Returns the field of the request that a variable such as `request.duration` names.
fn field_of(variable: &str) -> Option<&str> {
    variable.strip_prefix("request.")?.split('.').next()
}

/// Returns the field of the request that has an effect by a variable.
fn read_by(variable: &str) -> Option<&str> {
    match variable {
        // The seed of the task is that of the request, if it has one.
        "seed" => Some("seed"),
        _ => variable.strip_prefix("request.").or_else(|| variable.strip_prefix("media.")?.split('.').next()),
    }
}

/// Rewrites `request['x']` to `request.x`, so that its variables can be listed.
fn with_dots(source: &str) -> String {
    let (mut dotted, mut rest) = (String::new(), source);
    while let Some((before, after)) = rest.split_once('[') {
        dotted.push_str(before);
        let inside = after.split_once(']').map(|(inside, after)| (inside.trim(), after));
        let name = inside.and_then(|(inside, after)| {
            let quote = inside.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            Some((inside.strip_prefix(quote)?.strip_suffix(quote)?, after))
        });
        let is_name = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let is_index =
            before.ends_with(|last: char| last.is_ascii_alphanumeric() || matches!(last, '_' | ']'));
        rest = match name.filter(|(name, _)| is_index && is_name(name)) {
            Some((name, after)) => {
                dotted.push('.');
                dotted.push_str(name);
                after
            }
            None => {
                dotted.push('[');
                after
            }
        };
    }
    dotted + rest
}

fn compile(
    place: &str,
    source: &str,
    variables: &Variables,
) -> Result<(Expression<'static, 'static>, BTreeSet<String>), InvalidSetting> {
    let invalid = |expected: String| InvalidSetting { setting: place.to_owned(), expected };
    let compiled = LANGUAGE
        .compile_expression_owned(source.to_owned())
        .map_err(|error| invalid(format!("an expression (`{source}`: {error})")))?;
    let dotted = LANGUAGE.compile_expression_owned(with_dots(source));
    let used: BTreeSet<String> =
        dotted.as_ref().unwrap_or(&compiled).undeclared_variables(true).into_iter().collect();
    for variable in &used {
        let root = variable.split('.').next().unwrap_or(variable);
        if !variables.names.contains(&root) {
            let known = variables.names.join("`, `");
            return Err(invalid(format!("an expression over the variables `{known}`, not `{root}`")));
        }
        if let Some(field) = field_of(variable).filter(|field| !variables.fields.contains(*field)) {
            let known = variables.fields.iter().map(String::as_str).collect::<Vec<_>>().join("`, `");
            return Err(invalid(format!("an expression over the fields `{known}`, not `request.{field}`")));
        }
        let unknown = variables.family.zip(variable.strip_prefix("request."));
        if unknown.is_some_and(|(family, path)| schema::lacks(family, path)) {
            return Err(invalid(format!("an expression over fields that requests have, not `{variable}`")));
        }
    }
    Ok((compiled, used))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables() -> Variables {
        let fields = ["prompt", "duration", "style"].map(str::to_owned).into();
        Variables { names: &["request", "media", "seed"], fields, family: None }
    }

    fn template(text: &str) -> Result<Template, InvalidSetting> {
        let value: toml::Table = toml::from_str(text).unwrap();
        Template::new("families.x.input", &toml::Value::Table(value), &variables())
    }

    #[test]
    fn values_keep_their_types_and_what_is_undefined_is_left_out() {
        let template = template(
            r#"
            text = "{{ request.prompt }}"
            seconds = "{{ (request.duration ~ 's') if request.duration }}"
            double = "{{ request.duration * 2 }}"
            style = "{{ request.style }}"
            known = "{{ {'A': 'a', 'B': 'b'}[request.style] }}"
            list = ["{{ request.style }}", "{{ seed }}", 1.5]
            plain = "request.prompt"
            picture = "{{ media.image.path }}"
            second = "{{ media.pictures[1].path if media.pictures }}"
            "#,
        )
        .unwrap();
        let prompt = "{{ seed }} {% for x in y %} \" }}";
        let rendered = template.render(&json!({"request": {"prompt": prompt, "duration": 8}, "seed": 7}));
        let expected = json!({
            "text": prompt, "seconds": "8s", "double": 16, "list": [7, 1.5], "plain": "request.prompt",
        });
        assert_eq!(rendered.unwrap(), Some(expected));
        assert_eq!(
            template.fields(),
            ["prompt", "duration", "style", "seed", "image", "pictures"].map(str::to_owned).into()
        );
    }

    #[test]
    fn what_does_not_exist_is_reported_with_its_place() {
        for (text, place, why) in [
            ("a = '{{ request.promt }}'", "`families.x.input.a`", "not `request.promt`"),
            ("a = { b = ['x', '{{ medium.image }}'] }", "`families.x.input.a.b[1]`", "not `medium`"),
            ("a = '{{ request. }}'", "`families.x.input.a`", "an expression"),
            ("a = 'x {{ seed }}'", "`families.x.input.a`", "as a whole"),
            ("a = '{{ seed }} {{ seed }}'", "`families.x.input.a`", "as a whole"),
        ] {
            let told = template(text).unwrap_err().to_string();
            assert!(told.contains(place) && told.contains(why), "{told}");
        }
    }
}
