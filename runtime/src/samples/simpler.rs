//! Shrinks values: of ever simpler ones, a test finds the simplest that fails.

use std::collections::VecDeque;
use std::fmt::{self, Debug};

use proptest::strategy::ValueTree;

use super::sites::{part, with_part};
use crate::codec::Segment;
use crate::types::Value;

/// The maximum number of simpler values of one value.
const MAX_VALUES: usize = 200;

/// A value with the simpler ones that still have the requested properties.
pub struct Tree<T> {
    current: T,
    /// The value that the current one is simpler than.
    base: T,
    waiting: VecDeque<T>,
    simpler: Box<Simpler<T>>,
}

/// Returns the values that are simpler than another one.
type Simpler<T> = dyn Fn(&T) -> Vec<T>;

impl<T: Clone> Tree<T> {
    pub(super) fn new(value: T, simpler: impl Fn(&T) -> Vec<T> + 'static) -> Self {
        Self { current: value.clone(), base: value, waiting: VecDeque::new(), simpler: Box::new(simpler) }
    }
}

impl<T: Debug> Debug for Tree<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.current.fmt(formatter)
    }
}

impl<T: Clone + Debug> ValueTree for Tree<T> {
    type Value = T;

    fn current(&self) -> T {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        self.base.clone_from(&self.current);
        self.waiting = (self.simpler)(&self.base).into();
        self.complicate()
    }

    fn complicate(&mut self) -> bool {
        let next = self.waiting.pop_front();
        let has_next = next.is_some();
        self.current = next.unwrap_or_else(|| self.base.clone());
        has_next
    }
}

/// Returns values in which one part is simpler than in another value. The greatest differences come first.
pub fn simpler(value: &Value) -> Vec<Value> {
    let mut paths = vec![Vec::new()];
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        let steps: Vec<Segment> = match part(value, &path) {
            Some(Value::Array(items)) => (0..items.len()).map(Segment::Index).collect(),
            Some(Value::Object(fields)) => {
                fields.keys().map(|name| Segment::Field(name.clone().into())).collect()
            }
            _ => Vec::new(),
        };
        if paths.len() < MAX_VALUES {
            paths.extend(steps.into_iter().map(|step| path.iter().cloned().chain([step]).collect()));
        }
        next += 1;
    }
    let of_path = |path: &Vec<Segment>| {
        let parts = part(value, path).map(simpler_parts).unwrap_or_default();
        parts.into_iter().filter_map(|part| with_part(value, path, part)).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).take(MAX_VALUES).collect()
}

/// Returns the simpler values of a part itself: with one item less, shorter, or closer to zero.
fn simpler_parts(part: &Value) -> Vec<Value> {
    match part {
        Value::Array(items) => (0..items.len())
            .map(|left_out| {
                let kept = items.iter().enumerate().filter(|(index, _)| *index != left_out);
                kept.map(|(_, item)| item.clone()).collect()
            })
            .collect(),
        Value::Object(fields) => fields
            .keys()
            .map(|left_out| {
                let mut fewer = fields.clone();
                fewer.remove(left_out);
                fewer.into()
            })
            .collect(),
        Value::String(text) if !text.is_empty() => {
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            vec![half.into()]
        }
        Value::Number(number) if number.as_f64().is_some_and(|number| number != 0.0) => {
            let half = number.as_i64().map(|number| number / 2);
            [Some(0.into()), half.map(Value::from)].into_iter().flatten().collect()
        }
        Value::Bool(true) => vec![false.into()],
        _ => Vec::new(),
    }
}
