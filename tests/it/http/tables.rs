//! Tests that the validation tables match the spec.
//!
//! Both are walked side by side, without the generator. The other tests start from the tables, so they would
//! miss a constraint that is not in the tables.

use std::collections::{BTreeMap, BTreeSet};

use openapi_crates_runtime::table::{
    Additional, Format, Integer, Location, Number, Object, Schema, Text, Type,
};
use serde_json::{Map, Value, json};

use super::{
    spec::{self, resolve},
    violations::{allowed, is_nullable, type_of},
};

#[test]
fn match_the_spec() {
    let mut comparison = Comparison::default();
    for operation in spec::operations() {
        let nodes = spec::parameters(operation);
        let in_spec: BTreeSet<(String, String)> =
            nodes.iter().map(|node| (text(&node["in"]), text(&node["name"]))).collect();
        let in_table: BTreeSet<(String, String)> = operation
            .parameters
            .iter()
            .map(|row| (location(row.location).to_owned(), row.name.to_owned()))
            .collect();
        comparison.expect(operation.id, "parameters", &in_spec, &in_table);
        let is_closed = spec::node(operation)["x-closed-query"] == true;
        comparison.expect(operation.id, "x-closed-query", &is_closed, &operation.closed_query);
        for row in operation.parameters {
            let named = |node: &&&Value| node["name"] == row.name && node["in"] == location(row.location);
            let Some(node) = nodes.iter().find(named) else { continue };
            let position = format!("{} {}", operation.id, row.name);
            comparison.expect(&position, "required", &(node["required"] == true), &row.required);
            comparison.expect(&position, "x-reason", &node["x-reason"].as_str(), &row.reason);
            comparison.schema(&position, &node["schema"], row.schema);
        }
        let body = resolve(&spec::node(operation)["requestBody"]);
        comparison.expect(operation.id, "has a body", &body.is_object(), &operation.body.is_some());
        let Some(row) = &operation.body else { continue };
        let limit = &spec::node(operation)["x-body-limit"];
        comparison.expect(operation.id, "x-body-limit", &limit.as_u64(), &row.limit);
        comparison.expect(operation.id, "required", &(body["required"] == true), &row.required);
        let types: Vec<&str> = row.contents.iter().map(|content| content.media_type).collect();
        comparison.expect(operation.id, "media types", &["application/json"].as_slice(), &types.as_slice());
        comparison.schema(operation.id, spec::body_schema(operation), row.contents[0].schema);
    }
    assert!(comparison.compared > 2000, "only {} constraints were compared", comparison.compared);
    assert!(comparison.differences.is_empty(), "{}", comparison.differences.join("\n"));
}

#[derive(Default)]
struct Comparison {
    compared: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn expect<T: PartialEq + std::fmt::Debug + ?Sized>(
        &mut self,
        position: &str,
        rule: &str,
        spec: &T,
        table: &T,
    ) {
        self.compared += 1;
        if spec != table {
            self.differences
                .push(format!("{position}: {rule} is {spec:?} in the spec and {table:?} in the table"));
        }
    }

    /// Compares a bound as a number, because the spec may write `1` or `1.0`.
    fn bound(&mut self, position: &str, rule: &str, spec: Option<f64>, table: Option<f64>) {
        self.expect(position, rule, &spec, &table);
    }

    fn schema(&mut self, position: &str, node: &'static Value, schema: &'static Schema) {
        let stated = keywords(node);
        self.expect(position, "nullable", &is_true(&stated, "nullable"), &is_nullable(schema));
        let values = stated.get("enum").and_then(|list| list.as_array()).map(|list| {
            list.iter().filter(|value| !value.is_null()).map(Value::to_string).collect::<BTreeSet<_>>()
        });
        let listed = allowed(schema).map(|list| list.iter().map(super::json::Json::text).collect());
        self.expect(position, "enum", &values, &listed);
        // Alternatives with only `required` are constraints, not variants.
        let is_variant = |variant: &Value| variant.get("$ref").is_some() || variant.get("type").is_some();
        if let Some(variants) =
            stated.get("oneOf").and_then(|list| list.as_array()).filter(|list| list.iter().all(is_variant))
        {
            let Type::Union(union) = type_of(schema) else {
                return self.differences.push(format!("{position}: oneOf is not a union in the table"));
            };
            self.expect(position, "oneOf", &variants.len(), &union.variants.len());
            for (variant, schema) in variants.iter().zip(union.variants) {
                self.schema(&format!("{position}|"), variant, schema);
            }
            return;
        }
        let kind = stated.get("type").and_then(|kind| kind.as_str()).unwrap_or("anything");
        match (kind, type_of(schema)) {
            ("integer", Type::Integer(rules)) => self.integer(position, &stated, rules),
            ("number", Type::Number(rules)) => self.number(position, &stated, rules),
            ("string", Type::Text(rules)) => self.text(position, &stated, rules),
            ("boolean", Type::Boolean) | ("anything", Type::Any) => self.compared += 1,
            ("array", Type::Array(rules)) => {
                self.expect(position, "minItems", &unsigned(&stated, "minItems"), &rules.min_items);
                self.expect(position, "maxItems", &unsigned(&stated, "maxItems"), &rules.max_items);
                self.expect(position, "uniqueItems", &is_true(&stated, "uniqueItems"), &rules.unique);
                self.schema(&format!("{position}[]"), stated["items"], rules.items);
            }
            ("object", Type::Object(rules)) => self.object(position, &stated, rules),
            (kind, other) => self.differences.push(format!("{position}: {kind} is {other:?} in the table")),
        }
    }

    fn integer(&mut self, position: &str, stated: &Keywords, rules: &Integer) {
        let number = |bound: Option<i128>| bound.map(|bound| bound as f64);
        self.bounds(
            position,
            stated,
            [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum].map(number),
        );
        self.bound(position, "multipleOf", float(stated, "multipleOf"), number(rules.multiple_of));
    }

    fn number(&mut self, position: &str, stated: &Keywords, rules: &Number) {
        self.bounds(
            position,
            stated,
            [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum],
        );
        self.bound(position, "multipleOf", float(stated, "multipleOf"), rules.multiple_of);
    }

    /// Compares the minimum, exclusive minimum, maximum and exclusive maximum.
    fn bounds(&mut self, position: &str, stated: &Keywords, table: [Option<f64>; 4]) {
        let split = |bound: &str, exclusive: &str| match is_true(stated, exclusive) {
            true => (None, float(stated, bound)),
            false => (float(stated, bound), None),
        };
        let (least, above) = split("minimum", "exclusiveMinimum");
        let (most, below) = split("maximum", "exclusiveMaximum");
        self.bound(position, "minimum", least, table[0]);
        self.bound(position, "exclusive minimum", above, table[1]);
        self.bound(position, "maximum", most, table[2]);
        self.bound(position, "exclusive maximum", below, table[3]);
    }

    fn text(&mut self, position: &str, stated: &Keywords, rules: &Text) {
        self.expect(position, "minLength", &unsigned(stated, "minLength"), &rules.min_length);
        self.expect(position, "maxLength", &unsigned(stated, "maxLength"), &rules.max_length);
        let format = stated.get("format").and_then(|format| format.as_str());
        self.expect(position, "format", &format.and_then(known_format), &rules.format);
        let unchecked = stated.get("x-unchecked").and_then(|names| names.as_array());
        let is_checked = unchecked.is_none_or(|names| !names.contains(&json!("pattern")));
        let pattern = stated.get("pattern").and_then(|pattern| pattern.as_str()).filter(|_| is_checked);
        self.expect(position, "has a pattern", &pattern.is_some(), &rules.pattern.is_some());
    }

    fn object(&mut self, position: &str, stated: &Keywords, rules: &'static Object) {
        let none = Map::new();
        let fields = stated.get("properties").map_or(&none, |fields| fields.as_object().expect("fields"));
        let in_spec: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
        let in_table: BTreeSet<&str> = rules.fields.iter().map(|field| field.name).collect();
        self.expect(position, "properties", &in_spec, &in_table);
        let is_required =
            |list: &&Value, name: &str| list.as_array().is_some_and(|it| it.contains(&json!(name)));
        for field in rules.fields {
            let position = format!("{position}.{}", field.name);
            let required = stated.get("required").is_some_and(|list| is_required(list, field.name));
            self.expect(&position, "required", &required, &field.required);
            let Some(node) = fields_node(stated, field.name) else { continue };
            let default = keywords(node).contains_key("default");
            self.expect(&position, "has a default", &default, &field.default.is_some());
            self.schema(&position, node, field.schema);
        }
        self.expect(position, "minProperties", &unsigned(stated, "minProperties"), &rules.min_properties);
        self.expect(position, "maxProperties", &unsigned(stated, "maxProperties"), &rules.max_properties);
        let cross = stated.get("x-rules").and_then(|list| list.as_array()).map_or(0, Vec::len);
        self.expect(position, "x-rules", &cross, &rules.rules.len());
        match (stated.get("additionalProperties"), rules.additional) {
            (Some(Value::Bool(false)), Additional::Forbidden) => self.compared += 1,
            (None | Some(Value::Bool(true)), Additional::Ignored) => self.compared += 1,
            (Some(node @ Value::Object(_)), Additional::Kept(schema)) => {
                self.schema(&format!("{position}.*"), node, schema);
            }
            (node, table) => {
                self.differences.push(format!("{position}: additionalProperties {node:?} is {table:?}"));
            }
        }
    }
}

/// The keywords of a schema, including those of its references.
type Keywords = BTreeMap<&'static str, &'static Value>;

fn keywords(node: &'static Value) -> Keywords {
    let node = resolve(node);
    let mut stated = Keywords::new();
    for part in node["allOf"].as_array().into_iter().flatten() {
        stated.extend(keywords(part));
    }
    let own = node.as_object().expect("a schema is an object");
    stated.extend(own.iter().map(|(keyword, value)| (keyword.as_str(), value)));
    stated
}

fn fields_node(stated: &Keywords, name: &str) -> Option<&'static Value> {
    stated.get("properties")?.get(name)
}

fn is_true(stated: &Keywords, keyword: &str) -> bool {
    stated.get(keyword).is_some_and(|value| **value == true)
}

fn unsigned(stated: &Keywords, keyword: &str) -> Option<u64> {
    stated.get(keyword)?.as_u64()
}

fn float(stated: &Keywords, keyword: &str) -> Option<f64> {
    stated.get(keyword)?.as_f64()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

const fn location(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
        _ => "another location",
    }
}

fn known_format(format: &str) -> Option<Format> {
    match format {
        "date-time" => Some(Format::DateTime),
        "date" => Some(Format::Date),
        "uuid" => Some(Format::Uuid),
        "uri" => Some(Format::Uri),
        "email" => Some(Format::Email),
        "ipv4" => Some(Format::Ipv4),
        "ipv6" => Some(Format::Ipv6),
        "byte" => Some(Format::Base64),
        _ => None,
    }
}
