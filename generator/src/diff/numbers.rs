//! Compares numbers: ranges, limits, multiples.

use super::{
    compare::Compare,
    position::Position,
    rule::{Constraint, Effect, Rule},
    words::from_to,
};
use crate::ir::{IntegerRules, NumberRules, TextRules, Type, Width};

impl Compare<'_> {
    pub(super) fn integers(&mut self, old: &IntegerRules, new: &IntegerRules, at: &Position<'_>) {
        let IntegerRules { width, minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } = old;
        let mut by_width = Vec::new();
        for (from, to, is_maximum) in [
            ((*minimum, *exclusive_minimum), (new.minimum, new.exclusive_minimum), false),
            ((*maximum, *exclusive_maximum), (new.maximum, new.exclusive_maximum), true),
        ] {
            let (from, to) = (Limit::of(from, is_maximum), Limit::of(to, is_maximum));
            let ends = (Some(end(from, *width, is_maximum)), Some(end(to, new.width, is_maximum)));
            let stricter = |old: &i128, new: &i128| if is_maximum { new < old } else { new > old };
            match Effect::of_bound(ends.0, ends.1, stricter) {
                Some(effect) if from == to => by_width.push(effect),
                Some(effect) => self.limit((from, to), effect, is_maximum, at),
                None => {}
            }
        }
        let effect =
            by_width.into_iter().reduce(|one, other| if one == other { one } else { Effect::Changed });
        let name = |width: Width| Some(width_name(width).to_owned());
        self.keyword(Constraint::Format, effect, at, name(*width), name(new.width));
        let is_multiple = |of: &i128, step: &i128| step.checked_rem(*of) == Some(0);
        let effect = Effect::of_bound(*multiple_of, new.multiple_of, is_multiple);
        let text = |step: Option<i128>| step.map(|step| step.to_string());
        self.keyword(Constraint::MultipleOf, effect, at, text(*multiple_of), text(new.multiple_of));
    }

    pub(super) fn numbers(&mut self, old: &NumberRules, new: &NumberRules, at: &Position<'_>) {
        let NumberRules { minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } = old;
        for (from, to, is_maximum) in [
            ((*minimum, *exclusive_minimum), (new.minimum, new.exclusive_minimum), false),
            ((*maximum, *exclusive_maximum), (new.maximum, new.exclusive_maximum), true),
        ] {
            let (from, to) = (Limit::of(from, is_maximum), Limit::of(to, is_maximum));
            if let Some(effect) = Effect::of_bound(from, to, |old, new| new.is_stricter(old, is_maximum)) {
                self.limit((from, to), effect, is_maximum, at);
            }
        }
        self.steps(*multiple_of, new.multiple_of, at);
    }

    /// Compares integers with numbers. All integers are numbers, and limits are compared by the integers that they allow.
    pub(super) fn integers_and_numbers(
        &mut self,
        integers: &IntegerRules,
        numbers: &NumberRules,
        is_integer_new: bool,
        at: &Position<'_>,
    ) {
        let IntegerRules { width, minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } =
            integers;
        let order = Order { is_integer_new };
        let effect = if is_integer_new { Effect::Tightened } else { Effect::Loosened };
        let (from, to) = order.of("integer".to_owned(), "number".to_owned());
        self.keyword(Constraint::Type, Some(effect), at, Some(from), Some(to));
        // Limits beyond 2^53 are rounded, so their texts can differ from the document.
        #[expect(clippy::cast_precision_loss, reason = "the integers are compared, and the texts are shown")]
        let as_number = |value: i128| value as f64;
        for (integer, number, is_maximum) in [
            ((*minimum, *exclusive_minimum), (numbers.minimum, numbers.exclusive_minimum), false),
            ((*maximum, *exclusive_maximum), (numbers.maximum, numbers.exclusive_maximum), true),
        ] {
            let (integer, number) = (Limit::of(integer, is_maximum), Limit::of(number, is_maximum));
            let unlimited = if is_maximum { i128::MAX } else { i128::MIN };
            let of_number = number.map_or(unlimited, |limit| limit.last_integer(is_maximum));
            let ends = order.of(end(integer, *width, is_maximum), of_number);
            let shown = integer.map(|it| Limit { value: as_number(it.value), is_exclusive: it.is_exclusive });
            let stricter = |old: &i128, new: &i128| if is_maximum { new < old } else { new > old };
            let limited = Effect::of_bound(Some(ends.0), Some(ends.1), stricter);
            // The range of the format is a part of the type.
            if let Some(effect) = limited.filter(|_| shown.or(number).is_some()) {
                self.limit(order.of(shown, number), effect, is_maximum, at);
            }
        }
        // All integers are multiples of 0.5.
        let number = numbers.multiple_of.filter(|step| (1.0 / step).fract() != 0.0);
        let (from, to) = order.of(multiple_of.map(as_number), number);
        self.steps(from, to, at);
    }

    fn steps(&mut self, old: Option<f64>, new: Option<f64>, at: &Position<'_>) {
        let effect = Effect::of_bound(old, new, |of, step| (step / of).fract() == 0.0);
        let text = |step: Option<f64>| step.map(|step| step.to_string());
        self.keyword(Constraint::MultipleOf, effect, at, text(old), text(new));
    }

    fn limit<T: PartialOrd + Copy + ToString>(
        &mut self,
        (from, to): (Option<Limit<T>>, Option<Limit<T>>),
        effect: Effect,
        is_maximum: bool,
        at: &Position<'_>,
    ) {
        let (inclusive, exclusive) = match is_maximum {
            true => (Constraint::Maximum, Constraint::ExclusiveMaximum),
            false => (Constraint::Minimum, Constraint::ExclusiveMinimum),
        };
        let is_exclusive = [from, to].into_iter().flatten().any(|limit| limit.is_exclusive);
        let constraint = if is_exclusive { exclusive } else { inclusive };
        let is_mixed = from.zip(to).is_some_and(|(from, to)| from.is_exclusive != to.is_exclusive);
        let text = |limit: Limit<T>| {
            let keyword = if limit.is_exclusive { exclusive.keyword() } else { inclusive.keyword() };
            let value = limit.value.to_string();
            if is_mixed { format!("{keyword} {value}") } else { value }
        };
        let (from, to) = (from.map(text), to.map(text));
        let limits = from_to(from.as_deref(), to.as_deref());
        let message = if is_mixed { limits } else { format!("{} {limits}", constraint.keyword()) };
        self.change(Rule::Keyword(constraint, at.flow, effect), at, message, (from, to));
    }
}

/// Which document has the integers.
#[derive(Clone, Copy)]
struct Order {
    is_integer_new: bool,
}

impl Order {
    /// Returns what the old document has, and what the new one has.
    fn of<T>(self, integer: T, number: T) -> (T, T) {
        if self.is_integer_new { (number, integer) } else { (integer, number) }
    }
}

/// Returns the last integer that a limit and the range of the format allow together.
fn end(limit: Option<Limit<i128>>, width: Width, is_maximum: bool) -> i128 {
    let (least, greatest) = width.range().into_inner();
    match (is_maximum, limit.map(|limit| limit.inclusive(is_maximum))) {
        (true, limit) => limit.map_or(greatest, |limit| limit.min(greatest)),
        (false, limit) => limit.map_or(least, |limit| limit.max(least)),
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

impl Limit<i128> {
    /// Returns the same limit of integers as an inclusive one.
    fn inclusive(self, is_maximum: bool) -> i128 {
        match (self.is_exclusive, is_maximum) {
            (true, true) => self.value.saturating_sub(1),
            (true, false) => self.value.saturating_add(1),
            (false, _) => self.value,
        }
    }
}

impl Limit<f64> {
    /// Returns the last integer that the limit allows.
    fn last_integer(self, is_maximum: bool) -> i128 {
        let Self { value, is_exclusive } = self;
        let inner = if is_maximum { value.floor() } else { value.ceil() };
        #[expect(clippy::cast_possible_truncation, reason = "a limit beyond all integers limits none")]
        let integer = Limit { value: inner as i128, is_exclusive: is_exclusive && inner == value };
        integer.inclusive(is_maximum)
    }
}

/// Returns whether a type allows all values of its kind.
pub(super) fn is_unlimited(ty: &Type) -> bool {
    match ty {
        Type::Text(rules) => *rules == TextRules::default(),
        Type::Integer(rules) => *rules == IntegerRules { width: rules.width, ..IntegerRules::default() },
        Type::Number(rules) => *rules == NumberRules::default(),
        _ => true,
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
