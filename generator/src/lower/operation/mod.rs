//! Operations: from the paths of a document to its operations, with parameters, bodies and responses.

mod bodies;
mod callbacks;
mod contents;
mod encodings;
mod envelopes;
mod errors;
mod inputs;
pub(super) mod notes;
mod operations;
mod owner;
mod parameter_values;
mod parameters;
mod parts;
mod permanent;
pub(super) mod rejections;
mod responses;
mod root;
mod security;
mod servers;
pub(super) mod state;
mod streams;
mod tags;
mod templates;
mod webhooks;
mod written;
