//! Inspects values layer by layer, for the writers of parameters, bodies and responses.

use crate::codec::Encode;
use crate::codec::view::{View, outermost};

/// The outermost layer of a value.
pub(crate) enum Layer<'v, 'e> {
    /// An array.
    Array(Vec<&'v dyn Encode>),
    /// An object. An absent field is `None`.
    ///
    /// Writers identify a field by its position, so no field may be left out. A null in a map is
    /// not absent.
    Object(Vec<(&'v str, Option<&'v dyn Encode>)>),
    /// Any other value.
    Other(View<'v, 'e>),
}

/// Returns the fields of an object that are present.
pub(crate) fn present<'v>(
    fields: Vec<(&'v str, Option<&'v dyn Encode>)>,
) -> impl Iterator<Item = (&'v str, &'v dyn Encode)> {
    fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// Passes the outermost layer of `value` to `see`, and returns the result. A union is not a layer.
pub(crate) fn visit<T>(value: &dyn Encode, see: &mut dyn FnMut(Layer<'_, '_>) -> T) -> Option<T> {
    let seen = outermost(value, |view| {
        Some(see(match view {
            View::Array(items) => Layer::Array(items.collect()),
            View::List(items) => Layer::Array(items.iter().map(|item| item as &dyn Encode).collect()),
            View::Object(fields, rest) => {
                let fields = fields.iter().map(|(name, value)| (*name, Some(*value)));
                let fields = fields.map(|(name, value)| (name, value.filter(|value| !value.is_absent())));
                let rest = rest.into_iter().flatten().map(|(name, value)| (name, Some(value)));
                Layer::Object(fields.chain(rest).collect())
            }
            View::Map(fields) => {
                Layer::Object(fields.iter().map(|(name, value)| (name.as_str(), Some(value as _))).collect())
            }
            View::Variant(_, value) => return visit(value, see),
            other => Layer::Other(other),
        }))
    });
    seen.flatten()
}
