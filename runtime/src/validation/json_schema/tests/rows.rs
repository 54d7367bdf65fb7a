//! Makes rows from JSON schemas. They are never freed.

use crate::codec::{Format, Kinds};
use crate::table::{JsonSchema, Keyword, Literal, Pattern};
use crate::types::{Map, Value};

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn text(value: &str) -> &'static str {
    Box::leak(value.to_owned().into_boxed_str())
}

/// Returns the row of a schema. A `$ref` refers to an entry of the root's `$defs`.
pub fn row(schema: &Value) -> &'static JsonSchema {
    let mut rows = Rows::default();
    for (name, definition) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        let definition = rows.row(definition);
        rows.definitions.insert(name.clone(), definition);
    }
    rows.row(schema)
}

#[derive(Default)]
struct Rows {
    definitions: Map<&'static JsonSchema>,
}

impl Rows {
    fn row(&self, schema: &Value) -> &'static JsonSchema {
        let keywords = match schema {
            Value::Object(schema) => self.keywords(schema),
            Value::Bool(false) => vec![Keyword::False],
            _ => Vec::new(),
        };
        leak(JsonSchema(keywords.leak()))
    }

    fn rows(&self, schemas: &Value) -> &'static [&'static JsonSchema] {
        schemas.as_array().unwrap().iter().map(|schema| self.row(schema)).collect::<Vec<_>>().leak()
    }

    fn named(&self, schemas: Option<&Value>) -> &'static [(&'static str, &'static JsonSchema)] {
        let schemas = schemas.and_then(Value::as_object).into_iter().flatten();
        let mut named: Vec<_> = schemas.map(|(name, schema)| (text(name), self.row(schema))).collect();
        named.sort_by_key(|(name, _)| *name);
        named.leak()
    }

    fn keywords(&self, schema: &serde_json::Map<String, Value>) -> Vec<Keyword> {
        let mut keywords: Vec<Keyword> =
            schema.iter().filter_map(|(name, value)| self.keyword(schema, name, value)).collect();
        if ["prefixItems", "items"].iter().any(|name| schema.contains_key(*name)) {
            keywords.push(Keyword::Items {
                prefix: schema.get("prefixItems").map_or(&[], |it| self.rows(it)),
                others: schema.get("items").map(|it| self.row(it)),
            });
        }
        if ["properties", "patternProperties", "additionalProperties"]
            .iter()
            .any(|name| schema.contains_key(*name))
        {
            let patterns = self.named(schema.get("patternProperties"));
            let patterns: Vec<_> =
                patterns.iter().map(|(source, row)| (leak(Pattern::new(source)) as &_, *row)).collect();
            keywords.push(Keyword::Properties {
                listed: self.named(schema.get("properties")),
                patterns: patterns.leak(),
                others: schema.get("additionalProperties").map(|it| self.row(it)),
            });
        }
        keywords.extend(schema.get("unevaluatedItems").map(|it| Keyword::UnevaluatedItems(self.row(it))));
        keywords.extend(
            schema.get("unevaluatedProperties").map(|it| Keyword::UnevaluatedProperties(self.row(it))),
        );
        keywords
    }

    fn keyword(&self, schema: &serde_json::Map<String, Value>, name: &str, value: &Value) -> Option<Keyword> {
        let other = |name: &str| schema.get(name).map(|it| self.row(it));
        Some(match name {
            "$ref" => {
                let name = value.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                Keyword::Ref(self.definitions[name])
            }
            "type" => Keyword::Type(kinds(value)),
            "const" => Keyword::Enum(vec![literal(value)].leak()),
            "enum" => Keyword::Enum(value.as_array().unwrap().iter().map(literal).collect::<Vec<_>>().leak()),
            "minimum" => Keyword::Minimum(literal(value)),
            "exclusiveMinimum" => Keyword::ExclusiveMinimum(literal(value)),
            "maximum" => Keyword::Maximum(literal(value)),
            "exclusiveMaximum" => Keyword::ExclusiveMaximum(literal(value)),
            "formatMinimum" => Keyword::FormatMinimum(literal(value)),
            "formatExclusiveMinimum" => Keyword::FormatExclusiveMinimum(literal(value)),
            "formatMaximum" => Keyword::FormatMaximum(literal(value)),
            "formatExclusiveMaximum" => Keyword::FormatExclusiveMaximum(literal(value)),
            "multipleOf" => Keyword::MultipleOf(literal(value)),
            "minLength" => Keyword::MinLength(value.as_u64().unwrap()),
            "maxLength" => Keyword::MaxLength(value.as_u64().unwrap()),
            "pattern" => Keyword::Pattern(leak(Pattern::new(text(value.as_str().unwrap())))),
            "format" => Keyword::Format(match value.as_str().unwrap() {
                "uuid" => Format::Uuid,
                "date-time" => Format::DateTime,
                _ => Format::Ipv4,
            }),
            "minItems" => Keyword::MinItems(value.as_u64().unwrap()),
            "maxItems" => Keyword::MaxItems(value.as_u64().unwrap()),
            "uniqueItems" if *value == Value::Bool(true) => Keyword::UniqueItems,
            "contains" => Keyword::Contains {
                schema: self.row(value),
                minimum: schema.get("minContains").and_then(Value::as_u64).unwrap_or(1),
                maximum: schema.get("maxContains").and_then(Value::as_u64),
            },
            "minProperties" => Keyword::MinProperties(value.as_u64().unwrap()),
            "maxProperties" => Keyword::MaxProperties(value.as_u64().unwrap()),
            "required" => Keyword::Required(names(value)),
            "propertyNames" => Keyword::PropertyNames(self.row(value)),
            "dependentRequired" => {
                let list = value.as_object().unwrap().iter();
                Keyword::DependentRequired(
                    list.map(|(name, needed)| (text(name), names(needed))).collect::<Vec<_>>().leak(),
                )
            }
            "dependentSchemas" => Keyword::DependentSchemas(self.named(Some(value))),
            "allOf" => Keyword::AllOf(self.rows(value)),
            "anyOf" => Keyword::AnyOf(self.rows(value)),
            "oneOf" => Keyword::OneOf(self.rows(value)),
            "not" => Keyword::Not(self.row(value)),
            "if" => Keyword::If { condition: self.row(value), then: other("then"), otherwise: other("else") },
            _ => return None,
        })
    }
}

fn names(names: &Value) -> &'static [&'static str] {
    names.as_array().unwrap().iter().map(|name| text(name.as_str().unwrap())).collect::<Vec<_>>().leak()
}

fn kinds(value: &Value) -> Kinds {
    let kind = |name: &Value| match name.as_str().unwrap() {
        "null" => Kinds::NULL,
        "boolean" => Kinds::BOOLEAN,
        "integer" => Kinds::INTEGER,
        "number" => Kinds::NUMBER,
        "string" => Kinds::STRING,
        "array" => Kinds::ARRAY,
        _ => Kinds::OBJECT,
    };
    match value {
        Value::Array(names) => names.iter().map(kind).reduce(Kinds::or).unwrap(),
        name => kind(name),
    }
}

fn literal(value: &Value) -> Literal {
    match value {
        Value::Null => Literal::Null,
        Value::Bool(value) => Literal::Boolean(*value),
        Value::Number(number) => match number.as_i128() {
            Some(value) => Literal::Integer(value),
            None => Literal::Number(number.as_f64().unwrap()),
        },
        Value::String(value) => Literal::Text(text(value)),
        compound => Literal::Json(text(&compound.to_string())),
    }
}
