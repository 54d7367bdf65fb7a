//! The evaluation of schemas, and of the keywords for all values.

use super::budget::{Context, DEEPEST, Stop, cost_of_long_match, cost_of_match, steps_for_parts};
use super::evaluated::{Mark, evaluates_items, evaluates_names};
use super::subject::Subject;
use crate::codec::Encode;
use crate::table::{JsonSchema, Keyword, Matched, Pattern};
use crate::validation::probe::Form;

/// An evaluation in progress.
pub struct Evaluator<'a> {
    pub context: &'a Context,
    /// The value, whose parts have further steps.
    root: &'a dyn Encode,
    /// Whether the steps for the parts of the value were added.
    has_counted: bool,
    /// The steps left; 0 after a stop.
    left: u64,
    /// The steps left at a stop.
    spared: u64,
    pub stop: Option<Stop>,
    /// The depth in nested schemas.
    depth: u32,
    /// Whether a keyword `unevaluated…` of an enclosing schema will ask what was evaluated at this location.
    pub collects: bool,
    /// The keywords that succeeded at this location, and outside it at enclosing ones.
    pub marks: Vec<Mark>,
}

impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        self.context.leave(self.left + self.spared);
    }
}

impl<'a> Evaluator<'a> {
    pub fn new(context: &'a Context, root: &'a dyn Encode) -> Self {
        context.set_evaluated();
        let (left, marks) = (context.steps(), Vec::new());
        Self {
            context,
            root,
            has_counted: false,
            left,
            spared: 0,
            stop: None,
            depth: 0,
            collects: false,
            marks,
        }
    }

    /// Creates an evaluator for a part of a report, which has no steps besides those of the context.
    pub fn of_report(context: &'a Context, root: &'a dyn Encode, depth: u32) -> Self {
        let mut evaluator = Self::new(context, root);
        (evaluator.has_counted, evaluator.depth) = (true, depth);
        evaluator
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
        if self.has_counted {
            return self.halt(Stop::Steps);
        }
        self.has_counted = true;
        self.left = self.left.saturating_add(steps_for_parts(self.root));
        self.spend(steps)
    }

    /// Stops the evaluation; returns `false`.
    const fn halt(&mut self, stop: Stop) -> bool {
        if self.stop.is_none() {
            (self.stop, self.spared, self.left) = (Some(stop), self.left, 0);
        }
        false
    }

    /// Evaluates a schema.
    ///
    /// If it fails, nothing that it evaluated counts.
    pub fn schema(&mut self, schema: &'static JsonSchema, subject: Subject<'_>) -> bool {
        if self.depth >= DEEPEST {
            return self.halt(Stop::Steps);
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
            Matched::Unknown => self.halt(Stop::Pattern(pattern.written())),
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
