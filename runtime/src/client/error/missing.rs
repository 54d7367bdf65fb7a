//! Calls without a credential.

use std::fmt;

use crate::table::{Operation, Requirement, SchemeKind};

/// The security schemes of an operation. No alternative has all of its credentials set.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MissingCredential {
    /// The alternatives. One of them is enough.
    pub security: &'static [&'static [Requirement]],
}

impl MissingCredential {
    pub(in crate::client) const fn new(operation: &Operation) -> Self {
        Self { security: operation.security }
    }
}

impl fmt::Display for MissingCredential {
    /// Writes the schemes and their setters: ``set `key` with `ClientBuilder::key`, or …``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("set ")?;
        for (index, alternative) in self.security.iter().enumerate() {
            f.write_str(if index > 0 { ", or " } else { "" })?;
            let schemes = alternative.iter().map(|requirement| requirement.scheme);
            let schemes = schemes.filter(|scheme| scheme.kind != SchemeKind::MutualTls);
            for (index, scheme) in schemes.enumerate() {
                let and = if index > 0 { " and " } else { "" };
                let setter = scheme.setter.unwrap_or(scheme.name);
                write!(f, "{and}`{}` with `ClientBuilder::{setter}`", scheme.name)?;
            }
        }
        f.write_str(" (`require_credentials(false)` sends calls without)")
    }
}

impl std::error::Error for MissingCredential {}
