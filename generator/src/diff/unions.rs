//! Compares unions: their alternatives and discriminators.

use super::{
    compare::Compare,
    position::{Position, Step},
    rule::{Flow, ValueRule},
    words::{described, from_to},
};
use crate::ir::{Api, Discriminator, Schema, UnionDef};

/// Returns texts by which a variant of a union is known. Two variants with one text in common are a pair.
type Key<'k> = dyn Fn(&UnionDef, &Api, usize) -> Vec<String> + 'k;

impl<'a> Compare<'a> {
    pub(super) fn unions(&mut self, old: &'a UnionDef, new: &'a UnionDef, at: &Position<'_>) {
        let pairs = self.pair_variants(old, new);
        let (added, removed) = variant_rules(at.flow);
        for (index, variant) in old.variants.iter().enumerate() {
            let found = pairs.iter().find(|(old, _)| *old == index);
            match found.and_then(|(_, to)| new.variants.get(*to)) {
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
            if !pairs.iter().any(|(_, new)| *new == index) {
                let name = described(self.new, &variant.schema);
                self.change(added, at, format!("alternative {name} is new"), (None, Some(name)));
            }
        }
        self.discriminators(old, new, &pairs, at);
    }

    /// Pairs the variants of two unions: by what they are, then by their values of the discriminator, then by name.
    fn pair_variants(&self, old: &UnionDef, new: &UnionDef) -> Vec<(usize, usize)> {
        let tags = |union: &UnionDef, index: usize| -> Vec<String> {
            let values = union.discriminator.iter().flat_map(|discriminator| &discriminator.values);
            values.filter(|(_, of)| *of == index).map(|(value, _)| value.clone()).collect()
        };
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let keys: [&Key<'_>; 3] = [
            &|union, api, index| {
                union.variants.get(index).map(|variant| described(api, &variant.schema)).into_iter().collect()
            },
            &|union, _, index| tags(union, index),
            &|union, _, index| {
                union.variants.get(index).map(|variant| variant.ident.0.clone()).into_iter().collect()
            },
        ];
        for key in keys {
            for from in 0..old.variants.len() {
                if pairs.iter().any(|(old, _)| *old == from) {
                    continue;
                }
                let wanted = key(old, self.old, from);
                let free = |to: &usize| !pairs.iter().any(|(_, new)| new == to);
                let is_same = |to: &usize| key(new, self.new, *to).iter().any(|key| wanted.contains(key));
                if let Some(to) = (0..new.variants.len()).filter(free).find(is_same) {
                    pairs.push((from, to));
                }
            }
        }
        pairs
    }

    fn discriminators(
        &mut self,
        old: &'a UnionDef,
        new: &'a UnionDef,
        pairs: &[(usize, usize)],
        at: &Position<'_>,
    ) {
        let changed = match at.flow {
            Flow::Request => ValueRule::RequestDiscriminatorChanged,
            Flow::Response => ValueRule::ResponseDiscriminatorChanged,
        };
        let property = |union: &'a UnionDef| {
            union.discriminator.as_ref().map(|discriminator| discriminator.property.as_str())
        };
        let (Some(from), Some(to)) = (&old.discriminator, &new.discriminator) else {
            if property(old) != property(new) {
                let message = format!("discriminator {}", from_to(property(old), property(new)));
                self.add(changed, at, message);
            }
            return;
        };
        let Discriminator { property: from_property, kind, values } = from;
        if (from_property, kind) != (&to.property, &to.kind) {
            let message = format!("discriminator {}", from_to(property(old), property(new)));
            return self.add(changed, at, message);
        }
        let default = |union: &UnionDef| union.default_variant;
        let paired =
            default(old).and_then(|from| pairs.iter().find(|(old, _)| *old == from)).map(|(_, new)| *new);
        if default(old).is_some() != default(new).is_some() || paired != default(new) {
            self.add(changed, at, "another alternative is the default of the discriminator");
        }
        let (added, removed) = match at.flow {
            Flow::Request => (ValueRule::RequestTagAdded, ValueRule::RequestTagRemoved),
            Flow::Response => (ValueRule::ResponseTagAdded, ValueRule::ResponseTagRemoved),
        };
        // Values of alternatives that are new or removed are part of that change.
        let kept = |from: usize| pairs.iter().any(|(old, _)| *old == from);
        for (value, of) in values.iter().filter(|(_, of)| kept(*of)) {
            match to.values.iter().find(|(other, _)| other == value) {
                None => self.change(
                    removed,
                    at,
                    format!("discriminator value `{value}` is removed"),
                    (Some(value.clone()), None),
                ),
                Some((_, now)) if !pairs.contains(&(*of, *now)) => {
                    self.add(
                        changed,
                        at,
                        format!("discriminator value `{value}` selects another alternative"),
                    );
                }
                Some(_) => {}
            }
        }
        let was_there = |to: usize| pairs.iter().any(|(_, new)| *new == to);
        for (value, _) in to.values.iter().filter(|(_, of)| was_there(*of)) {
            if !values.iter().any(|(other, _)| other == value) {
                self.change(
                    added,
                    at,
                    format!("discriminator value `{value}` is new"),
                    (None, Some(value.clone())),
                );
            }
        }
    }

    /// Returns the alternative of a union that is what a value of the other document is, and reports the others.
    ///
    /// `is_new` says that the union is that of the new document.
    pub(super) fn alternative(
        &mut self,
        union: &'a UnionDef,
        value: &Schema,
        is_new: bool,
        at: &Position<'_>,
    ) -> Option<&'a Schema> {
        let (added, removed) = variant_rules(at.flow);
        let (api, other) = if is_new { (self.new, self.old) } else { (self.old, self.new) };
        let name = described(other, &Schema { nullable: false, ..value.clone() });
        let same = union.variants.iter().position(|variant| described(api, &variant.schema) == name)?;
        for (_, variant) in union.variants.iter().enumerate().filter(|(index, _)| *index != same) {
            let name = described(api, &variant.schema);
            match is_new {
                true => self.change(added, at, format!("alternative {name} is new"), (None, Some(name))),
                false => {
                    self.change(removed, at, format!("alternative {name} is removed"), (Some(name), None));
                }
            }
        }
        union.variants.get(same).map(|variant| &variant.schema)
    }
}

/// Returns the rules of an alternative that is new, and of one that was removed.
const fn variant_rules(flow: Flow) -> (ValueRule, ValueRule) {
    match flow {
        Flow::Request => (ValueRule::RequestVariantAdded, ValueRule::RequestVariantRemoved),
        Flow::Response => (ValueRule::ResponseVariantAdded, ValueRule::ResponseVariantRemoved),
    }
}
