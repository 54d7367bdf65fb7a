//! The lints of the group `portable`: parts of valid documents that other tools refuse or read in different ways.
//!
//! This generator supports everything that they report. The explanations of their codes name the other tools.

mod callbacks;
mod deep_objects;
mod enums;
mod integers;
mod nullable;
mod rules;

use super::{Check::Each, Lint};
use crate::{diagnostics::Code, document::Role};

/// The lints, in the order of their codes.
pub(super) const LINTS: &[Lint] = &[
    Lint { code: Code::PortableCallbackRef, check: Each(Role::Callback, callbacks::check) },
    Lint { code: Code::PortableNullable, check: Each(Role::Schema, nullable::check) },
    Lint { code: Code::PortableEnumCase, check: Each(Role::Schema, enums::check) },
    Lint { code: Code::PortableIntegerWidth, check: Each(Role::Schema, integers::check) },
    Lint { code: Code::PortableDeepObject, check: Each(Role::Parameter, deep_objects::check_parameter) },
    Lint { code: Code::PortableDeepObject, check: Each(Role::MediaType, deep_objects::check_form) },
    Lint { code: Code::PortableRules, check: Each(Role::Schema, rules::check) },
];

#[cfg(test)]
mod tests;
