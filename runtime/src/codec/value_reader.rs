//! Reads JSON values in memory.

use super::{
    AdditionalProperties, DecodeError, DecodeErrorKind, Entry, Fill, Item, Kind, Number, Reader,
    json_reader::MAX_REREADS, slot::fill_field,
};
use crate::codec::Value;

/// The number of values that may be read again in addition to [`MAX_REREADS`].
const FREE_REREADS: usize = 1024 * 1024;

/// A reader of one value in a tree.
///
/// A [`Value`] can't hold duplicate fields, so this reader never reports any.
#[derive(Debug)]
pub struct ValueReader<'a> {
    /// The next value; `None` after it was read.
    next: Option<&'a Value>,
    is_tolerant: bool,
    assumes_utc: bool,
    root: &'a Value,
    /// The number of values in the tree, counted at the first use.
    size: Option<usize>,
    /// The number of values that were read so far.
    read: usize,
    /// The number of values that were read and discarded so far.
    reread: usize,
    has_skipped: bool,
}

impl<'a> ValueReader<'a> {
    /// Creates a [strict](super#strict-and-tolerant-readers) reader, as servers use.
    #[must_use]
    pub const fn strict(value: &'a Value) -> Self {
        Self::new(value, false)
    }

    /// Creates a [tolerant](super#strict-and-tolerant-readers) reader, as clients use.
    #[must_use]
    pub const fn tolerant(value: &'a Value) -> Self {
        Self::new(value, true)
    }

    const fn new(value: &'a Value, is_tolerant: bool) -> Self {
        Self {
            next: Some(value),
            is_tolerant,
            assumes_utc: false,
            root: value,
            size: None,
            read: 0,
            reread: 0,
            has_skipped: false,
        }
    }

    /// Sets whether a date-time without an offset is one in UTC. The default is `false`.
    #[must_use]
    pub const fn assuming_utc(mut self, assumes_utc: bool) -> Self {
        self.assumes_utc = assumes_utc;
        self
    }

    fn current(&self) -> Result<&'a Value, DecodeError> {
        self.next.ok_or_else(|| DecodeError::custom("nothing is left to read"))
    }

    /// Consumes the next value if `take` accepts it.
    fn take<T>(
        &mut self,
        expected: &'static str,
        take: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, DecodeError> {
        let value = self.current()?;
        let taken = take(value).ok_or_else(|| DecodeError::wrong_kind(expected, kind(value)))?;
        self.next = None;
        self.read += 1;
        Ok(taken)
    }
}

/// Returns the number of values in a tree.
fn size(root: &Value) -> usize {
    let mut count = 0;
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    count
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Boolean,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}

impl Reader for ValueReader<'_> {
    fn peek(&mut self) -> Result<Kind, DecodeError> {
        self.current().map(kind)
    }

    fn is_tolerant(&self) -> bool {
        self.is_tolerant
    }

    fn assumes_utc(&self) -> bool {
        self.assumes_utc
    }

    fn null(&mut self) -> Result<(), DecodeError> {
        self.take("null", Value::as_null)
    }

    fn boolean(&mut self) -> Result<bool, DecodeError> {
        self.take("a boolean", Value::as_bool)
    }

    fn number(&mut self) -> Result<Number, DecodeError> {
        self.take("a number", Value::as_number).map(Number::from)
    }

    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        visit(self.take("a string", Value::as_str)?)
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        self.take("a string", Value::as_str).map(str::to_owned)
    }

    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        for (index, value) in self.take("an array", Value::as_array)?.iter().enumerate() {
            self.next = Some(value);
            item(self).map_err(|error| error.at_index(index))?;
        }
        self.next = None;
        Ok(())
    }

    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        mut rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError> {
        let mut next = 0;
        for (name, value) in self.take("an object", Value::as_object)? {
            self.next = Some(value);
            next = fill_field(self, name, names, slots, &mut rest, next)?;
        }
        self.next = None;
        Ok(())
    }

    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        for (name, value) in self.take("an object", Value::as_object)? {
            self.next = Some(value);
            entry(name, self).map_err(|error| error.in_field(name.clone()))?;
        }
        self.next = None;
        Ok(())
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        self.take("a value", Some).cloned()
    }

    fn skip(&mut self) -> Result<(), DecodeError> {
        self.take("a value", Some).map(drop)
    }

    fn skip_field(&mut self) -> Result<(), DecodeError> {
        self.has_skipped = true;
        self.skip()
    }

    fn has_skipped(&self) -> bool {
        self.has_skipped
    }

    fn read_and_return(
        &mut self,
        read: &mut Item<'_>,
        returns: fn(&Result<(), DecodeError>) -> bool,
    ) -> Result<(), DecodeError> {
        let (next, count, had_skipped) = (self.next, self.read, self.has_skipped);
        let result = read(self);
        if returns(&result) {
            self.reread += self.read - count;
            (self.next, self.read, self.has_skipped) = (next, count, had_skipped);
            let more = self.reread.saturating_sub(FREE_REREADS);
            if more > 0 && more / MAX_REREADS > *self.size.get_or_insert_with(|| size(self.root)) {
                return Err(DecodeError::new(DecodeErrorKind::TooDeep));
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::codec::Decode;

    #[test]
    fn a_value_is_read_once() {
        let value = json!(true);
        let mut reader = ValueReader::strict(&value);
        assert_eq!(reader.boolean(), Ok(true));
        assert_eq!(reader.boolean().unwrap_err().to_string(), "nothing is left to read");
        assert!(reader.peek().is_err() && reader.skip().is_err() && reader.value().is_err());
    }

    #[test]
    fn errors_consume_nothing() {
        let value = json!([1]);
        let mut reader = ValueReader::strict(&value);
        assert_eq!(reader.string().unwrap_err().to_string(), "expected a string, found an array");
        assert_eq!(reader.peek(), Ok(Kind::Array));
    }

    #[test]
    fn ahead_and_attempt_restore_the_position() {
        let value = json!([1, {"a": [2]}]);
        let mut reader = ValueReader::strict(&value);
        reader.ahead(&mut |reader| reader.skip()).unwrap();
        let failed = reader.attempt(&mut |reader| Vec::<i64>::decode(reader).map(drop));
        assert_eq!(failed.unwrap_err().to_string(), "[1]: expected a number, found an object");
        assert!(reader.ahead(&mut |reader| Vec::<i64>::decode(reader).map(drop)).is_err());
        reader.attempt(&mut |reader| reader.value().map(|read| assert_eq!(read, value))).unwrap();
        assert!(reader.peek().is_err());
    }
    #[test]
    fn rereading_on_every_level_ends() {
        /// Reads everything twice, on every level.
        fn read_twice(reader: &mut dyn Reader) -> Result<(), DecodeError> {
            let mut once = |reader: &mut dyn Reader| match reader.peek()? {
                Kind::Array => reader.array(&mut |reader| read_twice(reader)),
                _ => reader.boolean().map(drop),
            };
            match reader.attempt(&mut once) {
                Err(error) if !error.is_final() => reader.attempt(&mut once),
                other => other,
            }
        }
        let value = (0..100).fold(json!(0), |inner, _| json!([inner]));
        let error = read_twice(&mut ValueReader::strict(&value)).unwrap_err();
        assert_eq!(*error.kind(), DecodeErrorKind::TooDeep);
    }
}
