//! Compares maps: their values, and constraints on their names.

use super::{
    compare::{Compare, by},
    position::{Position, Step},
    rule::{Constraint, Effect},
    words,
};
use crate::ir::{Api, MapRules, NameRules, PatternId, Schema};

/// A pattern of names, and the schema of their values.
type PatternValues = (PatternId, Option<Schema>);

impl Compare<'_> {
    /// Compares maps.
    pub(super) fn maps(&mut self, old: &MapRules, new: &MapRules, at: &Position<'_>) {
        let MapRules { values, min_properties, max_properties, names } = old;
        self.bound(Constraint::MinProperties, (*min_properties, new.min_properties), false, at);
        self.bound(Constraint::MaxProperties, (*max_properties, new.max_properties), true, at);
        self.name_rules(names.as_deref(), new.names.as_deref(), at);
        self.schemas(values, &new.values, &at.at(Step::Values));
    }

    /// Compares the constraints on names.
    pub(super) fn name_rules(&mut self, old: Option<&NameRules>, new: Option<&NameRules>, at: &Position<'_>) {
        let (Some(from), Some(to)) = (old, new) else {
            let text = |api, rules: Option<&NameRules>| Some(words::names(api, rules?));
            return self.name_rule(text(self.old, old), text(self.new, new), at);
        };
        let NameRules { each, patterns, others, closed } = from;
        let at = &at.at(Step::Names);
        match (each, &to.each) {
            (Some(old), Some(new)) => self.schemas(old, new, at),
            (old, new) => {
                let text = |api, each: &Option<Schema>| each.as_ref().map(|each| words::each_name(api, each));
                self.name_rule(text(self.old, old), text(self.new, new), at);
            }
        }
        let text = |closed: bool| closed.then(|| words::NAMES_CLOSED.to_owned());
        self.name_rule(text(*closed), text(to.closed), at);
        match (others, &to.others) {
            (Some(old), Some(new)) => self.schemas(old, new, at),
            (old, new) => {
                let text = |api, of: &Option<Schema>| of.as_ref().map(|of| words::other_names(api, of));
                self.name_rule(text(self.old, old), text(self.new, new), at);
            }
        }
        self.patterns_of_names((patterns, &to.patterns), at);
    }

    /// Adds a change of a constraint on names that only one document has.
    fn name_rule(&mut self, old: Option<String>, new: Option<String>, at: &Position<'_>) {
        let effect = Effect::of_bound(old.as_ref(), new.as_ref(), |_, _| false);
        self.keyword(Constraint::PropertyNames, effect, at, old, new);
    }

    /// Compares the schemas of values by the patterns of their names.
    fn patterns_of_names(&mut self, (old, new): (&[PatternValues], &[PatternValues]), at: &Position<'_>) {
        let (old_api, new_api) = (self.old, self.new);
        let written = |api, id| Api::pattern_text(api, id).unwrap_or_default();
        let old_names = by(old, |(id, _)| written(old_api, *id));
        let new_names = by(new, |(id, _)| written(new_api, *id));
        for row @ (id, schema) in old {
            let name = written(old_api, *id);
            let text = Some(words::pattern_of_names(old_api, row));
            match (schema, new_names.get(name)) {
                (Some(old), Some((_, Some(new)))) => self.schemas(old, new, &at.at(Step::Named(name))),
                (None, Some((_, None))) => {}
                (old, Some(row)) => {
                    let effect = if old.is_some() { Effect::Loosened } else { Effect::Tightened };
                    let now = Some(words::pattern_of_names(new_api, row));
                    self.keyword(Constraint::PropertyNames, Some(effect), at, text, now);
                }
                (_, None) => {
                    self.keyword(Constraint::PropertyNames, Some(Effect::Changed), at, text, None);
                }
            }
        }
        for row @ (id, _) in new {
            let name = written(new_api, *id);
            if !old_names.contains_key(name) {
                let text = Some(words::pattern_of_names(new_api, row));
                self.keyword(Constraint::PropertyNames, Some(Effect::Changed), at, None, text);
            }
        }
    }
}
