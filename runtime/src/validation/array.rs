//! The slow path through arrays and tuples.

use std::cmp::Ordering;

use super::walk::{Read, Walker};
use super::{ViolationKind, scalar, unique};
use crate::codec::{DecodeError, Encode, Kind, Reader};
use crate::table::{Array, Schema};
use crate::types::Value;

/// The items of an array that was read.
#[derive(Default)]
struct Items {
    count: usize,
    is_invalid: bool,
    /// The valid items, if they are wanted.
    values: Vec<Value>,
}

impl Walker<'_> {
    pub fn array(
        &self,
        rules: &'static Array,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let read = self.items(&|_| Some(rules.items), reader, wants || rules.unique)?;
        let Some(items) = read else { return Ok(None) };
        scalar::items(rules, items.count as u64, |kind| self.record_own(kind));
        if rules.unique && !unique::all_differ(&mut items.values.iter().map(|item| item as &dyn Encode)) {
            self.record_own(ViolationKind::UniqueItems);
        }
        Ok((!items.is_invalid).then_some(Value::Array(items.values)))
    }

    /// Walks an array whose items have constraints of their own.
    ///
    /// A wrong number of items is an error, because decoding stops there.
    pub fn tuple(
        &self,
        schemas: &'static [&'static Schema],
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let read = self.items(&|index| schemas.get(index).copied(), reader, wants)?;
        let Some(items) = read else { return Ok(None) };
        let limit = schemas.len() as u64;
        Ok(match items.count.cmp(&schemas.len()) {
            Ordering::Less => self.violated(ViolationKind::MinItems(limit)),
            Ordering::Greater => self.violated(ViolationKind::MaxItems(limit)),
            Ordering::Equal => (!items.is_invalid).then_some(Value::Array(items.values)),
        })
    }

    /// Walks the items of an array by their schemas.
    fn items(
        &self,
        schema_of: &dyn Fn(usize) -> Option<&'static Schema>,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Option<Items>, DecodeError> {
        let mut items = Items::default();
        let is_read = self.read(reader, Kind::Array, "an array", &mut |reader| {
            reader.array(&mut |reader| {
                let index = items.count;
                items.count += 1;
                // If nothing inside can be reported, the location is not needed either: an array may be long.
                let is_full = self.is_full();
                items.is_invalid |= is_full;
                let Some(schema) = schema_of(index).filter(|_| !is_full) else { return reader.skip() };
                let item = self.at_item(index, || self.value(schema, reader, wants))?;
                items.is_invalid |= item.is_none();
                items.values.extend(item.filter(|_| wants));
                self.go_on(items.is_invalid)
            })
        })?;
        Ok(is_read.then_some(items))
    }
}
