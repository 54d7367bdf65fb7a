//! Readers of untyped text, which parameters, forms, multipart bodies and XML share.

mod raw;
mod read_mode;
mod source;

pub(crate) use self::{
    raw::{Coding, Malformed, Raw, trim},
    read_mode::ReadMode,
    source::{Source, SourceReader, grouped, refuse, source_reader},
};
