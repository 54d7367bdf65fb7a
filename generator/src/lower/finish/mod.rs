//! Passes over all types, once every schema is read. Then finds the options without effect on the document.

mod bodies;
mod examples;
mod pages;
mod passes;
mod state;

pub(crate) use bodies::{Body, missing};

use std::collections::BTreeSet;

use crate::{
    diagnostics::nearest,
    ir::{Api, Derive},
    lower::{
        finish::{passes::PASSES, state::Finish},
        operation::state::Operations,
        schema::state::{Example, Schemas},
    },
    options::{Setting, UnusedSetting},
    tree::Node,
};

/// The result of lowering a document.
#[derive(Debug)]
pub struct Lowered<'d> {
    /// The API.
    pub api: Api,
    /// All examples of schemas in the document.
    pub examples: Vec<Example<'d>>,
    /// The options that have no effect on the document.
    pub unused: Vec<UnusedSetting>,
}

/// Runs all passes and assembles the result.
pub(in crate::lower) fn finish<'d>(operations: Operations<'d, '_>, api: Api) -> Lowered<'d> {
    let Operations { schemas, notes: operation_notes, .. } = operations;
    let Schemas { resolver, types, notes: schema_notes, .. } = schemas;
    let mut finish = Finish { resolver, types, schema_notes, operation_notes, api, uses: Vec::new() };
    for pass in PASSES {
        (pass.run)(&mut finish);
    }
    let unused = finish.unused();
    Lowered { api: finish.api, examples: finish.schema_notes.examples, unused }
}

/// The traits that every type derives.
const GIVEN: &[&str] = &["Debug", "Clone", "PartialEq"];

impl Finish<'_, '_> {
    /// Returns the options that have no effect on this document.
    pub fn unused(&self) -> Vec<UnusedSetting> {
        let api = &self.api;
        let derives = api.derives.iter().enumerate().filter_map(|(position, derive)| {
            let message = why_idle(derive, api)?;
            Some(UnusedSetting { setting: Setting::Derive(position), message, near: None })
        });
        self.unused_types().into_iter().chain(derives).collect()
    }

    fn unused_types(&self) -> Vec<UnusedSetting> {
        let idle = self
            .options
            .types
            .keys()
            .enumerate()
            .filter(|(position, _)| !self.schema_notes.foreign.contains(position));
        let idle: Vec<&String> = idle.map(|(_, format)| format).collect();
        if idle.is_empty() {
            return Vec::new();
        }
        let mut formats = BTreeSet::new();
        self.document.walk(&mut |node| formats.extend(node.get("format").and_then(Node::as_str)));
        let unused = |format: &String| {
            let (message, near) = if formats.contains(format.as_str()) {
                let why = "it only occurs on numbers, enums and binary data, which keep their types";
                (format!("unused type for format `{format}`: {why}"), None)
            } else {
                let near = nearest(format, formats.iter().copied()).map(str::to_owned);
                (
                    format!("unused type for format `{format}`: no string in the document has this format"),
                    near,
                )
            };
            UnusedSetting { setting: Setting::Type(format.clone()), message, near }
        };
        idle.into_iter().map(unused).collect()
    }
}

/// Returns the reason why no type has a derive, if none has.
fn why_idle(derive: &Derive, api: &Api) -> Option<String> {
    let name = derive.path.as_str();
    if GIVEN.contains(&derive.path.last()) {
        return Some(format!("unused derive `{}`: every type derives it already", derive.path.last()));
    }
    let has = api.types.iter().any(|def| def.kind.has_derives() && !derive.left_out.contains(&def.id));
    (!has).then(|| format!("unused derive `{name}`: no type can derive it"))
}
