//! Compares maps: their values, and constraints on their names.

use super::{
    compare::{Compare, by},
    position::{Position, Step},
    rule::{Constraint, Effect},
};
use crate::ir::{Api, MapRules, NameRules, PatternId, Schema};

/// A pattern of names, and the schema of their values.
type PatternValues = (PatternId, Option<Schema>);

impl<'a> Compare<'a> {
    /// Compares maps.
    pub(super) fn maps(&mut self, old: &'a MapRules, new: &'a MapRules, at: &Position<'_>) {
        let MapRules { values, min_properties, max_properties, names } = old;
        self.bound(Constraint::MinProperties, (*min_properties, new.min_properties), false, at);
        self.bound(Constraint::MaxProperties, (*max_properties, new.max_properties), true, at);
        self.name_rules(names.as_deref(), new.names.as_deref(), at);
        self.schemas(values, &new.values, &at.at(Step::Values));
    }

    /// Compares the constraints on names.
    pub(super) fn name_rules(
        &mut self,
        old: Option<&'a NameRules>,
        new: Option<&'a NameRules>,
        at: &Position<'_>,
    ) {
        let (Some(from), Some(to)) = (old, new) else {
            let effect = Effect::of_bound(old.map(|_| ()), new.map(|_| ()), |(), ()| false);
            let text =
                |rules: Option<&NameRules>| Some(if rules.is_some() { "limited" } else { "any" }.to_owned());
            return self.keyword(Constraint::PropertyNames, effect, at, text(old), text(new));
        };
        let NameRules { each, patterns, others, closed } = from;
        let at = &at.at(Step::Names);
        match (each, &to.each) {
            (Some(old), Some(new)) => self.schemas(old, new, at),
            (old, new) => {
                let effect =
                    Effect::of_bound(old.as_ref().map(|_| ()), new.as_ref().map(|_| ()), |(), ()| false);
                self.keyword(Constraint::PropertyNames, effect, at, None, None);
            }
        }
        let effect = Effect::of_bound(closed.then_some(()), to.closed.then_some(()), |(), ()| false);
        self.keyword(Constraint::PropertyNames, effect, at, None, None);
        match (others, &to.others) {
            (Some(old), Some(new)) => self.schemas(old, new, at),
            (old, new) => self.values_by_name(None, old.is_some(), new.is_some(), at),
        }
        self.patterns_of_names((patterns, &to.patterns), at);
    }

    /// Compares whether values with certain names have a schema of their own.
    fn values_by_name(&mut self, name: Option<&str>, old: bool, new: bool, at: &Position<'_>) {
        let effect = Effect::of_bound(old.then_some(()), new.then_some(()), |(), ()| false);
        let text = |has: bool| has.then(|| name.unwrap_or("others").to_owned());
        self.keyword(Constraint::PropertyNames, effect, at, text(old), text(new));
    }

    /// Compares the schemas of values by the patterns of their names.
    fn patterns_of_names(
        &mut self,
        (old, new): (&'a [PatternValues], &'a [PatternValues]),
        at: &Position<'_>,
    ) {
        let written =
            |api: &'a Api, id: PatternId| api.patterns.get(id.0).map(|pattern| pattern.written.as_str());
        let (from, to) = (self.old, self.new);
        let (old_names, new_names) =
            (by(old, |(id, _)| written(from, *id)), by(new, |(id, _)| written(to, *id)));
        for (id, schema) in old {
            let name = written(from, *id);
            match (schema, new_names.get(&name)) {
                (Some(old), Some((_, Some(new)))) => {
                    self.schemas(old, new, &at.at(Step::Named(name.unwrap_or_default())));
                }
                (old, Some((_, new))) => self.values_by_name(name, old.is_some(), new.is_some(), at),
                (_, None) => {
                    let name = name.map(str::to_owned);
                    self.keyword(Constraint::PropertyNames, Some(Effect::Changed), at, name, None);
                }
            }
        }
        for (id, _) in new {
            let name = written(to, *id);
            if !old_names.contains_key(&name) {
                let name = name.map(str::to_owned);
                self.keyword(Constraint::PropertyNames, Some(Effect::Changed), at, None, name);
            }
        }
    }
}
