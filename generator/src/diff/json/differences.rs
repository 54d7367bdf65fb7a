//! Finds what differs between two schemas, and whether fewer or more values are valid.

use std::collections::{HashMap, HashSet};

use super::{
    Covered, Settled,
    difference::{Difference, changed, inverse, one, together, within},
    effects::effect,
};
use crate::{
    diff::{
        compare::{Pair, pairs},
        maps::is_match,
        rule::Effect,
    },
    ir::{Api, JsonSchema, JsonSchemaId, Keyword, PatternId},
};

/// The comparison of two schemas. They mean the same if there is no difference.
pub(super) struct Differences<'a> {
    old: &'a Api,
    new: &'a Api,
    settled: &'a mut Settled,
    /// The references that were reached, by whether the types cover a part. Each has its difference, and the first reference
    /// with an unknown difference on which it depends. A reference that is still being compared counts as equal.
    met: HashMap<(JsonSchemaId, JsonSchemaId, bool), (Option<Difference>, usize)>,
    /// The first reference with an unknown difference on which the current comparison depends.
    unknown: usize,
}

/// The parts of the keyword `properties`.
type Properties<'k> = (&'k [(String, JsonSchema)], &'k [(PatternId, JsonSchema)], Option<&'k JsonSchema>);

impl<'a> Differences<'a> {
    pub fn new(old: &'a Api, new: &'a Api, settled: &'a mut Settled) -> Self {
        Self { old, new, settled, met: HashMap::new(), unknown: usize::MAX }
    }

    pub fn references(
        &mut self,
        old: JsonSchemaId,
        new: JsonSchemaId,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let is_whole = matches!(covered, Covered::Nothing);
        if let Some(found) = self.settled.0.get(&(old, new)).filter(|_| is_whole) {
            return found.clone();
        }
        let key = (old, new, is_whole);
        if let Some((found, unknown)) = self.met.get(&key) {
            self.unknown = self.unknown.min(*unknown);
            return found.clone();
        }
        let (from, to) = (self.old.json_schemas.get(old.0)?, self.new.json_schemas.get(new.0)?);
        let number = self.met.len();
        self.met.insert(key, (None, number));
        let around = std::mem::replace(&mut self.unknown, usize::MAX);
        let found = self.schemas(&from.schema, &to.schema, covered);
        if self.unknown >= number {
            self.unknown = usize::MAX;
            if is_whole {
                self.settled.0.insert((old, new), found.clone());
            }
        }
        self.met.insert(key, (found.clone(), self.unknown));
        self.unknown = self.unknown.min(around);
        found
    }

    /// Compares two schemas keyword by keyword.
    pub fn schemas(
        &mut self,
        JsonSchema(old): &JsonSchema,
        JsonSchema(new): &JsonSchema,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let is_struct = matches!(covered, Covered::Struct(..));
        let names = if is_struct { self.names(parts(old), parts(new)) } else { None };
        let counts = |keyword: &&Keyword| {
            let is_properties = is_struct && matches!(keyword, Keyword::Properties { .. });
            !is_properties && !covered.covers(keyword)
        };
        let old: Vec<&Keyword> = old.iter().filter(counts).collect();
        let new: Vec<&Keyword> = new.iter().filter(counts).collect();
        let mut pairs = Vec::new();
        for (from, keyword) in old.iter().enumerate() {
            for (to, other) in new.iter().enumerate().filter(|(_, other)| other.name() == keyword.name()) {
                pairs.push((from, to, self.keywords(keyword, other, covered)));
            }
        }
        // A schema can have several keywords with one name. Equal ones become pairs first.
        pairs.sort_by_key(|(.., difference)| difference.is_some());
        let (mut from, mut to) = (HashMap::new(), HashSet::new());
        for (index, other, difference) in pairs {
            if !from.contains_key(&index) && to.insert(other) {
                from.insert(index, difference);
            }
        }
        let removed = old.iter().enumerate().map(|(index, keyword)| match from.remove(&index) {
            Some(difference) => difference.map(|inner| within(keyword.name(), inner)),
            None if covered.satisfies(keyword, false) => None,
            None => one(Effect::Loosened, keyword.name()),
        });
        let added = new.iter().enumerate().filter(|(index, _)| !to.contains(index));
        let added = added.filter(|(_, keyword)| !covered.satisfies(keyword, true));
        let added = added.map(|(_, keyword)| one(Effect::Tightened, keyword.name()));
        together(removed.chain(added).chain([names.map(|inner| within("properties", inner))]))
    }

    /// Compares two keywords of one name.
    fn keywords(&mut self, old: &Keyword, new: &Keyword, covered: Covered<'_>) -> Option<Difference> {
        match (old, new) {
            (Keyword::Ref(old), Keyword::Ref(new)) => {
                let found = self.references(*old, *new, covered)?;
                let part = found.part.or_else(|| Some(([Some(*old), Some(*new)], found.path.clone())));
                Some(Difference { part, ..found })
            }
            (Keyword::AllOf(old), Keyword::AllOf(new)) => {
                self.several((old, new), Effect::Tightened, true, covered)
            }
            (Keyword::OneOf(_), Keyword::OneOf(_)) if matches!(covered, Covered::Union) => None,
            (Keyword::AnyOf(old), Keyword::AnyOf(new)) => {
                self.several((old, new), Effect::Loosened, true, Covered::Nothing)
            }
            (Keyword::OneOf(old), Keyword::OneOf(new)) => {
                let found = self.several((old, new), Effect::Loosened, false, Covered::Nothing);
                // Alternatives that are constants exclude each other.
                if old.iter().chain(new).all(is_constant) { found } else { found.map(changed) }
            }
            (Keyword::Not(old), Keyword::Not(new)) => {
                self.schemas(old, new, Covered::Nothing).map(Difference::inverse)
            }
            (Keyword::PropertyNames(old), Keyword::PropertyNames(new))
            | (Keyword::UnevaluatedItems(old), Keyword::UnevaluatedItems(new))
            | (Keyword::UnevaluatedProperties(old), Keyword::UnevaluatedProperties(new)) => {
                self.schemas(old, new, Covered::Nothing)
            }
            (Keyword::DependentSchemas(old), Keyword::DependentSchemas(new)) => self.by_name(old, new),
            (Keyword::Properties { .. }, Keyword::Properties { .. }) => {
                self.properties(parts([old]), parts([new]))
            }
            (
                Keyword::Items { prefix, others },
                Keyword::Items { prefix: new_prefix, others: new_others },
            ) => {
                if prefix.len() != new_prefix.len() {
                    return one(Effect::Changed, "");
                }
                let pairs = prefix.iter().zip(new_prefix);
                let mut found: Vec<_> =
                    pairs.map(|(old, new)| self.schemas(old, new, Covered::Nothing)).collect();
                found.push(self.optional(others.as_deref(), new_others.as_deref()));
                together(found)
            }
            (
                Keyword::Contains { schema, minimum, maximum },
                Keyword::Contains { schema: new_schema, minimum: new_minimum, maximum: new_maximum },
            ) => {
                let found = self.schemas(schema, new_schema, Covered::Nothing).map(changed);
                let least = Effect::of_bound(Some(minimum), Some(new_minimum), |old, new| new > old);
                let most = Effect::of_bound(*maximum, *new_maximum, |old, new| new < old);
                together([found].into_iter().chain([least, most].map(|effect| one(effect?, ""))))
            }
            (
                Keyword::If { condition, then, otherwise },
                Keyword::If { condition: new_condition, then: new_then, otherwise: new_otherwise },
            ) => {
                let found = [
                    self.schemas(condition, new_condition, Covered::Nothing),
                    self.optional(then.as_deref(), new_then.as_deref()),
                    self.optional(otherwise.as_deref(), new_otherwise.as_deref()),
                ];
                together(found).map(changed)
            }
            (Keyword::Pattern(old), Keyword::Pattern(new)) if self.are_same_patterns(*old, *new) => None,
            (Keyword::Pattern(_), Keyword::Pattern(_)) => one(Effect::Changed, ""),
            _ => one(effect(old, new)?, ""),
        }
    }

    /// Compares the schemas of `allOf`, `anyOf` or `oneOf`. `added` is the effect of one more. `is_set` means that a repeated
    /// schema has no effect.
    fn several(
        &mut self,
        (old, new): (&[JsonSchema], &[JsonSchema]),
        added: Effect,
        is_set: bool,
        covered: Covered<'_>,
    ) -> Option<Difference> {
        let has_uncovered = |schema: &&JsonSchema| schema.0.iter().any(|keyword| !covered.covers(keyword));
        let old: Vec<&JsonSchema> = old.iter().filter(has_uncovered).collect();
        let new: Vec<&JsonSchema> = new.iter().filter(has_uncovered).collect();
        let old_shapes: Vec<_> = old.iter().map(|schema| shape(self.old, schema, covered)).collect();
        let new_shapes: Vec<_> = new.iter().map(|schema| shape(self.new, schema, covered)).collect();
        let mut compared = HashMap::new();
        let mut compare = |from: usize, to: usize| {
            let (old, new) = (old.get(from)?, new.get(to)?);
            let found = || self.schemas(old, new, covered);
            compared.entry((from, to)).or_insert_with(found).clone()
        };
        let mut is_same = |from: usize, to: usize| {
            old_shapes.get(from) == new_shapes.get(to) && compare(from, to).is_none()
        };
        let mut same = HashSet::new();
        let mut only_old = Vec::new();
        // Most schemas are in the same order.
        let mut next = 0;
        for from in 0..old.len() {
            let mut free = (next..new.len()).chain(0..next).filter(|to| is_set || !same.contains(to));
            match free.find(|to| is_same(from, *to)) {
                Some(to) => {
                    same.insert(to);
                    next = to + 1;
                }
                None => only_old.push(from),
            }
        }
        let mut only_new: Vec<usize> = (0..new.len()).filter(|to| !same.contains(to)).collect();
        only_new.retain(|to| !is_set || (0..old.len()).all(|from| !is_same(from, *to)));
        if only_old.len() == only_new.len() {
            return together(only_old.into_iter().zip(only_new).map(|(from, to)| compare(from, to)));
        }
        match (only_old.is_empty(), only_new.is_empty()) {
            (true, _) => one(added, ""),
            (_, true) => one(inverse(added), ""),
            _ => one(Effect::Changed, ""),
        }
    }

    fn properties(&mut self, old: Properties<'_>, new: Properties<'_>) -> Option<Difference> {
        let ((old_listed, patterns, old_others), (new_listed, _, new_others)) = (old, new);
        let is_open = patterns.is_empty() && old_others.or(new_others).is_none();
        let same_names =
            || old_listed.iter().map(|(name, _)| name).eq(new_listed.iter().map(|(name, _)| name));
        // Otherwise another schema applies to a property that only one of them lists.
        if !is_open && !same_names() {
            return one(Effect::Changed, "");
        }
        together([self.by_name(old_listed, new_listed), self.unlisted(old, new)])
    }

    /// Compares the constraints on names that the type of a struct can't express.
    ///
    /// It has one type for the names of the only pattern and for all others, and no patterns for listed properties.
    fn names(&mut self, old: Properties<'_>, new: Properties<'_>) -> Option<Difference> {
        let is_of_all = |(_, patterns, others): Properties<'_>| patterns.len() == 1 && others.is_none();
        match is_of_all(old) || is_of_all(new) {
            true => self.unlisted(old, new),
            false => self.matched(old, new),
        }
    }

    /// Compares the schemas of properties that match a pattern, and of all others.
    fn unlisted(&mut self, old: Properties<'_>, new: Properties<'_>) -> Option<Difference> {
        let ((_, old_patterns, old_others), (_, new_patterns, new_others)) = (old, new);
        // If only one of them has a pattern for a name, the other one applies its schema of other names to it.
        let anything = JsonSchema::default();
        let [old_values, new_values] = [old_others, new_others].map(|others| others.unwrap_or(&anything));
        let mut found = vec![self.optional(old_others, new_others), self.matched(old, new)];
        for (pattern, from) in old_patterns {
            let to = new_patterns.iter().find(|(other, _)| self.are_same_patterns(*pattern, *other));
            found.push(self.schemas(from, to.map_or(new_values, |(_, to)| to), Covered::Nothing));
        }
        for (pattern, to) in new_patterns {
            if !old_patterns.iter().any(|(other, _)| self.are_same_patterns(*other, *pattern)) {
                found.push(self.schemas(old_values, to, Covered::Nothing));
            }
        }
        together(found)
    }

    /// Compares which listed properties also have the values of a pattern, by patterns that only one of them has.
    fn matched(
        &self,
        (old, old_patterns, _): Properties<'_>,
        (new, new_patterns, _): Properties<'_>,
    ) -> Option<Difference> {
        let lists = |api: &Api, listed: &[(String, JsonSchema)], pattern: PatternId| {
            listed.iter().any(|(name, _)| is_match(api, pattern, name))
        };
        let is_in_new =
            |old: PatternId| new_patterns.iter().any(|(other, _)| self.are_same_patterns(old, *other));
        let is_in_old =
            |new: PatternId| old_patterns.iter().any(|(other, _)| self.are_same_patterns(*other, new));
        let fewer = old_patterns.iter().any(|(it, _)| !is_in_new(*it) && lists(self.old, old, *it));
        let more = new_patterns.iter().any(|(it, _)| !is_in_old(*it) && lists(self.new, new, *it));
        together(
            [(fewer, Effect::Loosened), (more, Effect::Tightened)]
                .map(|(is_matched, effect)| if is_matched { one(effect, "") } else { None }),
        )
    }

    fn by_name(&mut self, old: &[(String, JsonSchema)], new: &[(String, JsonSchema)]) -> Option<Difference> {
        let name = |(name, _): &'_ (String, JsonSchema)| name.clone();
        let found = pairs((old, name), (new, name)).into_iter().map(|pair| {
            let inner = match pair {
                Pair::Both((_, from), (_, to)) => self.schemas(from, to, Covered::Nothing),
                Pair::Removed(_) => one(Effect::Loosened, ""),
                Pair::Added(_) => one(Effect::Tightened, ""),
            };
            inner.map(|inner| within(&pair.any().0, inner))
        });
        together(found.collect::<Vec<_>>())
    }

    fn optional(&mut self, old: Option<&JsonSchema>, new: Option<&JsonSchema>) -> Option<Difference> {
        match (old, new) {
            (Some(old), Some(new)) => self.schemas(old, new, Covered::Nothing),
            (old, new) => one(Effect::of_bound(old.map(|_| ()), new.map(|_| ()), |(), ()| false)?, ""),
        }
    }

    fn are_same_patterns(&self, old: PatternId, new: PatternId) -> bool {
        let old = self.old.pattern_text(old);
        old.is_some() && old == self.new.pattern_text(new)
    }
}

/// Returns the names of the keywords and of the properties of a schema.
///
/// Schemas that mean the same have the same names, so that few of many schemas are compared in full.
fn shape<'a>(api: &'a Api, mut schema: &'a JsonSchema, covered: Covered<'_>) -> Vec<&'a str> {
    // References of a document that apply to one value can't form a cycle, but a bound costs nothing.
    for _ in 0..64 {
        let [Keyword::Ref(id)] = schema.0.as_slice() else { break };
        let Some(target) = api.json_schemas.get(id.0) else { break };
        schema = &target.schema;
    }
    let mut names = Vec::new();
    for keyword in schema.0.iter().filter(|keyword| !covered.covers(keyword)) {
        names.push(keyword.name());
        if let Keyword::Properties { listed, .. } = keyword {
            names.extend(listed.iter().map(|(name, _)| name.as_str()));
        }
    }
    names
}

fn parts<'k>(keywords: impl IntoIterator<Item = &'k Keyword>) -> Properties<'k> {
    let found = keywords.into_iter().find_map(|keyword| match keyword {
        Keyword::Properties { listed, patterns, others } => Some((&**listed, &**patterns, others.as_deref())),
        _ => None,
    });
    found.unwrap_or_default()
}

fn is_constant(JsonSchema(keywords): &JsonSchema) -> bool {
    keywords.iter().any(|keyword| matches!(keyword, Keyword::Enum(_)))
}
