//! The slow path through scalars, and through values of any type.

use super::resolve::not_in;
use super::walk::{Read, Walker};
use super::{ViolationKind, formats, literal, scalar};
use crate::codec::{self, DecodeError, Kind, Reader, to_value};
use crate::table::{Integer, Number, Schema, Text};
use crate::types::Value;

impl Walker<'_> {
    /// Reads a value of any type.
    pub fn any(&self, reader: &mut dyn Reader) -> Result<Read, DecodeError> {
        let mut value = None;
        let kind = reader.peek()?;
        self.read(reader, kind, "a value", &mut |reader| {
            value = Some(reader.value()?);
            Ok(())
        })?;
        Ok(value)
    }

    pub fn boolean(&self, schema: &'static Schema, reader: &mut dyn Reader) -> Result<Read, DecodeError> {
        let mut value = false;
        let is_read = self.read(reader, Kind::Boolean, "a boolean", &mut |reader| {
            value = reader.boolean()?;
            Ok(())
        })?;
        if !is_read {
            return Ok(None);
        }
        if let Some(allowed) = not_in(schema, |it| literal::is_boolean(it, value)) {
            self.record_own(ViolationKind::NotAllowed(allowed));
        }
        Ok(Some(value.into()))
    }

    pub fn integer(
        &self,
        schema: &'static Schema,
        rules: &'static Integer,
        reader: &mut dyn Reader,
    ) -> Result<Read, DecodeError> {
        let Some(number) = self.any_number(reader, "an integer")? else { return Ok(None) };
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
        Ok(Some(match number {
            codec::Number::Unsigned(value) => value.into(),
            _ => i64::try_from(value).unwrap_or_default().into(),
        }))
    }

    pub fn number(
        &self,
        schema: &'static Schema,
        rules: &'static Number,
        reader: &mut dyn Reader,
    ) -> Result<Read, DecodeError> {
        let Some(number) = self.any_number(reader, "a number")? else { return Ok(None) };
        let value = number.to_f64();
        if !value.is_finite() {
            return Ok(self.violated(ViolationKind::OutOfRange(None)));
        }
        scalar::number(rules, value, |kind| self.record_own(kind));
        if let Some(allowed) = not_in(schema, |it| literal::is_number(it, value)) {
            self.record_own(ViolationKind::NotAllowed(allowed));
        }
        Ok(Some(value.into()))
    }

    fn any_number(
        &self,
        reader: &mut dyn Reader,
        noun: &'static str,
    ) -> Result<Option<codec::Number>, DecodeError> {
        let mut number = None;
        self.read(reader, Kind::Number, noun, &mut |reader| {
            number = Some(reader.number()?);
            Ok(())
        })?;
        Ok(number)
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
        let mut value = None;
        self.read(reader, Kind::String, "a string", &mut |reader| {
            let bytes = reader.bytes()?;
            value = Some(if wants { to_value(&bytes) } else { Value::Null });
            Ok(())
        })?;
        Ok(value)
    }
}
