//! Optional fields whose null is absent, if the setting `nulls` says so.

use crate::{
    ir::{Field, Kind, Literal},
    lower::{context::Reporting, finish::state::Finish},
    options::Nulls,
};

impl Finish<'_, '_> {
    /// Marks parameters, and the fields that only responses contain.
    ///
    /// A request keeps the difference: in the body of a `PATCH`, null removes what absent leaves as it is.
    pub fn settle_nulls(&mut self) {
        if self.context().options.nulls == Nulls::Distinct {
            return;
        }
        let mut is_requested = vec![false; self.types.len()];
        for id in self.requested() {
            if let Some(flag) = is_requested.get_mut(id.0) {
                *flag = true;
            }
        }
        for (draft, _) in self.types.iter_mut().zip(is_requested).filter(|(_, is_requested)| !is_requested) {
            if let Some(Kind::Struct(def)) = &mut draft.kind {
                mark(def.fields.iter_mut().filter(|field| !has_default(field)));
            }
        }
        for operation in &self.api.operations {
            let Some(Kind::Struct(input)) = operation.input.and_then(|id| self.types.kind_mut(id)) else {
                continue;
            };
            mark(input.fields.iter_mut().take(operation.parameters.len()));
        }
    }
}

fn mark<'f>(fields: impl Iterator<Item = &'f mut Field>) {
    for field in fields.filter(|field| !field.required) {
        field.null_is_absent = field.schema.nullable;
    }
}

/// Returns whether an absent field has a value other than null.
fn has_default(field: &Field) -> bool {
    field.default.as_ref().is_some_and(|default| *default != Literal::Null)
}
