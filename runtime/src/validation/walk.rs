//! The slow path: reads a raw input and reports every violation in it.
//!
//! A walk mirrors decoding step by step. Decoding stops at the first error; the walk records it and
//! continues. The walk distinguishes *errors*, which decoding would have stopped at, from *violations*, which
//! only the checker finds. Decoding takes the first variant of a union that has no errors, with or without
//! violations, and so does the walk.
//!
//! A walk that has enough violations skips the rest of the value, but still checks its syntax. The trial of a
//! variant ends at its first error. This bounds the memory of a walk for any input.

use std::cell::{Cell, RefCell};

use super::check::Scope;
use super::json_schema::Context;
use super::resolve::{is_limited, is_nullable, not_in, type_of};
use super::{Position, ViolationKind, Violations, probe};
use crate::codec::{DecodeError, DecodeErrorKind, Kind, Reader, ValueReader};
use crate::table::{JsonSchema, Schema, Type};
use crate::types::Value;

/// Walks the next value in `reader` and adds its violations to `out`.
///
/// It adds none once `out` is full. The reader must be strict. The caller checks the input after the value.
///
/// # Errors
/// Returns a decode error if the input is malformed, or nested too deeply to be read to its end. The
/// violations found before the error are in `out`.
pub fn walk(
    schema: &'static Schema,
    reader: &mut dyn Reader,
    position: &Position,
    out: &mut Violations,
) -> Result<(), DecodeError> {
    walk_in(Scope::new(&Context::new()), schema, reader, position, out)
}

fn walk_in(
    scope: Scope<'_>,
    schema: &'static Schema,
    reader: &mut dyn Reader,
    position: &Position,
    out: &mut Violations,
) -> Result<(), DecodeError> {
    let walker = Walker {
        position: RefCell::new(position.clone()),
        out: RefCell::new(out),
        held: Cell::new(0),
        trials: Cell::new(0),
        context: scope.context,
        is_covered: Cell::new(scope.is_covered),
    };
    walker.value(schema, reader, false).map(drop)
}

/// Walks a value in memory, like [`walk`].
pub(super) fn walk_value(
    scope: Scope<'_>,
    schema: &'static Schema,
    value: &Value,
    position: &Position,
    out: &mut Violations,
) {
    if walk_in(scope, schema, &mut ValueReader::strict(value), position, out).is_err() {
        // Only text can be malformed, but the unions of a value can be too ambiguous.
        out.push(position.violation(ViolationKind::TOO_DEEP));
    }
}

/// Returns the violations in a value, at most [`Violations::CAP`] of them.
#[must_use]
pub fn violations_of(schema: &'static Schema, value: &Value) -> Violations {
    violations_in(schema, value, Scope::new(&Context::new()))
}

pub(super) fn violations_in(schema: &'static Schema, value: &Value, scope: Scope<'_>) -> Violations {
    let mut out = Violations::new();
    walk_value(scope, schema, value, &Position::body(), &mut out);
    out
}

/// A value that was read, or `None` if it has errors.
///
/// If the caller wants the value, it is as its model would write it. Otherwise it is a placeholder.
pub type Read = Option<Value>;

/// A walk in progress. Readers call back into it at every level, hence the cells.
pub struct Walker<'a> {
    pub(super) position: RefCell<Position>,
    pub(super) out: RefCell<&'a mut Violations>,
    /// The number of violations taken out, to be put back in the table's order.
    pub(super) held: Cell<usize>,
    /// The number of union variants that are being tried, one inside the other.
    trials: Cell<u32>,
    pub(super) context: &'a Context,
    /// Whether the JSON Schema of an enclosing value covers the next one.
    pub(super) is_covered: Cell<bool>,
}

impl<'a> Walker<'a> {
    pub fn scope(&self) -> Scope<'a> {
        Scope { context: self.context, is_covered: self.is_covered.get() }
    }

    /// Tries to read the next value as a variant of a union.
    ///
    /// If it fails, no violation is recorded and the reader is back before the value.
    pub fn try_variant(
        &self,
        reader: &mut dyn Reader,
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<Read, DecodeError>,
    ) -> Result<Read, DecodeError> {
        let mark = self.mark();
        let mut value = None;
        self.trials.set(self.trials.get() + 1);
        let result = reader.attempt(&mut |reader| {
            value = read(reader)?;
            if value.is_some() { Ok(()) } else { Err(not_of_variant()) }
        });
        self.trials.set(self.trials.get() - 1);
        match result {
            Ok(()) => Ok(value),
            Err(error) if error.is_final() => Err(error),
            Err(_) => {
                drop(self.since(mark));
                Ok(None)
            }
        }
    }

    fn is_trial(&self) -> bool {
        self.trials.get() > 0
    }

    /// Returns whether the walk has enough violations.
    ///
    /// While a variant is being tried, their number does not matter, because a later error may rule out the variant
    /// and all its violations.
    pub fn is_full(&self) -> bool {
        !self.is_trial() && self.mark() + self.held.get() >= Violations::CAP
    }

    /// Ends the trial of a variant if a part of the value has an error. It is called after each part.
    pub fn go_on(&self, is_invalid: bool) -> Result<(), DecodeError> {
        if is_invalid && self.is_trial() { Err(not_of_variant()) } else { Ok(()) }
    }

    /// Reads a value of one kind by `read`.
    ///
    /// If the value is of another kind, or `read` fails for this value alone, this records a violation, skips
    /// the value and returns `false`. In the trial of a variant, it returns the error.
    pub fn read(
        &self,
        reader: &mut dyn Reader,
        wanted: Kind,
        noun: &'static str,
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError>,
    ) -> Result<bool, DecodeError> {
        let kind = reader.peek()?;
        let result = if kind == wanted || kind == Kind::Text {
            reader.attempt(read)
        } else {
            Err(DecodeError::wrong_kind(noun, kind))
        };
        match result {
            Ok(()) => Ok(true),
            Err(error) if error.is_final() || self.is_trial() => Err(error),
            Err(error) => {
                let kind = match error.kind() {
                    DecodeErrorKind::OutOfRange { .. } => ViolationKind::OutOfRange(None),
                    // Not a string format, which the walk checks itself, but the text's own encoding or style.
                    DecodeErrorKind::Malformed { format } => ViolationKind::Malformed(format),
                    // An item of an array in XML that has another name.
                    DecodeErrorKind::Unknown(_) => ViolationKind::Unknown,
                    _ => ViolationKind::WrongType(noun),
                };
                self.record_at(error.path(), kind);
                reader.skip()?;
                Ok(false)
            }
        }
    }

    /// Walks one value.
    pub fn value(
        &self,
        schema: &'static Schema,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        if self.is_full() {
            return reader.skip().map(|()| None);
        }
        let is_null = reader.peek()? == Kind::Null;
        let Some(also) = self.scope().also(schema, || is_null) else {
            return self.typed(schema, reader, wants);
        };
        self.is_covered.set(true);
        let read = self.covered(schema, also, reader, wants);
        self.is_covered.set(false);
        read
    }

    /// Walks a value to which a JSON Schema applies as well.
    ///
    /// The JSON Schema is evaluated on the raw value. In an input of untyped text, it is evaluated on the value as the
    /// model would write it, if the type found nothing.
    fn covered(
        &self,
        schema: &'static Schema,
        also: &'static JsonSchema,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let mark = self.mark();
        let is_clean = |read: &Read| read.is_some() && self.mark() == mark;
        if reader.is_text() {
            let read = self.typed(schema, reader, true)?;
            if let Some(value) = read.as_ref().filter(|_| is_clean(&read)) {
                self.evaluate(also, value);
            }
            return Ok(read);
        }
        let mut read = None;
        reader.ahead(&mut |reader| {
            read = self.typed(schema, reader, wants)?;
            Ok(())
        })?;
        let errors = self.since(mark);
        if let Some(raw) = self.any(reader)? {
            self.evaluate(also, &raw);
        }
        self.add_others(mark, errors);
        Ok(read)
    }

    /// Walks one value by its type.
    fn typed(
        &self,
        schema: &'static Schema,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let of = type_of(schema);
        if reader.peek()? == Kind::Null && !matches!(of, Type::Any) {
            if is_nullable(schema) {
                return reader.null().map(|()| Some(Value::Null));
            }
            if !matches!(of, Type::Union(_)) {
                reader.skip()?;
                return Ok(self.violated(ViolationKind::Null));
            }
        }
        match of {
            Type::Boolean => self.boolean(schema, reader),
            Type::Integer(rules) => self.integer(schema, rules, reader),
            Type::Number(rules) => self.number(schema, rules, reader),
            Type::Text(rules) => self.text(schema, rules, reader, wants),
            Type::Bytes => self.bytes(reader, wants),
            _ if is_limited(schema) => {
                let value = self.compound(of, reader, true)?;
                if let Some(value) = &value
                    && let Some(allowed) = not_in(schema, |it| probe::equals(value, it))
                {
                    self.record_own(ViolationKind::NotAllowed(allowed));
                }
                Ok(value)
            }
            _ => self.compound(of, reader, wants),
        }
    }

    /// Walks a value that can contain others.
    fn compound(&self, of: &'static Type, reader: &mut dyn Reader, wants: bool) -> Result<Read, DecodeError> {
        match of {
            Type::Array(rules) => self.array(rules, reader, wants),
            Type::Tuple(schemas) => self.tuple(schemas, reader, wants),
            Type::Object(rules) => self.object(rules, reader, wants),
            Type::Union(union) => self.union(union, reader, wants),
            _ => self.any(reader),
        }
    }
}

/// Returns the error that ends the trial of a variant.
fn not_of_variant() -> DecodeError {
    DecodeError::custom("the value is not of this variant")
}
