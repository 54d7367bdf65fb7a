//! The lints of the group `quality`: parts of valid documents that make an API harder to use.
//!
//! Examples are missing examples, missing limits and inconsistent names. The generated code is not affected.

mod ambiguous_paths;
mod bounds;
mod case;
mod client_errors;
mod examples;
mod names;
mod operations;
mod paging;
mod undescribed;
mod unused_components;

use super::{Check::Whole, Lint};
use crate::diagnostics::Code;

/// The lints, in the order of their codes.
pub(super) const LINTS: &[Lint] = &[
    Lint { code: Code::QualityNoExample, check: Whole(examples::check) },
    Lint { code: Code::QualityNoBounds, check: Whole(bounds::check) },
    Lint { code: Code::QualityNameCase, check: Whole(names::check) },
    Lint { code: Code::QualityPaging, check: Whole(paging::check) },
    Lint { code: Code::QualityUnusedComponent, check: Whole(unused_components::check) },
    Lint { code: Code::QualityNoClientError, check: Whole(client_errors::check) },
    Lint { code: Code::QualityAmbiguousPath, check: Whole(ambiguous_paths::check) },
    Lint { code: Code::QualityUndescribed, check: Whole(undescribed::check) },
];

#[cfg(test)]
mod tests;
