//! Compares unions: their alternatives and discriminators.

use std::{
    collections::{BTreeSet, HashMap},
    mem::discriminant,
};

use super::{
    compare::{Compare, Containment, Pair, Resolved, pairs, resolved},
    position::{Owner, Position, Step},
    rule::{Constraint, Effect, Flow, Rule, ValueRule},
    verdict::{Audience, Verdict},
    words::{described, described_type},
};
use crate::ir::{Api, Discriminator, Kind, TypeDef, UnionDef};

impl<'a> Compare<'a> {
    pub(super) fn unions(&mut self, old: &'a UnionDef, new: &'a UnionDef, at: &Position<'_>) {
        let pairs = Pairs::of((self.old, old), (self.new, new));
        let (of_old, of_new) = (whole(self.old, old), whole(self.new, new));
        for (index, variant) in old.variants.iter().enumerate() {
            match pairs.new.get(&index).and_then(|to| new.variants.get(*to)) {
                Some(to) => {
                    let at = at.at(Step::Variant(&to.ident.0));
                    self.schemas(&variant.schema, &to.schema, &at);
                }
                None => self.lone_alternative((old, index), &of_new, false, at),
            }
        }
        for index in 0..new.variants.len() {
            if !pairs.old.contains_key(&index) {
                self.lone_alternative((new, index), &of_old, true, at);
            }
        }
        self.discriminators(old, new, &pairs, at);
    }

    fn discriminators(&mut self, old: &'a UnionDef, new: &'a UnionDef, pairs: &Pairs, at: &Position<'_>) {
        let property = |discriminator: Option<&Discriminator>| Some(discriminator?.property.clone());
        let key = |Discriminator { property, kind, values: _ }: &'a Discriminator| (property, kind);
        let (from, to) = (old.discriminator.as_ref(), new.discriminator.as_ref());
        let effect = Effect::of_bound(from.map(key), to.map(key), |_, _| false);
        self.keyword(Constraint::Discriminator, effect, at, property(from), property(to));
        let (Some(from), Some(to), None) = (from, to, effect) else { return };
        let (before, now) = (old.default_variant, new.default_variant);
        if before.is_some() != now.is_some() || before.and_then(|from| pairs.new.get(&from)) != now.as_ref() {
            let message = "another alternative is the default of the discriminator";
            self.add(discriminator_changed(at.flow), at, message);
        }
        self.tags((from, to), pairs, at);
    }

    /// Compares the values of a discriminator. Those of alternatives that are new or removed are part of that change.
    fn tags(
        &mut self,
        (old, new): (&'a Discriminator, &'a Discriminator),
        variants: &Pairs,
        at: &Position<'_>,
    ) {
        let (added, removed) = at.flow.of(
            (ValueRule::RequestTagAdded, ValueRule::RequestTagRemoved),
            (ValueRule::ResponseTagAdded, ValueRule::ResponseTagRemoved),
        );
        let key = |(value, _): &'a (String, usize)| value;
        for pair in pairs((&old.values, key), (&new.values, key)) {
            let (value, _) = pair.any();
            let name = format!("discriminator value `{value}`");
            match pair {
                Pair::Both((_, of), (_, now)) if variants.new.get(of).is_some_and(|to| to != now) => {
                    self.add(
                        discriminator_changed(at.flow),
                        at,
                        format!("{name} selects another alternative"),
                    );
                }
                Pair::Removed((_, of)) if variants.new.contains_key(of) => {
                    self.change(removed, at, format!("{name} is removed"), (Some(value.clone()), None));
                }
                Pair::Added((_, of)) if variants.old.contains_key(of) => {
                    self.change(added, at, format!("{name} is new"), (None, Some(value.clone())));
                }
                _ => {}
            }
        }
    }

    /// Compares a type with a union of the other document that has it as an alternative. Returns whether one does.
    pub(super) fn alternative(&mut self, from: &Resolved<'_>, to: &Resolved<'_>, at: &Position<'_>) -> bool {
        let (one, union, is_new) = match (from.union(), to.union()) {
            (None, Some(union)) => (from, union, true),
            (Some(union), None) => (to, union, false),
            _ => return false,
        };
        let (api, of) = if is_new { (self.old, self.new) } else { (self.new, self.old) };
        let text = |api, it: &Resolved<'_>| described_type(api, &Resolved { nullable: false, ..it.clone() });
        let name = text(api, one);
        let variants = || union.variants.iter().map(|variant| resolved(of, &variant.schema)).enumerate();
        // An inline object has the name of its position.
        let found = variants()
            .find(|(_, other)| text(of, other) == name)
            .or_else(|| variants().find(|(_, other)| has_same_properties(one.def, other.def)));
        let Some((index, same)) = found else { return false };
        let (from, to) = if is_new { (one, &same) } else { (&same, one) };
        // Whether the union can be null was compared. Its alternative can be null independently.
        if same.nullable && !one.nullable {
            self.nulls(from.nullable, to.nullable, at);
        }
        self.beside_null(from, to, at);
        for other in (0..union.variants.len()).filter(|other| *other != index) {
            self.lone_alternative((union, other), std::slice::from_ref(one), is_new, at);
        }
        if let Some(Discriminator { property, .. }) = &union.discriminator
            && !one.def.is_some_and(|def| is_constant(def, property))
        {
            let property = Some(property.clone());
            let (effect, (old, new)) = match is_new {
                true => (Effect::Tightened, (None, property)),
                false => (Effect::Loosened, (property, None)),
            };
            self.keyword(Constraint::Discriminator, Some(effect), at, old, new);
        }
        true
    }

    /// Reports an alternative that only one document has, unless `others`, of the other document, have all its values.
    fn lone_alternative(
        &mut self,
        (union, index): (&UnionDef, usize),
        others: &[Resolved<'_>],
        is_new: bool,
        at: &Position<'_>,
    ) {
        // The objects of the overlap are also values of other alternatives.
        let Some(variant) = union.variants.get(index).filter(|_| union.overlap != Some(index)) else {
            return;
        };
        let api = if is_new { self.new } else { self.old };
        let one = resolved(api, &variant.schema);
        // A discriminator distinguishes alternatives with equal values.
        if union.discriminator.is_none()
            && others.iter().any(|other| self.has_all_of(&one, other, is_new, at))
        {
            return;
        }
        let (added, removed) = at.flow.of(
            (ValueRule::RequestVariantAdded, ValueRule::RequestVariantRemoved),
            (ValueRule::ResponseVariantAdded, ValueRule::ResponseVariantRemoved),
        );
        let name = described(api, &variant.schema);
        match is_new {
            true => self.change(added, at, format!("alternative {name} is new"), (None, Some(name))),
            false => self.change(removed, at, format!("alternative {name} is removed"), (Some(name), None)),
        }
    }

    /// Returns whether another type of the same kind in the other document has all values of an alternative.
    fn has_all_of(
        &mut self,
        one: &Resolved<'_>,
        other: &Resolved<'_>,
        is_new: bool,
        at: &Position<'_>,
    ) -> bool {
        let is_same_kind = match (one.def, other.def) {
            (None, None) => discriminant(one.ty) == discriminant(other.ty),
            _ => has_same_properties(one.def, other.def),
        };
        if !is_same_kind || self.is_alone {
            return false;
        }
        let (from, to) = if is_new { (other, one) } else { (one, other) };
        let question = Containment::of(from, to, at.flow, is_new);
        if let Some(known) = question.as_ref().and_then(|it| self.contained.get(it)) {
            return *known;
        }
        let at = Position::root(Owner::Document, "", at.flow, Default::default());
        let found = self.alone(|alone| {
            alone.nulls(from.nullable, to.nullable, &at);
            alone.beside_null(from, to, &at);
            alone.all_types();
        });
        // This audience sends or receives the values of the alternative.
        let audience = match (at.flow, is_new) {
            (Flow::Request, false) | (Flow::Response, true) => Audience::Clients,
            (Flow::Request, true) | (Flow::Response, false) => Audience::Servers,
        };
        let contained = found.iter().all(|found| found.verdicts.of(audience) == Verdict::Fine);
        self.contained.extend(question.map(|it| (it, contained)));
        contained
    }
}

/// Returns the alternatives of a union, unless a discriminator selects one.
fn whole<'a>(api: &'a Api, union: &'a UnionDef) -> Vec<Resolved<'a>> {
    let variants = union.variants.iter().filter(|_| union.discriminator.is_none());
    variants.map(|variant| resolved(api, &variant.schema)).collect()
}

impl<'a> Resolved<'a> {
    fn union(&self) -> Option<&'a UnionDef> {
        match self.def.map(|def| &def.kind) {
            Some(Kind::Union(union)) => Some(union),
            _ => None,
        }
    }
}

/// The variants of two unions that are the same, by their indexes.
#[derive(Default)]
struct Pairs {
    /// The new variant of each old one.
    new: HashMap<usize, usize>,
    /// The old variant of each new one.
    old: HashMap<usize, usize>,
}

impl Pairs {
    /// Pairs the variants of two unions: by their types, then by their values of the discriminator, then by name.
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

fn has_same_properties(one: Option<&TypeDef>, other: Option<&TypeDef>) -> bool {
    let names = |def: Option<&TypeDef>| match def.map(|def| &def.kind) {
        Some(Kind::Struct(body)) => body.fields.iter().map(|field| field.wire.clone()).collect(),
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

const fn discriminator_changed(flow: Flow) -> Rule {
    Rule::Keyword(Constraint::Discriminator, flow, Effect::Changed)
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
