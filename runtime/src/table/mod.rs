//! Static rows: what a generated crate says about its API, as data.
//!
//! An [`Operation`] is everything about one call that is not code: where its parameters stand, what its body may be,
//! which responses it has, who may call it, and the rules of every value in it. One table serves the router, the
//! request decoder, the validation engine, the client's encoder and the exported rules.
//!
//! **The shape of an input.** A generated input (`CreateVoiceoverInput`) encodes and decodes as an object whose fields
//! are the operation's [`parameters`](Operation::parameters) in order, then the body, if there is one. Readers and
//! writers of requests go by that position.
//!
//! **The shape of an output.** What a call answers with is, from the outside in: a `choice` among the rows of
//! [`responses`](Operation::responses) if there are several; an object of `status` (unless the row's status is one
//! code), the row's headers and `body` if the row has headers or no fixed status; a `choice` among the row's contents
//! if there are several; the body. A step that the table does not call for is not there. Errors are the same over
//! [`errors`](Operation::errors), and always begin with the `choice`.

mod condition;
mod operation;
mod schema;
mod security;

pub use crate::{codec::Format, stream::Framing};
pub use condition::Condition;
pub use operation::{
    Body, Content, ContentFormat, Encoding, ErrorUse, Errors, Header, Location, Operation, Parameter,
    Response, Status, Style,
};
pub use schema::{
    Additional, Array, CrossRule, Field, Integer, Literal, Names, Number, Object, Pattern, Schema, Text,
    Type, Union, Width,
};
pub use security::{Requirement, Scheme, SchemeKind};
