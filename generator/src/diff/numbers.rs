//! Compares numbers: ranges, limits, multiples.

use super::{
    compare::Compare,
    position::Position,
    rule::{Constraint, Effect, Rule},
    words::from_to,
};
use crate::ir::{IntegerRules, NumberRules, TextRules, Type, Width};

impl Compare<'_> {
    /// Compares integers: their range and their limits.
    pub(super) fn integers(&mut self, old: &IntegerRules, new: &IntegerRules, at: &Position<'_>) {
        let IntegerRules { width, minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } = old;
        let (from, to) = (range(*width), range(new.width));
        let effect = Effect::of_bound(Some(from), Some(to), |old, new| old.0 <= new.0 && new.1 <= old.1);
        let name = |width: Width| Some(width_name(width).to_owned());
        self.keyword(Constraint::Format, effect, at, name(*width), name(new.width));
        let (from, to) = ((*minimum, *exclusive_minimum), (new.minimum, new.exclusive_minimum));
        self.limits(from, to, false, at);
        let (from, to) = ((*maximum, *exclusive_maximum), (new.maximum, new.exclusive_maximum));
        self.limits(from, to, true, at);
        let is_multiple = |of: &i128, step: &i128| step.checked_rem(*of) == Some(0);
        let effect = Effect::of_bound(*multiple_of, new.multiple_of, is_multiple);
        let text = |step: Option<i128>| step.map(|step| step.to_string());
        self.keyword(Constraint::MultipleOf, effect, at, text(*multiple_of), text(new.multiple_of));
    }

    /// Compares numbers: their limits.
    pub(super) fn numbers(&mut self, old: &NumberRules, new: &NumberRules, at: &Position<'_>) {
        let NumberRules { minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } = old;
        let (from, to) = ((*minimum, *exclusive_minimum), (new.minimum, new.exclusive_minimum));
        self.limits(from, to, false, at);
        let (from, to) = ((*maximum, *exclusive_maximum), (new.maximum, new.exclusive_maximum));
        self.limits(from, to, true, at);
        let effect = Effect::of_bound(*multiple_of, new.multiple_of, |of, step| (step / of).fract() == 0.0);
        let text = |step: Option<f64>| step.map(|step| step.to_string());
        self.keyword(Constraint::MultipleOf, effect, at, text(*multiple_of), text(new.multiple_of));
    }

    /// Compares the inclusive and the exclusive minimum of a number, or both maxima.
    fn limits<T: PartialOrd + Copy + ToString>(
        &mut self,
        old: (Option<T>, Option<T>),
        new: (Option<T>, Option<T>),
        is_maximum: bool,
        at: &Position<'_>,
    ) {
        let (inclusive, exclusive) = match is_maximum {
            true => (Constraint::Maximum, Constraint::ExclusiveMaximum),
            false => (Constraint::Minimum, Constraint::ExclusiveMinimum),
        };
        let (from, to) = (Limit::of(old, is_maximum), Limit::of(new, is_maximum));
        let is_exclusive = [from, to].into_iter().flatten().any(|limit| limit.is_exclusive);
        let constraint = if is_exclusive { exclusive } else { inclusive };
        let is_mixed = from.zip(to).is_some_and(|(from, to)| from.is_exclusive != to.is_exclusive);
        let text = |limit: Limit<T>| {
            let keyword = if limit.is_exclusive { exclusive.keyword() } else { inclusive.keyword() };
            let value = limit.value.to_string();
            if is_mixed { format!("{keyword} {value}") } else { value }
        };
        let effect = Effect::of_bound(from, to, |old, new| new.is_stricter(old, is_maximum));
        let (from, to) = (from.map(text), to.map(text));
        let Some(effect) = effect else { return };
        let limits = from_to(from.as_deref(), to.as_deref());
        let message = if is_mixed { limits } else { format!("{} {limits}", constraint.keyword()) };
        self.change(Rule::Keyword(constraint, at.flow, effect), at, message, (from, to));
    }
}

/// A limit of a number.
#[derive(Clone, Copy, PartialEq)]
struct Limit<T> {
    value: T,
    is_exclusive: bool,
}

impl<T: PartialOrd + Copy> Limit<T> {
    /// Returns the stricter one of an inclusive and an exclusive limit.
    fn of((inclusive, exclusive): (Option<T>, Option<T>), is_maximum: bool) -> Option<Self> {
        let inclusive = inclusive.map(|value| Self { value, is_exclusive: false });
        let exclusive = exclusive.map(|value| Self { value, is_exclusive: true });
        match (inclusive, exclusive) {
            (Some(one), Some(other)) if one.is_stricter(&other, is_maximum) => Some(one),
            (_, Some(other)) => Some(other),
            (one, None) => one,
        }
    }

    fn is_stricter(&self, than: &Self, is_maximum: bool) -> bool {
        let is_beyond = if is_maximum { self.value < than.value } else { self.value > than.value };
        is_beyond || self.value == than.value && self.is_exclusive && !than.is_exclusive
    }
}

/// Returns whether a type allows all values of its kind.
pub(super) fn is_unlimited(ty: &Type) -> bool {
    match ty {
        Type::Text(rules) => *rules == TextRules::default(),
        Type::Integer(IntegerRules {
            width: _,
            minimum,
            exclusive_minimum,
            maximum,
            exclusive_maximum,
            multiple_of,
        }) => [minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of]
            .into_iter()
            .all(Option::is_none),
        Type::Number(rules) => *rules == NumberRules::default(),
        _ => true,
    }
}

/// Returns the range of an integer type.
fn range(width: Width) -> (i128, i128) {
    match width {
        Width::U16 => (u16::MIN.into(), u16::MAX.into()),
        Width::I32 => (i32::MIN.into(), i32::MAX.into()),
        Width::I64 => (i64::MIN.into(), i64::MAX.into()),
        Width::U32 => (u32::MIN.into(), u32::MAX.into()),
        Width::U64 => (u64::MIN.into(), u64::MAX.into()),
    }
}

fn width_name(width: Width) -> &'static str {
    match width {
        Width::U16 => "uint16",
        Width::I32 => "int32",
        Width::I64 => "int64",
        Width::U32 => "uint32",
        Width::U64 => "uint64",
    }
}
