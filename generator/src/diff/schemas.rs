//! Compares schemas at their use.

use std::collections::HashSet;

use super::{
    compare::{Compare, Resolved, resolved},
    json::Covered,
    position::{Position, Step},
    rule::{Constraint, Effect, Rule, ValueRule},
};
use crate::ir::{ArrayRules, Literal, Schema, Stream, TextRules, Type};

impl Compare<'_> {
    pub(super) fn schemas(&mut self, old: &Schema, new: &Schema, at: &Position<'_>) {
        let (from, to) = match (&old.ty, &new.ty) {
            // Named types are compared later, and so are aliases.
            (Type::Named { .. }, Type::Named { .. }) => (old.into(), new.into()),
            _ => (resolved(self.old, old), resolved(self.new, new)),
        };
        self.nulls(from.nullable, to.nullable, at);
        self.beside_null(&from, &to, at);
    }

    pub(super) fn keyword(
        &mut self,
        constraint: Constraint,
        effect: Option<Effect>,
        at: &Position<'_>,
        old: Option<String>,
        new: Option<String>,
    ) {
        if let Some(effect) = effect {
            let rule = Rule::Keyword(constraint, at.flow, effect);
            self.between(rule, constraint.keyword(), (old, new), at);
        }
    }

    /// Compares a maximum (`is_maximum`) or a minimum.
    pub(super) fn bound<T: PartialOrd + ToString + From<u8>>(
        &mut self,
        constraint: Constraint,
        (old, new): (Option<T>, Option<T>),
        is_maximum: bool,
        at: &Position<'_>,
    ) {
        // A minimum of 0 items or characters has no effect.
        let counts = |bound: &T| is_maximum || *bound > T::from(0);
        let (old, new) = (old.filter(counts), new.filter(counts));
        let (from, to) = (old.as_ref().map(T::to_string), new.as_ref().map(T::to_string));
        let effect = Effect::of_bound(old, new, |old, new| if is_maximum { new < old } else { new > old });
        self.keyword(constraint, effect, at, from, to);
    }

    pub(super) fn nulls(&mut self, old: bool, new: bool, at: &Position<'_>) {
        let rule = |effect| Rule::Keyword(Constraint::Null, at.flow, effect);
        let (loosened, tightened) = (rule(Effect::Loosened), rule(Effect::Tightened));
        self.flag((old, new), (loosened, "can be null"), (tightened, "can no longer be null"), at);
    }

    fn allowed(&mut self, old: &[&Literal], new: &[&Literal], at: &Position<'_>) {
        let texts = |all: &[&Literal]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (from, to) = (texts(old), texts(new));
        let joined = |all: &[String]| (!all.is_empty()).then(|| all.join(", "));
        let (constraint, effect) = match (old, new) {
            ([_], [_]) => (Constraint::Const, (old != new).then_some(Effect::Changed)),
            ([], [_]) => (Constraint::Const, Some(Effect::Tightened)),
            ([_], []) => (Constraint::Const, Some(Effect::Loosened)),
            ([], [_, ..]) => (Constraint::Enum, Some(Effect::Tightened)),
            ([_, ..], []) => (Constraint::Enum, Some(Effect::Loosened)),
            _ => return self.enum_values(&from, &to, at),
        };
        self.keyword(constraint, effect, at, joined(&from), joined(&to));
    }

    pub(super) fn enum_values(&mut self, old: &[String], new: &[String], at: &Position<'_>) {
        let (added, removed) = at.flow.of(
            (ValueRule::RequestEnumValueAdded, ValueRule::RequestEnumValueRemoved),
            (ValueRule::ResponseEnumValueAdded, ValueRule::ResponseEnumValueRemoved),
        );
        let (from, to): (HashSet<&String>, HashSet<&String>) = (old.iter().collect(), new.iter().collect());
        for value in old.iter().filter(|value| !to.contains(value)) {
            self.change(removed, at, format!("value `{value}` is removed"), (Some(value.clone()), None));
        }
        for value in new.iter().filter(|value| !from.contains(value)) {
            self.change(added, at, format!("value `{value}` is new"), (None, Some(value.clone())));
        }
    }

    /// Compares the schemas of a value, apart from whether it can be null.
    pub(super) fn beside_null(&mut self, from: &Resolved<'_>, to: &Resolved<'_>, at: &Position<'_>) {
        self.json_schemas(from.also, to.also, Covered::Nothing, at);
        self.allowed(&from.allowed, &to.allowed, at);
        match (from.ty, to.ty) {
            (Type::Named { id: old, .. }, Type::Named { id: new, .. }) => self.refer(at, *old, *new),
            (Type::Integer(old), Type::Integer(new)) => self.integers(old, new, at),
            (Type::Number(old), Type::Number(new)) => self.numbers(old, new, at),
            (Type::Integer(old), Type::Number(new)) => self.integers_and_numbers(old, new, false, at),
            (Type::Number(old), Type::Integer(new)) => self.integers_and_numbers(new, old, true, at),
            (Type::Text(old), Type::Text(new)) => self.texts(old, new, at),
            (Type::Array(old), Type::Array(new)) => self.arrays(old, new, at),
            (Type::Map(old), Type::Map(new)) => self.maps(old, new, at),
            (Type::Tuple(old), Type::Tuple(new)) if old.len() == new.len() => {
                for (index, (old, new)) in old.iter().zip(new).enumerate() {
                    self.schemas(old, new, &at.at(Step::Item(index)));
                }
            }
            (Type::Stream(before), Type::Stream(after)) => match (&**before, &**after) {
                (Stream::Bytes, Stream::Bytes) => {}
                (Stream::Items(old), Stream::Items(new)) | (Stream::Events(old), Stream::Events(new)) => {
                    self.schemas(old, new, &at.at(Step::Items));
                }
                _ => self.other_type(from, to, at),
            },
            _ if is_bytes(from.ty) && is_bytes(to.ty) => {}
            (Type::Any, Type::Any) | (Type::Unit, Type::Unit) | (Type::Boolean, Type::Boolean) => {}
            _ => self.other_type(from, to, at),
        }
    }

    fn texts(&mut self, old: &TextRules, new: &TextRules, at: &Position<'_>) {
        // The Rust type follows from the format and the settings.
        let TextRules { ty: _, min_length, max_length, pattern, format: _, stated } = old;
        let format = |rules: &TextRules| Some(rules.checked_format()?.name().to_owned());
        let (from, to) = (format(old), format(new));
        let effect = Effect::of_bound(from.as_deref(), to.as_deref(), |_, _| false);
        self.keyword(Constraint::Format, effect, at, from, to);
        self.bound(Constraint::MinLength, (*min_length, new.min_length), false, at);
        self.bound(Constraint::MaxLength, (*max_length, new.max_length), true, at);
        let from = pattern.and_then(|id| self.old.pattern_text(id));
        let to = new.pattern.and_then(|id| self.new.pattern_text(id));
        // Regular expressions are not compared by what they match, but `.*` matches everything.
        let effect = Effect::of_bound(from, to, |old, _| *old == ".*");
        self.keyword(Constraint::Pattern, effect, at, from.map(str::to_owned), to.map(str::to_owned));
        self.stated(stated.as_deref(), new.stated.as_deref(), at);
    }

    fn arrays(&mut self, old: &ArrayRules, new: &ArrayRules, at: &Position<'_>) {
        let ArrayRules { items, min_items, max_items, unique } = old;
        self.bound(Constraint::MinItems, (*min_items, new.min_items), false, at);
        self.bound(Constraint::MaxItems, (*max_items, new.max_items), true, at);
        let effect = Effect::of_bound(unique.then_some(()), new.unique.then_some(()), |(), ()| false);
        let text = |unique: bool| Some(unique.to_string());
        self.keyword(Constraint::UniqueItems, effect, at, text(*unique), text(new.unique));
        self.schemas(items, &new.items, &at.at(Step::Items));
    }
}

/// Returns whether values are raw bytes, in any Rust type.
fn is_bytes(ty: &Type) -> bool {
    match ty {
        Type::Bytes | Type::File => true,
        Type::Stream(stream) => **stream == Stream::Bytes,
        _ => false,
    }
}
