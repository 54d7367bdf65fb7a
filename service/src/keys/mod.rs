//! API keys: their format, their verification, and the limits of their owners.

pub mod bodies;
pub mod client_address;
pub mod concurrency;
pub mod issue;
pub mod limits;
pub mod tier;
pub mod together;
pub mod token;
pub mod verify;
