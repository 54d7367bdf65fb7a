//! The limits of an evaluation.
//!
//! A schema can apply several subschemas that apply it again, so the number of evaluations can grow exponentially with
//! the depth of a value. Each evaluation therefore has a limited number of steps. A value that needs more is rejected.

use std::cell::Cell;

use super::evaluator::Evaluator;
use super::subject::Subject;
use crate::codec::Encode;
use crate::codec::view::{Spelling, View, entries, items, view};
use crate::table::{JsonSchema, Matched, Pattern};
use crate::validation::ViolationKind;

/// The number of steps that all evaluations of one request have together.
///
/// A step is a keyword, a name or an item that is visited, or 64 bytes of a text that is searched. A search that backtracks for
/// long takes more.
const STEPS: u64 = 4_000_000;

/// The number of further steps that an evaluation has for each part of its value.
///
/// A valid value of any size can thus be checked, unless its parts are visited again and again.
const STEPS_PER_PART: u64 = 64;

/// The maximum depth of an evaluation, in nested schemas.
pub const DEEPEST: u32 = 512;

/// The state that all evaluations of one request share.
#[derive(Debug)]
pub struct Context {
    steps: Cell<u64>,
    has_evaluated: Cell<bool>,
    is_lossy: Cell<bool>,
}

/// The reason why an evaluation stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It has no more steps, or it is too deep.
    Steps,
    /// The engine of this pattern gave up.
    Pattern(&'static str),
}

impl From<Stop> for ViolationKind {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Steps => Self::TooComplex,
            Stop::Pattern(written) => Self::PatternLimit(written),
        }
    }
}

impl Context {
    pub const fn new() -> Self {
        Self { steps: Cell::new(STEPS), has_evaluated: Cell::new(false), is_lossy: Cell::new(false) }
    }

    /// Returns whether a value of a model is valid.
    pub fn is_valid(&self, schema: &'static JsonSchema, value: &dyn Encode) -> bool {
        let is_valid = self.evaluate(schema, value);
        if is_valid == Err(Stop::Steps) {
            // The slow path takes other steps.
            self.set_lossy();
        }
        is_valid == Ok(true)
    }

    /// Returns whether a value is valid, or why this is not known.
    pub fn evaluate(&self, schema: &'static JsonSchema, value: &dyn Encode) -> Result<bool, Stop> {
        let mut evaluator = Evaluator::new(self, value);
        let is_valid = evaluator.schema(schema, Subject::of(value));
        evaluator.stop.map_or(Ok(is_valid), Err)
    }

    /// Matches a text of a typed row against its pattern.
    ///
    /// A search that takes long is not tried if there are no more steps.
    pub fn matches(&self, pattern: &'static Pattern, text: &str) -> Matched {
        pattern.matches_if(text, || {
            let left = self.steps.get().checked_sub(cost_of_long_match(text));
            if left.is_none() {
                // The slow path takes other steps.
                self.set_evaluated();
                self.set_lossy();
            }
            self.steps.set(left.unwrap_or_default());
            left.is_some()
        })
    }

    /// Returns the steps for the report on a value: those that the request has left, and some for each part.
    pub fn of_report(&self, value: &dyn Encode) -> Self {
        let steps = self.steps.get().saturating_add(steps_for_parts(value));
        Self { steps: Cell::new(steps), ..Self::new() }
    }

    /// Returns the number of steps that are left.
    pub const fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Sets the number of steps that an evaluation has left. Steps for the parts of its value are not passed on.
    pub fn leave(&self, steps: u64) {
        self.steps.set(steps.min(self.steps.get()));
    }

    /// Returns whether there was any evaluation.
    pub const fn has_evaluated(&self) -> bool {
        self.has_evaluated.get()
    }

    /// Returns whether a keyword depended on a spelling that the value does not have from its input.
    pub const fn is_lossy(&self) -> bool {
        self.is_lossy.get()
    }

    /// Records a keyword that depends on how a scalar is spelled.
    pub fn depends_on(&self, spelling: Spelling) {
        if spelling != Spelling::Exact {
            self.is_lossy.set(true);
        }
    }

    /// Records that a constraint depends on names that a model drops.
    pub fn set_evaluated(&self) {
        self.has_evaluated.set(true);
    }

    /// Returns whether there is any evaluation while `go` runs.
    pub fn evaluates(&self, go: impl FnOnce()) -> bool {
        let before = self.has_evaluated.replace(false);
        go();
        let evaluates = self.has_evaluated.get();
        self.has_evaluated.set(before || evaluates);
        evaluates
    }

    /// Records that the evaluated value can have lost something.
    pub fn set_lossy(&self) {
        self.is_lossy.set(true);
    }
}

/// Returns the further steps for the parts of a value.
pub fn steps_for_parts(value: &dyn Encode) -> u64 {
    Extent::of(value).parts.saturating_mul(STEPS_PER_PART)
}

/// Returns the steps for a search in a text.
pub const fn cost_of_text(text: &str) -> u64 {
    1 + text.len() as u64 / 64
}

/// Returns the steps for matching a text against a pattern, unless the search takes long.
pub const fn cost_of_match(pattern: &Pattern, text: &str) -> u64 {
    /// An engine that backtracks is slower.
    const LIMITED: u64 = 8;
    let steps = if pattern.is_limited() { LIMITED } else { 1 };
    steps + text.len() as u64 / 16
}

/// Returns the further steps if an engine backtracks for long. Such a search can take a millisecond.
pub const fn cost_of_long_match(text: &str) -> u64 {
    2000 + text.len() as u64
}

/// The size of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The number of scalars, names, items and further 64 bytes of text.
    pub parts: u64,
    /// Whether it contains a scalar that was rewritten.
    pub is_rewritten: bool,
}

impl Extent {
    pub fn of(value: &dyn Encode) -> Self {
        let mut extent = Self { parts: 0, is_rewritten: false };
        extent.add(value);
        extent
    }

    fn add(&mut self, value: &dyn Encode) {
        self.parts += 1;
        view(value, |seen| match seen {
            View::Number(_, spelling) => self.is_rewritten |= spelling != Spelling::Exact,
            seen => {
                if let Some((text, spelling)) = seen.text() {
                    self.parts += text.len() as u64 / 64;
                    self.is_rewritten |= spelling != Spelling::Exact;
                }
            }
        });
        items(value, &mut |_, item| {
            self.add(item);
            true
        });
        entries(value, &mut |name, value| {
            self.parts += cost_of_text(name);
            self.add(value);
            true
        });
    }
}
