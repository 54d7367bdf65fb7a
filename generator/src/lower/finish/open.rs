//! Openness: an enum or union that a response can hold takes values that the document doesn't name.

use super::uses::Use;
use crate::{
    ir::{Ident, Kind, Type},
    lower::Lowering,
    names,
};

/// Names of the variant for what the document doesn't name.
const OPEN: &[&str] = &["Unknown", "Unlisted", "Undocumented"];

impl Lowering<'_, '_> {
    /// Opens what responses (and the requests that the service makes) can hold, and what nobody uses. What only
    /// requests hold stays closed.
    pub(super) fn settle_openness(&mut self, uses: &[Use]) {
        for (draft, used) in self.types.iter_mut().zip(uses) {
            if used.is_requested && !used.is_answered && !used.is_received {
                continue;
            }
            match &mut draft.kind {
                Some(Kind::StringEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                Some(Kind::IntegerEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                // A variant that takes anything leaves nothing over.
                Some(Kind::Union(def))
                    if def.variants.iter().all(|variant| variant.schema.ty != Type::Any) =>
                {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)));
                }
                _ => {}
            }
        }
    }
}

fn open<'a>(idents: impl Iterator<Item = &'a Ident> + Clone) -> Ident {
    names::free(OPEN, |name| idents.clone().any(|ident| ident.0 == name))
}
