//! `x-rules`: rules across the fields of an object.

use crate::{
    diagnostics::{Code, nearest},
    ir::{CrossRule, Literal},
    lower::{
        resolver::{flat::Flat, literal::literal},
        schema::state::Schemas,
    },
    tree::{Node, NodeRef},
};

/// The keys that determine the kind of a rule, with the other keys of each kind.
const KINDS: &[(&str, &[&str])] = &[
    ("when", &["require"]),
    ("not_together", &[]),
    ("at_least_one", &["above"]),
    ("exactly_one", &[]),
    ("total_items", &["minimum", "maximum"]),
];

impl<'d> Schemas<'d, '_> {
    /// Returns the rules of an object with their nodes.
    pub fn rules(&mut self, flat: &Flat<'d>) -> Vec<(CrossRule, NodeRef<'d>)> {
        flat.rules.iter().filter_map(|node| Some((self.rule(node, flat)?, *node))).collect()
    }

    fn rule(&mut self, node: NodeRef<'d>, flat: &Flat<'d>) -> Option<CrossRule> {
        let Some((kind, others)) = KINDS.iter().find(|(kind, _)| node.get(kind).is_some()) else {
            let kinds = || KINDS.iter().map(|(kind, _)| *kind);
            let near = node.entries().find_map(|(field, _)| nearest(field, kinds()));
            self.error(Code::BadExtension, node, "invalid rule")
                .near("a kind of rule with a similar name", near)
                .help("a rule has `when` and `require`, `not_together`, `at_least_one`, `exactly_one` or `total_items`");
            return None;
        };
        let fields: Vec<&str> = ["name", kind].iter().chain(*others).copied().collect();
        self.check_extension(node, &format!("a rule with `{kind}`"), &fields);
        let message = "missing field `name` in rule: the property for which violations are reported";
        let name = self.found(node.get("name").and_then(Node::as_str), node, message)?.to_owned();
        if !flat.properties.contains_key(name.as_str())
            && let Some(at) = node.get("name")
        {
            let near = nearest(&name, flat.properties.keys().copied());
            self.warn(Code::BadExtension, at, format!("unknown property `{name}`"))
                .near("a property with a similar name", near);
        }
        let body = node.get(kind)?;
        if *kind == "when" {
            let when = self.conditions(body, flat)?;
            let message = "missing field `require` in a rule with `when`";
            let require = self.found(node.get("require"), node, message)?;
            return Some(CrossRule::When { name, when, require: self.conditions(require, flat)? });
        }
        let fields = self.rule_fields(body, kind, flat)?;
        if *kind == "total_items" {
            for item in body.items() {
                let parts =
                    item.as_str().and_then(|name| flat.properties.get(name)).map_or(&[][..], Vec::as_slice);
                let typed =
                    |node: NodeRef<'_>| node.get("type").is_none_or(|kind| kind.as_str() == Some("array"));
                if !parts.iter().all(|part| typed(part.node)) {
                    self.error(Code::BadExtension, item, "`total_items` requires properties that are arrays");
                }
            }
        }
        let count = |name: &str| node.get(name).and_then(Node::as_u64);
        Some(match *kind {
            "not_together" => CrossRule::NotTogether { name, fields },
            "at_least_one" => {
                CrossRule::AtLeastOne { name, fields, above: node.get("above").and_then(Node::as_f64) }
            }
            "exactly_one" => CrossRule::ExactlyOne { name, fields },
            _ => CrossRule::TotalItems { name, fields, minimum: count("minimum"), maximum: count("maximum") },
        })
    }

    fn rule_fields(&mut self, node: NodeRef<'d>, kind: &str, flat: &Flat<'d>) -> Option<Vec<String>> {
        if node.items().is_empty() {
            self.error(Code::BadExtension, node, format!("`{kind}` must be a list of property names"));
            return None;
        }
        let known =
            node.items().iter().map(|item| self.known_field(item, item.as_str(), flat)).collect::<Vec<_>>();
        known.into_iter().collect()
    }

    fn conditions(&mut self, node: NodeRef<'d>, flat: &Flat<'d>) -> Option<Vec<(String, Literal)>> {
        if node.entries().len() == 0 {
            self.error(Code::BadExtension, node, "the value must be an object of property names and values");
            return None;
        }
        let condition = |(name, value)| Some((self.known_field(value, Some(name), flat)?, literal(value)));
        // All unknown properties are reported.
        let conditions: Vec<_> = node.entries().map(condition).collect();
        conditions.into_iter().collect()
    }

    fn known_field(&mut self, node: NodeRef<'d>, name: Option<&str>, flat: &Flat<'d>) -> Option<String> {
        let known = name.filter(|name| flat.properties.contains_key(name));
        if known.is_none() {
            let name = name.unwrap_or("(no name)");
            let near = nearest(name, flat.properties.keys().copied());
            self.error(Code::BadExtension, node, format!("unknown property `{name}`"))
                .near("a property with a similar name", near);
        }
        known.map(str::to_owned)
    }
}
