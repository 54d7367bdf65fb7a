//! Optional fields in which null means absent, if the setting `nulls` says so.

use crate::{
    ir::{Field, Kind, Literal},
    lower::finish::state::Finish,
    options::Nulls,
};

impl Finish<'_, '_> {
    /// Marks the optional parameters, and the optional fields of types that no request contains.
    ///
    /// In the body of a request, null and absent differ: in a `PATCH`, null removes a value, and an absent field leaves it
    /// unchanged.
    pub fn settle_nulls(&mut self) {
        if self.options.nulls == Nulls::Distinct {
            return;
        }
        let mut in_inputs = vec![false; self.types.len()];
        for id in self.types_of_inputs() {
            if let Some(flag) = in_inputs.get_mut(id.0) {
                *flag = true;
            }
        }
        for (draft, _) in self.types.iter_mut().zip(in_inputs).filter(|(_, in_inputs)| !in_inputs) {
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
