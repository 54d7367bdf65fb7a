//! Combines the keywords of the parts of a schema. Reports contradictions, and keywords without an effect.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    ir::Kinds,
    lower::resolver::{
        flat::{Assertion, Flat, Union, words_of_values},
        json_schema_need::{unevaluated_are_additional, unevaluated_are_other_items},
        kinds::common,
        literal::key,
        nullable::is_never,
        parts::{Own, Part},
        state::Resolver,
        table::Keywords,
    },
    tree::{Node, NodeRef},
};

impl<'d> Resolver<'d, '_> {
    /// Combines the parts of a schema.
    pub fn flatten(&mut self, owns: Vec<Own<'d>>) -> Flat<'d> {
        let mut flat = Flat::default();
        let restricts = |own: &&Own<'d>| own.keywords.kinds.is_some() || own.keywords.constrains();
        let mut restricting = owns.iter().filter(restricts).peekable();
        let all = restricting.peek().is_some() && restricting.all(|own| own.keywords.nullable);
        flat.nullable = all || owns.iter().any(|own| own.direct && own.keywords.nullable);
        // The schema's own documentation comes after that of its parts.
        for node in owns.iter().rev().filter(|own| own.direct).filter_map(|own| own.keywords.node) {
            self.add_docs(&mut flat.docs, node);
        }
        let (by_name, by_index) = (unevaluated_are_additional(&owns), unevaluated_are_other_items(&owns));
        for mut own in owns {
            own.keywords.settle_unevaluated(by_name, by_index);
            self.check_applicable(&own.keywords);
            self.check_step(&own.keywords);
            self.add_kinds(&mut flat, &own.keywords);
            self.add_values(&mut flat, &own.keywords);
            own.keywords.settle_exclusive();
            flat.merged.combine(&own.keywords);
            self.add(&mut flat, own);
        }
        self.check_bounds(&flat);
        flat
    }

    fn add(&mut self, flat: &mut Flat<'d>, own: Own<'d>) {
        let Own { keywords, home, without, is_outer, .. } = own;
        flat.node = flat.node.or(keywords.node);
        let part = |node: NodeRef<'d>| Part::new(node, home.clone());
        flat.pattern.extend(keywords.pattern);
        flat.rules.extend(keywords.rules.map_or(&[][..], Node::items));
        flat.unchecked.extend(keywords.unchecked);
        flat.items.extend(keywords.items.map(part));
        flat.property_names = flat.property_names.take().or_else(|| keywords.property_names.map(part));
        flat.content_schema = flat.content_schema.take().or_else(|| keywords.content_schema.map(part));
        for (name, node) in keywords.properties.into_iter().flat_map(Node::entries) {
            flat.properties.entry(name).or_default().push(part(node));
        }
        for required in keywords.required.map_or(&[][..], Node::items) {
            flat.demands.push(required);
            match required.as_str() {
                Some(name) => _ = flat.required.entry(name).or_insert(required),
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
            node => flat.additional = flat.additional.take().or_else(|| node.map(part)),
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

    /// Reports bounds that no value can satisfy.
    fn check_bounds(&mut self, flat: &Flat<'d>) {
        let Some(node) = flat.node else { return };
        let Keywords { minimum, exclusive_minimum, maximum, exclusive_maximum, .. } = flat.merged;
        for (least, most, [low, high]) in [
            (flat.merged.min_length, flat.merged.max_length, ["minLength", "maxLength"]),
            (flat.merged.min_items, flat.merged.max_items, ["minItems", "maxItems"]),
            (flat.merged.min_properties, flat.merged.max_properties, ["minProperties", "maxProperties"]),
            (minimum.or(exclusive_minimum), maximum.or(exclusive_maximum), ["minimum", "maximum"]),
        ] {
            if let (Some(least), Some(most)) = (least.and_then(Node::as_f64), most.and_then(Node::as_f64))
                && least > most
            {
                let at = node.get(low).or_else(|| node.get(high)).unwrap_or(node);
                let message = format!("no value is valid: `{low}` is {least} and `{high}` is {most}");
                self.warn(Code::BadBounds, at, message);
            }
        }
    }

    /// Reports a `multipleOf` that JSON Schema forbids.
    fn check_step(&mut self, keywords: &Keywords<'d>) {
        let step = keywords.multiple_of.filter(|step| step.as_f64().is_some_and(|step| step <= 0.0));
        if let Some(node) = step {
            self.warn(Code::BadBounds, node, "`multipleOf` must be greater than 0, so it has no effect");
        }
    }

    /// Reports keywords that have no effect on values of the schema's type.
    fn check_applicable(&mut self, keywords: &Keywords<'d>) {
        let Some(kinds) = keywords.kinds else { return };
        let numeric = kinds.number || kinds.integer;
        for (applies, name, node) in [
            (numeric, "minimum", keywords.minimum),
            (numeric, "maximum", keywords.maximum),
            (numeric, "exclusiveMinimum", keywords.exclusive_minimum),
            (numeric, "exclusiveMaximum", keywords.exclusive_maximum),
            (numeric, "multipleOf", keywords.multiple_of),
            (kinds.string, "minLength", keywords.min_length),
            (kinds.string, "maxLength", keywords.max_length),
            (kinds.string, "pattern", keywords.pattern),
            (kinds.array, "minItems", keywords.min_items),
            (kinds.array, "maxItems", keywords.max_items),
            (kinds.array, "items", keywords.items),
            (kinds.object, "minProperties", keywords.min_properties),
            (kinds.object, "maxProperties", keywords.max_properties),
            (kinds.object, "properties", keywords.properties),
        ] {
            if let Some(node) = node.filter(|_| !applies && kinds != Kinds::default()) {
                let message = format!("`{name}` has no effect on values of this `type`");
                self.warn(Code::BadBounds, node, message).at_name();
            }
        }
    }
}
