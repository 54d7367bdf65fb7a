//! Checks for bounds that contradict each other or have no effect on the schema's type.

use crate::{
    diagnostics::Code,
    ir::Kinds,
    lower::resolver::{flat::Flat, keywords::Keywords, state::Resolver},
    tree::{Node, NodeRef},
};

impl<'d> Resolver<'d, '_> {
    /// Reports bounds that no value can satisfy.
    pub fn check_bounds(&mut self, flat: &Flat<'d>) {
        let Some(node) = flat.node else { return };
        for (least, most, names) in [
            (flat.min_length, flat.max_length, ["minLength", "maxLength"]),
            (flat.min_items, flat.max_items, ["minItems", "maxItems"]),
            (flat.min_properties, flat.max_properties, ["minProperties", "maxProperties"]),
        ] {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                self.report_contradiction(node, names, &least.to_string(), &most.to_string());
            }
        }
        let number = |bound: Option<NodeRef<'_>>| bound.and_then(Node::as_f64);
        let least = number(flat.minimum).or(number(flat.exclusive_minimum));
        let most = number(flat.maximum).or(number(flat.exclusive_maximum));
        if let (Some(least), Some(most)) = (least, most)
            && least > most
        {
            self.report_contradiction(node, ["minimum", "maximum"], &least.to_string(), &most.to_string());
        }
    }

    /// Reports a `multipleOf` that JSON Schema forbids.
    pub fn check_step(&mut self, keywords: &Keywords<'d>) {
        let step = keywords.multiple_of.filter(|step| step.as_f64().is_some_and(|step| step <= 0.0));
        if let Some(node) = step {
            self.warn(Code::BadBounds, node, "`multipleOf` must be greater than 0, so it has no effect");
        }
    }

    fn report_contradiction(&mut self, node: NodeRef<'d>, [low, high]: [&str; 2], least: &str, most: &str) {
        let at = node.get(low).or_else(|| node.get(high)).unwrap_or(node);
        self.warn(
            Code::BadBounds,
            at,
            format!("no value is valid: `{low}` is {least} and `{high}` is {most}"),
        );
    }

    /// Reports keywords that have no effect on values of the schema's type.
    pub fn check_applicable(&mut self, keywords: &Keywords<'d>) {
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
