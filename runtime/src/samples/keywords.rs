//! Values from the rows of JSON Schema.
//!
//! The keywords of all schemas that apply are collected: of each alternative, one branch. What excludes values (`not`,
//! the other branches of a `oneOf`) is left to the check of the finished value.

use serde_json::Map;

use super::make::{Maker, json};
use super::number;
use super::text;
use crate::codec::Kinds;
use crate::table::{Integer, JsonSchema, Keyword, Literal, Number, Text, Width};
use crate::types::Value;

/// The number of tries for a string within the limits of its format.
const TRIES: usize = 16;

/// The number of nested schemas that are collected.
const DEEPEST: usize = 64;

/// The order in which kinds are tried.
const KINDS: [Kinds; 7] =
    [Kinds::OBJECT, Kinds::ARRAY, Kinds::STRING, Kinds::INTEGER, Kinds::NUMBER, Kinds::BOOLEAN, Kinds::NULL];

impl Maker<'_> {
    /// Makes a value that probably satisfies several schemas.
    pub(super) fn by_all(&mut self, schemas: &[&'static JsonSchema]) -> Option<Value> {
        self.inside(|maker| {
            let mut found = Vec::new();
            for schema in schemas {
                maker.collect(schema, 0, &mut found);
            }
            maker.satisfying(&found)
        })
    }

    fn collect(&mut self, schema: &'static JsonSchema, depth: usize, found: &mut Vec<&'static Keyword>) {
        if depth > DEEPEST {
            return;
        }
        for keyword in schema.0 {
            match keyword {
                Keyword::Ref(schema) => self.collect(schema, depth + 1, found),
                Keyword::AllOf(all) => all.iter().for_each(|schema| self.collect(schema, depth + 1, found)),
                Keyword::AnyOf(branches) | Keyword::OneOf(branches) => {
                    // The last branches of a deep value are more often the simple ones.
                    if let Some(branch) = self.random.pick(branches) {
                        self.collect(branch, depth + 1, found);
                    }
                }
                Keyword::If { condition, then, otherwise } => {
                    let mut applied = vec![*otherwise];
                    if self.random.once_in(2) {
                        applied = vec![Some(*condition), *then];
                    }
                    applied.into_iter().flatten().for_each(|schema| self.collect(schema, depth + 1, found));
                }
                _ => found.push(keyword),
            }
        }
    }

    fn satisfying(&mut self, found: &[&'static Keyword]) -> Option<Value> {
        let lists: Vec<&'static [Literal]> = found
            .iter()
            .filter_map(|keyword| match keyword {
                Keyword::Enum(list) => Some(*list),
                _ => None,
            })
            .collect();
        if let Some((first, others)) = lists.split_first() {
            let common: Vec<&Literal> =
                first.iter().filter(|it| others.iter().all(|list| list.contains(it))).collect();
            return self.random.pick(&common).map(|literal| json(literal));
        }
        let mut kinds = self.kinds(found);
        let kind = self.random.take(&mut kinds)?;
        match kind {
            Kinds::NULL => Some(Value::Null),
            Kinds::BOOLEAN => Some(self.random.once_in(2).into()),
            Kinds::INTEGER => {
                let value = number::integer(&integers(found), self.random)?;
                Some(self.spelled(value))
            }
            Kinds::NUMBER => {
                let value = number::number(&numbers(found), self.random)?;
                Some(number::json_number(value, self.random))
            }
            Kinds::STRING => self.text_within(found).map(Value::from),
            Kinds::ARRAY => self.list(found),
            _ => self.map(found),
        }
    }

    /// Returns the kinds that the value may have; those that the keywords are about, if any is possible.
    fn kinds(&self, found: &[&'static Keyword]) -> Vec<Kinds> {
        let mut kinds = KINDS.to_vec();
        let mut is_typed = false;
        for keyword in found {
            match keyword {
                Keyword::False => kinds.clear(),
                Keyword::Type(allowed) => {
                    kinds.retain(|kind| allowed.contains(*kind));
                    is_typed = true;
                }
                _ => {}
            }
        }
        let about: Vec<Kinds> = found.iter().filter_map(|keyword| keyword.subject()).collect();
        if !is_typed && kinds.iter().any(|kind| about.contains(kind)) {
            kinds.retain(|kind| about.contains(kind));
        }
        if self.prefers_small() && kinds.len() > 1 {
            kinds.retain(|kind| !matches!(*kind, Kinds::OBJECT | Kinds::ARRAY));
        }
        kinds
    }

    /// Makes a string within the limits of its format: often a limit itself.
    fn text_within(&mut self, found: &[&'static Keyword]) -> Option<String> {
        let limits: Vec<&str> = found
            .iter()
            .filter_map(|keyword| match keyword {
                Keyword::FormatMinimum(Literal::Text(limit))
                | Keyword::FormatMaximum(Literal::Text(limit)) => Some(*limit),
                _ => None,
            })
            .collect();
        let rules = texts(found);
        (0..TRIES).find_map(|index| {
            let text = match self.random.pick(&limits) {
                Some(limit) if index % 2 == 1 => (*limit).to_owned(),
                _ => text::text(&rules, self.random)?,
            };
            found.iter().all(|keyword| keyword.is_within(&text)).then_some(text)
        })
    }

    fn list(&mut self, found: &[&'static Keyword]) -> Option<Value> {
        let (mut least, mut most, mut is_unique, mut wanted) = (0, u64::MAX, false, Vec::new());
        for keyword in found {
            match keyword {
                Keyword::MinItems(limit) => least = least.max(*limit),
                Keyword::MaxItems(limit) => most = most.min(*limit),
                Keyword::UniqueItems => is_unique = true,
                Keyword::Contains { schema, minimum, .. } => {
                    least = least.max(*minimum);
                    wanted.extend((0..(*minimum).min(16)).map(|_| *schema));
                }
                _ => {}
            }
        }
        self.items((least, most), is_unique, |maker, index| {
            let mut schemas = of_item(found, index);
            schemas.extend(wanted.get(index).copied());
            maker.by_all(&schemas)
        })
    }

    fn map(&mut self, found: &[&'static Keyword]) -> Option<Value> {
        let (mut names, mut least, mut known) = (Vec::new(), 0, Vec::new());
        for keyword in found {
            match keyword {
                Keyword::Required(required) => names.extend(required.iter().map(|name| (*name).to_owned())),
                Keyword::MinProperties(limit) => least = least.max(*limit),
                Keyword::Properties { listed, .. } => known.extend(listed.iter().map(|(name, _)| *name)),
                _ => {}
            }
        }
        let density = if self.prefers_small() { 0 } else { self.random.below(5) };
        let optional: Vec<&str> = known.into_iter().filter(|_| self.random.below(4) < density).collect();
        names.extend(optional.into_iter().map(str::to_owned));
        for keyword in found {
            if let Keyword::DependentRequired(lists) = keyword {
                let needed = lists.iter().filter(|(name, _)| names.iter().any(|it| it == name));
                let needed: Vec<String> =
                    needed.flat_map(|(_, needed)| needed.iter().map(|name| (*name).to_owned())).collect();
                names.extend(needed);
            }
        }
        for _ in (names.len() as u64)..least.min(32) {
            names.push(self.name_by(found));
        }
        let required = |name: &str| {
            found.iter().any(|keyword| matches!(keyword, Keyword::Required(list) if list.contains(&name)))
        };
        let mut fields = Map::new();
        for name in names {
            if fields.contains_key(&name) {
                continue;
            }
            match self.by_all(&of_property(found, &name)) {
                Some(value) => drop(fields.insert(name, value)),
                None if required(&name) => return None,
                None => {}
            }
        }
        Some(fields.into())
    }

    /// Returns a name for another property.
    fn name_by(&mut self, found: &[&'static Keyword]) -> String {
        let patterns = found.iter().find_map(|keyword| match keyword {
            Keyword::Properties { patterns, .. } => self.random.pick(patterns),
            _ => None,
        });
        let by_pattern = patterns.and_then(|(pattern, _)| super::pattern::text(pattern, 4, self.random));
        by_pattern.unwrap_or_else(|| self.name())
    }
}

/// Returns the schemas of an item.
fn of_item(found: &[&'static Keyword], index: usize) -> Vec<&'static JsonSchema> {
    let of = |keyword: &&'static Keyword| match keyword {
        Keyword::Items { prefix, others } => prefix.get(index).copied().or(*others),
        _ => None,
    };
    found.iter().filter_map(of).collect()
}

/// Returns the schemas of a property.
fn of_property(found: &[&'static Keyword], name: &str) -> Vec<&'static JsonSchema> {
    let mut schemas = Vec::new();
    for keyword in found {
        let Keyword::Properties { listed, patterns, others } = keyword else { continue };
        let before = schemas.len();
        schemas.extend(listed.iter().filter(|(it, _)| *it == name).map(|(_, schema)| *schema));
        schemas.extend(patterns.iter().filter(|(it, _)| it.is_match(name)).map(|(_, schema)| *schema));
        if schemas.len() == before {
            schemas.extend(*others);
        }
    }
    schemas
}

fn texts(found: &[&'static Keyword]) -> Text {
    let mut rules = Text::ANY;
    for keyword in found {
        match keyword {
            Keyword::MinLength(limit) => rules.min_length = rules.min_length.max(Some(*limit)),
            Keyword::MaxLength(limit) => {
                rules.max_length = Some(rules.max_length.map_or(*limit, |it| it.min(*limit)));
            }
            Keyword::Pattern(pattern) => rules.pattern = Some(pattern),
            Keyword::Format(format) => rules.format = Some(*format),
            _ => {}
        }
    }
    rules
}

/// Returns the bounds of numbers.
fn numbers(found: &[&'static Keyword]) -> Number {
    let mut rules = Number::ANY;
    let larger =
        |one: Option<f64>, other: &Literal| [one, float(other)].into_iter().flatten().reduce(f64::max);
    let smaller =
        |one: Option<f64>, other: &Literal| [one, float(other)].into_iter().flatten().reduce(f64::min);
    for keyword in found {
        match keyword {
            Keyword::Minimum(bound) => rules.minimum = larger(rules.minimum, bound),
            Keyword::ExclusiveMinimum(bound) => {
                rules.exclusive_minimum = larger(rules.exclusive_minimum, bound);
            }
            Keyword::Maximum(bound) => rules.maximum = smaller(rules.maximum, bound),
            Keyword::ExclusiveMaximum(bound) => {
                rules.exclusive_maximum = smaller(rules.exclusive_maximum, bound);
            }
            Keyword::MultipleOf(step) => rules.multiple_of = float(step),
            _ => {}
        }
    }
    rules
}

/// Returns the bounds of integers.
fn integers(found: &[&'static Keyword]) -> Integer {
    let rules = numbers(found);
    let up = |bound: f64| bound.ceil() as i128;
    let down = |bound: f64| bound.floor() as i128;
    Integer {
        width: Width::I64,
        minimum: rules.minimum.map(up),
        exclusive_minimum: rules.exclusive_minimum.map(down),
        maximum: rules.maximum.map(down),
        exclusive_maximum: rules.exclusive_maximum.map(up),
        multiple_of: rules.multiple_of.filter(|step| step.fract() == 0.0).map(|step| step as i128),
        closed: false,
    }
}

const fn float(literal: &Literal) -> Option<f64> {
    match *literal {
        Literal::Integer(value) => Some(value as f64),
        Literal::Number(value) => Some(value),
        _ => None,
    }
}
