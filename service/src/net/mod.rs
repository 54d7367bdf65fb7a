//! Requests to user-supplied URLs: which are refused, and how the rest connect.

pub mod addresses;
pub mod failure;
pub mod fetch;
pub mod guard;
pub mod names;
pub mod resolve;
#[cfg(test)]
pub(crate) mod testing;
