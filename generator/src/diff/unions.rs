//! Compares unions: their alternatives and discriminators.

use std::collections::HashMap;

use super::{
    compare::{Compare, Resolved, by},
    position::{Position, Step},
    rule::{Flow, ValueRule},
    words::{described, from_to},
};
use crate::ir::{Api, Discriminator, Kind, Schema, UnionDef};

impl<'a> Compare<'a> {
    pub(super) fn unions(&mut self, old: &'a UnionDef, new: &'a UnionDef, at: &Position<'_>) {
        let pairs = Pairs::of((self.old, old), (self.new, new));
        let (added, removed) = variant_rules(at.flow);
        for (index, variant) in old.variants.iter().enumerate() {
            match pairs.new.get(&index).and_then(|to| new.variants.get(*to)) {
                Some(to) => {
                    let at = at.at(Step::Variant(&to.ident.0));
                    self.schemas(&variant.schema, &to.schema, &at);
                }
                None => {
                    let name = described(self.old, &variant.schema);
                    self.change(removed, at, format!("alternative {name} is removed"), (Some(name), None));
                }
            }
        }
        for (index, variant) in new.variants.iter().enumerate() {
            if !pairs.old.contains_key(&index) {
                let name = described(self.new, &variant.schema);
                self.change(added, at, format!("alternative {name} is new"), (None, Some(name)));
            }
        }
        self.discriminators(old, new, &pairs, at);
    }

    fn discriminators(&mut self, old: &'a UnionDef, new: &'a UnionDef, pairs: &Pairs, at: &Position<'_>) {
        let changed = match at.flow {
            Flow::Request => ValueRule::RequestDiscriminatorChanged,
            Flow::Response => ValueRule::ResponseDiscriminatorChanged,
        };
        let property = |union: &'a UnionDef| {
            union.discriminator.as_ref().map(|discriminator| discriminator.property.as_str())
        };
        let other_property = || format!("discriminator {}", from_to(property(old), property(new)));
        let (Some(from), Some(to)) = (&old.discriminator, &new.discriminator) else {
            if property(old) != property(new) {
                self.add(changed, at, other_property());
            }
            return;
        };
        let Discriminator { property: from_property, kind, values: _ } = from;
        if (from_property, kind) != (&to.property, &to.kind) {
            return self.add(changed, at, other_property());
        }
        let (before, now) = (old.default_variant, new.default_variant);
        if before.is_some() != now.is_some() || before.and_then(|from| pairs.new.get(&from)) != now.as_ref() {
            self.add(changed, at, "another alternative is the default of the discriminator");
        }
        self.tags((from, to), changed, pairs, at);
    }

    /// Compares the values of a discriminator. Those of alternatives that are new or removed are part of that change.
    fn tags(
        &mut self,
        (old, new): (&'a Discriminator, &'a Discriminator),
        changed: ValueRule,
        pairs: &Pairs,
        at: &Position<'_>,
    ) {
        let (added, removed) = match at.flow {
            Flow::Request => (ValueRule::RequestTagAdded, ValueRule::RequestTagRemoved),
            Flow::Response => (ValueRule::ResponseTagAdded, ValueRule::ResponseTagRemoved),
        };
        let (from, to) = (by(&old.values, |(value, _)| value), by(&new.values, |(value, _)| value));
        for (value, of) in &old.values {
            let Some(pair) = pairs.new.get(of) else { continue };
            match to.get(value) {
                None => {
                    let message = format!("discriminator value `{value}` is removed");
                    self.change(removed, at, message, (Some(value.clone()), None));
                }
                Some((_, now)) if pair != now => {
                    self.add(
                        changed,
                        at,
                        format!("discriminator value `{value}` selects another alternative"),
                    );
                }
                Some(_) => {}
            }
        }
        for (value, of) in &new.values {
            if pairs.old.contains_key(of) && !from.contains_key(value) {
                let message = format!("discriminator value `{value}` is new");
                self.change(added, at, message, (None, Some(value.clone())));
            }
        }
    }

    /// Compares a value with a union that has it as an alternative. Returns whether it is one.
    pub(super) fn alternative_of(
        &mut self,
        (from, to): (&Resolved<'a>, &Resolved<'a>),
        (old, new): (&'a Schema, &'a Schema),
        at: &Position<'_>,
    ) -> bool {
        let union = |it: &Resolved<'a>| match it.def.map(|def| &def.kind) {
            Some(Kind::Union(union)) => Some(union),
            _ => None,
        };
        let (union, is_new) = match (union(from), union(to)) {
            (None, Some(union)) => (union, true),
            (Some(union), None) => (union, false),
            _ => return false,
        };
        let (api, (other_api, other)) =
            if is_new { (self.new, (self.old, old)) } else { (self.old, (self.new, new)) };
        let name = described(other_api, &Schema { nullable: false, ..other.clone() });
        let names: Vec<String> =
            union.variants.iter().map(|variant| described(api, &variant.schema)).collect();
        let Some(same) = names.iter().position(|other| *other == name) else { return false };
        let (added, removed) = variant_rules(at.flow);
        for (index, (variant, name)) in union.variants.iter().zip(names).enumerate() {
            match (index == same, is_new) {
                (true, true) => self.schemas(old, &variant.schema, at),
                (true, false) => self.schemas(&variant.schema, new, at),
                (false, true) => {
                    self.change(added, at, format!("alternative {name} is new"), (None, Some(name)));
                }
                (false, false) => {
                    self.change(removed, at, format!("alternative {name} is removed"), (Some(name), None));
                }
            }
        }
        true
    }
}

/// Which variants of two unions are the same, by their indexes.
#[derive(Default)]
struct Pairs {
    /// The new variant of each old one.
    new: HashMap<usize, usize>,
    /// The old variant of each new one.
    old: HashMap<usize, usize>,
}

impl Pairs {
    /// Pairs the variants of two unions: by what they are, then by their values of the discriminator, then by name.
    fn of((old_api, old): (&Api, &UnionDef), (new_api, new): (&Api, &UnionDef)) -> Self {
        let mut pairs = Self::default();
        for texts in [descriptions, tags, names] {
            pairs.add(&texts(old_api, old), &texts(new_api, new));
        }
        pairs
    }

    /// Pairs variants that have a text in common and no partner yet.
    fn add(&mut self, old: &[Vec<String>], new: &[Vec<String>]) {
        // The first variant with a text comes last, so that it is taken first.
        let mut free: HashMap<&String, Vec<usize>> = HashMap::new();
        for (index, texts) in new.iter().enumerate().rev().filter(|(index, _)| !self.old.contains_key(index))
        {
            texts.iter().for_each(|text| free.entry(text).or_default().push(index));
        }
        for (index, texts) in old.iter().enumerate() {
            if self.new.contains_key(&index) {
                continue;
            }
            let first = texts.iter().filter_map(|text| {
                let indexes = free.get_mut(text)?;
                while indexes.pop_if(|index| self.old.contains_key(index)).is_some() {}
                indexes.last().copied()
            });
            if let Some(first) = first.min() {
                self.new.insert(index, first);
                self.old.insert(first, index);
            }
        }
    }
}

fn descriptions(api: &Api, union: &UnionDef) -> Vec<Vec<String>> {
    union.variants.iter().map(|variant| vec![described(api, &variant.schema)]).collect()
}

/// Returns the values of the discriminator that select each variant.
fn tags(_: &Api, union: &UnionDef) -> Vec<Vec<String>> {
    let mut tags = vec![Vec::new(); union.variants.len()];
    for (value, variant) in union.discriminator.iter().flat_map(|discriminator| &discriminator.values) {
        tags.get_mut(*variant).into_iter().for_each(|tags| tags.push(value.clone()));
    }
    tags
}

fn names(_: &Api, union: &UnionDef) -> Vec<Vec<String>> {
    union.variants.iter().map(|variant| vec![variant.ident.0.clone()]).collect()
}

/// Returns the rules of an alternative that is new, and of one that was removed.
const fn variant_rules(flow: Flow) -> (ValueRule, ValueRule) {
    match flow {
        Flow::Request => (ValueRule::RequestVariantAdded, ValueRule::RequestVariantRemoved),
        Flow::Response => (ValueRule::ResponseVariantAdded, ValueRule::ResponseVariantRemoved),
    }
}
