//! The functions by which generated code makes rows.
//!
//! A row begins with a constructor or a constant, and functions named after the fields set what differs from the
//! default. So a new field of a row changes no generated code.
//!
//! # Examples
//! ```
//! use openapi_crates_runtime::table::{Field, Integer, Operation, Parameter, Response, Schema};
//!
//! static PET: Schema = Schema::object(&[
//!     Field::required("id", &Schema::INTEGER),
//!     Field::optional("age", &Schema::integer(Integer::ANY.minimum(0))),
//! ]);
//!
//! static GET_PET: Operation = Operation::new("getPet", "pets", "GET", "/pets/{id}")
//!     .parameters(&[Parameter::path("id", &Schema::INTEGER)])
//!     .responses(&[Response::code(204)]);
//! ```

/// Implements the functions that set fields.
///
/// A field after `some` holds an `Option`, of which the function takes the content. The function of a field after
/// `flag` sets it to `true`.
macro_rules! setters {
    ($row:ident {
        $(set $($field:ident: $ty:ty),+;)?
        $(some $($option:ident: $content:ty),+;)?
        $(flag $($flag:ident),+;)?
    }) => {
        impl $row {
            $($(
                #[doc = concat!("Sets the field `", stringify!($field), "`.")]
                pub const fn $field(mut self, $field: $ty) -> Self {
                    self.$field = $field;
                    self
                }
            )+)?
            $($(
                #[doc = concat!("Sets the field `", stringify!($option), "`.")]
                pub const fn $option(mut self, $option: $content) -> Self {
                    self.$option = Some($option);
                    self
                }
            )+)?
            $($(
                #[doc = concat!("Sets the field `", stringify!($flag), "` to `true`.")]
                pub const fn $flag(mut self) -> Self {
                    self.$flag = true;
                    self
                }
            )+)?
        }
    };
}

#[cfg(any(feature = "client", feature = "server"))]
pub(crate) use setters;

mod json_schema;
mod operation;
mod schema;
#[cfg(feature = "xml")]
mod xml;
