//! Sample values of a schema: what it lists, the limits of its keywords, and values of other types.
//!
//! Whether a value is valid is for the validator to say. The first value of each schema is one that should be.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value, json};

/// The number of values of a schema, by its depth in a value.
const MAX_VALUES: [usize; 6] = [200, 30, 20, 10, 6, 3];

/// The length up to which texts and arrays are made.
const MAX_LENGTH: u64 = 70;

/// Texts that match common formats and patterns.
const TEXTS: &str = "a A 1 abc a1 ABC x-a 0000 en-US USD a@b.example https://example.com/a /a \
    #000000 2024-01-01T00:00:00Z 2024-01-01 00000000-0000-4000-8000-000000000000 127.0.0.1 ::1 AAAA \
    1.0.0 +15550100 aaaaaaaa 0123456789abcdef";

/// The keywords that limit numbers.
const LIMITS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// The values of a document's schemas.
pub struct Values<'d> {
    root: &'d Value,
    known: RefCell<Known>,
}

/// The values of schemas, by their text and depth.
type Known = HashMap<(String, usize), Rc<Vec<Value>>>;

type Keywords = Map<String, Value>;

impl<'d> Values<'d> {
    pub fn new(root: &'d Value) -> Self {
        Self { root, known: RefCell::default() }
    }

    /// Returns the values of the schema at a JSON pointer.
    pub fn at(&self, pointer: &str) -> Rc<Vec<Value>> {
        self.of(&json!({ "$ref": format!("#{pointer}") }), 0)
    }

    /// Returns whether a schema says nothing about the type of its values.
    pub fn is_untyped(&self, pointer: &str) -> bool {
        let keywords = self.flat(&json!({ "$ref": format!("#{pointer}") }), 0);
        let is_union = ["oneOf", "anyOf", "enum", "const"].iter().any(|name| keywords.contains_key(*name));
        !is_union && types(&keywords).is_empty()
    }

    fn of(&self, schema: &Value, depth: usize) -> Rc<Vec<Value>> {
        let Some(most) = MAX_VALUES.get(depth) else { return Rc::default() };
        let key = (schema.to_string(), depth);
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let keywords = self.flat(schema, 0);
        let mut all = listed(&keywords);
        all.extend(self.alternatives(schema, &keywords, depth));
        let types = types(&keywords);
        for name in &types {
            match *name {
                "object" => all.extend(self.objects(&keywords, depth)),
                "array" => all.extend(self.arrays(&keywords, depth)),
                "string" => all.extend(texts(&keywords).into_iter().map(Value::from)),
                "integer" | "number" => all.extend(numbers(&keywords)),
                "boolean" => all.extend([json!(true), json!(false)]),
                _ => all.push(Value::Null),
            }
        }
        // Values of other types, and those that a condition lists, come early enough to remain.
        let mut others =
            vec![json!(null), json!("a"), json!(7), json!(true), json!([]), json!({}), json!(1.5)];
        for condition in ["not", "if"].iter().filter_map(|keyword| keywords.get(*keyword)) {
            let values = self.of(condition, depth + 1);
            others.extend(values.iter().take(4).cloned());
            all.extend(values.iter().skip(4).cloned());
        }
        let early = all.len().min(most / 2);
        all.splice(early..early, others);
        let mut seen = HashSet::new();
        all.retain(|value| seen.insert(value.to_string()));
        all.truncate(*most);
        let all = Rc::new(all);
        self.known.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    /// Returns the keywords of a schema, with those of its reference and of its `allOf`.
    fn flat(&self, schema: &Value, hops: usize) -> Keywords {
        let mut all = Keywords::new();
        let Value::Object(own) = schema else { return all };
        if hops > 8 {
            return all;
        }
        let parts = own.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for part in own.get("$ref").and_then(|it| self.target(it)).into_iter().chain(parts) {
            merge(&mut all, self.flat(part, hops + 1));
        }
        let own = own.iter().filter(|(name, _)| !["$ref", "allOf"].contains(&name.as_str()));
        merge(&mut all, own.map(|(name, value)| (name.clone(), value.clone())).collect());
        all
    }

    fn target(&self, reference: &Value) -> Option<&'d Value> {
        self.root.pointer(reference.as_str()?.strip_prefix('#')?)
    }

    /// Returns the values of the alternatives of a union, and of the subtypes of a base.
    fn alternatives(&self, schema: &Value, keywords: &Keywords, depth: usize) -> Vec<Value> {
        let lists = ["oneOf", "anyOf"].iter().filter_map(|name| keywords.get(*name)?.as_array());
        let mut branches: Vec<Value> = lists.flatten().cloned().collect();
        let discriminator = keywords.get("discriminator");
        if discriminator.is_some() && branches.is_empty() {
            branches = self.subtypes(schema);
        }
        let property = discriminator.and_then(|it| it.get("propertyName")).and_then(Value::as_str);
        let mapping = discriminator.and_then(|it| it.get("mapping")).and_then(Value::as_object);
        let own: Keywords = keywords
            .iter()
            .filter(|(name, _)| !["oneOf", "anyOf", "discriminator", "if", "not"].contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut all = Vec::new();
        for branch in &branches {
            let values = self.of(&json!({ "allOf": [own, branch] }), depth + 1);
            if let Some(property) = property {
                let name = branch.get("$ref").and_then(Value::as_str).and_then(|it| it.rsplit('/').next());
                let leads_here = |to: &Value| to.as_str().and_then(|it| it.rsplit('/').next()) == name;
                let tags = mapping
                    .into_iter()
                    .flatten()
                    .filter(|(_, to)| leads_here(to))
                    .map(|(tag, _)| tag.as_str());
                for tag in tags.chain(name).chain(["unlisted"]) {
                    let objects = values.iter().filter_map(Value::as_object).take(12);
                    all.extend(objects.map(|value| with(value, property, json!(tag))));
                }
            }
            all.extend(values.iter().cloned());
        }
        all
    }

    /// Returns references to the components that extend the component of a reference by `allOf`.
    fn subtypes(&self, schema: &Value) -> Vec<Value> {
        let mut schema = schema;
        while let Some(inner) =
            schema.get("$ref").and_then(|it| self.target(it)).filter(|it| it.get("$ref").is_some())
        {
            schema = inner;
        }
        let components = self.root.pointer("/components/schemas").and_then(Value::as_object);
        let extends = |other: &Value| {
            let parts = other.get("allOf").and_then(Value::as_array).into_iter().flatten();
            parts.into_iter().any(|part| part.get("$ref").is_some() && part.get("$ref") == schema.get("$ref"))
        };
        let subtypes = components.into_iter().flatten().filter(|(_, other)| extends(other));
        subtypes.map(|(name, _)| json!({ "$ref": format!("#/components/schemas/{name}") })).collect()
    }

    fn arrays(&self, keywords: &Keywords, depth: usize) -> Vec<Value> {
        let of = |name: &str| keywords.get(name).map(|schema| self.of(schema, depth + 1));
        let prefix: Vec<Rc<Vec<Value>>> = keywords
            .get("prefixItems")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|schema| self.of(schema, depth + 1))
            .collect();
        let items =
            of("items").or_else(|| of("contains")).unwrap_or_else(|| Rc::new(vec![json!("a"), json!("b")]));
        let start: Vec<Value> = prefix.iter().filter_map(|values| values.first().cloned()).collect();
        let sized = |count: u64, is_same: bool| -> Value {
            let rest = (start.len()..usize::try_from(count).unwrap_or_default())
                .filter_map(|index| items.get(if is_same { 0 } else { index % items.len().max(1) }).cloned());
            start.iter().take(usize::try_from(count).unwrap_or_default()).cloned().chain(rest).collect()
        };
        let mut all = vec![sized(start.len() as u64 + 1, true)];
        for count in around(keywords, &["minItems", "maxItems", "minContains", "maxContains"]) {
            all.extend([sized(count, false), sized(count, true)]);
        }
        all.extend([json!([]), sized(2, true), sized(2, false)]);
        all.extend(items.iter().map(|item| start.iter().chain([item]).cloned().collect()));
        for (index, values) in prefix.iter().enumerate() {
            all.extend(values.iter().map(|value| {
                let mut tuple = start.clone();
                tuple.splice(index..=index, [value.clone()]);
                Value::from(tuple)
            }));
        }
        all.extend(of("contains").iter().flat_map(|it| it.iter()).map(|it| json!([it, it])));
        all
    }

    fn objects(&self, keywords: &Keywords, depth: usize) -> Vec<Value> {
        let described = keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
        let properties: Vec<(&str, Rc<Vec<Value>>)> =
            described.map(|(name, schema)| (name.as_str(), self.of(schema, depth + 1))).collect();
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let first =
            |name: &str| properties.iter().find(|(own, _)| *own == name).and_then(|(_, it)| it.first());
        let least: Keywords = required
            .iter()
            .map(|name| ((*name).to_owned(), first(name).cloned().unwrap_or_else(|| json!("a"))))
            .collect();
        let mut full = least.clone();
        for (name, values) in &properties {
            full.extend(values.first().map(|value| ((*name).to_owned(), value.clone())));
        }
        let mut all = vec![Value::from(least.clone()), Value::from(full.clone()), json!({})];
        all.extend(full.keys().map(|name| without(&full, name)));
        all.extend(required.iter().map(|name| without(&least, name)));
        let (values, names) = self.additional(keywords, depth);
        for name in &names {
            all.extend(values.first().map(|value| with(&least, name, value.clone())));
        }
        for count in around(keywords, &["minProperties", "maxProperties"]) {
            let mut sized = least.clone();
            let count = usize::try_from(count).unwrap_or_default();
            for name in full.keys().cloned().chain((0..count).map(|index| format!("extra{index}"))) {
                if sized.len() < count {
                    let value = full.get(&name).or(values.first()).cloned().unwrap_or_default();
                    sized.insert(name, value);
                }
            }
            all.push(sized.into());
        }
        all.extend(values.iter().map(|value| with(&full, "extra", value.clone())));
        let patterns = keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        for (pattern, schema) in patterns {
            let name =
                texts(&[("pattern".to_owned(), json!(pattern))].into_iter().collect()).into_iter().next();
            let values = self.of(schema, depth + 1);
            all.extend(
                values.iter().map(|value| with(&least, name.as_deref().unwrap_or("a"), value.clone())),
            );
        }
        // The values of all properties alternate, so that each has some among the first.
        let longest = properties.iter().map(|(_, values)| values.len()).max().unwrap_or_default();
        for index in 0..longest {
            for (name, values) in &properties {
                all.extend(values.get(index).map(|value| with(&least, name, value.clone())));
            }
        }
        all
    }

    /// Returns values and names of additional properties.
    fn additional(&self, keywords: &Keywords, depth: usize) -> (Vec<Value>, Vec<String>) {
        let schema = keywords.get("additionalProperties").or_else(|| keywords.get("unevaluatedProperties"));
        let mut values = schema.map(|schema| self.of(schema, depth + 1).to_vec()).unwrap_or_default();
        if values.is_empty() {
            values = vec![json!("a"), json!(1)];
        }
        let mut names =
            vec!["extra".to_owned(), "x-extra".to_owned(), "2".to_owned(), "LONGER_NAME".to_owned()];
        let described = keywords.get("propertyNames").map(|schema| self.of(schema, depth + 1));
        names.extend(described.iter().flat_map(|it| it.iter()).filter_map(Value::as_str).map(str::to_owned));
        (values, names)
    }
}

/// Adds keywords to others: both properties and both requirements, and the later one of the rest.
fn merge(all: &mut Keywords, more: Keywords) {
    for (name, value) in more {
        match (all.get_mut(&name), value) {
            (Some(Value::Object(all)), Value::Object(more)) if name == "properties" => {
                for (name, schema) in more {
                    let both = all.remove(&name).map(|other| json!({ "allOf": [other, schema] }));
                    all.insert(name, both.unwrap_or(schema));
                }
            }
            (Some(Value::Array(all)), Value::Array(more)) if name == "required" => all.extend(more),
            (_, value) => drop(all.insert(name, value)),
        }
    }
}

/// Returns the values that a schema names, and one that it does not.
fn listed(keywords: &Keywords) -> Vec<Value> {
    let list = |name: &str| keywords.get(name).and_then(Value::as_array).into_iter().flatten().cloned();
    let one = |name: &str| keywords.get(name).cloned();
    let mut all: Vec<Value> = one("const").into_iter().chain(list("enum")).collect();
    if !all.is_empty() {
        all.push(json!("unlisted"));
        all.push(json!(987));
    }
    all.extend(list("examples").chain(one("example")).chain(one("default")));
    all
}

/// Returns the types of a schema, or those that its keywords are about.
fn types(keywords: &Keywords) -> Vec<&str> {
    match keywords.get("type") {
        Some(Value::String(name)) => return vec![name],
        Some(Value::Array(names)) => return names.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let has = |names: &[&str]| names.iter().any(|name| keywords.contains_key(*name));
    let mut all = Vec::new();
    if has(&[
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "unevaluatedProperties",
    ]) {
        all.push("object");
    }
    if has(&["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"]) {
        all.push("array");
    }
    if has(&["minLength", "maxLength", "pattern", "format"]) {
        all.push("string");
    }
    if has(&LIMITS) {
        all.push("number");
    }
    all
}

fn texts(keywords: &Keywords) -> Vec<String> {
    let mut all: Vec<String> = TEXTS.split(' ').map(str::to_owned).collect();
    let sizes = around(keywords, &["minLength", "maxLength"]);
    all.extend(
        sizes
            .iter()
            .flat_map(|size| ["a", "1"].map(|text| text.repeat(usize::try_from(*size).unwrap_or_default()))),
    );
    all.push(String::new());
    // The limits of dates.
    all.extend(
        keywords
            .iter()
            .filter(|(name, _)| name.starts_with("format"))
            .filter_map(|(_, it)| it.as_str())
            .map(str::to_owned),
    );
    valid_first(&mut all, keywords, |name| ["pattern", "format", "minLength", "maxLength"].contains(&name));
    all
}

/// Sorts values that are valid for some keywords before others.
fn valid_first<T: Clone + Into<Value>>(all: &mut [T], keywords: &Keywords, is_rule: impl Fn(&str) -> bool) {
    let mut rules = keywords.clone();
    // OpenAPI 3.0 has a flag next to a limit.
    rules.retain(|name, value| is_rule(name) && !value.is_boolean());
    if rules.is_empty() {
        return;
    }
    if let Ok(validator) = jsonschema::options().should_validate_formats(true).build(&rules.into()) {
        all.sort_by_key(|value| !validator.is_valid(&value.clone().into()));
    }
}

fn numbers(keywords: &Keywords) -> Vec<Value> {
    let limits: Vec<f64> = LIMITS.iter().filter_map(|name| keywords.get(*name)?.as_f64()).collect();
    let near = limits.iter().flat_map(|limit| [0.0, 1.0, -1.0, 0.5, -0.5].map(|step| limit + step));
    let multiples = limits.iter().flat_map(|limit| [limit * 2.0, limit * 3.0, limit * 12.0]);
    let mut all: Vec<f64> = vec![1.0, 2.0, 6.0];
    all.extend(near.chain(multiples));
    all.extend([0.0, -1.0, 7.0, 1.5, 65_536.0, 2_147_483_648.0, 4_294_967_296.0]);
    let value = |number: f64| match number.fract() == 0.0 && number.abs() < 1e15 {
        true => json!(number as i64),
        false => json!(number),
    };
    let mut all: Vec<Value> = all.into_iter().map(value).collect();
    all.extend([json!(u64::MAX), json!(1e30)]);
    valid_first(&mut all, keywords, |name| LIMITS.contains(&name));
    all
}

/// Returns the sizes at and next to the limits that some keywords set.
fn around(keywords: &Keywords, names: &[&str]) -> Vec<u64> {
    let limits = names.iter().filter_map(|name| keywords.get(*name)?.as_u64());
    let mut sizes: Vec<u64> =
        limits.flat_map(|it| [it, it.saturating_sub(1), it.saturating_add(1)]).collect();
    sizes.retain(|size| *size <= MAX_LENGTH);
    sizes
}

fn with(object: &Keywords, name: &str, value: Value) -> Value {
    let mut object = object.clone();
    object.insert(name.to_owned(), value);
    object.into()
}

fn without(object: &Keywords, name: &str) -> Value {
    let mut object = object.clone();
    object.remove(name);
    object.into()
}
