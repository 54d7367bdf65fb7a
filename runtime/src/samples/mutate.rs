//! Mutations: changes of a part of a value that probably break one constraint.

use serde_json::Map;

use super::number::json_integer;
use super::random::Random;
use super::sites::Site;
use crate::table::{Additional, Array, Integer, Number, Object, Text, Type, Width};
use crate::types::Value;
use crate::validation::{resolve, scalar};

macro_rules! mutations {
    ($($(#[$meta:meta])* $name:ident => $text:literal,)*) => {
        /// The change that makes a valid value invalid.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Mutation {
            $($(#[$meta])* $name,)*
        }

        impl Mutation {
            /// Returns the name, such as `below-minimum`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

mutations! {
    /// A number less than its minimum.
    BelowMinimum => "below-minimum",
    /// A number greater than its maximum.
    AboveMaximum => "above-maximum",
    /// A number that is not a multiple of its step.
    NotMultiple => "not-multiple",
    /// A fraction in place of an integer.
    Fraction => "fraction",
    /// A number outside of the range of its type.
    OutOfRange => "out-of-range",
    /// A string that is too short.
    TooShort => "too-short",
    /// A string that is too long.
    TooLong => "too-long",
    /// A string with a character more or less, or with another one, which its pattern or format may not allow.
    OtherText => "other-text",
    /// A value that is not listed.
    NotListed => "not-listed",
    /// A null.
    Null => "null",
    /// A value of another type.
    WrongType => "wrong-type",
    /// An object without one of its fields.
    MissingField => "missing-field",
    /// An object with an additional property.
    UnknownField => "unknown-field",
    /// An array with too few items.
    TooFewItems => "too-few-items",
    /// An array with too many items.
    TooManyItems => "too-many-items",
    /// An array with the same item twice.
    DuplicateItem => "duplicate-item",
    /// An object with too few properties.
    TooFewProperties => "too-few-properties",
    /// An object with too many properties.
    TooManyProperties => "too-many-properties",
}

impl std::fmt::Display for Mutation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A changed part of a value.
pub type Changed = (Mutation, Value);

/// The greatest length and number of items that a mutation makes.
const MAX_LENGTH: u64 = 20_000;

/// Returns one change of a part of a value.
pub fn change(site: &Site, part: &Value, random: &mut Random) -> Option<Changed> {
    let mut all = general(part, random);
    if let Some(schema) = site.schema {
        match (resolve::type_of(schema), part) {
            (Type::Integer(rules), Value::Number(_)) => integers(rules, &mut all),
            (Type::Number(rules), Value::Number(_)) => numbers(rules, &mut all),
            (Type::Text(rules), Value::String(text)) => texts(rules, text, random, &mut all),
            (Type::Array(rules), Value::Array(items)) => arrays(rules, items, &mut all),
            (Type::Object(rules), Value::Object(fields)) => objects(rules, fields, random, &mut all),
            _ => {}
        }
    }
    random.take(&mut all)
}

/// Returns the changes that need no row.
fn general(part: &Value, random: &mut Random) -> Vec<Changed> {
    let mut all = vec![(Mutation::Null, Value::Null), (Mutation::WrongType, other_type(part, random))];
    match part {
        Value::Number(_) => all.push((Mutation::Fraction, 0.5.into())),
        Value::String(text) => {
            all.push((Mutation::OtherText, edited(text, random).into()));
            all.push((Mutation::NotListed, format!("{text}?").into()));
        }
        Value::Array(items) => {
            let fewer = items.split_last().map(|(_, fewer)| fewer.to_vec());
            all.extend(fewer.map(|fewer| (Mutation::TooFewItems, fewer.into())));
            if let Some(item) = random.pick(items) {
                let mut more = items.clone();
                more.push(item.clone());
                all.push((Mutation::DuplicateItem, more.into()));
            }
        }
        Value::Object(fields) => {
            let names: Vec<&String> = fields.keys().collect();
            if let Some(name) = random.pick(&names) {
                let mut fewer = fields.clone();
                fewer.remove(*name);
                all.push((Mutation::MissingField, fewer.into()));
            }
            let mut more = fields.clone();
            more.insert("unknown-field".to_owned(), 1.into());
            all.push((Mutation::UnknownField, more.into()));
        }
        _ => {}
    }
    all
}

/// Returns a value of another type.
fn other_type(part: &Value, random: &mut Random) -> Value {
    let mut others: Vec<Value> = vec![
        true.into(),
        7.into(),
        "text".into(),
        Vec::<Value>::new().into(),
        Value::Object(Map::new()),
        vec![part.clone()].into(),
    ];
    if let Value::Number(_) | Value::Bool(_) = part {
        others.push(part.to_string().into());
    }
    others.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(part));
    random.take(&mut others).unwrap_or(Value::Null)
}

/// Returns a text with one character more, less or replaced.
fn edited(text: &str, random: &mut Random) -> String {
    const CHARACTERS: [char; 10] = ['!', ' ', '0', 'Z', 'é', '\n', '.', '/', '-', '\u{0}'];
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len() + 1);
    let other = random.pick(&CHARACTERS).copied().unwrap_or('!');
    match random.below(3) {
        0 if at < characters.len() => drop(characters.remove(at)),
        1 => {
            if let Some(slot) = characters.get_mut(at) {
                *slot = other;
            }
        }
        _ => characters.insert(at, other),
    }
    characters.into_iter().collect()
}

fn integers(rules: &Integer, all: &mut Vec<Changed>) {
    let mut push = |mutation, value: Option<i128>| all.extend(value.map(|it| (mutation, json_integer(it))));
    push(Mutation::BelowMinimum, rules.minimum.map(|it| it.saturating_sub(1)));
    push(Mutation::BelowMinimum, rules.exclusive_minimum);
    push(Mutation::AboveMaximum, rules.maximum.map(|it| it.saturating_add(1)));
    push(Mutation::AboveMaximum, rules.exclusive_maximum);
    push(Mutation::NotMultiple, rules.multiple_of.filter(|it| *it > 1).map(|it| it.saturating_add(1)));
    let (least, most) = scalar::range(rules.width);
    // Beyond 64 bits, the nearest number that JSON readers distinguish from the limit.
    let beyond = if matches!(rules.width, Width::I64 | Width::U64) { 4096 } else { 1 };
    push(Mutation::OutOfRange, Some(least.saturating_sub(beyond)));
    push(Mutation::OutOfRange, Some(most.saturating_add(beyond)));
}

fn numbers(rules: &Number, all: &mut Vec<Changed>) {
    let mut push = |mutation, value: Option<f64>| all.extend(value.map(|it| (mutation, Value::from(it))));
    push(Mutation::BelowMinimum, rules.minimum.map(f64::next_down));
    push(Mutation::BelowMinimum, rules.minimum.map(|it| it - 1.0));
    push(Mutation::BelowMinimum, rules.exclusive_minimum);
    push(Mutation::AboveMaximum, rules.maximum.map(f64::next_up));
    push(Mutation::AboveMaximum, rules.maximum.map(|it| it + 1.0));
    push(Mutation::AboveMaximum, rules.exclusive_maximum);
    push(Mutation::NotMultiple, rules.multiple_of.map(|it| it * 1.5));
}

fn texts(rules: &Text, text: &str, random: &mut Random, all: &mut Vec<Changed>) {
    if let Some(fewer) = rules.min_length.and_then(|limit| limit.checked_sub(1)).filter(|it| *it < MAX_LENGTH)
    {
        let fewer = usize::try_from(fewer).unwrap_or_default();
        all.push((Mutation::TooShort, text.chars().take(fewer).collect::<String>().into()));
    }
    if let Some(limit) = rules.max_length.filter(|limit| *limit < MAX_LENGTH) {
        let last = text.chars().last().unwrap_or('a');
        let more = usize::try_from(limit).unwrap_or_default() + 1;
        let longer: String = text.chars().chain(std::iter::repeat(last)).take(more).collect();
        all.push((Mutation::TooLong, longer.into()));
    }
    if rules.pattern.is_some() || rules.format.is_some() {
        all.push((Mutation::OtherText, edited(text, random).into()));
    }
}

fn arrays(rules: &Array, items: &[Value], all: &mut Vec<Changed>) {
    if let Some(fewer) = rules.min_items.and_then(|limit| limit.checked_sub(1)) {
        let fewer = usize::try_from(fewer).unwrap_or(usize::MAX);
        all.push((Mutation::TooFewItems, items.iter().take(fewer).cloned().collect()));
    }
    if let Some(limit) = rules.max_items.filter(|limit| *limit < MAX_LENGTH)
        && !items.is_empty()
    {
        let more = usize::try_from(limit).unwrap_or_default() + 1;
        all.push((Mutation::TooManyItems, items.iter().cycle().take(more).cloned().collect()));
    }
}

fn objects(rules: &Object, fields: &Map<String, Value>, random: &mut Random, all: &mut Vec<Changed>) {
    let required: Vec<&str> = rules.fields.iter().filter(|it| it.required).map(|it| it.name).collect();
    if let Some(name) = random.pick(&required) {
        let mut fewer = fields.clone();
        fewer.remove(*name);
        all.push((Mutation::MissingField, fewer.into()));
    }
    if let Some(fewer) = rules.min_properties.and_then(|limit| limit.checked_sub(1)) {
        let fewer = usize::try_from(fewer).unwrap_or(usize::MAX);
        let kept = fields.iter().take(fewer).map(|(name, value)| (name.clone(), value.clone()));
        all.push((Mutation::TooFewProperties, Value::Object(kept.collect())));
    }
    if let (Some(limit), Additional::Kept(_)) =
        (rules.max_properties.filter(|it| *it < 100), rules.additional)
        && let Some(value) = fields.values().next()
    {
        let mut more = fields.clone();
        // Patterns of names often allow letters alone.
        let names = (0..=usize::try_from(limit).unwrap_or_default())
            .map(|count| "more".to_owned() + &"e".repeat(count));
        more.extend(names.map(|name| (name, value.clone())));
        all.push((Mutation::TooManyProperties, more.into()));
    }
}
