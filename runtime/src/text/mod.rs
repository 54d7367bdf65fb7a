//! Readers of untyped text, which parameters, forms, multipart bodies and XML share.

mod manner;
mod raw;
mod source;

pub(crate) use self::{
    manner::Manner,
    raw::{Coding, Malformed, Raw, trim},
    source::{Of, Refusal, Source, of},
};
