//! The report on alternatives of which none applies.
//!
//! The violations of one alternative are reported if it is probably the intended one: a constant of the value chooses
//! it, or it has the fewest violations. Otherwise the report says only that no alternative applies.

use std::cmp::Reverse;

use super::conditions::groups_of;
use super::report::Report;
use super::subject::Subject;
use crate::codec::Kinds;
use crate::table::{JsonSchema, Keyword, Literal};
use crate::types::Value;
use crate::validation::ViolationKind;
use crate::validation::probe;

/// The maximum number of references and parts that are followed to find the constants of a schema.
const DEEPEST: u32 = 8;

/// The values that an alternative allows, for the value itself or for one of its properties.
struct Constant {
    property: Option<&'static str>,
    allowed: &'static [Literal],
}

impl Constant {
    /// Returns whether a value has one of the allowed values; `None` if it lacks the property.
    fn fits(&self, value: &Value) -> Option<bool> {
        let value = match self.property {
            Some(name) => value.get(name)?,
            None => value,
        };
        Some(self.allowed.iter().any(|literal| probe::equals(value, literal)))
    }
}

/// An alternative.
struct Branch {
    schema: &'static JsonSchema,
    constants: Vec<Constant>,
}

impl Branch {
    fn new(schema: &'static JsonSchema) -> Self {
        let mut constants = Vec::new();
        add_constants(schema, DEEPEST, &mut constants);
        Self { schema, constants }
    }

    /// Returns whether a value has one of the values of a constant, or another one.
    fn has(&self, value: &Value, fits: bool) -> bool {
        self.constants.iter().any(|constant| constant.fits(value) == Some(fits))
    }
}

impl Report<'_> {
    /// Reports a value that no alternative applies to.
    pub fn no_branch(&mut self, all: &'static [&'static JsonSchema], value: &Value) {
        if let Some(groups) = groups_of(all, value) {
            return self.push(ViolationKind::NoneGiven(groups));
        }
        let subject = Subject::of(value);
        let kinds: Vec<Kinds> = all.iter().map(|schema| kinds_of(schema, DEEPEST)).collect();
        let fits = |kinds: &Kinds| subject.kind().is_none_or(|kind| kinds.fits(kind));
        let mut branches: Vec<Branch> = all
            .iter()
            .zip(&kinds)
            .filter(|(_, kinds)| fits(kinds))
            .map(|(schema, _)| Branch::new(schema))
            .collect();
        if branches.is_empty() && !all.is_empty() {
            let any = kinds.into_iter().reduce(Kinds::or).unwrap_or(Kinds::ANY);
            return self.push(ViolationKind::WrongKind(any));
        }
        if branches.iter().all(|branch| branch.has(value, false)) {
            if let Some((property, allowed)) = common_constant(&branches, value) {
                let kind = ViolationKind::NoConstant(allowed);
                return match property {
                    Some(name) => self.at_field(name, |report| report.push(kind)),
                    None => self.push(kind),
                };
            }
        } else {
            branches.retain(|branch| !branch.has(value, false));
        }
        let mut chosen = branches.iter().filter(|branch| branch.has(value, true));
        match (chosen.next(), chosen.next()) {
            (Some(branch), None) => self.schema(branch.schema, value),
            _ => self.nearest(&branches, value, all.len()),
        }
    }

    /// Reports the alternative with the fewest violations, or else those that are deepest in the value.
    ///
    /// Each trial can try alternatives of its own, so their number can grow exponentially with the depth of the value.
    /// The steps of the report are the limit.
    fn nearest(&mut self, branches: &[Branch], value: &Value, count: usize) {
        let start = self.found.len();
        let mut trials: Vec<_> = branches
            .iter()
            .map(|branch| {
                self.schema(branch.schema, value);
                let found = self.found.split_off(start.min(self.found.len()));
                let depth = found.iter().map(|found| found.depth).min().unwrap_or(0);
                ((found.len(), Reverse(depth)), found)
            })
            .filter(|(_, found)| !found.is_empty())
            .collect();
        if self.is_stopped() {
            // The trials may lack violations.
            return self.push_anyway(ViolationKind::NoAlternative(count));
        }
        trials.sort_by_key(|(key, _)| *key);
        let mut trials = trials.into_iter();
        match (trials.next(), trials.next()) {
            (Some((first, found)), second) if second.as_ref().is_none_or(|(key, _)| *key != first) => {
                self.found.extend(found);
            }
            _ => self.push(ViolationKind::NoAlternative(count)),
        }
    }
}

/// Returns the kinds that a schema allows.
fn kinds_of(schema: &'static JsonSchema, steps: u32) -> Kinds {
    let found = schema.0.iter().find_map(|keyword| match keyword {
        Keyword::Type(kinds) => Some(*kinds),
        Keyword::Ref(schema) if steps > 0 => Some(kinds_of(schema, steps - 1)),
        _ => None,
    });
    found.unwrap_or(Kinds::ANY)
}

/// Adds the constants of a schema.
fn add_constants(schema: &'static JsonSchema, steps: u32, out: &mut Vec<Constant>) {
    for keyword in schema.0 {
        match keyword {
            Keyword::Enum(allowed) => out.push(Constant { property: None, allowed }),
            Keyword::Properties { listed, .. } => {
                for (name, schema) in *listed {
                    if let Some(allowed) = allowed_by(schema, steps) {
                        out.push(Constant { property: Some(name), allowed });
                    }
                }
            }
            Keyword::Ref(schema) if steps > 0 => add_constants(schema, steps - 1, out),
            Keyword::AllOf(all) if steps > 0 => {
                all.iter().for_each(|schema| add_constants(schema, steps - 1, out));
            }
            _ => {}
        }
    }
}

/// Returns the values that a schema lists.
fn allowed_by(schema: &'static JsonSchema, steps: u32) -> Option<&'static [Literal]> {
    schema.0.iter().find_map(|keyword| match keyword {
        Keyword::Enum(allowed) => Some(*allowed),
        Keyword::Ref(schema) if steps > 0 => allowed_by(schema, steps - 1),
        _ => None,
    })
}

/// Returns a property whose constants rule out all alternatives, with all its allowed values.
fn common_constant(branches: &[Branch], value: &Value) -> Option<(Option<&'static str>, Vec<Literal>)> {
    let (first, others) = branches.split_first()?;
    first.constants.iter().filter(|constant| constant.fits(value) == Some(false)).find_map(|constant| {
        let mut allowed = constant.allowed.to_vec();
        for branch in others {
            let other = branch
                .constants
                .iter()
                .find(|it| it.property == constant.property && it.fits(value) == Some(false))?;
            let new: Vec<_> = other.allowed.iter().filter(|it| !allowed.contains(it)).copied().collect();
            allowed.extend(new);
        }
        Some((constant.property, allowed))
    })
}
