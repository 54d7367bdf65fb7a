//! The keywords for arrays.

use std::ops::RangeInclusive;

use super::evaluated::Mark;
use super::evaluator::Evaluator;
use super::subject::Subject;
use crate::codec::Encode;
use crate::codec::view::{View, items, view};
use crate::table::{JsonSchema, Keyword};
use crate::validation::unique;

impl Evaluator<'_> {
    /// Evaluates a keyword on an array of `count` items.
    pub fn array(
        &mut self,
        keyword: &'static Keyword,
        count: u64,
        subject: Subject<'_>,
        start: usize,
    ) -> bool {
        match *keyword {
            Keyword::MinItems(limit) => count >= limit,
            Keyword::MaxItems(limit) => count <= limit,
            Keyword::UniqueItems => self.visit_whole(subject) && all_differ(subject.value),
            Keyword::Items { prefix, others } => {
                let mut is_valid = true;
                items(subject.value, &mut |index, item| {
                    let schema = prefix.get(index).copied().or(others);
                    is_valid = schema.is_none_or(|schema| self.item(schema, item));
                    is_valid && schema.is_some()
                });
                is_valid
            }
            Keyword::Contains { schema, minimum, maximum } => {
                self.contains(schema, minimum..=maximum.unwrap_or(u64::MAX), subject)
            }
            Keyword::UnevaluatedItems(schema) => items(subject.value, &mut |index, item| {
                self.is_evaluated_item(index, start) || self.item(schema, item)
            }),
            _ => true,
        }
    }

    /// Evaluates a schema on an item.
    fn item(&mut self, schema: &'static JsonSchema, item: &dyn Encode) -> bool {
        self.spend(1) && self.child(schema, item)
    }

    fn contains(
        &mut self,
        schema: &'static JsonSchema,
        limits: RangeInclusive<u64>,
        subject: Subject<'_>,
    ) -> bool {
        let mut count = 0;
        let mut matching = Vec::new();
        let collects = self.collects;
        items(subject.value, &mut |index, item| {
            if !self.spend(1) {
                return false;
            }
            if self.child(schema, item) {
                count += 1;
                if collects {
                    matching.push(index);
                }
            }
            let is_decided = count > *limits.end() || *limits.end() == u64::MAX && count >= *limits.start();
            collects || !is_decided
        });
        if collects {
            self.marks.push(Mark::Items(matching));
        }
        limits.contains(&count)
    }

    /// Returns whether a keyword since `start` evaluated the item at this index.
    pub fn is_evaluated_item(&mut self, index: usize, start: usize) -> bool {
        let marks = self.marks.get(start..).unwrap_or_default();
        let is_evaluated = marks.iter().any(|mark| mark.has_item(index));
        let steps = 1 + marks.len() as u64;
        self.spend(steps) && is_evaluated
    }
}

/// Returns whether no two items of an array are equal.
fn all_differ(value: &dyn Encode) -> bool {
    let all = view(value, |view| match view {
        View::Array(items) => unique::all_differ(items),
        View::List(items) => unique::all_differ(&mut items.iter().map(|item| item as &dyn Encode)),
        _ => true,
    });
    all.unwrap_or(true)
}
