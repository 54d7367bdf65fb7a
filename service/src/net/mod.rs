//! Requests to addresses that users name: which are refused, and how the others are connected to.

pub mod addresses;
pub mod fetch;
pub mod guard;
pub mod names;
pub mod resolve;
mod submitted;
#[cfg(test)]
pub(crate) mod testing;
pub mod trouble;
