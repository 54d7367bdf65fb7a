//! Compares unions: their alternatives and discriminators.

use std::collections::BTreeSet;

use super::{
    compare::{Compare, Resolved, resolved},
    position::{Position, Step},
    rule::{Flow, ValueRule},
    words::{described, from_to},
};
use crate::ir::{Api, Discriminator, Kind, Schema, Type, TypeDef, UnionDef};

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
        let changed = discriminator_rule(at.flow);
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
        match (union(from), union(to)) {
            (None, Some(union)) => self.alternative_schema(old, union, true, at),
            (Some(union), None) => self.alternative_schema(new, union, false, at),
            _ => false,
        }
    }

    /// Compares a schema with a union that has it as an alternative. `is_new` says that the union is that of the new
    /// document. Returns whether it has the alternative.
    pub(super) fn alternative_schema(
        &mut self,
        one: &'a Schema,
        union: &'a UnionDef,
        is_new: bool,
        at: &Position<'_>,
    ) -> bool {
        let (api, of) = if is_new { (self.old, self.new) } else { (self.new, self.old) };
        let name = described(api, &Schema { nullable: false, ..one.clone() });
        let found = alternative(union, |schema| described(of, schema) == name);
        let Some((index, same)) = found else { return false };
        if is_new {
            self.schemas(one, same, at);
        } else {
            self.schemas(same, one, at);
        }
        self.other_alternatives(union, index, is_new, at);
        true
    }

    /// Compares a named type with a union that has it as an alternative. Returns whether it is one.
    pub(super) fn alternative_type(&mut self, old: &'a TypeDef, new: &'a TypeDef, at: &Position<'_>) -> bool {
        let (api, one, of, union, is_new) = match (&old.kind, &new.kind) {
            (Kind::Union(_), Kind::Union(_)) => return false,
            (_, Kind::Union(union)) => (self.old, old, self.new, union, true),
            (Kind::Union(union), _) => (self.new, new, self.old, union, false),
            _ => return false,
        };
        let name = described(api, &Schema::new(Type::Named { id: one.id, boxed: false }));
        // An inline object has the name of its position.
        let found = alternative(union, |schema| described(of, schema) == name).or_else(|| {
            alternative(union, |schema| {
                resolved(of, schema).def.is_some_and(|def| has_same_properties(one, def))
            })
        });
        let Some((index, same)) = found else { return false };
        let Some(def) = resolved(of, same).def else { return false };
        if is_new {
            self.nulls(false, same.nullable, at);
            self.refer(at, one.id, def.id);
        } else {
            self.nulls(same.nullable, false, at);
            self.refer(at, def.id, one.id);
        }
        self.other_alternatives(union, index, is_new, at);
        if let Some(Discriminator { property, .. }) = &union.discriminator
            && !is_constant(one, property)
        {
            let property = Some(property.as_str());
            let change = if is_new { from_to(None, property) } else { from_to(property, None) };
            self.add(discriminator_rule(at.flow), at, format!("discriminator {change}"));
        }
        true
    }

    /// Reports the alternatives of a union beside the one at an index, which the other document has.
    fn other_alternatives(&mut self, union: &UnionDef, index: usize, is_new: bool, at: &Position<'_>) {
        let (added, removed) = variant_rules(at.flow);
        for (_, variant) in union.variants.iter().enumerate().filter(|(other, _)| *other != index) {
            if is_new {
                let name = described(self.new, &variant.schema);
                self.change(added, at, format!("alternative {name} is new"), (None, Some(name)));
            } else {
                let name = described(self.old, &variant.schema);
                self.change(removed, at, format!("alternative {name} is removed"), (Some(name), None));
            }
        }
    }
}

/// Returns the first alternative of a union for which this holds, with its index.
fn alternative(union: &UnionDef, is_same: impl Fn(&Schema) -> bool) -> Option<(usize, &Schema)> {
    union.variants.iter().map(|variant| &variant.schema).enumerate().find(|(_, schema)| is_same(schema))
}

fn has_same_properties(one: &TypeDef, other: &TypeDef) -> bool {
    let names = |def: &TypeDef| match &def.kind {
        Kind::Struct(body) => body.fields.iter().map(|field| field.wire.clone()).collect::<BTreeSet<_>>(),
        _ => BTreeSet::new(),
    };
    let names = (names(one), names(other));
    !names.0.is_empty() && names.0 == names.1
}

/// Returns whether all values of a type have the same value of a property.
fn is_constant(def: &TypeDef, property: &str) -> bool {
    match &def.kind {
        Kind::Struct(body) => {
            body.fields.iter().any(|field| field.wire == property && field.constant.is_some())
        }
        _ => false,
    }
}

const fn discriminator_rule(flow: Flow) -> ValueRule {
    match flow {
        Flow::Request => ValueRule::RequestDiscriminatorChanged,
        Flow::Response => ValueRule::ResponseDiscriminatorChanged,
    }
}

/// Returns the rules of an alternative that is new, and of one that was removed.
const fn variant_rules(flow: Flow) -> (ValueRule, ValueRule) {
    match flow {
        Flow::Request => (ValueRule::RequestVariantAdded, ValueRule::RequestVariantRemoved),
        Flow::Response => (ValueRule::ResponseVariantAdded, ValueRule::ResponseVariantRemoved),
    }
}
