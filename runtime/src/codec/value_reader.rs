//! Reads JSON values that are in memory already.

use super::{Entry, Fault, Fill, Item, Kind, Number, Reader, Rest, slot::fill_field};
use crate::types::{Bytes, Value};

/// Reads one value of a tree. A [`Value`] holds no duplicate fields, so none are found here.
#[derive(Debug)]
pub struct ValueReader<'a> {
    /// What stands next; nothing once it was read.
    next: Option<&'a Value>,
    is_tolerant: bool,
}

impl<'a> ValueReader<'a> {
    /// A reader that forgives nothing.
    #[must_use]
    pub const fn strict(value: &'a Value) -> Self {
        Self { next: Some(value), is_tolerant: false }
    }

    /// A reader that forgives what a newer sender may say.
    #[must_use]
    pub const fn tolerant(value: &'a Value) -> Self {
        Self { next: Some(value), is_tolerant: true }
    }

    fn current(&self) -> Result<&'a Value, Fault> {
        self.next.ok_or_else(|| Fault::custom("nothing is left to read"))
    }

    /// Consumes what stands next, if `take` takes it.
    fn take<T>(
        &mut self,
        expected: &'static str,
        take: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Fault> {
        let value = self.current()?;
        let taken = take(value).ok_or_else(|| Fault::wrong_kind(expected, kind(value)))?;
        self.next = None;
        Ok(taken)
    }
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

fn number(number: &serde_json::Number) -> Number {
    if let Some(value) = number.as_i64() {
        value.into()
    } else if let Some(value) = number.as_u64() {
        value.into()
    } else {
        number.as_f64().unwrap_or(f64::NAN).into()
    }
}

impl Reader for ValueReader<'_> {
    fn peek(&mut self) -> Result<Kind, Fault> {
        self.current().map(kind)
    }

    fn is_tolerant(&self) -> bool {
        self.is_tolerant
    }

    fn null(&mut self) -> Result<(), Fault> {
        self.take("null", Value::as_null)
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        self.take("a boolean", Value::as_bool)
    }

    fn number(&mut self) -> Result<Number, Fault> {
        self.take("a number", Value::as_number).map(number)
    }

    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), Fault>) -> Result<(), Fault> {
        visit(self.take("a string", Value::as_str)?)
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.take("a string", Value::as_str).map(str::to_owned)
    }

    fn bytes(&mut self) -> Result<Bytes, Fault> {
        self.string().map(Bytes::from)
    }

    fn array(&mut self, item: &mut Item<'_>) -> Result<(), Fault> {
        for (index, value) in self.take("an array", Value::as_array)?.iter().enumerate() {
            self.next = Some(value);
            item(self).map_err(|fault| fault.at_index(index))?;
        }
        self.next = None;
        Ok(())
    }

    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        mut rest: Rest<'_>,
    ) -> Result<(), Fault> {
        let mut next = 0;
        for (name, value) in self.take("an object", Value::as_object)? {
            self.next = Some(value);
            next = fill_field(self, name, names, slots, &mut rest, next)?;
        }
        self.next = None;
        Ok(())
    }

    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), Fault> {
        for (name, value) in self.take("an object", Value::as_object)? {
            self.next = Some(value);
            entry(name, self).map_err(|fault| fault.in_field(name.clone()))?;
        }
        self.next = None;
        Ok(())
    }

    fn value(&mut self) -> Result<Value, Fault> {
        self.take("a value", Some).cloned()
    }

    fn skip(&mut self) -> Result<(), Fault> {
        self.take("a value", Some).map(drop)
    }

    fn ahead(&mut self, read: &mut Item<'_>) -> Result<(), Fault> {
        let next = self.next;
        let result = read(self);
        self.next = next;
        result
    }

    fn attempt(&mut self, read: &mut Item<'_>) -> Result<(), Fault> {
        let next = self.next;
        let result = read(self);
        if result.is_err() {
            self.next = next;
        }
        result
    }

    fn choice(&mut self) -> usize {
        0
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
    fn faults_consume_nothing() {
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
}
