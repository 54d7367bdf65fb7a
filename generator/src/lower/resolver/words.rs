//! The names and descriptions of enum values.

use std::collections::HashMap;

use crate::{
    lower::resolver::flat::ValueWords,
    tree::{NodeId, NodeRef},
};

/// Adds the names and descriptions of a schema's enum values.
///
/// They are in `x-enum-varnames`, `x-enum-descriptions` and variants of these, as lists or as objects by
/// value.
pub(in crate::lower) fn words_of_values<'d>(
    schema: NodeRef<'d>,
    values: &[NodeRef<'d>],
    words: &mut HashMap<NodeId, ValueWords<'d>>,
) {
    let first_of = |spellings: &[&str]| spellings.iter().find_map(|spelling| schema.get(spelling));
    let names = first_of(&["x-enum-varnames", "x-enumNames", "x-enum-names"]);
    let descriptions = first_of(&["x-enum-descriptions", "x-enumDescriptions"]);
    if names.or(descriptions).is_none() {
        return;
    }
    let word = |list: Option<NodeRef<'d>>, position: usize, value: NodeRef<'_>| {
        let list = list?;
        let by_value =
            || value.as_str().map_or_else(|| list.get(&value.to_json().to_string()), |text| list.get(text));
        let word = if list.is_array() { list.items().get(position) } else { by_value() };
        word?.as_str().filter(|word| !word.trim().is_empty())
    };
    for (position, value) in values.iter().enumerate() {
        let found = ValueWords {
            name: word(names, position, value),
            description: word(descriptions, position, value),
        };
        words.insert(value.id(), found);
    }
}
