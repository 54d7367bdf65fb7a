//! Compares maps: their values, and constraints on their names.

use super::{
    compare::Compare,
    position::{Position, Step},
    rule::{Constraint, Effect},
    words,
};
use crate::{
    ir::{Api, MapRules, NameRules, PatternId, Schema},
    patterns::Compiled,
};

/// The schema of all values of an object, and the rules for their names and for values by name.
pub(super) type Values<'v> = (&'v Schema, Option<&'v NameRules>);

impl Compare<'_> {
    pub(super) fn maps(&mut self, old: &MapRules, new: &MapRules, at: &Position<'_>) {
        let MapRules { values, min_properties, max_properties, names } = old;
        self.bound(Constraint::MinProperties, (*min_properties, new.min_properties), false, at);
        self.bound(Constraint::MaxProperties, (*max_properties, new.max_properties), true, at);
        self.values((values, names.as_deref()), (&new.values, new.names.as_deref()), at);
    }

    /// Compares the values of properties that are not listed, and their names.
    ///
    /// If only one document has a pattern for a name, its values are compared with those of the other names.
    pub(super) fn values(&mut self, old: Values<'_>, new: Values<'_>, at: &Position<'_>) {
        match (each(old), each(new)) {
            (Some(old), Some(new)) => self.schemas(old, new, &at.at(Step::Names)),
            (old, new) => {
                let text = |api, each: Option<&Schema>| each.map(|each| words::each_name(api, each));
                self.name_rule(text(self.old, old), text(self.new, new), at);
            }
        }
        match (others(old), others(new)) {
            (Some(old), Some(new)) => self.schemas(old, new, &at.at(Step::Values)),
            (old, new) => {
                let text = |others: Option<&Schema>| others.is_none().then(|| words::NAMES_CLOSED.to_owned());
                self.name_rule(text(old), text(new), at);
            }
        }
        for (pattern, from) in patterns(self.old, old) {
            let of_pattern = patterns(self.new, new).find(|(other, _)| *other == pattern);
            match of_pattern.map(|(_, to)| to).or_else(|| others(new)) {
                Some(to) => self.schemas(from, to, &at.at(Step::Named(pattern))),
                None => self.name_pattern(Effect::Tightened, (self.old, pattern, from), at),
            }
        }
        for (pattern, to) in patterns(self.new, new) {
            match others(old) {
                _ if patterns(self.old, old).any(|(other, _)| other == pattern) => {}
                Some(from) => self.schemas(from, to, &at.at(Step::Named(pattern))),
                None => self.name_pattern(Effect::Loosened, (self.new, pattern, to), at),
            }
        }
    }

    /// Adds a change of a constraint on names that only one document has.
    fn name_rule(&mut self, old: Option<String>, new: Option<String>, at: &Position<'_>) {
        let effect = Effect::of_bound(old.as_ref(), new.as_ref(), |_, _| false);
        self.keyword(Constraint::PropertyNames, effect, at, old, new);
    }

    /// Adds a change of a pattern whose names only one document allows.
    fn name_pattern(
        &mut self,
        effect: Effect,
        (api, pattern, values): (&Api, &str, &Schema),
        at: &Position<'_>,
    ) {
        let text = Some(format!("{pattern}: {}", words::described(api, values)));
        let (old, new) = if effect == Effect::Loosened { (None, text) } else { (text, None) };
        self.keyword(Constraint::PropertyNames, Some(effect), at, old, new);
    }
}

pub(super) fn is_match(api: &Api, pattern: PatternId, name: &str) -> bool {
    // Lowering has decided which crate runs the pattern.
    let compiled =
        api.patterns.get(pattern.0).and_then(|pattern| Compiled::new(pattern.engine, &pattern.source).ok());
    compiled.is_some_and(|compiled| compiled.is_match(name))
}

fn each<'v>((_, names): Values<'v>) -> Option<&'v Schema> {
    names?.each.as_ref()
}

/// Returns the schema of the values whose names match no pattern. `None` if these names are refused.
fn others<'v>((values, names): Values<'v>) -> Option<&'v Schema> {
    let Some(NameRules { each: _, patterns: _, others, closed }) = names else { return Some(values) };
    (!closed).then(|| others.as_ref().unwrap_or(values))
}

/// Returns the patterns of names, each with the schema of its values.
fn patterns<'v>(api: &'v Api, (values, names): Values<'v>) -> impl Iterator<Item = (&'v str, &'v Schema)> {
    let all = names.into_iter().flat_map(|names| &names.patterns);
    all.filter_map(move |(id, own)| Some((api.pattern_text(*id)?, own.as_ref().unwrap_or(values))))
}
