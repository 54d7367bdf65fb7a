//! Templates: JSON in which strings may be expressions over the request.
//!
//! A string that is `{{ … }}` as a whole is an expression: its value keeps its type, and a field whose
//! expression is undefined is left out. All other strings stand for themselves. So no text of a client is ever
//! read as part of a template.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, Expression, UndefinedBehavior};
use serde_json::{Map, Value};

use super::family::Family;
use super::media_fields;
use super::schema::{self, VOICE};
use crate::config::InvalidSetting;
use crate::config::words::no_such;

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
    fn refuse(&self, variable: &str) -> Result<(), String> {
        let (root, path) = variable.split_once('.').unwrap_or((variable, ""));
        if !self.names.contains(&root) {
            return Err(no_such("variable", root, self.names));
        }
        if root == "voice" && !self.has_voices {
            return Err("`voice` is never defined, because the family has no `voices`: add them".to_owned());
        }
        match path.split('.').next().filter(|name| !name.is_empty()) {
            Some(field) if root == "request" => self.refuse_field(field, path),
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
    pub fn render(&self, variables: &Value) -> Result<Option<Value>, Unrendered> {
        self.0.render(variables).map_err(|error| Unrendered::new(&error))
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
                    return Err(InvalidSetting::must_be(place, expected));
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
                serde_json::to_value(&value)
                    .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))?
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
    let invalid = |why: String| InvalidSetting::because(place, why);
    let failed = |error: &minijinja::Error| invalid(Unrendered::new(error).0);
    let compiled = LANGUAGE.compile_expression_owned(source.to_owned()).map_err(|error| failed(&error))?;
    let dotted = LANGUAGE.compile_expression_owned(with_dots(source));
    let used: BTreeSet<String> =
        dotted.as_ref().unwrap_or(&compiled).undeclared_variables(true).into_iter().collect();
    used.iter().try_for_each(|variable| variables.refuse(variable)).map_err(invalid)?;
    let mut files = indices(source, "files").into_iter();
    files.try_for_each(|name| known("file", name, &variables.files)).map_err(invalid)?;
    // Names of filters are the only ones that no variable changes.
    match compiled.eval(()) {
        Err(error) if is_unknown_name(&error) => Err(failed(&error)),
        _ => Ok((compiled, used)),
    }
}

fn is_unknown_name(error: &minijinja::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction)
}

/// Returns the texts that a variable is indexed with: `files['text.txt']`.
fn indices<'s>(source: &'s str, variable: &str) -> Vec<&'s str> {
    let index = |rest: &'s str| {
        let rest = rest.trim_start().strip_prefix('[')?.trim_start();
        let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        Some(rest.strip_prefix(quote)?.split_once(quote)?.0)
    };
    source.split(variable).skip(1).filter_map(index).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables() -> Variables {
        let fields = ["prompt", "duration", "style"].map(str::to_owned).into();
        let media = ["image", "pictures"].map(str::to_owned).into();
        let files = ["a.txt", "b"].map(str::to_owned).into();
        let names = &["request", "media", "seed", "files", "voice"];
        Variables { names, fields, media, files, ..Variables::default() }
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
            file = "{{ files['a.txt'] or files.b or files[\"b\"] }}"
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
            (
                "a = '{{ request.promt }}'",
                "`families.x.input.a`",
                "unknown field `promt`; did you mean `prompt`?",
            ),
            (
                "a = { b = ['x', '{{ medium.image }}'] }",
                "`families.x.input.a.b[1]`",
                "unknown variable `medium`; did you mean `media`?",
            ),
            ("a = '{{ request. }}'", "`families.x.input.a`", "syntax error: "),
            (
                "a = '{{ media.audio }}'",
                "`families.x.input.a`",
                "unknown media field `audio`; known: image, pictures",
            ),
            ("a = \"{{ files['txt'] }}\"", "`families.x.input.a`", "unknown file `txt`"),
            (
                "a = \"{{ files['a.text'] }}\"",
                "`families.x.input.a`",
                "unknown file `a.text`; did you mean `a.txt`?",
            ),
            ("a = '{{ files.a.txt }}'", "`families.x.input.a`", "unknown file `a`"),
            ("a = '{{ voice }}'", "`families.x.input.a`", "has no `voices`"),
            ("a = '{{ seed|nofilter }}'", "`families.x.input.a`", "`: unknown filter `nofilter`"),
            ("a = '{{ seed is notest }}'", "`families.x.input.a`", "`: unknown test `notest`"),
            ("a = '{{ nofunction() }}'", "`families.x.input.a`", "unknown variable `nofunction`"),
            ("a = 'x {{ seed }}'", "`families.x.input.a`", "as a whole"),
            ("a = '{{ seed }} {{ seed }}'", "`families.x.input.a`", "as a whole"),
        ] {
            let told = template(text).unwrap_err().to_string();
            assert!(told.contains(place) && told.contains(why), "{told}");
        }
    }
}
