//! Doubtful breaches: violations of a row that the JSON Schema of an enclosing value may allow.

use super::walk::{Read, Walker};
use super::{Problem, Violation};
use crate::codec::Fault;
use crate::table::{CrossRule, JsonSchema};
use crate::types::Value;

impl Walker<'_> {
    /// Records a violation that the JSON Schema of an enclosing value may allow.
    pub fn doubt(&self, problem: Problem) {
        let violation = self.place.borrow().violation(problem);
        let out =
            if self.is_covered.get() { &mut self.doubts.borrow_mut() } else { &mut **self.out.borrow_mut() };
        out.push(violation);
    }

    /// Reads a value as a variant of a union.
    ///
    /// Its model can hold other values of the schema than the variant allows. So if the JSON Schema of an enclosing value
    /// covers it, its breaches are doubtful until that is evaluated. Only `x-rules` are not part of a JSON Schema.
    pub fn doubtful(&self, read: impl FnOnce() -> Result<Read, Fault>) -> Result<Read, Fault> {
        let mark = self.mark();
        let value = read()?;
        if self.is_covered.get() && value.is_some() {
            let is_certain = |violation: &Violation| matches!(&violation.problem, Problem::CrossField(rule) if !matches!(rule, CrossRule::Holds { .. }));
            let (certain, doubtful): (Vec<_>, Vec<_>) = self.since(mark).into_iter().partition(is_certain);
            self.out.borrow_mut().extend(certain);
            self.doubts.borrow_mut().extend(doubtful);
        }
        Ok(value)
    }

    /// Records the breaches that were doubtful since there were `mark` of them; returns whether there are any.
    pub fn settle_doubts(&self, mark: usize) -> bool {
        let doubts = self.doubts.borrow_mut().split_off(mark);
        let had_doubts = !doubts.is_empty();
        self.out.borrow_mut().extend(doubts);
        had_doubts
    }

    /// Records the violations of a JSON Schema in a value.
    ///
    /// If there are doubtful breaches, they are the violations: they say more than that no alternative matches.
    pub fn evaluate_after(&self, doubts: usize, schema: &'static JsonSchema, value: &Value) {
        if self.doubts.borrow().len() == doubts {
            self.evaluate(schema, value);
        } else if self.scope().context.is_valid(schema, value) {
            drop(self.doubts.borrow_mut().split_off(doubts));
        }
    }
}
