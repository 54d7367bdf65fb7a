//! The outline of the generated crates: a line for each operation, type, field and rule.
//!
//! It is written from the intermediate representation. Documentation is left out, so that a reviewer sees only changes that
//! affect users. Each node is destructured without `..`, so that the compiler reports each new field of the representation
//! until this module shows it or leaves it out.

mod block;
mod index;
mod json_schemas;
mod operations;
mod rules;
#[cfg(test)]
mod tests;
mod types;
mod words;

use std::fmt;

use crate::{
    Input, Read,
    diagnostics::Lints,
    emit,
    ir::Module,
    options::{Options, UnusedSetting},
    read,
    report::Report,
};

use block::Block;
pub(crate) use operations::{result_of, slot};
pub(crate) use rules::media;
use words::Here;

/// The name of the last section, which belongs to all modules.
const INDEX: &str = "lib";

/// The result of outlining a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outlined {
    /// The outline.
    ///
    /// `None` if there are errors, or if a vital option matches nothing in the document.
    pub outline: Option<Outline>,
    /// The errors and warnings.
    pub report: Report,
    /// The options that match nothing in the document.
    pub unused: Vec<UnusedSetting>,
}

/// The outline of the crates that [`generate`](crate::generate) makes.
///
/// `Display` writes all sections, each below its name: `== pets`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    sections: Vec<(String, String)>,
}

impl Outline {
    /// Returns the name and the text of each module, then of `lib`: the parts that belong to all modules.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sections.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sections().enumerate().try_for_each(|(index, (name, text))| {
            let between = if index == 0 { "" } else { "\n" };
            write!(formatter, "{between}== {name}\n\n{text}")
        })
    }
}

/// Outlines the crates of a document: operations, types and rules, a line for each.
///
/// Two outlines of a document show what an edit of it changes for users of the crates. Nothing is generated.
///
/// # Examples
/// ```
/// use openapi_crates::{Input, Options, outline};
///
/// let document = "
/// openapi: 3.1.0
/// info: {title: Pets, version: 1.0.0}
/// paths:
///   /pets:
///     get:
///       operationId: listPets
///       tags: [pets]
///       parameters: [{name: limit, in: query, schema: {type: integer, maximum: 100, default: 20}}]
///       responses: {'204': {description: No pets.}}
/// ";
/// let outlined = outline(&Input::new("pets.yaml", document), &Options::new("pets", "pets.yaml"));
/// let outline = outlined.outline.ok_or_else(|| outlined.report.to_string())?;
/// assert!(outline.to_string().contains(
///     "GET /pets (listPets)
///     fn list_pets(ListPetsInput) -> Result<(), rt::NoError>
///         setters with_limit
///         defaults limit_or_default
///     query limit: Option<i64> maximum 100 default 20 (form, exploded)
///     204
/// "
/// ));
/// # Ok::<(), String>(())
/// ```
#[must_use]
pub fn outline(input: &Input<'_>, options: &Options) -> Outlined {
    let Read { api, report, unused, .. } = read(input.parse(), options, &Lints::default(), &|_| {});
    let report = report.with_strictness(options.strictness);
    let is_incomplete = report.has_errors() || unused.iter().any(|unused| unused.setting.is_vital());
    let outline = api.filter(|_| !is_incomplete).map(|api| {
        let here = |module| Here { api: &api, module };
        let section =
            |module| (emit::module_name(&api, module).to_owned(), block::text(&blocks(here(module))));
        let index = (INDEX.to_owned(), block::text(&index::blocks(&api, options)));
        let sections = emit::modules(&api).into_iter().map(section).chain([index]);
        Outline { sections: sections.filter(|(_, text)| !text.is_empty()).collect() }
    });
    Outlined { outline, report, unused }
}

/// Returns the blocks of a module: operations, then types, then their schemas as JSON Schema means them.
fn blocks(here: Here<'_>) -> Vec<Block> {
    let Here { api, module } = here;
    let mut blocks = Vec::new();
    match module {
        Module::Tag(id) => {
            blocks.extend(api.tags.get(id.0).into_iter().flat_map(|tag| index::tag(api, tag)));
            blocks.extend(api.operations_of(id).map(|operation| here.operation(operation)));
        }
        Module::Responses => {
            blocks.extend(api.shared_errors.as_ref().map(|shared| here.shared_errors(shared)))
        }
        Module::Common => {}
    }
    blocks.extend(api.types_of(module).filter_map(|def| here.type_def(def)));
    let schemas = api.json_schemas.iter().filter(|def| def.module == module);
    blocks.extend(schemas.map(|def| here.json_schema_def(def)));
    blocks
}
