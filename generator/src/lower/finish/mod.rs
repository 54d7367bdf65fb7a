//! Passes over all types, once every schema is read.

mod examples;
mod graph;
mod judge;
mod leaves;
mod passes;
mod unused;
mod walk;

use crate::{
    diagnostics::Code,
    ir::{Api, Ident, Kind, Schema, Type, TypeDef, TypeId},
    lower::{context::Reporting, operation::state::Operations, schema::notes::Shown, types::Draft},
    options::UnusedSetting,
};

/// The result of lowering a document.
#[derive(Debug)]
pub struct Lowered<'d> {
    /// The API.
    pub api: Api,
    /// All examples of schemas in the document.
    pub examples: Vec<Shown<'d>>,
    /// The options that have no effect on the document.
    pub unused: Vec<UnusedSetting>,
}

impl<'d> Operations<'d, '_> {
    /// Runs all passes and assembles the result.
    pub fn finish(mut self, mut api: Api) -> Lowered<'d> {
        let uses = self.uses(&api);
        self.settle_directions(&uses);
        self.settle_defaults();
        self.check_permanents();
        self.break_aliases();
        self.break_unions();
        self.limit_depth();
        self.box_cycles();
        self.settle_discriminators();
        self.settle_shapes();
        self.settle_constants();
        self.settle_openness(&uses);
        self.settle_json_schemas(&mut api, &uses);
        self.break_in_place_cycles();
        let written = std::mem::take(&mut self.notes.examples);
        self.order(&mut api);
        self.share(&mut api);
        self.settle_needs(&mut api);
        let names = self.decide_names(&mut api);
        api.types = std::mem::take(&mut self.schemas.types)
            .into_iter()
            .zip(names)
            .enumerate()
            .map(|(index, (draft, names))| TypeDef {
                id: TypeId(index),
                module: draft.place.module(),
                name: Ident(names.name),
                constant: Ident(names.constant),
                provenance: draft.place.provenance(),
                docs: draft.docs,
                kind: draft.kind.unwrap_or(Kind::Alias(Schema::new(Type::Any))),
                also: draft.also,
            })
            .collect();
        api.settle_derives(&self.context().options.derives);
        api.settle_formats();
        examples::fill(&mut api, &written);
        let mut shown = std::mem::take(&mut self.schemas.notes.shown);
        judge::judge(&api, &mut shown);
        for Shown { node, .. } in shown.iter().filter(|shown| !shown.fits) {
            self.warn(Code::BadExample, node, "the example does not match its schema");
        }
        let unused = self.unused(&api);
        Lowered { api, examples: shown, unused }
    }
}

impl Draft<'_> {
    /// Visits the schemas of the type. A type that was never filled in has none.
    fn schemas(&self, visit: &mut dyn FnMut(&Schema)) {
        if let Some(kind) = &self.kind {
            walk::schemas(kind, visit);
        }
    }
}
