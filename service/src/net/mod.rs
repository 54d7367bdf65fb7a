//! Requests to user-supplied URLs: which are refused, and how the rest connect.

pub mod addresses;
pub mod dns;
pub mod failure;
pub mod fetch;
pub mod guard;
pub mod resolve;
#[cfg(test)]
pub(crate) mod testing;
