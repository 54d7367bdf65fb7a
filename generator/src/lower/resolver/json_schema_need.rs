//! Determines whether a schema has constraints that its Rust type and the rows of that type can't express.
//!
//! Such a schema is also read as JSON Schema defines it (`json_schemas`). This file has the reasons that the combined
//! keywords show. The files that make types of the keywords find the others, and set `Schemas::needs_json_schema`.

use std::collections::{BTreeSet, HashMap};

use crate::{
    ir::Kinds,
    lower::{
        position::SchemaPosition,
        resolver::{
            kinds::kinds_of,
            literal::key,
            nullable::accepts_all,
            parts::{Own, Part},
            state::Resolver,
            table::Keywords,
        },
    },
    options::Untyped,
    tree::{Node, NodeRef, Value},
};

/// Returns whether properties that no keyword evaluates are those that no part of the schema names.
///
/// If not, what the keyword says depends on the value.
pub(in crate::lower) fn unevaluated_are_additional(owns: &[Own<'_>]) -> bool {
    let decides = |keywords: &Keywords<'_>| {
        keywords.additional.or(keywords.pattern_properties).or(keywords.one_of).or(keywords.any_of).is_some()
            || !keywords.assertions.is_empty()
    };
    // The parts of a schema come before its own keywords.
    let Some((root, others)) = owns.split_last() else { return true };
    !owns.iter().any(|own| decides(&own.keywords))
        && root.direct
        && others.iter().all(|own| own.part == root.part)
        && others.iter().all(|own| own.keywords.unevaluated_properties.is_none())
}

/// Returns whether items that no keyword evaluates are those that no part of the schema describes.
pub(in crate::lower) fn unevaluated_are_other_items(owns: &[Own<'_>]) -> bool {
    let decides = |keywords: &Keywords<'_>| {
        keywords.contains.or(keywords.one_of).or(keywords.any_of).is_some() || !keywords.assertions.is_empty()
    };
    matches!(owns, [own] if !decides(&own.keywords))
}

impl<'d> Resolver<'d, '_> {
    /// Returns whether the combined keywords of a schema are more specific than a type can be.
    pub fn parts_need_json_schema(&self, owns: &[Own<'d>]) -> bool {
        let any = |test: &dyn Fn(&Keywords<'d>) -> bool| owns.iter().any(|own| test(&own.keywords));
        let is_open = |node: Option<NodeRef<'_>>| node.is_none_or(accepts_all);
        let lists =
            |it: &Keywords<'d>| it.properties.is_some_and(|properties| properties.entries().len() > 0);
        let has_names = any(&lists);
        let has_patterns = any(&|it| it.pattern_properties.is_some());
        // Keywords about other names or items look at those of their own part only.
        let others = |it: &Keywords<'d>| !is_open(it.additional) || it.pattern_properties.is_some();
        let apart = |one: &dyn Fn(&Keywords<'d>) -> bool, other: &dyn Fn(&Keywords<'d>) -> bool| {
            owns.iter().enumerate().filter(|(_, own)| one(&own.keywords)).any(|(index, _)| {
                let mut rest = owns.iter().enumerate().filter(|(position, _)| *position != index);
                rest.any(|(_, own)| other(&own.keywords))
            })
        };
        let unevaluated_properties = any(&|it| !is_open(it.unevaluated_properties));
        let unevaluated_items = any(&|it| !is_open(it.unevaluated_items));
        let untyped = self.options.untyped == Untyped::Any
            && any(&Keywords::constrains)
            && !any(&|it| it.kinds.is_some() || it.values.or(it.constant).is_some());
        untyped
            || any(&|it| it.node.and_then(Node::as_bool) == Some(false))
            || any(&Keywords::needs_json_schema)
            || any(&|it| it.values.is_some_and(|values| values.items().is_empty()))
            || (has_names && (has_patterns || any(&|it| it.property_names.is_some())))
            || (unevaluated_properties && !unevaluated_are_additional(owns))
            || (unevaluated_items && !unevaluated_are_other_items(owns))
            || apart(&others, &|it| lists(it) || others(it))
            || apart(&|it| it.prefix_items.is_some(), &|it| it.prefix_items.or(it.items).is_some())
            || apart(&|it| it.property_names.is_some(), &|it| it.property_names.is_some())
            || differ(owns, |it| it.format)
            || differ(owns, |it| it.multiple_of)
            || differ(owns, |it| it.pattern)
    }

    /// Returns whether no value can match two branches of a union.
    ///
    /// If the union has a discriminator, it decides between objects.
    pub fn are_exclusive(
        &mut self,
        branches: &[NodeRef<'d>],
        home: &SchemaPosition<'d>,
        has_discriminator: bool,
    ) -> bool {
        let profiles: Vec<Profile<'d>> = branches.iter().map(|branch| self.profile(branch, home)).collect();
        profiles.iter().enumerate().all(|(index, profile)| {
            profiles.iter().skip(index + 1).all(|other| profile.excludes(other, has_discriminator))
        })
    }

    fn profile(&mut self, node: NodeRef<'d>, home: &SchemaPosition<'d>) -> Profile<'d> {
        if let Some(is_any) = node.as_bool() {
            let kinds = if is_any { Kinds::ALL } else { Kinds::default() };
            return Profile { kinds, ..Profile::default() };
        }
        let owns = self.followed(&[Part::new(node, home.clone())]);
        let flat = self.flatten(owns);
        if flat.kinds.is_none() && !flat.unions.is_empty() {
            return Profile { kinds: Kinds::ALL, ..Profile::default() };
        }
        let implied = kinds_of(&flat, self.options.untyped);
        let is_untyped = implied == Kinds::default() && flat.kinds.is_none();
        let kinds = match &flat.values {
            Some(values) => values.iter().fold(Kinds::default(), |kinds, value| kinds.with(value)),
            None if is_untyped => Kinds::ALL,
            None => Kinds { null: flat.nullable, ..implied },
        };
        let values = flat.values.as_ref().map(|values| texts(values));
        let required = flat.properties.iter().filter(|(name, _)| flat.required.contains_key(*name));
        let mut constants = HashMap::new();
        for (name, parts) in required {
            let owns = self.followed(parts);
            let listed = owns.iter().find_map(|own| own.keywords.listed());
            constants.extend(listed.map(|values| (*name, texts(&values))));
        }
        Profile { kinds, values, constants }
    }
}

/// Facts about a branch of a union by which its values differ from those of other branches.
#[derive(Debug, Default)]
struct Profile<'d> {
    kinds: Kinds,
    /// The only values, as JSON text.
    values: Option<BTreeSet<String>>,
    /// The only values of required properties, as JSON text.
    constants: HashMap<&'d str, BTreeSet<String>>,
}

impl Profile<'_> {
    fn excludes(&self, other: &Self, has_discriminator: bool) -> bool {
        let (a, b) = (self.kinds, other.kinds);
        // Nearly all branches of such unions are objects, so branches of unknown kinds are taken for objects.
        if has_discriminator && (a == Kinds::ALL || b == Kinds::ALL) {
            return true;
        }
        let scalars = (a.null && b.null)
            || (a.boolean && b.boolean)
            || ((a.integer || a.number) && (b.integer || b.number))
            || (a.string && b.string);
        let differ = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.is_disjoint(other);
        if let (Some(one), Some(other)) = (&self.values, &other.values) {
            return differ(one, other);
        }
        let objects = a.object && b.object && !has_discriminator && {
            let has_tag = |(name, one): (&&str, &BTreeSet<String>)| {
                other.constants.get(*name).is_some_and(|other| differ(one, other))
            };
            !self.constants.iter().any(has_tag)
        };
        let arrays = a.array && b.array;
        !(scalars || arrays || objects)
    }
}

impl Kinds {
    fn with(self, value: NodeRef<'_>) -> Self {
        match value.value() {
            Value::Null => Self { null: true, ..self },
            Value::Boolean(_) => Self { boolean: true, ..self },
            Value::Number(_) => Self { number: true, ..self },
            Value::String(_) => Self { string: true, ..self },
            Value::Array(_) => Self { array: true, ..self },
            Value::Object(_) => Self { object: true, ..self },
        }
    }
}

fn texts(values: &[NodeRef<'_>]) -> BTreeSet<String> {
    values.iter().map(|value| key(value)).collect()
}

/// Returns whether several parts have different values of a keyword.
fn differ<'d>(owns: &[Own<'d>], keyword: impl Fn(&Keywords<'d>) -> Option<NodeRef<'d>>) -> bool {
    let mut values = owns.iter().filter_map(|own| keyword(&own.keywords));
    values.next().is_some_and(|first| values.any(|other| other != first))
}
