//! Determines in which direction a property is sent: `readOnly` and `writeOnly`, also behind references.

use crate::{
    ir::Direction,
    lower::resolver::{keywords::Keywords, nullable::is_null, parts::Part, state::Resolver},
    tree::Node,
};

/// The maximum number of nested unions. Properties of deeper ones are sent in both directions.
const MAX_STEPS: usize = 8;

impl<'d> Resolver<'d, '_> {
    /// Returns the only direction in which a value of these parts is sent.
    ///
    /// The parts can say so themselves, and so can the schemas that they refer to, their members of `allOf`, and all
    /// branches of a union.
    pub fn direction(&mut self, parts: &[Part<'d>]) -> Option<Direction> {
        // In OpenAPI 3.0, a mark beside `$ref` counts, although other keywords there do not.
        let beside = parts.iter().find_map(|part| of_keywords(&Keywords::read(part.node)));
        beside.or_else(|| self.direction_within(parts, MAX_STEPS))
    }

    fn direction_within(&mut self, parts: &[Part<'d>], steps: usize) -> Option<Direction> {
        let steps = steps.checked_sub(1)?;
        let owns = self.followed(parts);
        if let Some(direction) = owns.iter().find_map(|own| of_keywords(&own.keywords)) {
            return Some(direction);
        }
        for own in owns {
            for union in [own.keywords.one_of, own.keywords.any_of].into_iter().flatten() {
                let branches: Vec<&Node> = union.items().iter().filter(|branch| !is_null(branch)).collect();
                let mut found = branches
                    .into_iter()
                    .map(|branch| self.direction_within(&[Part::new(branch, own.home.clone())], steps));
                let Some(Some(first)) = found.next() else { continue };
                if found.all(|direction| direction == Some(first)) {
                    return Some(first);
                }
            }
        }
        None
    }
}

const fn of_keywords(keywords: &Keywords<'_>) -> Option<Direction> {
    match (keywords.read_only, keywords.write_only) {
        (true, _) => Some(Direction::Response),
        (_, true) => Some(Direction::Request),
        _ => None,
    }
}
