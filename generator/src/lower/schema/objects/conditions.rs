//! Conditions: keywords that test the presence or the value of an object's properties.
//!
//! The keywords are `not`, `if`, `dependentRequired`, `dependentSchemas` and alternatives of `required`.

use std::collections::HashSet;

use crate::{
    document::NodeRef,
    ir::{Condition, CrossRule, Literal},
    lower::{
        resolver::{
            flat::{Assertion, Flat},
            literal::literal,
            nullable::is_null,
            trivial::{accepts_all, is_never},
        },
        schema::{objects::restated::is_restated, state::Schemas},
    },
};

/// The maximum nesting depth of conditions. Deeper ones are left to the schema itself (`says_more`).
const MAX_STEPS: usize = 8;

/// The maximum number of conditions of one object.
///
/// Each condition adds lines to the generated code.
const MAX_RULES: usize = 2000;

impl<'d> Schemas<'d, '_> {
    /// Returns the conditions of an object that are rules over its fields.
    ///
    /// Conditions that restate a rule of `x-rules` are skipped.
    pub fn conditions_of(&mut self, flat: &Flat<'d>) -> Vec<CrossRule> {
        let mut rules = Vec::new();
        for assertion in flat.assertions.iter().filter(|assertion| !is_restated(assertion, flat)) {
            for found in asserted(assertion, flat) {
                match found {
                    Some(condition) => add_rules(condition, &mut rules),
                    None => self.says_more = true,
                }
            }
        }
        let mut seen = HashSet::with_capacity(rules.len());
        rules.retain(|rule| seen.insert(format!("{rule:?}")));
        if rules.len() > MAX_RULES {
            self.says_more = true;
            rules.truncate(MAX_RULES);
        }
        rules
    }

    /// Notes that the conditions on a schema that is not a struct have no rows.
    pub fn without_conditions(&mut self, flat: &Flat<'d>) {
        for Assertion { keyword, node, .. } in &flat.assertions {
            let is_void = *keyword == "not" && is_null(node) && flat.kinds.is_some() && !flat.nullable;
            self.says_more |= !is_void;
        }
    }
}

/// Returns whether a schema only states which properties are required.
pub(in crate::lower) fn speaks_of_presence(node: NodeRef<'_>) -> bool {
    says_presence(node, MAX_STEPS) && node.entries().any(|(name, _)| SPEAKING.contains(&name))
}

/// The keywords that state which properties are required.
const SPEAKING: &[&str] =
    &["required", "not", "anyOf", "oneOf", "allOf", "maxProperties", "dependentRequired"];

fn says_presence(node: NodeRef<'_>, steps: usize) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    node.is_object()
        && node.entries().all(|(name, value)| match name {
            "required" => value.items().iter().all(|item| item.as_str().is_some()),
            "dependentRequired" | "title" | "description" => true,
            "type" => value.as_str() == Some("object"),
            "not" => says_presence(value, steps),
            "anyOf" | "oneOf" | "allOf" => value.items().iter().all(|one| says_presence(one, steps)),
            "maxProperties" => value.as_u64() == Some(0),
            "properties" => value.entries().all(|(_, schema)| accepts_all(schema) || is_never(schema)),
            _ => name.starts_with("x-"),
        })
}

/// Returns the conditions of a keyword. `None` stands for one that is no rule over fields.
fn asserted<'d>(assertion: &Assertion<'d>, flat: &Flat<'d>) -> Vec<Option<Condition>> {
    let Assertion { keyword, node, schema } = *assertion;
    let reader = Asserted { flat };
    match keyword {
        "if" => {
            let when = reader.schema(node, MAX_STEPS);
            let branch = |name: &str, when: Option<Condition>| {
                let node = schema.get(name)?;
                Some(reader.schema(node, MAX_STEPS).and_then(|then| Some(implies(when?, then))))
            };
            let then = branch("then", when.clone());
            let otherwise = branch("else", when.map(not));
            then.into_iter().chain(otherwise).collect()
        }
        "dependentRequired" | "dependentSchemas" | "dependencies" => node
            .entries()
            .map(|(name, wanted)| {
                let then = if wanted.is_array() {
                    reader.required(wanted)
                } else {
                    reader.schema(wanted, MAX_STEPS)
                };
                reader.given(name).and_then(|when| Some(implies(when, then?)))
            })
            .collect(),
        _ => vec![reader.keyword(keyword, node, schema, MAX_STEPS)],
    }
}

/// Adds a condition as separate rules, so that each violation is reported separately.
fn add_rules(condition: Condition, rules: &mut Vec<CrossRule>) {
    match condition {
        Condition::All(several) => several.into_iter().for_each(|one| add_rules(one, rules)),
        Condition::If(when, then) => match *then {
            Condition::All(several) => {
                for then in several {
                    add_rules(Condition::If(when.clone(), Box::new(then)), rules);
                }
            }
            then => push(Condition::If(when, Box::new(then)), rules),
        },
        condition => push(condition, rules),
    }
}

fn push(condition: Condition, rules: &mut Vec<CrossRule>) {
    let subject = match &condition {
        Condition::If(_, then) => then.fields(),
        condition => condition.fields(),
    };
    let Some(name) = subject.first().or(condition.fields().first()).map(|name| (*name).to_owned()) else {
        return;
    };
    rules.push(CrossRule::Holds { name, condition });
}

/// Reads schemas as conditions over the fields of one object.
struct Asserted<'f, 'd> {
    flat: &'f Flat<'d>,
}

impl<'d> Asserted<'_, 'd> {
    /// Returns the condition that a schema states on the object, if it is fully supported.
    fn schema(&self, node: NodeRef<'d>, steps: usize) -> Option<Condition> {
        let steps = steps.checked_sub(1)?;
        if is_never(node) {
            return Some(Condition::Any(Vec::new()));
        }
        if node.as_bool() == Some(true) {
            return Some(Condition::All(Vec::new()));
        }
        if !node.is_object() {
            return None;
        }
        let parts = node.entries().map(|(name, value)| self.keyword(name, value, node, steps));
        Some(all(parts.collect::<Option<Vec<_>>>()?))
    }

    fn keyword(&self, name: &str, node: NodeRef<'d>, schema: NodeRef<'d>, steps: usize) -> Option<Condition> {
        let several = |node: NodeRef<'d>| -> Option<Vec<Condition>> {
            node.items().iter().map(|one| self.schema(one, steps)).collect()
        };
        Some(match name {
            "required" => self.required(node)?,
            "properties" => {
                let each = node.entries().map(|(name, schema)| self.property(name, schema, steps));
                all(each.collect::<Option<Vec<_>>>()?)
            }
            "not" => not(self.schema(node, steps)?),
            "allOf" => all(several(node)?),
            "anyOf" => any(several(node)?),
            "oneOf" => one(several(node)?),
            "if" => {
                let when = self.schema(node, steps)?;
                let branch = |name: &str| {
                    schema.get(name).map_or(Some(all(Vec::new())), |branch| self.schema(branch, steps))
                };
                all(vec![implies(when.clone(), branch("then")?), implies(not(when), branch("else")?)])
            }
            "dependentRequired" => {
                let each = node
                    .entries()
                    .map(|(name, wanted)| Some(implies(self.given(name)?, self.required(wanted)?)));
                all(each.collect::<Option<Vec<_>>>()?)
            }
            // Without other properties, those with a name are all.
            "maxProperties" if node.as_u64() == Some(0) && self.is_closed() => {
                let given = |name: &&str| Condition::Given((*name).to_owned());
                not(any(self.flat.properties.keys().map(given).collect()))
            }
            "type" if node.as_str() == Some("object") => all(Vec::new()),
            "then" | "else" | "title" | "description" => all(Vec::new()),
            _ if name.starts_with("x-") => all(Vec::new()),
            _ => return None,
        })
    }

    const fn is_closed(&self) -> bool {
        self.flat.closed && self.flat.pattern_properties.is_empty()
    }

    fn required(&self, node: NodeRef<'d>) -> Option<Condition> {
        let each = node.items().iter().map(|item| self.given(item.as_str()?));
        Some(all(each.collect::<Option<Vec<_>>>()?))
    }

    fn given(&self, name: &str) -> Option<Condition> {
        self.flat.properties.contains_key(name).then(|| Condition::Given(name.to_owned()))
    }

    /// Returns the condition on a property that is present.
    fn property(&self, name: &str, schema: NodeRef<'d>, steps: usize) -> Option<Condition> {
        if accepts_all(schema) {
            return Some(all(Vec::new()));
        }
        let given = self.given(name)?;
        if is_never(schema) {
            return Some(not(given));
        }
        Some(implies(given, self.value(name, schema, steps)?))
    }

    /// Returns the condition on the value of a property.
    fn value(&self, name: &str, schema: NodeRef<'d>, steps: usize) -> Option<Condition> {
        let steps = steps.checked_sub(1)?;
        let is = |value: NodeRef<'_>| Condition::Is(name.to_owned(), literal(value));
        let parts = schema.entries().map(|(keyword, node)| match keyword {
            "const" => Some(is(node)),
            "enum" => Some(any(node.items().iter().map(is).collect())),
            "not" => self.value(name, node, steps).map(not),
            "type" if node.as_str() == Some("null") => Some(Condition::Is(name.to_owned(), Literal::Null)),
            // The property's own schema already checks the type.
            "type" if schema.get("const").or_else(|| schema.get("enum")).is_some() => Some(all(Vec::new())),
            "title" | "description" => Some(all(Vec::new())),
            _ => None,
        });
        Some(all(parts.collect::<Option<Vec<_>>>()?))
    }
}

fn all(conditions: Vec<Condition>) -> Condition {
    let mut flat = Vec::with_capacity(conditions.len());
    for condition in conditions {
        match condition {
            Condition::All(inner) => flat.extend(inner),
            condition => flat.push(condition),
        }
    }
    only(tightened(flat), Condition::All)
}

/// Removes implied conditions, such as `required` next to a condition on the value.
fn tightened(mut conditions: Vec<Condition>) -> Vec<Condition> {
    let given: HashSet<String> = conditions
        .iter()
        .filter_map(|one| match one {
            Condition::Given(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    for condition in &mut conditions {
        if let Condition::If(when, then) = condition
            && matches!(&**when, Condition::Given(name) if given.contains(name))
        {
            *condition = (**then).clone();
        }
    }
    let valued: HashSet<String> = conditions
        .iter()
        .filter_map(|one| match one {
            Condition::Is(name, _) => Some(name.clone()),
            _ => None,
        })
        .collect();
    conditions.retain(|one| !matches!(one, Condition::Given(name) if valued.contains(name)));
    conditions
}

fn any(conditions: Vec<Condition>) -> Condition {
    let holds_always = |condition: &Condition| matches!(condition, Condition::All(all) if all.is_empty());
    if conditions.iter().any(holds_always) {
        return Condition::All(Vec::new());
    }
    only(conditions, Condition::Any)
}

fn one(conditions: Vec<Condition>) -> Condition {
    only(conditions, Condition::One)
}

/// Returns the only condition, or joins several.
fn only(mut conditions: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            conditions.push(last);
            join(conditions)
        }
        (None, _) => join(conditions),
    }
}

fn not(condition: Condition) -> Condition {
    match condition {
        Condition::Not(inner) => *inner,
        Condition::All(all) if all.is_empty() => Condition::Any(Vec::new()),
        Condition::Any(any) if any.is_empty() => Condition::All(Vec::new()),
        condition => Condition::Not(Box::new(condition)),
    }
}

fn implies(when: Condition, then: Condition) -> Condition {
    match (when, then) {
        (Condition::All(all), then) if all.is_empty() => then,
        (Condition::Any(any), _) if any.is_empty() => Condition::All(Vec::new()),
        (_, Condition::All(all)) if all.is_empty() => Condition::All(all),
        (when, Condition::Any(any)) if any.is_empty() => not(when),
        (when, then) => Condition::If(Box::new(when), Box::new(then)),
    }
}
