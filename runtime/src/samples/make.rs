//! Values from the rows of types.

use super::heights::{ENDLESS, Heights};
use super::number::{integer, json_integer, json_number, number};
use super::random::Random;
use super::text::text;
use crate::codec::{UnionShape, to_value};
use crate::table::{Array, Literal, Schema, Text, Type, Union};
use crate::types::Value;
use crate::validation::{resolve, violations_of};

/// The depth from which values are as small as possible.
const DEEP: u32 = 5;

/// The number of parts from which values are as small as possible.
const LARGE: usize = 120;

/// The number of tries for a value whose constraints its row alone does not guarantee.
const TRIES: usize = 12;

/// The number of parts that all tries for a value make together.
const FUEL: usize = 20_000;

/// Makes values.
pub struct Maker<'m> {
    heights: &'m Heights,
    pub random: &'m mut Random,
    depth: u32,
    parts: usize,
    fuel: usize,
    /// Whether parts that are not valid are made again.
    is_checked: bool,
}

impl<'m> Maker<'m> {
    pub const fn new(heights: &'m Heights, random: &'m mut Random, is_checked: bool) -> Self {
        Self { heights, random, depth: 0, parts: 0, fuel: FUEL, is_checked }
    }

    /// Returns whether the next value should be small.
    pub const fn prefers_small(&self) -> bool {
        self.depth > DEEP || self.parts > LARGE
    }

    /// Makes a value that probably satisfies the schema; `None` if the tries are used up.
    pub fn value(&mut self, schema: &'static Schema) -> Option<Value> {
        self.inside(|maker| maker.with_tries(schema))
    }

    /// Makes a part of a value.
    pub fn inside<T>(&mut self, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.fuel = self.fuel.checked_sub(1)?;
        self.parts += 1;
        self.depth += 1;
        let sample = make(self);
        self.depth -= 1;
        sample
    }

    /// Makes a value, several times if the row does not guarantee that it is valid.
    fn with_tries(&mut self, schema: &'static Schema) -> Option<Value> {
        let also = resolve::also(schema, || false);
        if also.is_none() && !is_doubtful(resolve::type_of(schema)) {
            return self.one_try(schema);
        }
        let (start, mut last) = (self.parts, None);
        for turn in 0..TRIES {
            self.parts = start;
            let sample = match also {
                // The row of a value of any type has few constraints.
                Some(also) if turn % 2 == 1 || matches!(resolve::type_of(schema), Type::Any) => {
                    self.by_all(&[also])
                }
                _ => self.one_try(schema),
            };
            let Some(sample) = sample else { continue };
            if !self.is_checked || violations_of(schema, &sample).is_empty() {
                return Some(sample);
            }
            last = Some(sample);
        }
        last
    }

    fn one_try(&mut self, schema: &'static Schema) -> Option<Value> {
        let of = resolve::type_of(schema);
        if !matches!(of, Type::Any) && resolve::is_nullable(schema) {
            let is_endless = self.heights.get(schema) == ENDLESS;
            if is_endless || self.random.once_in(if self.prefers_small() { 2 } else { 8 }) {
                return Some(Value::Null);
            }
        }
        if let Some(value) = self.listed(schema) {
            return Some(value);
        }
        match of {
            Type::Any => self.anything(),
            Type::Boolean => Some(self.random.once_in(2).into()),
            Type::Integer(rules) => integer(rules, self.random).map(|value| self.spelled(value)),
            Type::Number(rules) => {
                let value = number(rules, self.random)?;
                Some(json_number(value, self.random))
            }
            Type::Text(rules) => text(rules, self.random).map(Value::from),
            Type::Bytes => text(&Text::ANY, self.random).map(Value::from),
            Type::Array(rules) => self.array(rules),
            Type::Tuple(items) => items.iter().map(|item| self.value(item)).collect(),
            Type::Object(rules) => self.object(rules),
            Type::Union(union) => self.union(union),
            Type::Same(_) => None,
        }
    }

    /// Returns an integer as JSON. A client may write `1.0`.
    pub fn spelled(&mut self, value: i128) -> Value {
        const EXACT: i128 = 1 << 53;
        if value.abs() < EXACT && self.random.once_in(24) {
            return (value as f64).into();
        }
        json_integer(value)
    }

    /// Returns one of the allowed values of the rows along a reference.
    fn listed(&mut self, schema: &'static Schema) -> Option<Value> {
        let row = resolve::layers(schema).find(|row| !row.allowed.is_empty())?;
        self.random.pick(row.allowed).map(json)
    }

    /// Makes a value of any type.
    pub fn anything(&mut self) -> Option<Value> {
        let kinds = if self.prefers_small() { 5 } else { 7 };
        Some(match self.random.below(kinds) {
            0 => Value::Null,
            1 => true.into(),
            2 => self.random.below(100).into(),
            3 => 2.5.into(),
            4 => text(&Text::ANY, self.random)?.into(),
            5 => {
                let count = self.random.below(3);
                (0..count).map(|_| self.inside(Self::anything)).collect::<Option<Value>>()?
            }
            _ => {
                let count = self.random.below(3);
                let entry = |maker: &mut Self| Some((maker.name(), maker.inside(Self::anything)?));
                Value::Object((0..count).map(|_| entry(self)).collect::<Option<_>>()?)
            }
        })
    }

    /// Returns a name that a document hardly uses.
    pub fn name(&mut self) -> String {
        const NAMES: [&str; 6] = ["x-other", "unnamed", "a b", "extra_1", "Ünïcode", "zzz"];
        self.random.pick(&NAMES).copied().unwrap_or("zzz").to_owned()
    }

    fn array(&mut self, rules: &'static Array) -> Option<Value> {
        let limits = (rules.min_items.unwrap_or_default(), rules.max_items.unwrap_or(u64::MAX));
        self.items(limits, rules.unique, |maker, _| maker.value(rules.items))
    }

    /// Makes an array from its items.
    pub fn items(
        &mut self,
        (least, most): (u64, u64),
        is_unique: bool,
        mut make: impl FnMut(&mut Self, usize) -> Option<Value>,
    ) -> Option<Value> {
        let mut items: Vec<Value> = Vec::new();
        for index in 0..self.count(least, most) {
            let mut made = (0..TRIES).filter_map(|_| make(self, index));
            match made.find(|item| !is_unique || !items.contains(item)) {
                Some(item) => items.push(item),
                None if items.len() as u64 >= least => break,
                None => return None,
            }
        }
        Some(items.into())
    }

    /// Returns a number of items within the bounds.
    fn count(&mut self, least: u64, most: u64) -> usize {
        /// More items show nothing more.
        const MANY: u64 = 40;
        let most = most.max(least);
        let count = match self.random.below(6) {
            _ if self.prefers_small() => least,
            0 => least,
            1 if most <= MANY && self.depth < 3 => most,
            _ => least.saturating_add(self.random.next() % 3).min(most),
        };
        usize::try_from(count).unwrap_or_default()
    }

    fn union(&mut self, union: &'static Union) -> Option<Value> {
        let lowest = || {
            let heights = union.variants.iter().map(|variant| self.heights.get(variant)).enumerate();
            heights.min_by_key(|(_, height)| *height).map(|(index, _)| index)
        };
        let index = if self.prefers_small() { lowest()? } else { self.random.below(union.variants.len()) };
        let mut value = self.value(union.variants.get(index)?)?;
        self.tag(union.shape, index, &mut value);
        Some(value)
    }

    /// Sets the discriminator of an object to a value that chooses this variant.
    fn tag(&mut self, shape: &UnionShape, index: usize, value: &mut Value) {
        let (Some(discriminator), Value::Object(fields)) = (&shape.discriminator, value) else { return };
        let tags = shape.tags_of(index);
        let present = fields.get(discriminator.property);
        if present.is_some_and(|present| tags.iter().any(|tag| tag.is(present))) {
            return;
        }
        if let Some(tag) = self.random.pick(&tags) {
            fields.insert(discriminator.property.to_owned(), to_value(tag));
        }
    }
}

/// Returns whether a value that was made by its row can violate a constraint of the row.
const fn is_doubtful(of: &Type) -> bool {
    match of {
        Type::Object(rules) => {
            !rules.rules.is_empty()
                || rules.min_properties.is_some()
                || rules.max_properties.is_some()
                || rules.names.is_some()
        }
        Type::Union(_) => true,
        _ => false,
    }
}

/// Returns a literal as JSON.
pub fn json(literal: &Literal) -> Value {
    match *literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => value.into(),
        Literal::Integer(value) => json_integer(value),
        Literal::Number(value) => value.into(),
        Literal::Text(value) => value.into(),
        Literal::Json(text) => serde_json::from_str(text).unwrap_or_default(),
    }
}
