//! Requests to addresses that users name: which are refused, and how the others are connected to.

pub mod addresses;
pub mod guard;
