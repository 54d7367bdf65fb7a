//! The slow path through arrays and tuples.

use std::cmp::Ordering;

use super::walk::{Read, Walker};
use super::{ViolationKind, scalar, unique};
use crate::codec::{DecodeError, Encode, Kind, Reader};
use crate::table::{Array, Schema};
use crate::types::Value;

impl Walker<'_> {
    pub fn array(
        &self,
        rules: &'static Array,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let keeps = wants || rules.unique;
        let mut count = 0_usize;
        let mut is_invalid = false;
        let mut items = Vec::new();
        let is_read = self.read(reader, Kind::Array, "an array", &mut |reader| {
            reader.array(&mut |reader| {
                if self.is_full() {
                    // Nothing inside can be reported, so the location is not needed either: an array may be long.
                    is_invalid = true;
                    count += 1;
                    return reader.skip();
                }
                let item = self.at_item(count, || self.value(rules.items, reader, keeps))?;
                is_invalid |= item.is_none();
                items.extend(item.filter(|_| keeps));
                count += 1;
                self.go_on(is_invalid)
            })
        })?;
        if !is_read {
            return Ok(None);
        }
        scalar::items(rules, count as u64, |kind| self.record_own(kind));
        if rules.unique && !unique::all_differ(&mut items.iter().map(|item| item as &dyn Encode)) {
            self.record_own(ViolationKind::UniqueItems);
        }
        Ok((!is_invalid).then_some(Value::Array(items)))
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
        let mut count = 0_usize;
        let mut is_invalid = false;
        let mut items = Vec::new();
        let is_read = self.read(reader, Kind::Array, "an array", &mut |reader| {
            reader.array(&mut |reader| {
                let Some(schema) = schemas.get(count) else {
                    count += 1;
                    return reader.skip();
                };
                let item = self.at_item(count, || self.value(schema, reader, wants))?;
                is_invalid |= item.is_none();
                items.extend(item);
                count += 1;
                self.go_on(is_invalid)
            })
        })?;
        if !is_read {
            return Ok(None);
        }
        let limit = schemas.len() as u64;
        Ok(match count.cmp(&schemas.len()) {
            Ordering::Less => self.violated(ViolationKind::MinItems(limit)),
            Ordering::Greater => self.violated(ViolationKind::MaxItems(limit)),
            Ordering::Equal => (!is_invalid).then_some(Value::Array(items)),
        })
    }
}
