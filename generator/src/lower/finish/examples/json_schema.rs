//! Examples of schemas that are more specific than their types, for example with `dependentRequired` or `if`.

use serde_json::Value;

use crate::{
    ir::{JsonSchema, Keyword, Kinds, StructDef},
    lower::finish::examples::{Examples, accepts::Violated, make::value_of},
};

impl Examples<'_> {
    /// Returns whether a schema applies to a value.
    ///
    /// `None` stands for keywords that the generator does not evaluate.
    pub fn applies(&self, schema: &JsonSchema, value: &Value, steps: usize) -> Option<bool> {
        let steps = steps.checked_sub(1)?;
        self.checks.set(self.checks.get().checked_sub(1)?);
        all(schema.0.iter().map(|keyword| self.keyword_applies(keyword, value, steps)))
    }

    fn keyword_applies(&self, keyword: &Keyword, value: &Value, steps: usize) -> Option<bool> {
        let here = |schema: &JsonSchema| self.applies(schema, value, steps);
        let has = |name: &String| !value.is_object() || value.get(name).is_some();
        match keyword {
            Keyword::False => Some(false),
            Keyword::Type(kinds) => Some(is_of(value, *kinds)),
            Keyword::Enum(allowed) => Some(allowed.iter().any(|literal| literal.is(value))),
            Keyword::Required(names) => Some(names.iter().all(has)),
            Keyword::Properties { listed, patterns, others } => {
                let found = listed.iter().filter_map(|(name, schema)| Some((schema, value.get(name)?)));
                let found = found.map(|(schema, value)| self.applies(schema, value, steps));
                let is_all = patterns.is_empty() && others.is_none();
                all(found.chain([is_all.then_some(true)]))
            }
            Keyword::DependentRequired(each) => {
                let mut given = each.iter().filter(|(name, _)| has(name));
                Some(given.all(|(_, names)| names.iter().all(has)))
            }
            Keyword::DependentSchemas(each) => {
                all(each.iter().filter(|(name, _)| has(name)).map(|(_, schema)| here(schema)))
            }
            Keyword::Ref(id) => here(&self.api.json_schemas.get(id.0)?.schema),
            Keyword::AllOf(schemas) => all(schemas.iter().map(here)),
            Keyword::AnyOf(schemas) => any(schemas.iter().map(here)),
            Keyword::OneOf(schemas) => {
                let found: Option<Vec<bool>> = schemas.iter().map(here).collect();
                found.map(|found| found.into_iter().filter(|applies| *applies).count() == 1)
            }
            Keyword::Not(schema) => here(schema).map(|applies| !applies),
            Keyword::If { condition, then, otherwise } => {
                let branch = if here(condition)? { then } else { otherwise };
                branch.as_deref().map_or(Some(true), here)
            }
            _ => None,
        }
    }

    /// Returns the first constraint of a schema that a value violates.
    pub fn violated(&self, schema: &JsonSchema, value: &Value, steps: usize) -> Violated {
        let Some(steps) = steps.checked_sub(1) else { return Violated::new("$ref") };
        let is_wrong = |keyword: &&Keyword| self.keyword_applies(keyword, value, steps) == Some(false);
        let mut parts = match schema.0.iter().find(is_wrong) {
            Some(Keyword::Required(names)) => {
                let missing = names.iter().find(|name| value.get(name).is_none());
                return missing.map_or_else(
                    || Violated::new("required"),
                    |name| Violated::of_property("required", name),
                );
            }
            Some(Keyword::Properties { listed, .. }) => {
                let inner = listed.iter().filter_map(|(name, schema)| Some((name, schema, value.get(name)?)));
                let wrong =
                    inner.filter(|(_, schema, value)| self.applies(schema, value, steps) == Some(false));
                let found =
                    wrong.map(|(name, schema, value)| self.violated(schema, value, steps).at(name)).next();
                return found.unwrap_or_else(|| Violated::new("properties"));
            }
            Some(Keyword::Ref(id)) => {
                self.api.json_schemas.get(id.0).map(|def| &def.schema).into_iter().collect()
            }
            Some(Keyword::AllOf(schemas)) => schemas.iter().collect::<Vec<_>>(),
            Some(keyword) => return Violated::new(keyword.name()),
            None => Vec::new(),
        }
        .into_iter();
        let wrong = parts.find(|part| self.applies(part, value, steps) == Some(false));
        wrong.map_or_else(|| Violated::new("allOf"), |part| self.violated(part, value, steps))
    }

    /// Changes an object so that a schema applies, for keywords where that is simple.
    pub fn fulfil(&self, schema: &JsonSchema, def: &StructDef, object: &mut Value, steps: usize) {
        let Some(steps) = steps.checked_sub(1) else { return };
        for keyword in &schema.0 {
            if self.keyword_applies(keyword, object, steps) == Some(false) {
                self.fulfil_keyword(keyword, def, object, steps);
            }
        }
    }

    fn fulfil_keyword(&self, keyword: &Keyword, def: &StructDef, object: &mut Value, steps: usize) {
        match keyword {
            Keyword::Required(names) => self.add(names, def, object, steps),
            Keyword::Properties { listed, .. } => {
                let wrong = listed.iter().filter(|(name, schema)| {
                    object.get(name).is_some_and(|value| self.applies(schema, value, steps) == Some(false))
                });
                for (name, schema) in wrong.collect::<Vec<_>>() {
                    let value = schema.0.iter().find_map(|keyword| match keyword {
                        Keyword::Enum(allowed) => allowed.first().map(value_of),
                        _ => None,
                    });
                    match (value, object.as_object_mut()) {
                        (Some(value), Some(object)) => drop(object.insert(name.clone(), value)),
                        _ => remove([name], def, object),
                    }
                }
            }
            Keyword::DependentRequired(each) => {
                for (_, names) in
                    each.iter().filter(|(name, _)| object.get(name).is_some()).collect::<Vec<_>>()
                {
                    self.add(names, def, object, steps);
                }
            }
            Keyword::DependentSchemas(each) => {
                for (_, schema) in
                    each.iter().filter(|(name, _)| object.get(name).is_some()).collect::<Vec<_>>()
                {
                    self.fulfil(schema, def, object, steps);
                }
            }
            Keyword::Ref(id) => {
                if let Some(target) = self.api.json_schemas.get(id.0) {
                    self.fulfil(&target.schema, def, object, steps);
                }
            }
            Keyword::AllOf(schemas) => schemas.iter().for_each(|it| self.fulfil(it, def, object, steps)),
            Keyword::AnyOf(schemas) | Keyword::OneOf(schemas) => {
                if !schemas.iter().any(|it| self.applies(it, object, steps) == Some(true))
                    && let Some(first) = schemas.first()
                {
                    self.fulfil(first, def, object, steps);
                }
            }
            Keyword::Not(schema) => {
                let mut names = Vec::new();
                schema.visit(&mut |keyword| match keyword {
                    Keyword::Required(required) => names.extend(required.clone()),
                    Keyword::Properties { listed, .. } => {
                        names.extend(listed.iter().map(|(name, _)| name.clone()));
                    }
                    _ => {}
                });
                remove(&names, def, object);
            }
            Keyword::If { condition, then, otherwise } => {
                let holds = self.applies(condition, object, steps) == Some(true);
                if let Some(schema) = if holds { then } else { otherwise } {
                    self.fulfil(schema, def, object, steps);
                }
            }
            _ => {}
        }
    }

    /// Adds the properties that an object lacks.
    fn add(&self, names: &[String], def: &StructDef, object: &mut Value, steps: usize) {
        let Some(object) = object.as_object_mut() else { return };
        for field in def.fields.iter().filter(|field| names.contains(&field.wire)) {
            if !object.contains_key(&field.wire) {
                object.insert(field.wire.clone(), self.build(&field.schema, steps));
            }
        }
    }
}

/// Removes the first of these properties that is optional.
fn remove<'n>(names: impl IntoIterator<Item = &'n String>, def: &StructDef, object: &mut Value) {
    let is_optional = |name: &&String| def.fields.iter().any(|field| field.wire == **name && !field.required);
    if let (Some(name), Some(object)) = (names.into_iter().find(is_optional), object.as_object_mut()) {
        object.remove(name);
    }
}

/// Returns whether all parts hold; `None` if that depends on an unknown one.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut whole = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return part,
            None => whole = None,
        }
    }
    whole
}

/// Returns whether any part holds; `None` if that depends on an unknown one.
fn any(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(parts.map(|part| part.map(|holds| !holds))).map(|none| !none)
}

fn is_of(value: &Value, kinds: Kinds) -> bool {
    match value {
        Value::Null => kinds.null,
        Value::Bool(_) => kinds.boolean,
        Value::Number(number) => {
            kinds.number || kinds.integer && number.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        Value::String(_) => kinds.string,
        Value::Array(_) => kinds.array,
        Value::Object(_) => kinds.object,
    }
}
