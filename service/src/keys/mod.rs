//! API keys: what they look like, who may call, and how much at a time.

pub mod bodies;
pub mod client_address;
pub mod issue;
pub mod limits;
pub mod token;
pub mod verify;
