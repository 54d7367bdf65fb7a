//! The directions of fields: makes fields with `readOnly` and `writeOnly` optional.

use crate::{ir::Kind, lower::finish::state::Finish};

impl Finish<'_, '_> {
    /// Makes `readOnly` and `writeOnly` fields optional, depending on the uses of the type.
    ///
    /// Such a field stays required if the type occurs in the field's direction only.
    pub fn settle_directions(&mut self) {
        for (draft, used) in self.types.iter_mut().zip(&self.uses) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            for field in &mut def.fields {
                field.required_one_way = field.required && field.docs.direction.is_some();
                field.required &= field.docs.direction.is_none_or(|direction| used.is_only(direction));
            }
        }
    }
}
