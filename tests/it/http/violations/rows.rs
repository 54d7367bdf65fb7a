//! All constraints of all rows, with requests that violate and that satisfy each.

use openapi_crates_runtime::table::{
    Additional, Array, CrossRule, Field, Location, Object, Operation, Parameter, Schema, Style, Type, Union,
};

use super::{
    cross,
    position::{Change, Position, Step},
    rules::{allowed, is_nullable, subjects, type_of},
    samples::{sample, samples},
    scalars,
};
use crate::http::json::Json;

/// One constraint at one position.
pub struct Row {
    pub position: Position,
    /// The constraint, such as `maximum` or `type: a string for a boolean`.
    pub rule: String,
    /// The name of a violation.
    pub name: String,
    /// The text that the reason must contain.
    pub expected: String,
    /// The change that violates the constraint. `None` if no request can.
    pub violating: Option<Change>,
    /// Changes that barely satisfy the constraint.
    pub satisfying: Vec<Change>,
}

impl Row {
    /// Returns an id such as `create_voiceover body.stability maximum`.
    pub fn id(&self) -> String {
        let location = match self.position.parameter.map(|index| &self.position.operation.parameters[index]) {
            None => "body",
            Some(row) => match row.location {
                Location::Path => "path",
                Location::Query => "query",
                Location::Header => "header",
                Location::Cookie => "cookie",
                _ => unreachable!("the tests know every kind of row"),
            },
        };
        format!("{} {location}.{} {}", self.position.operation.id, self.name, self.rule)
    }
}

/// A constraint without a position.
pub struct Rule {
    pub rule: String,
    pub expected: String,
    pub violating: Option<Change>,
    pub satisfying: Vec<Change>,
}

impl Rule {
    pub fn new(
        rule: impl Into<String>,
        expected: impl Into<String>,
        violating: Json,
        satisfying: Vec<Json>,
    ) -> Self {
        Self {
            rule: rule.into(),
            expected: expected.into(),
            violating: Some(Change::Set(violating)),
            satisfying: satisfying.into_iter().map(Change::Set).collect(),
        }
    }
}

/// Returns the constraints of an operation.
pub fn of(operation: &'static Operation) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, parameter) in operation.parameters.iter().enumerate() {
        let position =
            Position { operation, parameter: Some(index), steps: Vec::new(), schema: parameter.schema };
        rows.push(Row {
            rule: if parameter.required { "required" } else { "optional" }.to_owned(),
            name: position.name(),
            expected: if parameter.required { "is required" } else { "" }.to_owned(),
            // Without a segment of its path, a request is for another operation.
            violating: (parameter.required && parameter.location != Location::Path).then_some(Change::Remove),
            satisfying: if parameter.required { Vec::new() } else { vec![Change::Remove] },
            position: position.clone(),
        });
        Rows { rows: &mut rows, form: Form::of(parameter) }.value(&position);
    }
    if let Some(body) = &operation.body {
        let schema = body.contents[0].schema;
        let position = Position { operation, parameter: None, steps: Vec::new(), schema };
        Rows { rows: &mut rows, form: Form::Json }.value(&position);
    }
    rows
}

/// How values are written, which decides what can be wrong with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    /// Text, with brackets for parts.
    Deep,
    /// Text.
    Text,
    /// Text that can't be empty.
    Segment,
}

impl Form {
    fn of(parameter: &Parameter) -> Self {
        match (parameter.style, parameter.location) {
            (Style::DeepObject, _) => Self::Deep,
            (_, Location::Path) => Self::Segment,
            _ => Self::Text,
        }
    }
}

struct Rows<'a> {
    rows: &'a mut Vec<Row>,
    form: Form,
}

impl Rows<'_> {
    fn push(&mut self, position: &Position, rule: Rule) {
        let Rule { rule, expected, violating, satisfying } = rule;
        self.rows.push(Row {
            name: position.name(),
            position: position.clone(),
            rule,
            expected,
            violating,
            satisfying,
        });
    }

    /// Adds the constraints of a value.
    fn value(&mut self, position: &Position) {
        self.kinds(position);
        self.rules(position);
    }

    /// Adds the constraints on the type of a value.
    fn kinds(&mut self, position: &Position) {
        let schema = position.schema;
        for (kind, value) in [
            ("a boolean", Json::Boolean(true)),
            ("a number", Json::number(12.5)),
            ("a string", Json::string("text")),
            ("no text", Json::string("")),
            ("an array", Json::Array(Vec::new())),
            ("an object", Json::object()),
        ] {
            if self.can_express(kind, position) && !self.accepts(schema, kind) {
                let rule =
                    Rule::new(format!("type: {kind}"), noun(schema), self.with_part(value), Vec::new());
                self.push(position, rule);
            }
        }
        if self.form != Form::Json {
            return;
        }
        if is_nullable(schema) {
            let satisfying = vec![Change::Set(Json::Null)];
            let rule =
                Rule { rule: "nullable".to_owned(), expected: String::new(), violating: None, satisfying };
            self.push(position, rule);
        } else {
            let expected = match type_of(schema) {
                Type::Union(_) => "must be one of",
                _ => "must not be null",
            };
            self.push(position, Rule::new("not null", expected, Json::Null, Vec::new()));
        }
    }

    /// Gives an object a part, because brackets can't express an empty object.
    fn with_part(&self, value: Json) -> Json {
        match (self.form, value) {
            (Form::Deep, Json::Object(_)) => Json::Object(vec![("a".to_owned(), Json::string("b"))]),
            (_, value) => value,
        }
    }

    /// Returns whether a value of this type can be recognised at its position.
    fn can_express(&self, kind: &str, position: &Position) -> bool {
        match self.form {
            Form::Json => kind != "no text",
            Form::Deep if position.steps.is_empty() => false,
            Form::Deep => !matches!(kind, "an array"),
            Form::Text => !matches!(kind, "an array" | "an object"),
            Form::Segment => !matches!(kind, "an array" | "an object" | "no text"),
        }
    }

    fn accepts(&self, schema: &'static Schema, kind: &str) -> bool {
        let is_json = self.form == Form::Json;
        match type_of(schema) {
            Type::Any => true,
            Type::Boolean => kind == "a boolean",
            // That 12.5 is not an integer is a separate constraint.
            Type::Integer(_) | Type::Number(_) => kind == "a number",
            // Everything except JSON is text.
            Type::Text(_) | Type::Bytes => kind == "a string" || !is_json && kind != "an object",
            // One value is an array of one item.
            Type::Array(rules) => kind == "an array" || !is_json && self.accepts(rules.items, kind),
            Type::Tuple(_) => kind == "an array",
            Type::Object(_) => kind == "an object",
            Type::Union(union) => union.variants.iter().any(|variant| self.accepts(variant, kind)),
            Type::Same(_) => unreachable!("`type_of` follows references"),
            _ => unreachable!("the tests know every kind of row"),
        }
    }

    /// Adds the constraints of its type.
    fn rules(&mut self, position: &Position) {
        let schema = position.schema;
        if let Some(allowed) = allowed(schema)
            && let Some(other) = scalars::not_among(schema, &allowed)
        {
            self.push(position, Rule::new("allowed", "must be ", other, allowed));
        }
        match type_of(schema) {
            Type::Integer(rules) => {
                for rule in scalars::integer(rules, allowed(schema).is_some()) {
                    self.push(position, rule);
                }
            }
            Type::Number(rules) => {
                for rule in scalars::number(rules) {
                    self.push(position, rule);
                }
            }
            Type::Text(rules) => {
                for rule in scalars::text(rules, &position.value(), self.form) {
                    self.push(position, rule);
                }
            }
            Type::Array(rules) => self.array(position, rules),
            Type::Object(rules) => self.object(position, rules),
            Type::Union(union) => self.union(position, union),
            // This API's spec has no tuples.
            Type::Any | Type::Boolean | Type::Bytes | Type::Tuple(_) | Type::Same(_) => {}
            _ => unreachable!("the tests know every kind of row"),
        }
    }

    fn array(&mut self, position: &Position, rules: &'static Array) {
        let items = |count: u64| Json::Array(samples(rules.items, count as usize));
        if let Some(least) = rules.min_items
            && let Some(fewer) = least.checked_sub(1)
        {
            let expected = format!("must have at least {least} item");
            self.push(position, Rule::new("minItems", expected, items(fewer), vec![items(least)]));
        }
        if let Some(most) = rules.max_items {
            let expected = format!("must have at most {most} item");
            self.push(position, Rule::new("maxItems", expected, items(most + 1), vec![items(most)]));
        }
        if rules.unique {
            let one = sample(rules.items);
            let twice = Json::Array(vec![one.clone(), one]);
            self.push(
                position,
                Rule::new("uniqueItems", "must not have the same item twice", twice, vec![items(2)]),
            );
        }
        self.value(&position.step(Step::Item, rules.items));
    }

    fn object(&mut self, position: &Position, rules: &'static Object) {
        for field in rules.fields {
            let there = position.step(Step::Field(field.name), field.schema);
            let rule = if field.required {
                let expected = "is required".to_owned();
                Rule {
                    rule: "required".to_owned(),
                    expected,
                    violating: Some(Change::Remove),
                    satisfying: Vec::new(),
                }
            } else {
                let satisfying = vec![Change::Remove];
                Rule { rule: "optional".to_owned(), expected: String::new(), violating: None, satisfying }
            };
            self.push(&there, rule);
            self.value(&there);
        }
        self.additional(position, rules);
        for rule in rules.rules {
            self.cross(position, rules, rule);
        }
    }

    fn additional(&mut self, position: &Position, rules: &'static Object) {
        match rules.additional {
            Additional::Ignored => {
                let mut more = position.value();
                more.set("no-such-field", Json::Boolean(true));
                let satisfying = vec![Change::Set(more)];
                self.push(
                    position,
                    Rule { rule: "open".to_owned(), expected: String::new(), violating: None, satisfying },
                );
            }
            Additional::Forbidden => {
                let mut more = position.value();
                more.set("no-such-field", Json::Boolean(true));
                self.rows.push(Row {
                    position: position.clone(),
                    rule: "closed".to_owned(),
                    name: position.field_name("no-such-field"),
                    expected: "is not a known field".to_owned(),
                    violating: Some(Change::Set(more)),
                    satisfying: Vec::new(),
                });
            }
            Additional::Kept(schema) => self.value(&position.step(Step::Key, schema)),
            _ => unreachable!("the tests know every kind of row"),
        }
        for (bound, is_least) in [(rules.min_properties, true), (rules.max_properties, false)] {
            let Some(bound) = bound else { continue };
            let (rule, words, broken) = if is_least {
                ("minProperties", "least", bound.saturating_sub(1))
            } else {
                ("maxProperties", "most", bound + 1)
            };
            let expected = format!("must have at {words} {bound} field");
            self.push(
                position,
                Rule::new(rule, expected, of_size(rules, broken), vec![of_size(rules, bound)]),
            );
        }
    }

    fn cross(&mut self, position: &Position, rules: &'static Object, rule: &'static CrossRule) {
        let (field, _) = subjects(rule);
        let value = position.value();
        let mut satisfying: Vec<Change> =
            cross::at_limit(&value, rules, rule).into_iter().map(Change::Set).collect();
        for (how, broken) in cross::broken(&value, rules, rule) {
            self.rows.push(Row {
                position: position.clone(),
                rule: format!("x-rules: {how}"),
                name: position.field_name(field),
                expected: String::new(),
                violating: Some(Change::Set(broken)),
                satisfying: std::mem::take(&mut satisfying),
            });
        }
    }

    /// Adds the constraints of each variant.
    ///
    /// The union itself already checks the type of the value.
    fn union(&mut self, position: &Position, union: &'static Union) {
        for (index, variant) in union.variants.iter().enumerate() {
            let there = position.step(Step::Variant(index), variant);
            let satisfying = vec![Change::Set(sample(variant))];
            let name = union.shape.variants.get(index).map_or("", |shape| shape.name);
            self.push(
                &there,
                Rule {
                    rule: format!("variant {name}"),
                    expected: String::new(),
                    violating: None,
                    satisfying,
                },
            );
            self.rules(&there);
        }
    }
}

/// Creates an object with `count` fields, the required ones first.
fn of_size(rules: &'static Object, count: u64) -> Json {
    let mut object = Json::object();
    let (required, optional): (Vec<&Field>, Vec<&Field>) =
        rules.fields.iter().partition(|field| field.required);
    for field in required.into_iter().chain(optional).take(count as usize) {
        object.set(field.name, sample(field.schema));
    }
    if let (Additional::Kept(schema), Json::Object(fields)) = (rules.additional, &mut object) {
        for index in fields.len()..count as usize {
            fields.push((format!("key-{index}"), sample(schema)));
        }
    }
    object
}

/// Returns the reason for a value of another type.
fn noun(schema: &'static Schema) -> &'static str {
    match type_of(schema) {
        Type::Boolean => "must be a boolean",
        Type::Integer(_) => "must be an integer",
        Type::Number(_) => "must be a number",
        Type::Text(_) | Type::Bytes => "must be a string",
        Type::Array(_) | Type::Tuple(_) => "must be an array",
        Type::Object(_) => "must be an object",
        Type::Any | Type::Union(_) | Type::Same(_) => "must be one of",
        _ => unreachable!("the tests know every kind of row"),
    }
}
