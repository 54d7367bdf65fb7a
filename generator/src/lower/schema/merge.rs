//! Combines the keywords of the parts of a schema.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    document::{Node, NodeRef},
    ir::{self, Kinds},
    lower::{
        context::Reporting,
        schema::{
            flat::{Assertion, Flat, Union},
            keywords::Keywords,
            kinds::common,
            objects::conditions::is_never,
            parts::{Own, Part},
            resolver::Resolver,
            says_more::{unevaluated_are_additional, unevaluated_are_other_items},
            values::enums::words_of_values,
        },
    },
};

impl<'d> Resolver<'d, '_> {
    /// Combines the parts of a schema.
    pub fn flatten(&mut self, owns: Vec<Own<'d>>) -> Flat<'d> {
        let mut flat = Flat::default();
        let constraining: Vec<bool> =
            owns.iter().map(|own| own.keywords.kinds.is_some() || own.keywords.constrains()).collect();
        let nullables = owns.iter().zip(&constraining).filter(|(_, counts)| **counts);
        let all = nullables.clone().count() > 0 && nullables.clone().all(|(own, _)| own.keywords.nullable);
        flat.nullable = all || owns.iter().any(|own| own.direct && own.keywords.nullable);
        flat.docs = owns.first().map_or_else(ir::Docs::default, |_| self.context.docs_of_parts(&owns));
        let (by_name, by_index) = (unevaluated_are_additional(&owns), unevaluated_are_other_items(&owns));
        for mut own in owns {
            flat.has_unevaluated_properties |= own.keywords.unevaluated_properties.is_some();
            flat.has_unevaluated_items |= own.keywords.unevaluated_items.is_some();
            own.keywords.settle_unevaluated(by_name, by_index);
            self.check_strays(&own.keywords);
            self.check_step(&own.keywords);
            self.add_kinds(&mut flat, &own.keywords);
            self.add_values(&mut flat, &own.keywords);
            self.add(&mut flat, own);
        }
        self.check_bounds(&flat);
        flat
    }

    fn add(&mut self, flat: &mut Flat<'d>, own: Own<'d>) {
        let Own { keywords, home, without, .. } = own;
        flat.node = flat.node.or(keywords.node);
        flat.format = flat.format.or(keywords.format);
        flat.content_encoding = flat.content_encoding.or(keywords.content_encoding);
        flat.content_media_type = flat.content_media_type.or(keywords.content_media_type);
        flat.patterns.extend(keywords.pattern);
        flat.min_length = larger(flat.min_length, keywords.min_length);
        flat.max_length = smaller(flat.max_length, keywords.max_length);
        flat.min_items = larger(flat.min_items, keywords.min_items);
        flat.max_items = smaller(flat.max_items, keywords.max_items);
        flat.min_properties = larger(flat.min_properties, keywords.min_properties);
        flat.max_properties = smaller(flat.max_properties, keywords.max_properties);
        flat.unique |= keywords.unique_items;
        // In OpenAPI 3.0, a boolean next to a bound makes it exclusive.
        let exclusive = |bound: Option<NodeRef<'d>>| bound.and_then(Node::as_bool) == Some(true);
        let numeric = |bound: Option<NodeRef<'d>>| bound.filter(|bound| bound.as_f64().is_some());
        if exclusive(keywords.exclusive_minimum) {
            flat.exclusive_minimum = highest(flat.exclusive_minimum, keywords.minimum);
        } else {
            flat.minimum = highest(flat.minimum, keywords.minimum);
        }
        if exclusive(keywords.exclusive_maximum) {
            flat.exclusive_maximum = lowest(flat.exclusive_maximum, keywords.maximum);
        } else {
            flat.maximum = lowest(flat.maximum, keywords.maximum);
        }
        flat.exclusive_minimum = highest(flat.exclusive_minimum, numeric(keywords.exclusive_minimum));
        flat.exclusive_maximum = lowest(flat.exclusive_maximum, numeric(keywords.exclusive_maximum));
        flat.multiple_of = highest(flat.multiple_of, keywords.multiple_of);
        let part = |node: NodeRef<'d>| Part::new(node, home.clone());
        for (name, node) in keywords.properties.into_iter().flat_map(Node::entries) {
            flat.properties.entry(name).or_default().push(part(node));
        }
        for required in keywords.required.map_or(&[][..], Node::items) {
            match required.as_str() {
                Some(name) => {
                    flat.required.entry(name).or_insert_with(|| {
                        flat.required_order.push(name);
                        required
                    });
                }
                None => self.wrong_type(required, "an item of `required`", "a string"),
            }
        }
        match keywords.additional {
            Some(node) if is_never(node) => flat.closed = true,
            Some(node) => flat.additional = flat.additional.take().or_else(|| Some(part(node))),
            None => {}
        }
        let patterns = keywords.pattern_properties.into_iter().flat_map(Node::entries);
        flat.pattern_properties.extend(patterns.map(|(pattern, node)| (pattern, part(node))));
        flat.property_names = flat.property_names.take().or(keywords.property_names.map(part));
        flat.items.extend(keywords.items.map(part));
        let prefix_items = keywords.prefix_items.map(|node| (node, home.clone()));
        flat.prefix_items = flat.prefix_items.take().or(prefix_items);
        let unions = [("oneOf", keywords.one_of), ("anyOf", keywords.any_of)].into_iter();
        let (left_out, unions): (Vec<_>, Vec<_>) = unions
            .filter_map(|(keyword, node)| Some((keyword, node?)))
            .partition(|(_, node)| without.contains(&node.id()));
        flat.unions.extend(unions.into_iter().map(|(keyword, node)| Union {
            keyword,
            node,
            home: home.clone(),
        }));
        if left_out.is_empty() {
            flat.discriminator = flat.discriminator.or(keywords.discriminator);
        }
        let schema = keywords.node;
        flat.assertions.extend(
            keywords
                .assertions
                .iter()
                .filter_map(|(keyword, node)| Some(Assertion { keyword, node, schema: schema? })),
        );
        flat.rules.extend(keywords.rules.map_or(&[][..], Node::items));
        flat.media = flat.media.or(keywords.media);
        flat.unchecked.extend(keywords.unchecked);
    }

    fn add_kinds(&mut self, flat: &mut Flat<'d>, keywords: &Keywords<'d>) {
        let Some(kinds) = keywords.kinds.map(|kinds| Kinds { null: false, ..kinds }) else { return };
        // `type: null` alone does not restrict other kinds.
        if kinds == Kinds::default() && flat.kinds.is_some() {
            return;
        }
        flat.kinds = Some(match flat.kinds {
            Some(before) if before != Kinds::default() => {
                let common = common(before, kinds);
                if common == Kinds::default() && kinds != Kinds::default() {
                    if let Some(node) = keywords.node {
                        let message =
                            "the parts of `allOf` have different types; the type of this part is used";
                        self.warn(Code::AllOfConflict, node, message);
                    }
                    kinds
                } else {
                    common
                }
            }
            _ => kinds,
        });
    }

    fn add_values(&mut self, flat: &mut Flat<'d>, keywords: &Keywords<'d>) {
        let listed = keywords.constant.map(|value| (value, vec![value]));
        let listed =
            listed.or_else(|| keywords.values.map(|values| (values, values.items().iter().collect())));
        let Some((node, values)) = listed else { return };
        flat.values_node = Some(node);
        if let Some(schema) = keywords.node {
            words_of_values(schema, &values, &mut flat.value_words);
        }
        flat.values = Some(match flat.values.take() {
            None => values,
            Some(before) => {
                let listed: HashSet<String> = values.iter().map(|value| key(value)).collect();
                let both: Vec<NodeRef<'_>> =
                    before.iter().copied().filter(|value| listed.contains(&key(value))).collect();
                if both.is_empty() {
                    self.warn(
                        Code::AllOfConflict,
                        node,
                        "the parts of `allOf` have no value in common; the values of this part are used",
                    );
                    values
                } else {
                    both
                }
            }
        });
    }
}

/// Returns a key that is equal for equal values.
fn key(value: NodeRef<'_>) -> String {
    value.to_json().to_string()
}

fn larger(bound: Option<u64>, node: Option<NodeRef<'_>>) -> Option<u64> {
    bound.max(node.and_then(Node::as_u64))
}

fn smaller(bound: Option<u64>, node: Option<NodeRef<'_>>) -> Option<u64> {
    match (bound, node.and_then(Node::as_u64)) {
        (Some(bound), Some(other)) => Some(bound.min(other)),
        (bound, other) => bound.or(other),
    }
}

fn highest<'d>(one: Option<NodeRef<'d>>, other: Option<NodeRef<'d>>) -> Option<NodeRef<'d>> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if b.as_f64() > a.as_f64() { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn lowest<'d>(one: Option<NodeRef<'d>>, other: Option<NodeRef<'d>>) -> Option<NodeRef<'d>> {
    match (one, other) {
        (Some(a), Some(b)) => Some(if b.as_f64() < a.as_f64() { b } else { a }),
        (a, b) => a.or(b),
    }
}
