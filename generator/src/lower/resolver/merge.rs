//! Combines the keywords of the parts of a schema.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    ir::{self, Kinds},
    lower::{
        position::SchemaPosition,
        resolver::{
            flat::{Assertion, Flat, Union},
            json_schema_need::{unevaluated_are_additional, unevaluated_are_other_items},
            keywords::Keywords,
            kinds::common,
            literal::key,
            parts::{Own, Part},
            state::Resolver,
            table::schema_keywords,
            trivial::is_never,
            words::words_of_values,
        },
    },
    tree::{Node, NodeRef},
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
        flat.docs = owns.first().map_or_else(ir::Docs::default, |_| self.docs_of_parts(&owns));
        let (by_name, by_index) = (unevaluated_are_additional(&owns), unevaluated_are_other_items(&owns));
        for mut own in owns {
            own.keywords.settle_unevaluated(by_name, by_index);
            self.check_applicable(&own.keywords);
            self.check_step(&own.keywords);
            self.add_kinds(&mut flat, &own.keywords);
            self.add_values(&mut flat, &own.keywords);
            own.keywords.settle_exclusive();
            flat.combine(&own.keywords, &own.home);
            self.add(&mut flat, own);
        }
        self.check_bounds(&flat);
        flat
    }

    fn add(&mut self, flat: &mut Flat<'d>, own: Own<'d>) {
        let Own { keywords, home, without, is_outer, .. } = own;
        flat.node = flat.node.or(keywords.node);
        let part = |node: NodeRef<'d>| Part::new(node, home.clone());
        for (name, node) in keywords.properties.into_iter().flat_map(Node::entries) {
            flat.properties.entry(name).or_default().push(part(node));
        }
        for required in keywords.required.map_or(&[][..], Node::items) {
            flat.demands.push(required);
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
        let of_objects = [
            ("minProperties", keywords.min_properties),
            ("maxProperties", keywords.max_properties),
            ("additionalProperties", keywords.additional),
        ];
        flat.of_objects.extend(of_objects.into_iter().filter_map(|(name, node)| Some((name, node?))));
        match keywords.additional {
            Some(node) if is_never(node) => flat.closed = true,
            Some(node) => flat.additional = flat.additional.take().or_else(|| Some(part(node))),
            None => {}
        }
        let patterns = keywords.pattern_properties.into_iter().flat_map(Node::entries);
        flat.pattern_properties.extend(patterns.map(|(pattern, node)| (pattern, part(node))));
        let prefix_items = keywords.prefix_items.map(|node| (node, home.clone()));
        flat.prefix_items = flat.prefix_items.take().or(prefix_items);
        let unions = [("oneOf", keywords.one_of), ("anyOf", keywords.any_of)].into_iter();
        let unions = unions
            .filter_map(|(keyword, node)| Some((keyword, node?)))
            .filter(|(_, node)| !without.contains(&node.id()));
        flat.unions.extend(unions.map(|(keyword, node)| Union {
            keyword,
            node,
            home: home.clone(),
            discriminator: keywords.discriminator,
            is_outer,
        }));
        if keywords.one_of.or(keywords.any_of).is_none() {
            flat.discriminator = flat.discriminator.or(keywords.discriminator);
        }
        let schema = keywords.node;
        flat.assertions.extend(
            keywords
                .assertions
                .iter()
                .filter_map(|(keyword, node)| Some(Assertion { keyword, node, schema: schema?, is_outer })),
        );
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
                    flat.contradicts = true;
                    kinds
                } else {
                    common
                }
            }
            _ => kinds,
        });
    }

    fn add_values(&mut self, flat: &mut Flat<'d>, keywords: &Keywords<'d>) {
        let listed = keywords.values.map(|values| (values, values.items().iter().collect()));
        let constant = keywords.constant.map(|value| (value, vec![value]));
        if let (Some(schema), Some((_, values))) = (keywords.node, listed.as_ref().or(constant.as_ref())) {
            words_of_values(schema, values, &mut flat.value_words);
        }
        for (node, values) in listed.into_iter().chain(constant) {
            self.add_listed(flat, node, values);
        }
    }

    /// Adds the values that one keyword allows.
    fn add_listed(&mut self, flat: &mut Flat<'d>, node: NodeRef<'d>, values: Vec<NodeRef<'d>>) {
        flat.values_node = Some(node);
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
                        "the keywords `enum` and `const` have no value in common; the values of this one are used",
                    );
                    flat.contradicts = true;
                    values
                } else {
                    both
                }
            }
        });
    }
}

/// Declares how the keywords of a part are added.
macro_rules! combine {
    (
        combined { $($name:literal $type:ident $field:ident $parts:ident $row:ident
            $constrains:ident $bare:ident $implies:ident $(($flat:ty))?;)* }
        single { $($single:tt)* }
    ) => {
        impl<'d> Flat<'d> {
            /// Adds the keywords of a part that do not depend on others.
            fn combine(&mut self, keywords: &Keywords<'d>, home: &SchemaPosition<'d>) {
                $($parts(&mut self.$field, keywords.$field, home);)*
            }
        }
    };
}

schema_keywords!(combine);

/// `Resolver::add` adds these keywords.
fn by_hand<T, U>(_: &mut T, _: U, _: &SchemaPosition<'_>) {}

fn first<T>(flat: &mut Option<T>, own: Option<T>, _: &SchemaPosition<'_>) {
    *flat = flat.take().or(own);
}

fn all<'d>(flat: &mut Vec<NodeRef<'d>>, own: Option<NodeRef<'d>>, _: &SchemaPosition<'_>) {
    flat.extend(own);
}

fn all_items<'d>(flat: &mut Vec<NodeRef<'d>>, own: Option<NodeRef<'d>>, _: &SchemaPosition<'_>) {
    flat.extend(own.map_or(&[][..], Node::items));
}

fn first_schema<'d>(flat: &mut Option<Part<'d>>, own: Option<NodeRef<'d>>, home: &SchemaPosition<'d>) {
    *flat = flat.take().or_else(|| own.map(|node| Part::new(node, home.clone())));
}

fn all_schemas<'d>(flat: &mut Vec<Part<'d>>, own: Option<NodeRef<'d>>, home: &SchemaPosition<'d>) {
    flat.extend(own.map(|node| Part::new(node, home.clone())));
}

fn any(flat: &mut bool, own: bool, _: &SchemaPosition<'_>) {
    *flat |= own;
}

fn is_set(flat: &mut bool, own: Option<NodeRef<'_>>, _: &SchemaPosition<'_>) {
    *flat |= own.is_some();
}

fn largest(flat: &mut Option<u64>, own: Option<NodeRef<'_>>, _: &SchemaPosition<'_>) {
    *flat = (*flat).max(own.and_then(Node::as_u64));
}

fn smallest(flat: &mut Option<u64>, own: Option<NodeRef<'_>>, _: &SchemaPosition<'_>) {
    *flat = [*flat, own.and_then(Node::as_u64)].into_iter().flatten().min();
}

fn highest<'d>(flat: &mut Option<NodeRef<'d>>, own: Option<NodeRef<'d>>, _: &SchemaPosition<'_>) {
    if flat.is_none() || own.and_then(Node::as_f64) > flat.and_then(Node::as_f64) {
        *flat = own.or(*flat);
    }
}

fn lowest<'d>(flat: &mut Option<NodeRef<'d>>, own: Option<NodeRef<'d>>, _: &SchemaPosition<'_>) {
    if flat.is_none() || own.is_some_and(|own| own.as_f64() < flat.and_then(Node::as_f64)) {
        *flat = own.or(*flat);
    }
}
