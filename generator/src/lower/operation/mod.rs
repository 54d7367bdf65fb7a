//! Operations: from the paths of a document to its operations, with parameters, bodies and responses.

mod callbacks;
mod contents;
mod encodings;
mod envelopes;
mod errors;
mod inputs;
mod operations;
mod parameter_values;
mod parameters;
mod parts;
pub(super) mod rejections;
mod responses;
mod root;
mod security;
mod servers;
pub(super) mod state;
mod streams;
mod templates;
mod webhooks;
