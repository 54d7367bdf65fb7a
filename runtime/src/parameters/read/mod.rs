//! Reads text as typed values.

pub(super) mod body;
mod deep;
mod form;
mod layout;
pub(super) mod located;
mod multipart;
mod pairs;
mod part;
mod parts;
mod shape;
mod split;
mod styled;
