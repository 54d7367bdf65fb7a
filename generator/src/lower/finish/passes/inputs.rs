//! Inputs: what callers can do with the structs of requests, and where null means absent.

use std::collections::HashSet;

use crate::{
    ir::{Field, Kind, Literal},
    lower::finish::state::Finish,
    names,
    options::{Exhaustive, Nulls, Setters},
};

impl Finish<'_, '_> {
    /// Settles the setters of inputs and of the types that they contain, and whether these can be destructured.
    ///
    /// In other types and in parameters, null can mean absent. In the body of a request, they differ: in a `PATCH`, null
    /// removes a value, and an absent field leaves it unchanged.
    pub fn settle_inputs(&mut self) {
        let exhaustive = self.options.exhaustive == Exhaustive::Requests;
        let has_setters = self.options.setters == Setters::Requests;
        let null_is_absent = self.options.nulls == Nulls::Absent;
        let inputs = self.api.operations.iter().filter_map(|operation| operation.input).collect();
        let reached = self.reachable(inputs);
        for (draft, in_inputs) in self.types.iter_mut().zip(reached) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            if in_inputs {
                def.exhaustive = exhaustive;
                if has_setters {
                    name_setters(&mut def.fields);
                }
            } else if null_is_absent {
                mark(def.fields.iter_mut().filter(|field| !has_default(field)));
            }
        }
        for operation in self.api.operations.iter().filter(|_| null_is_absent) {
            if let Some(input) = operation.input.and_then(|id| self.types.struct_mut(id)) {
                mark(input.fields.iter_mut().take(operation.parameters.len()));
            }
        }
    }
}

fn name_setters(fields: &mut [Field]) {
    let accessors: HashSet<String> =
        fields.iter().filter_map(|field| field.default_accessor.as_ref()).map(ToString::to_string).collect();
    for field in fields.iter_mut().filter(|field| !field.required) {
        let name = names::setter(&field.ident);
        field.setter = Some(names::free(&[&name], |name| accessors.contains(name)));
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
