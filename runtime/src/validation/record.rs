//! The slow path: the violations so far, and the current position.

use super::json_schema::violations;
use super::walk::{Read, Walker, walk_value};
use super::{Violation, ViolationKind, Violations};
use crate::codec::Segment;
use crate::table::{JsonSchema, Schema};
use crate::types::Value;

impl Walker<'_> {
    /// Records the violation of a row's own constraint, unless a JSON Schema covers the value.
    pub fn record_own(&self, kind: ViolationKind) {
        if !self.is_covered.get() {
            self.record(kind);
        }
    }

    /// Records a violation at the current location.
    pub fn record(&self, kind: ViolationKind) {
        let violation = self.position.borrow().violation(kind);
        self.out.borrow_mut().push(violation);
    }

    /// Records a violation inside the current location.
    pub fn record_at<'p>(&self, path: impl Iterator<Item = &'p Segment>, kind: ViolationKind) {
        let mut position = self.position.borrow().clone();
        for segment in path {
            match segment {
                Segment::Field(name) => position.enter_field(name),
                Segment::Index(index) => position.enter_item(*index),
            }
        }
        self.out.borrow_mut().push(position.violation(kind));
    }

    /// Records the violations in a value.
    ///
    /// They are not errors: the model can hold the value.
    pub fn record_all(&self, schema: &'static Schema, value: &Value) {
        let mut found = Violations::new();
        walk_value(self.scope(), schema, value, &self.position.borrow(), &mut found);
        self.out.borrow_mut().extend(found);
    }

    /// Records the violations of a JSON Schema in a value.
    ///
    /// They are not errors.
    pub fn evaluate(&self, schema: &'static JsonSchema, value: &Value) {
        let found = violations(schema, value, &self.position.borrow(), self.context);
        self.out.borrow_mut().extend(found);
    }

    /// Records the violations of a JSON Schema in the name of the current field.
    pub fn evaluate_name(&self, schema: &'static JsonSchema, name: &str) {
        let position = self.position.borrow();
        for violation in violations(schema, &name.into(), &position, self.context) {
            self.out.borrow_mut().push(position.violation(ViolationKind::Name(Box::new(violation.kind))));
        }
    }

    /// Records a violation at the current location, at which decoding stops.
    pub fn violated(&self, kind: ViolationKind) -> Read {
        self.record(kind);
        None
    }

    /// Enters a field, calls `go`, and leaves the field.
    pub fn at_field<T>(&self, name: &str, go: impl FnOnce() -> T) -> T {
        let mark = self.position.borrow().mark();
        self.position.borrow_mut().enter_field(name);
        let result = go();
        self.position.borrow_mut().back(mark);
        result
    }

    pub fn at_item<T>(&self, index: usize, go: impl FnOnce() -> T) -> T {
        let mark = self.position.borrow().mark();
        self.position.borrow_mut().enter_item(index);
        let result = go();
        self.position.borrow_mut().back(mark);
        result
    }

    /// Returns the number of violations in `out`.
    pub fn mark(&self) -> usize {
        self.out.borrow().len()
    }

    /// Takes out the violations found since `mark`.
    pub fn since(&self, mark: usize) -> Vec<Violation> {
        self.out.borrow_mut().split_off(mark)
    }

    /// Moves the violations that `go` finds to `found`, until they are put back.
    pub fn hold<T>(&self, found: &mut Violations, go: impl FnOnce() -> T) -> T {
        let (mark, before) = (self.mark(), found.len());
        let result = go();
        if self.mark() > mark {
            found.extend(self.since(mark));
            self.held.set(self.held.get() + found.len() - before);
        }
        result
    }

    /// Puts back the violations that [`hold`](Self::hold) took out.
    pub fn put_back(&self, found: Violations) {
        if !found.is_empty() {
            self.held.set(self.held.get().saturating_sub(found.len()));
            self.out.borrow_mut().extend(found);
        }
    }

    /// Adds the violations that a type found, unless the JSON Schema found some at the same location.
    ///
    /// Both say the same about a value of the wrong type. Only `x-rules` are not part of a JSON Schema.
    pub fn add_others(&self, mark: usize, errors: Vec<Violation>) {
        let mut out = self.out.borrow_mut();
        for error in errors {
            let is_rule = matches!(error.kind, ViolationKind::CrossField(_));
            if is_rule || !out.iter().skip(mark).any(|other| other.name == error.name) {
                out.push(error);
            }
        }
    }
}
