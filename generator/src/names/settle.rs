//! Unique names within a namespace: fields, variants, methods, modules.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

use super::{
    reserved,
    words::{Words, fingerprint},
};

/// The style of the names in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `snake_case`.
    Field,
    /// `PascalCase`.
    Variant,
    /// `snake_case`, without the names of a client's own methods.
    Method,
    /// `snake_case` in ASCII, without the names of a crate's own modules.
    Tag,
    /// `snake_case`, without the names of a client builder's own methods.
    Setting,
    /// `PascalCase`, without the names that generated code uses without a path.
    Type,
    /// `SCREAMING_SNAKE_CASE`.
    Constant,
}

impl Style {
    fn write(self, words: &Words) -> String {
        match self {
            Self::Field => reserved::escape(words.snake()),
            Self::Variant => reserved::escape(words.pascal()),
            Self::Method => reserved::free(words.snake(), reserved::METHODS, "_operation"),
            Self::Tag => reserved::free_module(words.ascii().snake()),
            Self::Setting => reserved::free(words.snake(), reserved::SETTINGS, "_credential"),
            Self::Type => reserved::free_type(words.pascal()),
            Self::Constant => words.screaming(),
        }
    }

    fn with(self, words: &Words, suffix: &str) -> String {
        match self {
            Self::Variant | Self::Type => format!("{}{}", words.pascal(), Words::of(suffix).pascal()),
            Self::Field | Self::Method | Self::Setting => format!("{}_{suffix}", words.snake()),
            Self::Tag => format!("{}_{suffix}", words.ascii().snake()),
            Self::Constant => format!("{}_{}", words.screaming(), suffix.to_uppercase()),
        }
    }
}

/// Returns a unique Rust name for each text. The texts must be unique.
///
/// The names don't depend on the order of the texts.
pub fn settle(texts: &[&str], style: Style) -> Vec<String> {
    let mut names: Vec<String> = texts.iter().map(|text| style.write(&Words::of(text))).collect();
    let uses = count(&names);
    let mut taken = HashSet::with_capacity(names.len());
    let mut open = Vec::new();
    for (position, (text, name)) in texts.iter().zip(&names).enumerate() {
        let is_exact = *text == name.strip_prefix("r#").unwrap_or(name);
        let is_kept = is_exact || uses.get(name) == Some(&1);
        if !(is_kept && taken.insert(name.clone())) {
            open.push((position, *text));
        }
    }
    let rules: [fn(Style, &str) -> String; 3] = [
        |style, text| style.write(&Words::spelled_out(text)),
        |style, text| style.with(&Words::spelled_out(text), case_of(text)),
        |style, text| style.with(&Words::spelled_out(text), &fingerprint(text)),
    ];
    let settled = by_rules(&open, &mut taken, rules, |(_, text), rule| rule(style, text));
    for ((position, _), settled) in open.into_iter().zip(settled) {
        if let Some((slot, settled)) = names.get_mut(position).zip(settled) {
            *slot = settled;
        }
    }
    names
}

/// Names items by one rule after the other. An item gets its name if no other item wants it by the same rule, and no
/// item has it.
///
/// The names don't depend on the order of the items. `None` if no rule gives an item a name of its own.
pub fn by_rules<T: Copy, R: Copy, N: Clone + Eq + Hash>(
    items: &[T],
    taken: &mut HashSet<N>,
    rules: impl IntoIterator<Item = R>,
    name: impl Fn(T, R) -> N,
) -> Vec<Option<N>> {
    let mut names: Vec<Option<N>> = vec![None; items.len()];
    for rule in rules {
        let open = names.iter_mut().zip(items).filter(|(slot, _)| slot.is_none());
        let (slots, wanted): (Vec<_>, Vec<_>) = open.map(|(slot, item)| (slot, name(*item, rule))).unzip();
        let uses = count(&wanted);
        for (slot, wanted) in slots.into_iter().zip(&wanted) {
            let is_own = uses.get(wanted) == Some(&1) && taken.insert(wanted.clone());
            *slot = is_own.then(|| wanted.clone());
        }
    }
    names
}

/// Returns how often each name occurs.
fn count<N: Eq + Hash>(names: &[N]) -> HashMap<&N, usize> {
    names.iter().fold(HashMap::with_capacity(names.len()), |mut uses, name| {
        *uses.entry(name).or_default() += 1;
        uses
    })
}

/// Returns the name of a text's case.
fn case_of(text: &str) -> &'static str {
    let upper = text.chars().any(char::is_uppercase);
    let lower = text.chars().any(char::is_lowercase);
    let begins_upper =
        text.chars().find(|character| character.is_alphabetic()).is_some_and(char::is_uppercase);
    match (upper, lower, begins_upper) {
        (true, false, _) => "upper",
        (false, true, _) => "lower",
        (true, true, true) => "pascal",
        (true, true, false) => "camel",
        (false, false, _) => "plain",
    }
}
