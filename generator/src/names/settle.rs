//! Unique names within a namespace: fields, variants, methods, modules.

use std::collections::{HashMap, HashSet};

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
            Self::Method => reserved::free_method(words.snake()),
            Self::Tag => reserved::free_module(words.ascii().snake()),
            Self::Setting => reserved::free_setting(words.snake()),
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
#[must_use]
pub fn settle(texts: &[&str], style: Style) -> Vec<String> {
    let mut names: Vec<String> = texts.iter().map(|text| style.write(&Words::of(text))).collect();
    let mut taken = HashSet::with_capacity(names.len());
    let mut open = Vec::new();
    for group in groups(&names) {
        match group.as_slice() {
            [only] => _ = taken.insert(at(&names, *only)),
            _ => open.extend(exact_match(&group, texts, &names).map_or(group.clone(), |keeper| {
                taken.insert(at(&names, keeper));
                group.iter().copied().filter(|position| *position != keeper).collect()
            })),
        }
    }
    if open.is_empty() {
        return names;
    }
    open.sort_unstable();
    let rules: [fn(Style, &str) -> String; 3] = [
        |style, text| style.write(&Words::spelled_out(text)),
        |style, text| style.with(&Words::spelled_out(text), case_of(text)),
        |style, text| style.with(&Words::spelled_out(text), &fingerprint(text)),
    ];
    for rule in rules {
        let proposed: Vec<(usize, String)> = open
            .iter()
            .map(|position| (*position, rule(style, texts.get(*position).copied().unwrap_or_default())))
            .collect();
        let mut votes: HashMap<&str, usize> = HashMap::new();
        for (_, name) in &proposed {
            *votes.entry(name).or_default() += 1;
        }
        open.clear();
        let mut settled = Vec::new();
        for (position, name) in &proposed {
            if votes.get(name.as_str()) == Some(&1) && !taken.contains(name) {
                settled.push((*position, name.clone()));
            } else {
                open.push(*position);
            }
        }
        for (position, name) in settled {
            taken.insert(name.clone());
            if let Some(slot) = names.get_mut(position) {
                *slot = name;
            }
        }
    }
    names
}

/// Groups the indices by name, in the order of first occurrence.
fn groups(names: &[String]) -> Vec<Vec<usize>> {
    let mut index: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (position, name) in names.iter().enumerate() {
        let group = *index.entry(name).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(group) {
            group.push(position);
        }
    }
    groups
}

fn at(names: &[String], position: usize) -> String {
    names.get(position).cloned().unwrap_or_default()
}

/// Returns the index of the text that equals its Rust name, if the group has one.
fn exact_match(group: &[usize], texts: &[&str], names: &[String]) -> Option<usize> {
    group.iter().copied().find(|position| {
        let name = names.get(*position).map_or("", |name| name.strip_prefix("r#").unwrap_or(name));
        texts.get(*position).is_some_and(|text| *text == name)
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
