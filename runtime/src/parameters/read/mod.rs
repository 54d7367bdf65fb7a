//! Reads text as typed values.

mod body;
mod deep;
mod form;
mod layout;
mod located;
mod multipart;
mod pairs;
mod part;
mod parts;
mod shape;
mod split;
mod styled;

#[cfg(feature = "client")]
pub(crate) use self::body::{read_items, read_multipart};
pub use located::read_header;

#[cfg(any(feature = "server", test))]
pub use self::body::Payload;
#[cfg(all(feature = "client", feature = "xml"))]
pub(crate) use self::body::read_xml;
#[cfg(any(feature = "server", test))]
pub(crate) use self::{
    body::{BodyError, read_body},
    located::Located,
};
