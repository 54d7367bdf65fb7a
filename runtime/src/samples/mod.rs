//! Samples of schemas, for tests: values that satisfy a schema, and values that break one constraint.
//!
//! The strategies are those of the crate [`proptest`]. They read the rows of the tables, so they need no code per type.
//! Values are JSON, as a client would send them.
//! - [`valid`]: values without violations;
//! - [`invalid`]: values with one change that a constraint forbids;
//! - [`near`]: values near the schema, valid or not, to compare validators.
//!
//! # Examples
//! ```
//! use openapi_crates_runtime::samples;
//! use openapi_crates_runtime::table::{Field, Integer, Schema, Text};
//! use openapi_crates_runtime::validation::violations_of;
//! use proptest::prelude::*;
//! use proptest::test_runner::TestRunner;
//!
//! // In practice, the row is a static of the generated validation crate: `common::PET`.
//! static PET: Schema = Schema::object(&[
//!     Field::required("name", &Schema::text(Text::ANY.max_length(20))),
//!     Field::optional("age", &Schema::integer(Integer::ANY.minimum(0))),
//! ]);
//!
//! let mut runner = TestRunner::default();
//! runner.run(&samples::valid(&PET), |pet| {
//!     prop_assert!(pet["name"].is_string());
//!     Ok(())
//! })?;
//! runner.run(&samples::invalid(&PET), |sample| {
//!     prop_assert!(!violations_of(&PET, &sample.value).is_empty(), "{}", sample.mutation);
//!     Ok(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//! - A value is made from the row of its type. Where the document is more specific ([`Schema::also`]), it is also made from
//!   the row of JSON Schema. Either way it is then checked, and made again if it is not valid. For a schema whose
//!   constraints depend on each other in many ways, few values are found, or none. Then the strategy is rejected,
//!   which proptest reports as an error.
//! - A text for a [pattern](crate::table::Pattern) ignores look-around, and is then checked with the pattern.
//! - A recursive schema yields values of a limited depth, mostly below ten levels.
//! - Values with the same field twice can't be represented, so no sample has one.
//! - The values depend only on the seed of the [`TestRunner`]. They can change with
//!   a new version of this crate.

mod heights;
mod keywords;
mod make;
mod mutate;
mod number;
mod object;
mod pattern;
mod random;
mod simpler;
mod sites;
mod text;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::codec::path_text;
use crate::table::Schema;
use crate::types::Value;
use crate::validation::{Code, violations_of};
use heights::Heights;
use make::Maker;
use random::Random;
use sites::Site;

pub use mutate::Mutation;
pub use simpler::Tree;

/// The number of tries for a sample.
const TRIES: usize = 64;

/// Creates a strategy for values that satisfy a schema.
///
/// See the [limits](self#limits). Values shrink to simpler valid ones.
#[must_use]
pub fn valid(schema: &'static Schema) -> Valid {
    Valid(Source::new(schema))
}

/// Creates a strategy for values that are valid except for one change.
///
/// A value usually has exactly one violation. It has more if the changed part is subject to several constraints. The
/// strategy is rejected if the schema accepts every value. Values shrink to simpler ones with the same violations.
#[must_use]
pub fn invalid(schema: &'static Schema) -> Invalid {
    Invalid(Source::new(schema))
}

/// Creates a strategy for values near the schema: made for it, then changed up to three times, and not checked.
///
/// They are for comparing validators with each other. Some are valid, and [`valid`] may never find them: it takes only
/// values that this crate accepts.
#[must_use]
pub fn near(schema: &'static Schema) -> Near {
    Near(Source::new(schema))
}

/// The strategy of [`valid`].
#[derive(Debug, Clone)]
pub struct Valid(Source);

/// The strategy of [`invalid`].
#[derive(Debug, Clone)]
pub struct Invalid(Source);

/// The strategy of [`near`].
#[derive(Debug, Clone)]
pub struct Near(Source);

/// An invalid value, and how it came about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InvalidSample {
    /// The value.
    pub value: Value,
    /// The change that made it invalid.
    pub mutation: Mutation,
    /// The changed part, such as `owner.names[0]`. Empty: the whole value.
    pub path: String,
}

impl Strategy for Valid {
    type Tree = Tree<Value>;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = random_of(runner)?;
        let value = self.0.valid(&mut random).ok_or("found no valid value of the schema")?;
        let schema = self.0.schema;
        Ok(Tree::new(value, move |value| {
            let mut simpler = simpler::simpler(value);
            simpler.retain(|value| violations_of(schema, value).is_empty());
            simpler
        }))
    }
}

impl Strategy for Invalid {
    type Tree = Tree<InvalidSample>;
    type Value = InvalidSample;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = random_of(runner)?;
        let sample = self.0.invalid(&mut random).ok_or("found no invalid value of the schema")?;
        let schema = self.0.schema;
        let codes = codes(schema, &sample.value);
        Ok(Tree::new(sample, move |sample| {
            let simpler = simpler::simpler(&sample.value).into_iter();
            let simpler = simpler.filter(|value| self::codes(schema, value) == codes);
            simpler.map(|value| InvalidSample { value, ..sample.clone() }).collect()
        }))
    }
}

impl Strategy for Near {
    type Tree = Tree<Value>;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut random = random_of(runner)?;
        let value = self.0.near(&mut random).ok_or("found no value near the schema")?;
        Ok(Tree::new(value, simpler::simpler))
    }
}

/// Returns random numbers that depend on the seed of a runner.
fn random_of(runner: &mut TestRunner) -> Result<Random, proptest::test_runner::Reason> {
    Ok(Random::new(any::<u64>().new_tree(runner)?.current()))
}

fn codes(schema: &'static Schema, value: &Value) -> Vec<Code> {
    violations_of(schema, value).iter().map(|violation| violation.code()).collect()
}

/// A schema, and what is computed of it once.
#[derive(Debug, Clone)]
struct Source {
    schema: &'static Schema,
    heights: Arc<OnceLock<Heights>>,
}

impl Source {
    fn new(schema: &'static Schema) -> Self {
        Self { schema, heights: Arc::default() }
    }

    /// Makes a value that may be invalid: from the rows alone, if its parts are not checked.
    fn candidate(&self, random: &mut Random, is_checked: bool) -> Option<Value> {
        let heights = self.heights.get_or_init(|| Heights::of(self.schema));
        Maker::new(heights, random, is_checked).value(self.schema)
    }

    fn valid(&self, random: &mut Random) -> Option<Value> {
        let mut made = (0..TRIES).filter_map(|_| self.candidate(random, true));
        made.find(|value| violations_of(self.schema, value).is_empty())
    }

    fn invalid(&self, random: &mut Random) -> Option<InvalidSample> {
        let valid = self.valid(random)?;
        let sites = sites::sites(self.schema, &valid);
        let mut other = None;
        for _ in 0..TRIES {
            let Some((sample, count)) = self.broken(&valid, &sites, random) else { continue };
            match count {
                0 => {}
                1 => return Some(sample),
                _ => other = other.or(Some(sample)),
            }
        }
        other
    }

    /// Changes a value; returns the number of violations as well.
    fn broken(&self, valid: &Value, sites: &[Site], random: &mut Random) -> Option<(InvalidSample, usize)> {
        let site = random.pick(sites)?;
        let (mutation, part) = mutate::change(site, sites::part(valid, &site.path)?, random)?;
        let value = sites::with_part(valid, &site.path, part)?;
        let count = violations_of(self.schema, &value).len();
        Some((InvalidSample { value, mutation, path: path_text(site.path.iter()) }, count))
    }

    fn near(&self, random: &mut Random) -> Option<Value> {
        let mut value = (0..TRIES).find_map(|_| self.candidate(random, false))?;
        for _ in 0..random.below(4) {
            let sites = sites::sites(self.schema, &value);
            let Some(site) = random.pick(&sites) else { break };
            let changed = sites::part(&value, &site.path).and_then(|part| mutate::change(site, part, random));
            let changed = changed.and_then(|(_, part)| sites::with_part(&value, &site.path, part));
            value = changed.unwrap_or(value);
        }
        Some(value)
    }
}
