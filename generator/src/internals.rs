//! Parts of the generator for this repository's own command line, tests and tools.
//!
//! Nothing here is stable. Other programs use the functions and types at the root of the crate.

#[cfg(feature = "settings")]
pub use crate::diff::Accepted;
#[cfg(feature = "cli")]
pub use crate::recorded::{CompareError, Comparison, Recording, Repair, Side, compare, repair};
#[cfg(feature = "settings")]
pub use crate::settings::{Config, ConfigError, RuntimeKind, SettingsFile, did_you_mean};
pub use crate::{
    diagnostics::{Diagnostics, nearest},
    document::{Document, Version},
    emit::{model_type, table_row},
    ir::{Additional, Api, Content, ContentFormat, Kind, Operation, Schema, Type},
    lower::{Lowered, VIOLATION_CODES, lower},
    tree::{Node, Value},
};
