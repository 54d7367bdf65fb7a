//! Unions whose branches list strings or integers.

use crate::{
    ir::{Kinds, Schema, TextRules, TextType, Type},
    lower::{
        resolver::{
            flat::{Flat, ValueWords},
            table::Keywords,
        },
        schema::{read::Reading, state::Schemas},
    },
    tree::{Node, NodeRef},
};

impl<'d> Schemas<'d, '_> {
    /// Lowers a union of strings: an enum if all branches list values, else a string.
    pub fn union_of_strings(
        &mut self,
        flat: &mut Flat<'d>,
        branches: &[NodeRef<'d>],
        reading: Reading<'_, 'd>,
    ) -> Option<Schema> {
        if branches.len() < 2 {
            return None;
        }
        let mut values = Vec::new();
        let mut open = Vec::new();
        let mut nullable = flat.nullable;
        for branch in branches {
            let node = self.document.resolve(branch).ok()?.node;
            let keywords = Keywords::read(node);
            let listed = strings(&keywords)?;
            nullable |= keywords.nullable;
            match listed {
                Some(listed) => {
                    note_words(flat, node, &listed, false);
                    values.extend(listed);
                }
                None => open.push(*branch),
            }
        }
        flat.nullable = nullable;
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert(value.as_str()));
        let Some(first) = open.first() else {
            flat.values_node = flat.node;
            flat.values = Some(values);
            return self.constants(flat, reading);
        };
        // The constraints of the only unlisted string apply to all if the listed values satisfy them.
        let schema = self.schema(first, &reading.position.reread());
        let kept =
            open.len() == 1 && values.iter().all(|value| self.types.fit(value, &schema.ty, 1).is_some());
        if kept && matches!(&schema.ty, Type::Text(rules) if values.is_empty() || rules.pattern.is_none()) {
            return Some(Schema { nullable, ..schema });
        }
        if !matches!(&schema.ty, Type::Text(rules) if *rules == TextRules::default()) || open.len() > 1 {
            self.needs_json_schema = true;
        }
        let rules = TextRules { ty: TextType::String, ..TextRules::default() };
        Some(Schema { nullable, ..Schema::new(Type::Text(rules)) })
    }

    /// Lowers a union of integers to an enum, with the titles of the branches as names.
    pub fn union_of_integers(
        &mut self,
        flat: &mut Flat<'d>,
        branches: &[NodeRef<'d>],
        reading: Reading<'_, 'd>,
    ) -> Option<Schema> {
        let mut values = Vec::new();
        for branch in branches {
            let node = self.document.resolve(branch).ok()?.node;
            let listed = integers(&Keywords::read(node))?;
            note_words(flat, node, &listed, true);
            values.extend(listed);
        }
        if branches.len() < 2 {
            return None;
        }
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert(value.as_i128()));
        flat.values_node = flat.node;
        flat.values = Some(values);
        self.constants(flat, reading)
    }
}

/// Stores the name and description of the only value that a branch lists.
fn note_words<'d>(flat: &mut Flat<'d>, branch: NodeRef<'d>, listed: &[NodeRef<'d>], by_title: bool) {
    let [value] = listed else { return };
    let text_of = |name: &str| branch.get(name).and_then(Node::as_str).filter(|text| !text.trim().is_empty());
    let name = text_of("title").filter(|_| by_title);
    let description = text_of("description").or_else(|| text_of("title").filter(|_| !by_title));
    flat.value_words.insert(value.id(), ValueWords { name, description });
}

/// Returns the values that an integer schema lists.
fn integers<'d>(keywords: &Keywords<'d>) -> Option<Vec<NodeRef<'d>>> {
    let is_integer = keywords.kinds.is_none_or(|kinds| kinds == Kinds { integer: true, ..Kinds::default() });
    let are_integers = |listed: &Vec<NodeRef<'d>>| {
        !listed.is_empty() && listed.iter().all(|value| value.as_i128().is_some())
    };
    keywords.listed().filter(|listed| is_integer && !keywords.is_composed() && are_integers(listed))
}

/// Returns the values that a string schema lists.
///
/// The inner `None` stands for a string without listed values, the outer one for another schema.
#[expect(
    clippy::option_option,
    reason = "a schema of another type differs from a string without listed values"
)]
fn strings<'d>(keywords: &Keywords<'d>) -> Option<Option<Vec<NodeRef<'d>>>> {
    let string = Kinds { string: true, ..Kinds::default() };
    let typed = keywords.kinds.map(|kinds| Kinds { null: false, ..kinds } == string);
    let format = keywords.format.and_then(Node::as_str).unwrap_or_default();
    let plain_format = !["date-time", "date", "uuid", "byte", "base64", "binary"].contains(&format);
    if keywords.is_composed() || typed == Some(false) || !plain_format || keywords.content_encoding.is_some()
    {
        return None;
    }
    match keywords.listed() {
        Some(mut listed) => {
            listed.retain(|value| !value.is_null());
            listed.iter().all(|value| value.as_str().is_some()).then_some(Some(listed))
        }
        None => typed.map(|_| None),
    }
}
