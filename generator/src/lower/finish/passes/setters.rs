//! Setters of the optional fields that requests can contain.

use std::collections::HashSet;

use crate::{
    ir::{Field, Kind},
    lower::finish::state::Finish,
    names,
    options::Setters,
};

impl Finish<'_, '_> {
    /// Names the setters of inputs, and of the types that they contain.
    pub fn settle_setters(&mut self) {
        if self.options.setters == Setters::None {
            return;
        }
        for id in self.types_of_inputs() {
            if let Some(Kind::Struct(def)) = self.types.kind_mut(id) {
                name_setters(&mut def.fields);
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
