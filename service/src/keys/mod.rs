//! API keys: what they look like, who may call, and how often.

pub mod token;
