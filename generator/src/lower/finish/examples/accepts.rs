//! Checks examples against schemas as far as possible without the generated code.

use std::collections::HashSet;

use serde_json::Value;

use crate::patterns::Compiled;
use crate::{
    document::whole,
    formats::has_format,
    ir::{
        Additional, Choice, IntegerRules, Kind, NameRules, NumberRules, PatternId, Schema, StructDef,
        TextRules, Type, UnionDef,
    },
    lower::finish::examples::state::Examples,
};

impl Examples<'_> {
    /// Returns whether the schema accepts the value.
    pub fn accepts(&self, schema: &Schema, value: &Value, steps: usize) -> bool {
        let (Some(steps), Some(left)) = (steps.checked_sub(1), self.looks.get().checked_sub(1)) else {
            return true;
        };
        self.looks.set(left);
        if value.is_null() && schema.nullable {
            return true;
        }
        let also = [schema.also, self.named(schema).and_then(|def| def.also)].into_iter().flatten();
        let mut also = also.filter_map(|id| self.api.json_schemas.get(id.0));
        let allowed = schema.allowed.is_empty() || schema.allowed.iter().any(|literal| literal.is(value));
        allowed
            && also.all(|def| self.applies(&def.schema, value, steps) != Some(false))
            && match &schema.ty {
                Type::Any => true,
                Type::Unit => value.is_null(),
                Type::Boolean => value.is_boolean(),
                Type::Integer(rules) => integer(value).is_some_and(|value| fits_integer(rules, value)),
                Type::Number(rules) => value.as_f64().is_some_and(|value| fits_number(rules, value)),
                Type::Text(rules) => value.as_str().is_some_and(|text| self.fits_text(rules, text)),
                Type::Bytes | Type::File => value.is_string(),
                // The example can be one item, several items, or the text of all items.
                Type::Stream(_) => true,
                Type::Array(rules) => value.as_array().is_some_and(|items| {
                    let count = items.len() as u64;
                    rules.min_items.is_none_or(|least| count >= least)
                        && rules.max_items.is_none_or(|most| count <= most)
                        && (!rules.unique || are_unique(items))
                        && items.iter().all(|item| self.accepts(&rules.items, item, steps))
                }),
                Type::Tuple(schemas) => value.as_array().is_some_and(|items| {
                    let pairs = schemas.iter().zip(items);
                    items.len() == schemas.len()
                        && pairs.into_iter().all(|(it, item)| self.accepts(it, item, steps))
                }),
                Type::Map(rules) => value.as_object().is_some_and(|entries| {
                    let count = entries.len() as u64;
                    rules.min_properties.is_none_or(|least| count >= least)
                        && rules.max_properties.is_none_or(|most| count <= most)
                        && entries.values().all(|value| self.accepts(&rules.values, value, steps))
                        && self.fits_names(rules.names.as_deref(), entries.iter(), steps)
                }),
                Type::Named { .. } => {
                    self.kind(schema).is_some_and(|kind| self.fits_kind(kind, value, steps))
                }
            }
    }

    fn fits_kind(&self, kind: &Kind, value: &Value, steps: usize) -> bool {
        match kind {
            Kind::Struct(def) => self.fits_struct(def, value, steps),
            Kind::StringEnum(def) => {
                value.as_str().is_some_and(|text| def.variants.iter().any(|variant| variant.wire == text))
            }
            Kind::IntegerEnum(def) => {
                integer(value).is_some_and(|value| def.variants.iter().any(|it| i128::from(it.wire) == value))
            }
            Kind::Union(def) => self.fits_union(def, value, steps),
            Kind::Alias(schema) => self.accepts(schema, value, steps),
            // A value without further context belongs to the first alternative.
            Kind::Choice(Choice { variants, .. }) => {
                variants.first().is_some_and(|variant| self.accepts(&variant.payload, value, steps))
            }
        }
    }

    fn fits_struct(&self, def: &StructDef, value: &Value, steps: usize) -> bool {
        let Some(entries) = value.as_object() else { return false };
        let fields = def.fields.iter().all(|field| match entries.get(&field.wire) {
            Some(value) => self.accepts(&field.schema, value, steps),
            None => !field.required,
        });
        let mut others =
            entries.iter().filter(|(name, _)| !def.fields.iter().any(|field| field.wire == **name));
        fields
            && match &def.additional {
                Additional::Ignored => true,
                Additional::Forbidden => others.next().is_none(),
                Additional::Kept { schema, names, .. } => {
                    let others: Vec<_> = others.collect();
                    others.iter().all(|(_, value)| self.accepts(schema, value, steps))
                        && self.fits_names(names.as_deref(), others.into_iter(), steps)
                }
            }
    }

    fn fits_names<'e>(
        &self,
        names: Option<&NameRules>,
        mut entries: impl Iterator<Item = (&'e String, &'e Value)>,
        steps: usize,
    ) -> bool {
        let Some(names) = names else { return true };
        entries.all(|(name, value)| {
            let each =
                names.each.as_ref().is_none_or(|each| self.accepts(each, &Value::from(name.as_str()), steps));
            let mut matching =
                names.patterns.iter().filter(|(pattern, _)| self.matches(*pattern, name)).peekable();
            let others = match matching.peek() {
                Some(_) => true,
                None => {
                    !names.closed && names.others.as_ref().is_none_or(|it| self.accepts(it, value, steps))
                }
            };
            each && others
                && matching.all(|(_, schema)| schema.as_ref().is_none_or(|it| self.accepts(it, value, steps)))
        })
    }

    fn fits_union(&self, def: &UnionDef, value: &Value, steps: usize) -> bool {
        def.candidates(value).any(|(_, variant)| self.accepts(&variant.schema, value, steps))
    }

    pub fn fits_text(&self, rules: &TextRules, text: &str) -> bool {
        let length = text.chars().count() as u64;
        rules.min_length.is_none_or(|least| length >= least)
            && rules.max_length.is_none_or(|most| length <= most)
            && rules.format.is_none_or(|format| has_format(format, text))
            && rules.pattern.is_none_or(|id| self.matches(id, text))
    }

    fn matches(&self, id: PatternId, text: &str) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let regex = compiled.entry(id).or_insert_with(|| {
            let pattern = self.api.patterns.get(id.0);
            pattern.and_then(|pattern| Compiled::new(pattern.engine, &pattern.source).ok())
        });
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

fn are_unique(items: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(item.to_string()))
}

fn integer(value: &Value) -> Option<i128> {
    value.as_number().and_then(whole)
}

pub(in crate::lower) fn fits_integer(rules: &IntegerRules, value: i128) -> bool {
    use crate::ir::Width;
    let width = match rules.width {
        Width::U16 => u16::try_from(value).is_ok(),
        Width::I32 => i32::try_from(value).is_ok(),
        Width::I64 => i64::try_from(value).is_ok(),
        Width::U32 => u32::try_from(value).is_ok(),
        Width::U64 => u64::try_from(value).is_ok(),
    };
    width
        && rules.minimum.is_none_or(|bound| value >= bound)
        && rules.exclusive_minimum.is_none_or(|bound| value > bound)
        && rules.maximum.is_none_or(|bound| value <= bound)
        && rules.exclusive_maximum.is_none_or(|bound| value < bound)
        && rules.multiple_of.is_none_or(|step| value.checked_rem(step) == Some(0))
}

pub(in crate::lower) fn fits_number(rules: &NumberRules, value: f64) -> bool {
    rules.minimum.is_none_or(|bound| value >= bound)
        && rules.exclusive_minimum.is_none_or(|bound| value > bound)
        && rules.maximum.is_none_or(|bound| value <= bound)
        && rules.exclusive_maximum.is_none_or(|bound| value < bound)
        && rules.multiple_of.is_none_or(|step| (value / step).fract() == 0.0)
}
