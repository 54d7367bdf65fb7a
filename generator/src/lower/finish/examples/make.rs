//! Generates a value that matches its schema, from its required fields and its first alternatives.

use serde_json::{Map, Value, json};

use crate::{
    ir::{
        CrossRule, Discriminator, IntegerRules, Kind, Literal, NameRules, NumberRules, Schema, StructDef,
        TextFormat, TextRules, Type, UnionDef,
    },
    lower::finish::examples::Examples,
};

/// Texts that match common patterns.
const TEXTS: &[&str] = &[
    "text",
    "1",
    "a",
    "abc",
    "en",
    "A",
    "ABC",
    "0000",
    "a1",
    "a-b",
    "#000000",
    "2024-01-01",
    "12:00",
    "1.0.0",
    "1,2",
    "a@b.example",
    "https://example.com",
    "00000000-0000-4000-8000-000000000000",
    "0123456789abcdef",
    "US",
    "USD",
    "en-US",
    "/a",
    "a.b",
    "a/b",
    "+15550100",
    "AAAA",
    "sha256:00",
    "127.0.0.1",
    "example.com",
    "2024-01-01T00:00:00Z",
    "5s",
];

/// The maximum number of items of an array or map in an example.
const MAX_ITEMS: u64 = 16;

impl Examples<'_> {
    /// Returns a value that the schema accepts.
    pub fn build(&self, schema: &Schema, steps: usize) -> Value {
        if let Some(literal) = schema.allowed.first() {
            return value_of(literal);
        }
        let (Some(steps), Some(left)) = (steps.checked_sub(1), self.left.get().checked_sub(1)) else {
            return Value::Null;
        };
        self.left.set(left);
        match &schema.ty {
            Type::Any => json!({}),
            Type::Unit => Value::Null,
            Type::Boolean => Value::Bool(true),
            Type::Integer(rules) => build_integer(rules),
            Type::Number(rules) => build_number(rules),
            Type::Text(rules) => Value::String(self.build_text(rules)),
            Type::Bytes | Type::File | Type::Stream(_) => json!("bytes"),
            Type::Array(rules) => {
                let count = rules.min_items.unwrap_or_default().min(MAX_ITEMS);
                let item = |position: u64| {
                    let item = self.build(&rules.items, steps);
                    if rules.unique { vary(&item, position) } else { item }
                };
                (0..count).map(item).collect()
            }
            Type::Tuple(items) => items.iter().map(|item| self.build(item, steps)).collect(),
            Type::Map(rules) => {
                let count = rules.min_properties.unwrap_or_default().min(MAX_ITEMS);
                (0..count)
                    .map(|position| {
                        (self.build_name(rules.names.as_deref(), position), self.build(&rules.values, steps))
                    })
                    .collect()
            }
            Type::Named { .. } => match self.kind(schema) {
                Some(Kind::Struct(def)) => self.build_struct(def, schema, steps),
                Some(Kind::StringEnum(def)) => {
                    def.variants.first().map_or(Value::Null, |variant| json!(variant.wire))
                }
                Some(Kind::IntegerEnum(def)) => {
                    def.variants.first().map_or(Value::Null, |variant| json!(variant.wire))
                }
                Some(Kind::Union(def)) => self.build_union(def, steps),
                Some(Kind::Alias(schema)) => self.build(schema, steps),
                Some(Kind::Choice(choice)) => {
                    choice.variants.first().map_or(Value::Null, |variant| self.build(&variant.payload, steps))
                }
                None => Value::Null,
            },
        }
    }

    /// Returns the name of the entry at this index of a map.
    fn build_name(&self, names: Option<&NameRules>, position: u64) -> String {
        let plain = format!("key{}", position + 1);
        let Some(names) = names else { return plain };
        if let Some(Schema { ty: Type::Text(rules), allowed, .. }) = &names.each {
            let allowed = usize::try_from(position).ok().and_then(|position| allowed.get(position));
            return match allowed {
                Some(Literal::Text(text)) => text.clone(),
                _ => self.build_text(rules),
            };
        }
        let Some((pattern, _)) = names.patterns.first() else { return plain };
        let rules = TextRules { pattern: Some(*pattern), ..TextRules::default() };
        self.build_text(&rules)
    }

    fn build_struct(&self, def: &StructDef, schema: &Schema, steps: usize) -> Value {
        let mut object = Map::new();
        for field in def.fields.iter().filter(|field| field.required) {
            let example = field
                .docs
                .example
                .clone()
                .filter(|example| self.check(&field.schema, example, steps).is_ok());
            object.insert(field.wire.clone(), example.unwrap_or_else(|| self.build(&field.schema, steps)));
        }
        for rule in &def.rules {
            self.satisfy(rule, def, &mut object, steps);
        }
        let mut object = Value::Object(object);
        let also = self.named(schema).and_then(|def| self.api.json_schemas.get(def.also?.0));
        if let Some(also) = also {
            self.fulfil(&also.schema, def, &mut object, steps);
        }
        object
    }

    /// Adds the fields that a rule across fields requires.
    fn satisfy(&self, rule: &CrossRule, def: &StructDef, object: &mut Map<String, Value>, steps: usize) {
        let schema =
            |name: &String| def.fields.iter().find(|field| field.wire == *name).map(|field| &field.schema);
        match rule {
            CrossRule::AtLeastOne { fields, above, .. } => {
                let above = *above;
                if above.is_none() && fields.iter().any(|name| object.contains_key(name)) {
                    return;
                }
                if let Some((name, schema)) = fields.first().and_then(|name| Some((name, schema(name)?))) {
                    let mut value = self.build(schema, steps);
                    if let (Some(above), Some(found)) = (above, value.as_f64())
                        && found <= above
                    {
                        #[expect(clippy::cast_possible_truncation, reason = "an example is a small number")]
                        let whole = above.floor() as i64;
                        value = json!(whole.saturating_add(1));
                    }
                    object.insert(name.clone(), value);
                }
            }
            CrossRule::ExactlyOne { fields, .. } => {
                if fields.iter().any(|name| object.contains_key(name)) {
                    return;
                }
                if let Some((name, schema)) = fields.first().and_then(|name| Some((name, schema(name)?))) {
                    object.insert(name.clone(), self.build(schema, steps));
                }
            }
            CrossRule::TotalItems { fields, minimum: Some(minimum), .. } => {
                let first = fields.first().and_then(|name| Some((name, schema(name)?)));
                if let Some((name, Schema { ty: Type::Array(rules), .. })) = first {
                    let items =
                        (0..(*minimum).min(MAX_ITEMS)).map(|_| self.build(&rules.items, steps)).collect();
                    object.insert(name.clone(), Value::Array(items));
                }
            }
            CrossRule::When { require, when, .. } => {
                if when.iter().all(|(name, literal)| object.get(name) == Some(&value_of(literal))) {
                    object.extend(require.iter().map(|(name, literal)| (name.clone(), value_of(literal))));
                }
            }
            CrossRule::TotalItems { .. } | CrossRule::NotTogether { .. } => {}
        }
    }

    fn build_union(&self, def: &UnionDef, steps: usize) -> Value {
        let Some(first) = def.variants.first() else { return Value::Null };
        let mut value = self.build(&first.schema, steps);
        if let (Some(Discriminator { property, kind, values }), Value::Object(object)) =
            (&def.discriminator, &mut value)
            && let Some((tag, _)) = values.iter().find(|(_, position)| *position == 0)
        {
            object.insert(property.clone(), value_of(&kind.literal(tag)));
        }
        value
    }

    fn build_text(&self, rules: &TextRules) -> String {
        let plain = rules.checked_format().map_or("text", TextFormat::sample);
        let padded = pad(plain, rules);
        if self.check_text(rules, &padded).is_ok() {
            return padded;
        }
        let fits = |text: &String| self.check_text(rules, text).is_ok();
        TEXTS.iter().flat_map(|text| [(*text).to_owned(), pad(text, rules)]).find(fits).unwrap_or(padded)
    }
}

/// Pads the text with its last character, or truncates it, to an allowed length.
fn pad(text: &str, rules: &TextRules) -> String {
    let least = usize::try_from(rules.min_length.unwrap_or_default()).unwrap_or_default().min(4096);
    let most = usize::try_from(rules.max_length.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let last = text.chars().next_back().unwrap_or('a');
    let count = text.chars().count();
    let padding = std::iter::repeat_n(last, least.saturating_sub(count));
    text.chars().chain(padding).take(most).collect()
}

/// Returns another value of the same kind, for arrays with unique items.
fn vary(value: &Value, position: u64) -> Value {
    match value {
        Value::String(text) if position > 0 => json!(format!("{text}{}", position + 1)),
        Value::Number(number) if position > 0 => {
            number.as_u64().map_or_else(|| value.clone(), |number| json!(number.saturating_add(position)))
        }
        _ => value.clone(),
    }
}

fn build_integer(rules: &IntegerRules) -> Value {
    let least = rules.minimum.or(rules.exclusive_minimum.map(|bound| bound.saturating_add(1)));
    let most = rules.maximum.or(rules.exclusive_maximum.map(|bound| bound.saturating_sub(1)));
    let step = rules.multiple_of.unwrap_or(1).max(1);
    let from = least.unwrap_or_else(|| most.map_or(1, |most| most.min(1)));
    // The first multiple that is not less than the minimum.
    let value = from.checked_add(step - 1).map_or(from, |above| above - above.rem_euclid(step));
    let candidates = [1, value, from, 0];
    let value = candidates.into_iter().find(|value| rules.violated(*value).is_none()).unwrap_or(value);
    i64::try_from(value)
        .map_or_else(|_| u64::try_from(value).map_or(json!(0), |value| json!(value)), |value| json!(value))
}

fn build_number(rules: &NumberRules) -> Value {
    let low = rules.minimum.or(rules.exclusive_minimum);
    let high = rules.maximum.or(rules.exclusive_maximum);
    let middle = match (low, high) {
        (Some(low), Some(high)) => f64::midpoint(low, high),
        (Some(low), None) => low + 1.0,
        (None, Some(high)) => high - 1.0,
        (None, None) => 1.0,
    };
    let step = rules.multiple_of.unwrap_or(1.0);
    let candidates = [1.0, 0.5, middle, (middle / step).floor() * step, low.unwrap_or(0.0), 0.0];
    let value = candidates.into_iter().find(|value| rules.violated(*value).is_none()).unwrap_or(middle);
    json!(value)
}

pub(super) fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => json!(value),
        Literal::Integer(value) => {
            i64::try_from(*value).map_or_else(|_| json!(value.to_string()), |value| json!(value))
        }
        Literal::Number(value) => json!(value),
        Literal::Text(text) => json!(text),
        Literal::Json(value) => value.clone(),
    }
}
