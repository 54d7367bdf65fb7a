//! Parts of the generator for this repository's own command line, tests and tools.
//!
//! Nothing here is stable. Other programs use the functions and types at the root of the crate.

#[cfg(feature = "review")]
pub use crate::diff::{Reporting, ReportingError, named};
#[cfg(feature = "settings")]
pub use crate::settings::{Config, ConfigError, RuntimeKind, SettingsFile, did_you_mean};
use crate::{Input, Options, diagnostics::Lints};
pub use crate::{
    diagnostics::{Diagnostics, nearest},
    document::{Document, Version},
    emit::{Outside, model_type, table_row},
    ir::{
        Additional, Api, ChoiceRole, Content, ContentFormat, Errors, Kind, MapRules, Operation, Provenance,
        Schema, SchemeKind, StructDef, Type, TypeDef, TypeId,
    },
    lower::{Lowered, VIOLATION_CODES, lower},
    tree::{Node, Value},
};
#[cfg(feature = "cli")]
pub use crate::{
    escape::{escape_line, escape_lines},
    file_tree::{read_file, refuse_secrets},
    recorded::{CompareError, Comparison, Recording, Repair, Side, compare, repair},
};

/// Lowers the operations of a document that the options select, as [`generate_from`](crate::generate_from) does.
#[must_use]
pub fn lowered(input: &Input<'_>, options: &Options) -> Option<Api> {
    crate::read(input.parse(), options, &Lints::default(), &|_| {}).api
}
