//! Openness: enums and unions in responses accept values that the document does not list.

use crate::{
    ir::{Ident, Kind, Type},
    lower::finish::state::Finish,
    names,
};

/// Names of the variant for unlisted values.
const OPEN: &[&str] = &["Unknown", "Unlisted", "Undocumented"];

impl Finish<'_, '_> {
    /// Opens the enums and unions in responses, callbacks and webhooks, and unused ones.
    ///
    /// Enums and unions that only requests contain stay closed.
    pub fn settle_openness(&mut self) {
        for (draft, used) in self.types.iter_mut().zip(&self.uses) {
            if used.in_requests && !used.in_responses && !used.in_callbacks {
                continue;
            }
            match &mut draft.kind {
                Some(Kind::StringEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                Some(Kind::IntegerEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                // A variant for any JSON value already accepts unlisted values.
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
