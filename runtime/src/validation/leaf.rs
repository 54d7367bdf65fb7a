//! The slow path through scalars, and through values of any type.

use super::resolve::not_in;
use super::walk::{Read, Walker};
use super::{ViolationKind, formats, literal, scalar};
use crate::codec::{DecodeError, Kind, Reader, to_value};
use crate::table::{Integer, Literal, Number, Schema, Text};
use crate::types::Value;

impl Walker<'_> {
    /// Reads a value of any type.
    pub fn any(&self, reader: &mut dyn Reader) -> Result<Read, DecodeError> {
        let kind = reader.peek()?;
        self.read_as(reader, kind, "a value", |reader| reader.value())
    }

    /// Reads a value of one kind by `read`; see [`read`](Self::read).
    fn read_as<T>(
        &self,
        reader: &mut dyn Reader,
        kind: Kind,
        noun: &'static str,
        mut read: impl FnMut(&mut dyn Reader) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        let mut value = None;
        self.read(reader, kind, noun, &mut |reader| {
            value = Some(read(reader)?);
            Ok(())
        })?;
        Ok(value)
    }

    /// Records that a value is not in a list, which the model can hold.
    fn check_listed(&self, schema: &'static Schema, is: impl Fn(&Literal) -> bool) {
        if let Some(allowed) = not_in(schema, is) {
            self.record_own(ViolationKind::NotAllowed(allowed));
        }
    }

    pub fn boolean(&self, schema: &'static Schema, reader: &mut dyn Reader) -> Result<Read, DecodeError> {
        let value = self.read_as(reader, Kind::Boolean, "a boolean", |reader| reader.boolean())?;
        let Some(value) = value else { return Ok(None) };
        self.check_listed(schema, |it| literal::is_boolean(it, value));
        Ok(Some(value.into()))
    }

    pub fn integer(
        &self,
        schema: &'static Schema,
        rules: &'static Integer,
        reader: &mut dyn Reader,
    ) -> Result<Read, DecodeError> {
        let number = self.read_as(reader, Kind::Number, "an integer", |reader| reader.number())?;
        let Some(number) = number else { return Ok(None) };
        let Some(value) = number.to_integer() else {
            // Integers beyond 64 bits are also here.
            let kind = if number.is_integer() {
                ViolationKind::OutOfRange(Some(rules.width))
            } else {
                ViolationKind::NotInteger
            };
            return Ok(self.violated(kind));
        };
        if !scalar::fits(rules.width, value) {
            return Ok(self.violated(ViolationKind::OutOfRange(Some(rules.width))));
        }
        scalar::integer(rules, value, |kind| self.record_own(kind));
        if let Some(allowed) = not_in(schema, |it| literal::is_integer(it, value)) {
            if rules.closed {
                return Ok(self.violated(ViolationKind::NotAllowed(allowed)));
            }
            self.record_own(ViolationKind::NotAllowed(allowed));
        }
        Ok(Some(number.into()))
    }

    pub fn number(
        &self,
        schema: &'static Schema,
        rules: &'static Number,
        reader: &mut dyn Reader,
    ) -> Result<Read, DecodeError> {
        let number = self.read_as(reader, Kind::Number, "a number", |reader| reader.number())?;
        let Some(value) = number.map(|number| number.to_f64()) else { return Ok(None) };
        if !value.is_finite() {
            return Ok(self.violated(ViolationKind::OutOfRange(None)));
        }
        scalar::number(rules, value, |kind| self.record_own(kind));
        self.check_listed(schema, |it| literal::is_number(it, value));
        Ok(Some(value.into()))
    }

    pub fn text(
        &self,
        schema: &'static Schema,
        rules: &'static Text,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let mut value = None;
        self.read(reader, Kind::String, "a string", &mut |reader| {
            reader.str(&mut |text| {
                value = self.check_text(schema, rules, text, wants);
                Ok(())
            })
        })?;
        Ok(value)
    }

    fn check_text(&self, schema: &'static Schema, rules: &'static Text, text: &str, wants: bool) -> Read {
        if let Some(format) = rules.format.filter(|format| formats::is_typed(*format)) {
            let Some(written) = formats::written(format, text) else {
                return self.violated(ViolationKind::Format(format));
            };
            return self.check_written(schema, rules, &written, wants);
        }
        self.check_written(schema, rules, text, wants)
    }

    fn check_written(&self, schema: &'static Schema, rules: &'static Text, text: &str, wants: bool) -> Read {
        scalar::text(self.scope().context, rules, text, |kind| self.record_own(kind));
        if let Some(allowed) = not_in(schema, |it| literal::is_text(it, text)) {
            if rules.closed {
                return self.violated(ViolationKind::NotAllowed(allowed));
            }
            self.record_own(ViolationKind::NotAllowed(allowed));
        }
        Some(if wants { text.into() } else { Value::Null })
    }

    pub fn bytes(&self, reader: &mut dyn Reader, wants: bool) -> Result<Read, DecodeError> {
        self.read_as(reader, Kind::String, "a string", |reader| {
            let bytes = reader.bytes()?;
            Ok(if wants { to_value(&bytes) } else { Value::Null })
        })
    }
}
