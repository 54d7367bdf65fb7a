//! The violations of a schema, which are collected only after the schema failed.
//!
//! The report evaluates the keywords again and descends into those that fail.

use std::cell::Cell;

use super::budget::{Context, Stop};
use super::conditions::groups_of;
use super::evaluator::{Evaluator, asks};
use super::object::Properties;
use super::scalar::problem;
use super::subject::Subject;
use crate::table::{JsonSchema, Keyword};
use crate::types::Value;
use crate::validation::{Given, Position, Violation, ViolationKind, Violations};

/// Returns the violations of a schema in an untyped value.
pub fn violations(
    schema: &'static JsonSchema,
    value: &Value,
    position: &Position,
    context: &Context,
) -> Violations {
    let mut out = Violations::new();
    match context.evaluate(schema, value) {
        Ok(true) => {}
        Err(stop) => out.push(position.violation(stop.into())),
        Ok(false) => {
            let steps = context.of_report(value);
            let mut report = Report {
                position: position.clone(),
                context: &steps,
                depth: 0,
                nested: 0,
                is_stopped: Cell::new(false),
                found: Vec::new(),
            };
            report.schema(schema, value);
            out.extend(report.found.into_iter().map(|found| found.violation));
            context.leave(steps.steps());
            if out.is_empty() {
                // The report has no more steps.
                out.push(position.violation(ViolationKind::UNSPECIFIC));
            }
        }
    }
    out
}

/// A violation, and the number of names and items above its location.
pub struct Found {
    pub depth: u32,
    violation: Violation,
}

/// The steps for the report of one schema, besides those of its keywords.
const STEPS_PER_SCHEMA: u64 = 32;

/// A report in progress.
pub struct Report<'c> {
    position: Position,
    /// The steps of the whole report.
    context: &'c Context,
    /// The depth of the location.
    pub depth: u32,
    /// The depth in nested schemas.
    nested: u32,
    /// Whether there are no more steps.
    is_stopped: Cell<bool>,
    pub found: Vec<Found>,
}

impl Report<'_> {
    fn is_full(&self) -> bool {
        self.found.len() >= Violations::CAP || self.is_stopped.get()
    }

    /// Adds a violation of the current object, with the name of a field.
    pub fn push_field(&mut self, name: &str, kind: ViolationKind) {
        let mark = self.position.mark();
        self.position.enter_field(name);
        self.push(kind);
        self.position.back(mark);
    }

    /// Adds a violation at the current location, unless there are no more steps to be sure of it.
    pub fn push(&mut self, kind: ViolationKind) {
        if !self.is_full() {
            self.push_anyway(kind);
        }
    }

    /// Adds a violation at the current location.
    pub fn push_anyway(&mut self, kind: ViolationKind) {
        self.found.push(Found { depth: self.depth, violation: self.position.violation(kind) });
    }

    /// Returns whether there are no more steps.
    pub const fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Enters a field, calls `go`, and leaves the field.
    pub fn at_field(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        let mark = self.position.mark();
        self.position.enter_field(name);
        self.deeper(go);
        self.position.back(mark);
    }

    fn at_item(&mut self, index: usize, go: impl FnOnce(&mut Self)) {
        let mark = self.position.mark();
        self.position.enter_item(index);
        self.deeper(go);
        self.position.back(mark);
    }

    fn deeper(&mut self, go: impl FnOnce(&mut Self)) {
        self.depth += 1;
        go(self);
        self.depth -= 1;
    }

    /// Calls `go` with an evaluator of a value.
    fn evaluate<T>(&self, value: &Value, go: impl FnOnce(&mut Evaluator<'_>) -> T) -> T {
        let mut evaluator = Evaluator::of_report(self.context, value, self.nested);
        let result = go(&mut evaluator);
        if evaluator.stop == Some(Stop::Steps) {
            self.is_stopped.set(true);
        }
        result
    }

    /// Takes steps, besides those of the evaluators; returns whether the report may continue.
    fn spend(&self, steps: u64, value: &Value) -> bool {
        !self.is_full() && self.evaluate(value, |evaluator| evaluator.spend(steps))
    }

    /// Returns whether a schema does not apply to a value.
    pub fn fails(&self, schema: &'static JsonSchema, value: &Value) -> bool {
        self.evaluate(value, |evaluator| {
            !evaluator.schema(schema, Subject::of(value)) && evaluator.stop.is_none()
        })
    }

    /// Reports the violations of a schema that failed.
    pub fn schema(&mut self, schema: &'static JsonSchema, value: &Value) {
        if !self.spend(STEPS_PER_SCHEMA, value) {
            return;
        }
        self.nested(|report| {
            for keyword in report.failing(schema, value) {
                report.keyword(schema, keyword, value);
            }
        });
    }

    /// Calls `go` for a schema in the current one.
    pub fn nested(&mut self, go: impl FnOnce(&mut Self)) {
        self.nested += 1;
        go(self);
        self.nested -= 1;
    }

    /// Changes the problems that `go` reports.
    pub fn map_kinds(&mut self, go: impl FnOnce(&mut Self), change: impl Fn(ViolationKind) -> ViolationKind) {
        let start = self.found.len();
        go(self);
        for found in self.found.iter_mut().skip(start) {
            let kind = std::mem::replace(&mut found.violation.kind, ViolationKind::Unknown);
            found.violation.kind = change(kind);
        }
    }

    /// Returns the keywords of a schema that fail.
    ///
    /// A failed keyword evaluates nothing, so what `unevaluated…` would say after it means little.
    fn failing(&self, schema: &'static JsonSchema, value: &Value) -> Vec<&'static Keyword> {
        let subject = Subject::of(value);
        self.evaluate(value, |evaluator| {
            evaluator.collects = asks(schema, subject.form);
            let mut failing = Vec::new();
            for keyword in schema.0 {
                let is_last =
                    matches!(keyword, Keyword::UnevaluatedItems(_) | Keyword::UnevaluatedProperties(_));
                if is_last && !failing.is_empty() {
                    break;
                }
                let is_valid = evaluator.keyword(keyword, subject, 0);
                if evaluator.stop.is_some() {
                    break;
                }
                if !is_valid {
                    failing.push(keyword);
                }
            }
            failing
        })
    }

    /// Reports a keyword that failed.
    fn keyword(&mut self, schema: &'static JsonSchema, keyword: &'static Keyword, value: &Value) {
        match *keyword {
            Keyword::Ref(schema) => self.schema(schema, value),
            Keyword::AllOf(all) => all.iter().for_each(|schema| self.if_fails(schema, value)),
            Keyword::AnyOf(branches) => self.no_branch(branches, value),
            Keyword::OneOf(branches) => {
                let found = branches.iter().filter(|schema| !self.fails(schema, value)).count();
                match (groups_of(branches, value), found) {
                    (Some(groups), _) => self.push(ViolationKind::NotExactlyOne { groups, found }),
                    (None, 0) => self.no_branch(branches, value),
                    (None, count) => self.push(ViolationKind::Ambiguous(count)),
                }
            }
            Keyword::Not(schema) => self.not(schema, value),
            Keyword::If { condition, then, otherwise } => {
                let holds = !self.fails(condition, value);
                if let Some(schema) = if holds { then } else { otherwise } {
                    self.branch(condition, holds, schema, value);
                }
            }
            Keyword::Items { prefix, others } => self.items(prefix, others, value),
            Keyword::Properties { listed, patterns, others } => {
                self.properties(Properties { listed, patterns, others }, value);
            }
            Keyword::Required(names) => self.missing(names, value),
            Keyword::DependentRequired(list) => {
                for (name, names) in list.iter().filter(|(name, _)| value.get(name).is_some()) {
                    self.conditional(vec![Given::Field(name)], true, |report| report.missing(names, value));
                }
            }
            Keyword::DependentSchemas(list) => {
                for (name, schema) in list.iter().filter(|(name, _)| value.get(name).is_some()) {
                    self.conditional(vec![Given::Field(name)], true, |report| report.if_fails(schema, value));
                }
            }
            Keyword::PropertyNames(schema) => self.names(schema, value),
            Keyword::UnevaluatedItems(_) | Keyword::UnevaluatedProperties(_) => {
                self.unevaluated(schema, keyword, value);
            }
            _ => {
                if let Some(kind) = problem(keyword, value) {
                    self.push(kind);
                }
            }
        }
    }

    fn if_fails(&mut self, schema: &'static JsonSchema, value: &Value) {
        if self.fails(schema, value) {
            self.schema(schema, value);
        }
    }

    /// Reports the required names that an object lacks.
    fn missing(&mut self, names: &[&str], value: &Value) {
        for name in names.iter().filter(|name| value.get(name).is_none()) {
            self.push_field(name, ViolationKind::Missing);
        }
    }

    fn items(
        &mut self,
        prefix: &'static [&'static JsonSchema],
        others: Option<&'static JsonSchema>,
        value: &Value,
    ) {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            if !self.spend(1, item) {
                return;
            }
            match prefix.get(index).copied().or(others) {
                Some(schema) if index >= prefix.len() && is_false(schema) => {
                    return self.push(ViolationKind::MaxItems(prefix.len() as u64));
                }
                Some(schema) => self.at_item(index, |report| report.if_fails(schema, item)),
                None => {}
            }
        }
    }

    fn properties(&mut self, rules: Properties, value: &Value) {
        for (name, value) in value.as_object().into_iter().flatten() {
            if !self.spend(1, value) {
                return;
            }
            let own = rules.named(name);
            let matching: Vec<_> = self.evaluate(value, |evaluator| {
                rules.patterns.iter().filter(|(pattern, _)| evaluator.matches(pattern, name)).collect()
            });
            let others = rules.others.filter(|_| own.is_none() && matching.is_empty());
            for schema in own.into_iter().chain(matching.into_iter().map(|(_, schema)| *schema)) {
                self.property(schema, name, value);
            }
            if let Some(schema) = others {
                self.other_property(schema, name, value);
            }
        }
    }

    /// Reports a property, if a schema does not apply to it.
    fn property(&mut self, schema: &'static JsonSchema, name: &str, value: &Value) {
        if !self.is_full() {
            self.at_field(name, |report| report.if_fails(schema, value));
        }
    }

    /// Reports a property that the document does not list, if a schema does not apply to it.
    fn other_property(&mut self, schema: &'static JsonSchema, name: &str, value: &Value) {
        if is_false(schema) {
            self.push_field(name, ViolationKind::Unknown);
        } else {
            self.property(schema, name, value);
        }
    }

    fn names(&mut self, schema: &'static JsonSchema, value: &Value) {
        for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
            let as_value = Value::from(name.as_str());
            if !self.is_full() && self.fails(schema, &as_value) {
                self.map_kinds(
                    |report| report.at_field(name, |report| report.schema(schema, &as_value)),
                    |kind| ViolationKind::Name(Box::new(kind)),
                );
            }
        }
    }

    /// Reports the properties or items that no keyword evaluates, and that the last keyword does not allow.
    fn unevaluated(&mut self, schema: &'static JsonSchema, last: &'static Keyword, value: &Value) {
        let evaluate = |evaluator: &mut Evaluator<'_>| {
            evaluator.collects = true;
            for keyword in schema.0.iter().take_while(|keyword| !std::ptr::eq(*keyword, last)) {
                evaluator.keyword(keyword, Subject::of(value), 0);
            }
        };
        match *last {
            Keyword::UnevaluatedProperties(schema) => {
                let others = self.evaluate(value, |evaluator| {
                    evaluate(evaluator);
                    let entries = value.as_object().into_iter().flatten();
                    entries.filter(|(name, _)| !evaluator.is_evaluated_name(name, 0)).collect::<Vec<_>>()
                });
                for (name, value) in others {
                    self.other_property(schema, name, value);
                }
            }
            Keyword::UnevaluatedItems(schema) => {
                let others = self.evaluate(value, |evaluator| {
                    evaluate(evaluator);
                    let items = value.as_array().into_iter().flatten().enumerate();
                    items.filter(|(index, _)| !evaluator.is_evaluated_item(*index, 0)).collect::<Vec<_>>()
                });
                for (index, item) in others {
                    if self.is_full() {
                        return;
                    }
                    self.at_item(index, |report| report.if_fails(schema, item));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether no value is valid.
fn is_false(schema: &JsonSchema) -> bool {
    matches!(schema.0, [Keyword::False])
}
