//! Objects that match several branches of `anyOf`, which get a variant with the properties of all of these.
//!
//! The decoder prefers it if a value has properties that no single branch lists. Without it, they would be lost.

use std::collections::{BTreeSet, HashMap};

use crate::{
    ir::Kinds,
    lower::{
        resolver::{flat::Flat, kinds::common, literal::key, parts::Part},
        schema::{state::Schemas, unions::branches::Branch},
    },
};

/// The maximum number of branches that share a variant.
const MAX_BRANCHES: usize = 8;

impl<'d> Schemas<'d, '_> {
    /// Returns the branch of the objects that match several branches, if that is possible.
    ///
    /// It consists of these branches. If there are more than two, it requires none of their properties, because an object
    /// may match any two of them.
    pub fn overlap(&mut self, branches: &[Branch<'d>]) -> Option<Branch<'d>> {
        let objects: Vec<Option<Object<'d>>> =
            branches.iter().map(|branch| self.open_object(&branch.parts)).collect();
        let overlaps = |one: &Option<Object<'d>>, other: &Option<Object<'d>>| match (one, other) {
            (Some(one), Some(other)) => one.overlaps(other),
            _ => false,
        };
        let members = branches.iter().zip(&objects);
        let members = members.filter(|(_, one)| objects.iter().any(|other| overlaps(one, other)));
        let members: Vec<&Branch<'d>> = members.map(|(branch, _)| branch).take(MAX_BRANCHES + 1).collect();
        if members.is_empty() || members.len() > MAX_BRANCHES {
            return None;
        }
        let is_loose = members.len() > 2;
        let text = if is_loose { "several" } else { "both" }.to_owned();
        let mut parts = Vec::new();
        for branch in members {
            parts.extend(branch.parts.iter().cloned());
            // The keywords next to the union apply anyway. The branch itself comes last.
            if let Some(own) = parts.last_mut() {
                own.is_loose = is_loose;
            }
        }
        Some(Branch { parts, target: None, text, is_overlap: true })
    }

    /// Returns the properties of an object that ignores all others.
    fn open_object(&mut self, parts: &[Part<'d>]) -> Option<Object<'d>> {
        let owns = self.followed(parts);
        let Flat {
            properties, required, kinds, closed, additional, pattern_properties, unions, values, ..
        } = self.flatten(owns);
        let is_object = kinds.is_none_or(|kinds| kinds == Kinds { object: true, ..Kinds::default() });
        let ignores = !closed && additional.is_none() && pattern_properties.is_empty();
        // A property whose schema contains this union can't be read again.
        let is_reading = properties.values().flatten().any(|part| self.open.contains(&part.node.id()));
        if is_reading || !is_object || !ignores || !unions.is_empty() || values.is_some() {
            return None;
        }
        let property = |(name, parts): (&'d str, Vec<Part<'d>>)| {
            let owns = self.followed(&parts);
            let flat = self.flatten(owns);
            let values = flat.values.map(|values| values.into_iter().map(key).collect());
            let is_tag =
                required.contains_key(name) && values.as_ref().is_some_and(|it: &BTreeSet<_>| it.len() == 1);
            (name, Property { kinds: flat.kinds, values, is_tag })
        };
        Some(Object(properties.into_iter().map(property).collect()))
    }
}

/// The properties of an object.
struct Object<'d>(HashMap<&'d str, Property>);

/// The fact about a property that distinguishes objects.
struct Property {
    kinds: Option<Kinds>,
    values: Option<BTreeSet<String>>,
    /// Whether it is required and has one value, so that it names the schema.
    is_tag: bool,
}

impl Object<'_> {
    /// Returns whether an object can match both, and each lists properties that the other does not.
    fn overlaps(&self, other: &Self) -> bool {
        let own = |one: &Self, other: &Self| {
            let mut own = one.0.iter().filter(|(name, _)| !other.0.contains_key(*name)).peekable();
            own.peek().is_some() && !own.any(|(_, property)| property.is_tag)
        };
        let mut both = self.0.iter().filter_map(|(name, property)| Some((property, other.0.get(name)?)));
        own(self, other) && own(other, self) && both.all(|(one, other)| one.agrees(other))
    }
}

impl Property {
    /// Returns whether a value may match both.
    fn agrees(&self, other: &Self) -> bool {
        let kinds = match (self.kinds, other.kinds) {
            (Some(one), Some(other)) => common(one, other) != Kinds::default(),
            _ => true,
        };
        let values = match (&self.values, &other.values) {
            (Some(one), Some(other)) => !one.is_disjoint(other),
            _ => true,
        };
        kinds && values
    }
}
