//! The directions of fields: makes fields with `readOnly` and `writeOnly` optional.

use crate::{
    ir::Kind,
    lower::{finish::passes::uses::Use, operation::state::Operations},
};

impl Operations<'_, '_> {
    /// Makes `readOnly` and `writeOnly` fields optional, depending on the uses of the type.
    ///
    /// Such a field stays required if the type occurs in the field's direction only.
    pub fn settle_directions(&mut self, uses: &[Use]) {
        for (draft, used) in self.schemas.types.iter_mut().zip(uses) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            for field in &mut def.fields {
                field.required &= field.docs.direction.is_none_or(|direction| used.is_only(direction));
            }
        }
    }
}
