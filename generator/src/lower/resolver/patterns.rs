//! Patterns: each one is translated for the engine that runs it.

use crate::{
    diagnostics::Code,
    ir::PatternId,
    lower::{
        position::SchemaPosition,
        resolver::state::{PatternDraft, Resolver},
    },
    patterns::{Lengths, decide},
    tree::NodeRef,
};

impl<'d> Resolver<'d, '_> {
    /// Returns the pattern of a string and the limits of its length, or `None` if it can't be checked.
    pub fn pattern(
        &mut self,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<(PatternId, Lengths)> {
        let id = self.decided(node.as_str()?, node, position, true)?;
        Some((id, self.patterns.get(id.0)?.decision.lengths))
    }

    /// Returns the pattern that is the name of a node, or `None` if it can't be checked.
    pub fn pattern_of_names(
        &mut self,
        written: &str,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<PatternId> {
        // Names have no limits of their length in which a part of the pattern could be checked.
        self.decided(written, node, position, false)
    }

    fn decided(
        &mut self,
        written: &str,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        splits: bool,
    ) -> Option<PatternId> {
        if let Some(id) = self.known_patterns.get(&(node.id(), position.module))
            && !position.is_shared
        {
            return Some(*id);
        }
        let decision = match decide(written, splits) {
            Ok(decision) => decision,
            Err(reason) => {
                self.warn(Code::InvalidPattern, node, "invalid or unsupported pattern, which is not checked")
                    .note(reason.to_string());
                return None;
            }
        };
        self.patterns.push(PatternDraft {
            position: position.clone(),
            written: written.to_owned(),
            decision,
        });
        let id = PatternId(self.patterns.len() - 1);
        self.known_patterns.insert((node.id(), position.module), id);
        Some(id)
    }
}
