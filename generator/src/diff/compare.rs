//! The state of a comparison: pairs of operations and types, and the changes that were found.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::Hash,
};

use super::{
    json::Settled,
    position::{Owner, Position},
    rule::{Flow, Rule},
    verdict::Verdicts,
    words::from_to,
};
use crate::{
    graph,
    ir::{
        Api, Docs, JsonSchemaId, Kind, Literal, Operation, Origin, Provenance, Schema, Type, TypeDef, TypeId,
    },
    tree::Range,
};

/// Both documents, and the changes that were found.
pub(super) struct Compare<'a> {
    pub old: &'a Api,
    pub new: &'a Api,
    pub found: Vec<Found>,
    /// Differences of keywords that are reported only if the type and the types in it have no other change.
    pub doubtful: Vec<Found>,
    /// The operations that both documents have.
    pub operations: Vec<(&'a Operation, &'a Operation)>,
    /// The webhooks that both documents have, by the name in reports.
    pub webhooks: Vec<String>,
    /// The types that values of both documents have at the same position.
    pub types: Vec<TypePair>,
    known: HashMap<(TypeId, TypeId, Flow), usize>,
    /// The JSON Schemas that were compared.
    pub settled: Settled,
    /// Whether a type of one document has all values of a type of the other one.
    pub contained: HashMap<Containment, bool>,
    /// Whether this comparison is nested in another one.
    pub is_alone: bool,
}

/// Two types at the same position, and who refers to them.
pub(super) struct TypePair {
    pub old: TypeId,
    pub new: TypeId,
    pub flow: Flow,
    /// Where the first referrer has the types.
    pub subject: String,
    /// The source locations there.
    pub origins: (Origin, Origin),
    pub referrers: BTreeSet<Owner>,
}

/// A question about two types: does one of them have all values of the other one?
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Containment {
    types: [TypeId; 2],
    nullable: [bool; 2],
    also: [Option<JsonSchemaId>; 2],
    flow: Flow,
    /// Whether the question is if the old type has all values of the new one. Otherwise, it is the opposite.
    is_new: bool,
}

impl Containment {
    /// Returns the question, unless one of the types has no name or its schema lists values.
    pub fn of(from: &Resolved<'_>, to: &Resolved<'_>, flow: Flow, is_new: bool) -> Option<Self> {
        let both = [from, to];
        let types = [from.def?.id, to.def?.id];
        let is_plain = both.iter().all(|it| it.allowed.is_empty());
        let (nullable, also) = (both.map(|it| it.nullable), both.map(|it| it.also));
        is_plain.then_some(Self { types, nullable, also, flow, is_new })
    }
}

/// The source location of a part, as a key.
pub(super) type LocationKey = Option<(usize, Range)>;

pub(super) fn location(Origin(location): Origin) -> LocationKey {
    location.map(|it| (it.file.get(), it.name.range()))
}

/// A change, before its source locations and operations are known.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub rule: Rule,
    pub verdicts: Verdicts,
    pub owner: Owner,
    pub subject: String,
    pub message: String,
    /// The values in both documents.
    pub values: (Option<String>, Option<String>),
    /// The probable counterpart of a part that only one document has: ``renamed to `b`?``.
    pub hint: Option<String>,
    pub origins: (Origin, Origin),
}

impl Found {
    pub fn locations(&self) -> [LocationKey; 2] {
        [self.origins.0, self.origins.1].map(location)
    }
}

impl<'a> Compare<'a> {
    pub fn new(old: &'a Api, new: &'a Api) -> Self {
        Self {
            old,
            new,
            found: Vec::new(),
            doubtful: Vec::new(),
            operations: Vec::new(),
            webhooks: Vec::new(),
            types: Vec::new(),
            known: HashMap::new(),
            settled: Settled::default(),
            contained: HashMap::new(),
            is_alone: false,
        }
    }

    /// Returns the changes that a comparison of some parts finds, without adding them.
    pub fn alone(&mut self, compare: impl FnOnce(&mut Self)) -> Vec<Found> {
        let settled = std::mem::take(&mut self.settled);
        let mut alone = Self { settled, is_alone: true, ..Self::new(self.old, self.new) };
        compare(&mut alone);
        alone.settle_doubts();
        self.settled = alone.settled;
        alone.found
    }

    /// Adds a change without values.
    pub fn add(&mut self, rule: impl Into<Rule>, at: &Position<'_>, message: impl Into<String>) {
        self.change(rule, at, message, (None, None));
    }

    /// Adds a change of a part that only one document has, with a hint about its counterpart in the other one.
    pub fn lone(
        &mut self,
        rule: impl Into<Rule>,
        at: &Position<'_>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.add(rule, at, message);
        if let Some(found) = self.found.last_mut() {
            found.hint = hint;
        }
    }

    /// Adds a change of a value.
    pub fn change(
        &mut self,
        rule: impl Into<Rule>,
        at: &Position<'_>,
        message: impl Into<String>,
        values: (Option<String>, Option<String>),
    ) {
        let rule = rule.into();
        self.found.push(Found {
            rule,
            verdicts: rule.verdicts(),
            owner: at.owner,
            subject: at.to_string(),
            message: message.into(),
            values,
            hint: None,
            origins: (at.old, at.new),
        });
    }

    /// Adds a change of a text, if it is one.
    pub fn text(
        &mut self,
        rule: impl Into<Rule>,
        name: &str,
        (old, new): (Option<&str>, Option<&str>),
        at: &Position<'_>,
    ) {
        if old != new {
            self.between(rule, name, (old.map(str::to_owned), new.map(str::to_owned)), at);
        }
    }

    /// Adds a change between values: `operationId a → b`.
    pub fn between(
        &mut self,
        rule: impl Into<Rule>,
        name: &str,
        values: (Option<String>, Option<String>),
        at: &Position<'_>,
    ) {
        let message = format!("{name} {}", from_to(values.0.as_deref(), values.1.as_deref()));
        self.change(rule, at, message, values);
    }

    /// Adds a change of a flag: the first one if it is now set, the second one if it no longer is.
    pub fn flag(
        &mut self,
        (old, new): (bool, bool),
        (set, set_message): (impl Into<Rule>, &str),
        (unset, unset_message): (impl Into<Rule>, &str),
        at: &Position<'_>,
    ) {
        match (old, new) {
            (false, true) => self.add(set, at, set_message),
            (true, false) => self.add(unset, at, unset_message),
            _ => {}
        }
    }

    /// Compares whether a part is required. The rules are for a part that became required, and for one that became optional.
    pub fn required(&mut self, both: (bool, bool), [set, unset]: [impl Into<Rule>; 2], at: &Position<'_>) {
        self.flag(both, (set, "is now required"), (unset, "is now optional"), at);
    }

    /// Compares whether a part is deprecated. The rules are for a part that is now deprecated, and for one that no longer is.
    pub fn deprecated(
        &mut self,
        old: &Docs,
        new: &Docs,
        [set, unset]: [impl Into<Rule>; 2],
        at: &Position<'_>,
    ) {
        let both = (old.deprecated, new.deprecated);
        self.flag(both, (set, "is deprecated"), (unset, "is no longer deprecated"), at);
    }

    /// Adds a pair of types that the owner of a position refers to. They are compared later, once for each direction.
    pub fn refer(&mut self, at: &Position<'_>, old: TypeId, new: TypeId) {
        let index = *self.known.entry((old, new, at.flow)).or_insert_with(|| {
            self.types.push(TypePair {
                old,
                new,
                flow: at.flow,
                subject: at.to_string(),
                origins: (at.old, at.new),
                referrers: BTreeSet::new(),
            });
            self.types.len() - 1
        });
        if let Some(pair) = self.types.get_mut(index) {
            pair.referrers.insert(at.owner);
        }
    }

    /// Adds the doubtful differences of types that have no other change, and contain no type that has one.
    pub fn settle_doubts(&mut self) {
        let changed: Vec<Owner> = self.found.iter().map(|found| found.owner).collect();
        let referrers = |owner: Owner| match owner {
            Owner::Type(index) => self.types.get(index).map(|pair| pair.referrers.iter().copied()),
            Owner::Document | Owner::Operation(_) | Owner::Webhook(_) => None,
        };
        let reported: HashSet<Owner> =
            graph::reached(changed, |owner| referrers(owner).into_iter().flatten()).into_iter().collect();
        let doubtful = std::mem::take(&mut self.doubtful);
        self.found.extend(doubtful.into_iter().filter(|found| !reported.contains(&found.owner)));
    }
}

/// Returns parts by their key. Of several with one key, the first one counts.
pub(super) fn by<'p, T, K: Eq + Hash>(parts: &'p [T], key: impl Fn(&'p T) -> K) -> HashMap<K, &'p T> {
    parts.iter().rev().map(|part| (key(part), part)).collect()
}

/// A part of both documents, or of one of them.
pub(super) enum Pair<'p, T> {
    Both(&'p T, &'p T),
    Removed(&'p T),
    Added(&'p T),
}

impl<'p, T> Pair<'p, T> {
    /// Returns the new part, or else the old one.
    pub fn any(&self) -> &'p T {
        let (Self::Both(_, part) | Self::Removed(part) | Self::Added(part)) = self;
        part
    }
}

/// Returns the old parts in their order, each with the new part that has its key, and then the other new ones.
pub(super) fn pairs<'p, T, K: Eq + Hash>(
    (old, old_key): (&'p [T], impl Fn(&'p T) -> K),
    (new, new_key): (&'p [T], impl Fn(&'p T) -> K),
) -> Vec<Pair<'p, T>> {
    let (old_keys, new_keys) = (by(old, &old_key), by(new, &new_key));
    let known = old.iter().map(|part| match new_keys.get(&old_key(part)) {
        Some(other) => Pair::Both(part, other),
        None => Pair::Removed(part),
    });
    let added = new.iter().filter(|part| !old_keys.contains_key(&new_key(part)));
    known.chain(added.map(Pair::Added)).collect()
}

/// A schema, or a named type as a schema.
#[derive(Clone)]
pub(super) struct Resolved<'a> {
    pub ty: &'a Type,
    pub nullable: bool,
    pub allowed: Vec<&'a Literal>,
    /// The JSON Schema keywords that the type does not express.
    pub also: Option<JsonSchemaId>,
    /// The named type, unless it is an alias.
    pub def: Option<&'a TypeDef>,
}

impl<'a> From<&'a Schema> for Resolved<'a> {
    /// Returns a schema without following its aliases.
    fn from(schema: &'a Schema) -> Self {
        let Schema { ty, nullable, allowed, also } = schema;
        Self { ty, nullable: *nullable, allowed: allowed.iter().collect(), also: *also, def: None }
    }
}

/// Follows the aliases of a schema.
pub(super) fn resolved<'a>(api: &'a Api, schema: &'a Schema) -> Resolved<'a> {
    let mut resolved = Resolved::from(schema);
    // Aliases of a document can't form a cycle, but a bound costs nothing.
    for _ in 0..64 {
        let Type::Named { id, .. } = resolved.ty else { break };
        let Some(def) = api.type_def(*id) else { break };
        let Kind::Alias(target) = &def.kind else {
            resolved.def = Some(def);
            break;
        };
        resolved.ty = &target.ty;
        resolved.nullable |= target.nullable;
        if resolved.allowed.is_empty() {
            resolved.allowed.extend(&target.allowed);
        }
        resolved.also = resolved.also.or(def.also).or(target.also);
    }
    resolved
}

/// Returns the name of a type for people: the document's name of its schema, or where it is.
pub(super) fn type_name(def: &TypeDef) -> String {
    path(&def.provenance)
}

/// Returns where a schema is: `Pet.owner` for `` `owner` in schema `Pet` ``, `POST /pets body` for a part of an operation.
fn path(provenance: &Provenance) -> String {
    match provenance {
        Provenance::Component(name) | Provenance::Operation(name) => name.clone(),
        Provenance::AnyWebhook | Provenance::Other(_) => provenance.to_string(),
        Provenance::Part(part, of) => match **of {
            Provenance::Operation(_) => format!("{} {}", path(of), part.strip_prefix("the ").unwrap_or(part)),
            _ => provenance.to_string(),
        },
        Provenance::Inner(steps, of) => {
            let dot = if steps.starts_with(['[', '.']) { "" } else { "." };
            format!("{}{dot}{steps}", path(of))
        }
        Provenance::Variant(name, of) => format!("{} variant {name}", path(of)),
    }
}
