//! The evaluation of schemas, and of the keywords for all values.

use super::budget::{Budget, Context, DEEPEST, Stop, cost_of_long_match, cost_of_match};
use super::evaluated::{Mark, evaluates_items, evaluates_names};
use super::subject::Subject;
use crate::codec::Encode;
use crate::table::{JsonSchema, Keyword, Matched, Pattern};
use crate::validation::probe::Form;

/// An evaluation in progress.
pub struct Evaluator<'a> {
    pub context: &'a Context,
    budget: Budget<'a>,
    depth: u32,
    /// Whether a keyword `unevaluated…` of an enclosing schema will ask what was evaluated at this location.
    pub collects: bool,
    /// The keywords that succeeded at this location, and outside it at enclosing ones.
    pub marks: Vec<Mark>,
}

impl<'a> Evaluator<'a> {
    pub fn new(context: &'a Context, root: &'a dyn Encode) -> Self {
        let budget = Budget::new(context, root);
        Self { context, budget, depth: 0, collects: false, marks: Vec::new() }
    }

    /// Creates an evaluator for a part of a report, which has no steps besides those of the context.
    pub fn of_report(context: &'a Context, root: &'a dyn Encode) -> Self {
        let budget = Budget::new(context, root).without_more();
        Self { context, budget, depth: 0, collects: false, marks: Vec::new() }
    }

    pub const fn stop(&self) -> Option<Stop> {
        self.budget.stop()
    }

    /// Starts at this depth, in nested schemas.
    pub const fn at_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    #[inline]
    pub fn spend(&mut self, steps: u64) -> bool {
        self.budget.spend(steps)
    }

    /// Evaluates a schema.
    ///
    /// If it fails, nothing that it evaluated counts.
    pub fn schema(&mut self, schema: &'static JsonSchema, subject: Subject<'_>) -> bool {
        if self.depth >= DEEPEST {
            return self.budget.halt(Stop::Steps);
        }
        let (start, collects) = (self.marks.len(), self.collects);
        self.collects |= asks(schema, subject.form);
        self.depth += 1;
        let is_valid = schema.0.iter().all(|keyword| self.keyword(keyword, subject, start));
        self.depth -= 1;
        self.collects = collects;
        if !is_valid || !collects {
            self.marks.truncate(start);
        }
        is_valid
    }

    /// Evaluates a schema on an item or a field of the current value.
    pub fn child(&mut self, schema: &'static JsonSchema, value: &dyn Encode) -> bool {
        schema.0.is_empty() || self.without_recording(schema, Subject::of(value))
    }

    /// Evaluates a schema, and records nothing that it evaluates.
    pub fn without_recording(&mut self, schema: &'static JsonSchema, subject: Subject<'_>) -> bool {
        let collects = std::mem::take(&mut self.collects);
        let is_valid = self.schema(schema, subject);
        self.collects = collects;
        is_valid
    }

    /// Evaluates a keyword of a schema whose first mark is at `start`.
    pub fn keyword(&mut self, keyword: &'static Keyword, subject: Subject<'_>, start: usize) -> bool {
        if !self.spend(1) {
            return false;
        }
        match keyword {
            Keyword::False => false,
            _ if subject.form == Form::Stream => true,
            Keyword::Type(kinds) => subject.is_of(*kinds),
            Keyword::Enum(allowed) => self.is_listed(allowed, subject),
            Keyword::Ref(schema) => self.schema(schema, subject),
            Keyword::AllOf(all) => all.iter().all(|schema| self.schema(schema, subject)),
            // If a keyword reads what was evaluated, all branches count.
            Keyword::AnyOf(any) => self.count(any, subject, if self.collects { usize::MAX } else { 1 }) > 0,
            Keyword::OneOf(one) => self.count(one, subject, 2) == 1,
            Keyword::Not(schema) => !self.without_recording(schema, subject),
            Keyword::If { condition, then, otherwise } => {
                if then.is_none() && otherwise.is_none() && !self.collects {
                    return true;
                }
                let branch = if self.schema(condition, subject) { then } else { otherwise };
                branch.is_none_or(|schema| self.schema(schema, subject))
            }
            _ => match subject.form {
                Form::Number(number) => self.number(keyword, number, subject),
                Form::Text => self.text(keyword, subject),
                Form::Array(count) => {
                    let is_valid = self.array(keyword, count, subject, start);
                    self.mark_if(is_valid && evaluates_items(keyword), keyword);
                    is_valid
                }
                Form::Object => {
                    let is_valid = self.object(keyword, subject, start);
                    self.mark_if(is_valid && evaluates_names(keyword), keyword);
                    is_valid
                }
                Form::Null | Form::Boolean(_) | Form::Stream => true,
            },
        }
    }

    fn mark_if(&mut self, is_evaluated: bool, keyword: &'static Keyword) {
        if is_evaluated && self.collects {
            self.marks.push(Mark::Keyword(keyword));
        }
    }

    /// Returns the number of schemas that apply, at most `limit`.
    fn count(
        &mut self,
        schemas: &'static [&'static JsonSchema],
        subject: Subject<'_>,
        limit: usize,
    ) -> usize {
        schemas.iter().filter(|schema| self.schema(schema, subject)).take(limit).count()
    }

    /// Matches a pattern. The evaluation stops if the engine gives up.
    pub fn matches(&mut self, pattern: &'static Pattern, text: &str) -> bool {
        if !self.spend(cost_of_match(pattern, text)) {
            return false;
        }
        match pattern.matches_if(text, || self.spend(cost_of_long_match(text))) {
            Matched::Yes => true,
            Matched::No => false,
            Matched::Unknown => self.budget.halt(Stop::Pattern(pattern.written())),
        }
    }
}

/// Returns whether a schema asks what was evaluated of a value.
pub fn asks(schema: &JsonSchema, form: Form) -> bool {
    let last = |keyword: &&Keyword| {
        matches!(keyword, Keyword::UnevaluatedItems(_) | Keyword::UnevaluatedProperties(_))
    };
    schema.0.iter().rev().take_while(last).any(|keyword| match keyword {
        Keyword::UnevaluatedItems(_) => matches!(form, Form::Array(_)),
        _ => form == Form::Object,
    })
}
