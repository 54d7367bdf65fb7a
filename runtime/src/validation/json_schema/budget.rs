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

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Valid,
    Invalid,
    /// It is not known whether the value is valid.
    Stopped(Stop),
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
        let outcome = self.evaluate(schema, value);
        if outcome == Outcome::Stopped(Stop::Steps) {
            // The slow path takes other steps.
            self.set_lossy();
        }
        outcome == Outcome::Valid
    }

    /// Evaluates a schema on a value.
    pub fn evaluate(&self, schema: &'static JsonSchema, value: &dyn Encode) -> Outcome {
        let mut evaluator = Evaluator::new(self, value);
        let is_valid = evaluator.schema(schema, Subject::of(value));
        match evaluator.stop() {
            Some(stop) => Outcome::Stopped(stop),
            None if is_valid => Outcome::Valid,
            None => Outcome::Invalid,
        }
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

    /// Takes the steps that a report has taken.
    ///
    /// Steps for the parts of its value are not passed on.
    pub fn continue_after(&self, report: &Self) {
        self.steps.set(self.steps.get().min(report.steps.get()));
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

/// The remaining steps of one evaluation.
pub struct Budget<'a> {
    context: &'a Context,
    value: &'a dyn Encode,
    /// The steps left; 0 after a stop.
    left: u64,
    /// The steps left at a stop.
    spared: u64,
    has_counted: bool,
    stop: Option<Stop>,
}

impl<'a> Budget<'a> {
    pub fn new(context: &'a Context, value: &'a dyn Encode) -> Self {
        context.has_evaluated.set(true);
        Self { context, value, left: context.steps.get(), spared: 0, has_counted: false, stop: None }
    }

    /// Limits the evaluation to the steps of the context.
    pub const fn without_more(mut self) -> Self {
        self.has_counted = true;
        self
    }

    /// Takes steps; returns whether the evaluation may continue.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                self.stop.is_none()
            }
            None => self.count_parts(steps),
        }
    }

    /// Adds the steps for the parts of the value, once, and takes steps.
    #[cold]
    fn count_parts(&mut self, steps: u64) -> bool {
        if !self.has_counted {
            self.has_counted = true;
            self.left = self.left.saturating_add(steps_for_parts(self.value));
            return self.spend(steps);
        }
        self.halt(Stop::Steps)
    }

    /// Stops the evaluation; returns `false`.
    pub const fn halt(&mut self, stop: Stop) -> bool {
        if self.stop.is_none() {
            (self.stop, self.spared, self.left) = (Some(stop), self.left, 0);
        }
        false
    }

    pub const fn stop(&self) -> Option<Stop> {
        self.stop
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        // Steps for the parts of this value are not passed on.
        let left = self.left + self.spared;
        self.context.steps.set(left.min(self.context.steps.get()));
    }
}

/// Returns the further steps for the parts of a value.
fn steps_for_parts(value: &dyn Encode) -> u64 {
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
