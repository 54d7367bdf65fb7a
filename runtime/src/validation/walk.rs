//! The slow path: goes through a raw input and reports everything that is wrong with it.
//!
//! A walk mirrors decoding step by step, but where decoding stops at the first fault, the walk notes it and goes on. It
//! tells apart *faults*, which decoding would have stopped at, from *breaches*, which only the checker finds: the
//! first variant of a union without faults is the one that decoding would have taken, breaches or not.
//!
//! A walk ends early where there are violations enough, and the trial of a variant where there is a fault. So what a
//! walk keeps has an end, whatever the input; the rest of the value is skipped, because it may be malformed.

use std::cell::{Cell, RefCell};

use super::resolve::{is_limited, is_nullable, not_in, type_of};
use super::{Place, Problem, Violation, Violations, formats, literal, probe, scalar, unique};
use crate::codec::{Encode, Fault, FaultKind, Kind, Reader, ValueReader, to_value};
use crate::table::{Array, Integer, Number, Schema, Text, Type};
use crate::types::Value;

/// Goes through the value that stands next in `reader` and adds everything that is wrong with it to `out`, until that is
/// full. What stands behind the value is the caller's to look at. The reader must be a strict one.
///
/// # Errors
/// The input is malformed, so that there is no value to speak of, or nested too deeply to be read to its end. What was
/// found before is in `out` nevertheless.
pub fn walk(
    schema: &'static Schema,
    reader: &mut dyn Reader,
    place: &Place,
    out: &mut Violations,
) -> Result<(), Fault> {
    let walker = Walker::new(place.clone(), out);
    match walker.value(schema, reader, false) {
        // Every attempt that was broken off put the reader back, so that it stands before the value again.
        Err(_) if walker.is_ended.get() => reader.skip(),
        other => other.map(drop),
    }
}

/// As [`walk`], through a value that is in memory already.
pub(super) fn walk_value(schema: &'static Schema, value: &Value, place: &Place, out: &mut Violations) {
    if walk(schema, &mut ValueReader::strict(value), place, out).is_err() {
        // Only text can be malformed; but the unions of a value may be too ambiguous.
        out.push(place.violation(Problem::TOO_DEEP));
    }
}

/// Everything that is wrong with a value that is in memory already.
#[must_use]
pub fn violations_of(schema: &'static Schema, value: &Value) -> Violations {
    let mut out = Violations::new();
    walk_value(schema, value, &Place::body(), &mut out);
    out
}

/// A value that was read, if it has no faults: as its model would be written where the caller wants it, else null.
pub type Read = Option<Value>;

/// A walk under way. Readers call back into it at every level, so that its state is in cells.
pub struct Walker<'a> {
    place: RefCell<Place>,
    out: RefCell<&'a mut Violations>,
    /// How many violations were taken out, to be put back in the order of the table.
    held: Cell<usize>,
    /// How many variants of unions are being tried at present, one within the other.
    trials: Cell<u32>,
    /// Whether the walk, or the innermost trial if there is one, ends early.
    is_ended: Cell<bool>,
}

impl<'a> Walker<'a> {
    fn new(place: Place, out: &'a mut Violations) -> Self {
        Self {
            place: RefCell::new(place),
            out: RefCell::new(out),
            held: Cell::new(0),
            trials: Cell::new(0),
            is_ended: Cell::new(false),
        }
    }

    /// Notes what is wrong here.
    pub fn breach(&self, problem: Problem) {
        let violation = self.place.borrow().violation(problem);
        self.out.borrow_mut().push(violation);
    }

    /// Notes all that is wrong here with a value that the model holds nevertheless.
    pub fn breaches_of(&self, schema: &'static Schema, value: &Value) {
        let mut found = Violations::new();
        walk_value(schema, value, &self.place.borrow(), &mut found);
        self.out.borrow_mut().extend(found);
    }

    /// Notes what is wrong here, and that decoding stops at it.
    pub fn fault(&self, problem: Problem) -> Read {
        self.breach(problem);
        None
    }

    /// Goes to a field, and back when `go` is done.
    pub fn at_field<T>(&self, name: &str, go: impl FnOnce() -> T) -> T {
        let mark = self.place.borrow().mark();
        self.place.borrow_mut().enter_field(name);
        let result = go();
        self.place.borrow_mut().back(mark);
        result
    }

    pub fn at_item<T>(&self, index: usize, go: impl FnOnce() -> T) -> T {
        let mark = self.place.borrow().mark();
        self.place.borrow_mut().enter_item(index);
        let result = go();
        self.place.borrow_mut().back(mark);
        result
    }

    /// How many violations there are in `out`.
    pub fn mark(&self) -> usize {
        self.out.borrow().len()
    }

    /// Takes out what was found since `mark`.
    fn since(&self, mark: usize) -> Vec<Violation> {
        self.out.borrow_mut().split_off(mark)
    }

    /// Takes out what `go` finds; it goes back by [`put_back`](Self::put_back).
    pub fn hold<T>(&self, found: &mut Violations, go: impl FnOnce() -> T) -> T {
        let (mark, before) = (self.mark(), found.len());
        let result = go();
        found.extend(self.since(mark));
        self.held.set(self.held.get() + found.len() - before);
        result
    }

    /// Puts back what was held.
    pub fn put_back(&self, found: Violations) {
        self.held.set(self.held.get().saturating_sub(found.len()));
        self.out.borrow_mut().extend(found);
    }

    /// Tries to read the value that stands next as a variant of a union. Where it fails, nothing was found and the
    /// reader stands where it stood.
    pub fn try_variant(
        &self,
        reader: &mut dyn Reader,
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<Read, Fault>,
    ) -> Result<Read, Fault> {
        let mark = self.mark();
        let mut value = None;
        self.trials.set(self.trials.get() + 1);
        let result = reader.attempt(&mut |reader| {
            value = read(reader)?;
            if value.is_some() { Ok(()) } else { Err(Fault::custom("it is not this variant")) }
        });
        self.trials.set(self.trials.get() - 1);
        self.is_ended.set(false);
        match result {
            Ok(()) => Ok(value),
            Err(fault) if fault.is_final() => Err(fault),
            Err(_) => {
                drop(self.since(mark));
                Ok(None)
            }
        }
    }

    /// Behind a part of an array or object: ends the walk if there are violations enough. While a variant is being
    /// tried their number does not matter, because a fault further on may rule the variant out, and all that was
    /// found in it; it is the first fault that ends the trial.
    pub fn go_on(&self, is_faulty: bool) -> Result<(), Fault> {
        let is_enough = match self.trials.get() {
            0 => self.mark() + self.held.get() >= Violations::CAP,
            _ => is_faulty,
        };
        if !is_enough {
            return Ok(());
        }
        self.is_ended.set(true);
        Err(Fault::custom("what was found is enough"))
    }

    /// Reads a value of one kind by `read`. Where it is of another, or `read` fails at this value alone, notes so, skips it
    /// and answers false.
    pub fn read(
        &self,
        reader: &mut dyn Reader,
        wanted: Kind,
        noun: &'static str,
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        let kind = reader.peek()?;
        let result = if kind == wanted || kind == Kind::Text {
            reader.attempt(read)
        } else {
            Err(Fault::wrong_kind(noun, kind))
        };
        match result {
            Ok(()) => Ok(true),
            Err(fault) if fault.is_final() || self.is_ended.get() => Err(fault),
            Err(fault) => {
                self.breach(match fault.kind() {
                    FaultKind::OutOfRange { .. } => Problem::OutOfRange(None),
                    // Not a form of strings, which the walk judges itself, but what the text is wrapped in.
                    FaultKind::Malformed { .. } => Problem::Malformed,
                    _ => Problem::WrongType(noun),
                });
                reader.skip()?;
                Ok(false)
            }
        }
    }

    /// Goes through one value.
    pub fn value(
        &self,
        schema: &'static Schema,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, Fault> {
        let of = type_of(schema);
        if reader.peek()? == Kind::Null && !matches!(of, Type::Any) {
            if is_nullable(schema) {
                return reader.null().map(|()| Some(Value::Null));
            }
            if !matches!(of, Type::Union(_)) {
                reader.skip()?;
                return Ok(self.fault(Problem::Null));
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
                    self.breach(Problem::NotAllowed(allowed));
                }
                Ok(value)
            }
            _ => self.compound(of, reader, wants),
        }
    }

    /// Goes through a value that may hold others.
    fn compound(&self, of: &'static Type, reader: &mut dyn Reader, wants: bool) -> Result<Read, Fault> {
        match of {
            Type::Array(rules) => self.array(rules, reader, wants),
            Type::Tuple(schemas) => self.tuple(schemas, reader, wants),
            Type::Object(rules) => self.object(rules, reader, wants),
            Type::Union(union) => self.union(union, reader, wants),
            _ => self.any(reader),
        }
    }

    fn any(&self, reader: &mut dyn Reader) -> Result<Read, Fault> {
        let mut value = None;
        let kind = reader.peek()?;
        self.read(reader, kind, "a value", &mut |reader| {
            value = Some(reader.value()?);
            Ok(())
        })?;
        Ok(value)
    }

    fn boolean(&self, schema: &'static Schema, reader: &mut dyn Reader) -> Result<Read, Fault> {
        let mut value = false;
        let is_read = self.read(reader, Kind::Boolean, "a boolean", &mut |reader| {
            value = reader.boolean()?;
            Ok(())
        })?;
        if !is_read {
            return Ok(None);
        }
        if let Some(allowed) = not_in(schema, |it| literal::is_boolean(it, value)) {
            self.breach(Problem::NotAllowed(allowed));
        }
        Ok(Some(value.into()))
    }

    fn integer(
        &self,
        schema: &'static Schema,
        rules: &'static Integer,
        reader: &mut dyn Reader,
    ) -> Result<Read, Fault> {
        let Some(number) = self.any_number(reader, "an integer")? else { return Ok(None) };
        let Some(value) = number.to_integer() else {
            let number = number.to_f64();
            // What is whole, but beyond 64 bits, is here as well.
            let is_whole = number.fract() == 0.0 || number.is_infinite();
            let problem = if is_whole { Problem::OutOfRange(Some(rules.width)) } else { Problem::NotInteger };
            return Ok(self.fault(problem));
        };
        if !scalar::fits(rules.width, value) {
            return Ok(self.fault(Problem::OutOfRange(Some(rules.width))));
        }
        scalar::integer(rules, value, |problem| self.breach(problem));
        if let Some(allowed) = not_in(schema, |it| literal::is_integer(it, value)) {
            self.breach(Problem::NotAllowed(allowed));
            if rules.closed {
                return Ok(None);
            }
        }
        Ok(Some(match number {
            crate::codec::Number::Unsigned(value) => value.into(),
            _ => i64::try_from(value).unwrap_or_default().into(),
        }))
    }

    fn number(
        &self,
        schema: &'static Schema,
        rules: &'static Number,
        reader: &mut dyn Reader,
    ) -> Result<Read, Fault> {
        let Some(number) = self.any_number(reader, "a number")? else { return Ok(None) };
        let value = number.to_f64();
        if !value.is_finite() {
            return Ok(self.fault(Problem::OutOfRange(None)));
        }
        scalar::number(rules, value, |problem| self.breach(problem));
        if let Some(allowed) = not_in(schema, |it| literal::is_number(it, value)) {
            self.breach(Problem::NotAllowed(allowed));
        }
        Ok(Some(value.into()))
    }

    fn any_number(
        &self,
        reader: &mut dyn Reader,
        noun: &'static str,
    ) -> Result<Option<crate::codec::Number>, Fault> {
        let mut number = None;
        self.read(reader, Kind::Number, noun, &mut |reader| {
            number = Some(reader.number()?);
            Ok(())
        })?;
        Ok(number)
    }

    fn text(
        &self,
        schema: &'static Schema,
        rules: &'static Text,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, Fault> {
        let mut value = None;
        self.read(reader, Kind::String, "a string", &mut |reader| {
            reader.str(&mut |text| {
                value = self.judge_text(schema, rules, text, wants);
                Ok(())
            })
        })?;
        Ok(value)
    }

    fn judge_text(&self, schema: &'static Schema, rules: &'static Text, text: &str, wants: bool) -> Read {
        if let Some(format) = rules.format.filter(|format| formats::is_typed(*format)) {
            let Some(written) = formats::written(format, text) else {
                return self.fault(Problem::Format(format));
            };
            return self.judge_written(schema, rules, &written, wants);
        }
        self.judge_written(schema, rules, text, wants)
    }

    fn judge_written(&self, schema: &'static Schema, rules: &'static Text, text: &str, wants: bool) -> Read {
        scalar::text(rules, text, |problem| self.breach(problem));
        if let Some(allowed) = not_in(schema, |it| literal::is_text(it, text)) {
            self.breach(Problem::NotAllowed(allowed));
            if rules.closed {
                return None;
            }
        }
        Some(if wants { text.into() } else { Value::Null })
    }

    fn bytes(&self, reader: &mut dyn Reader, wants: bool) -> Result<Read, Fault> {
        let mut value = None;
        self.read(reader, Kind::String, "a string", &mut |reader| {
            let bytes = reader.bytes()?;
            value = Some(if wants { to_value(&bytes) } else { Value::Null });
            Ok(())
        })?;
        Ok(value)
    }

    fn array(&self, rules: &'static Array, reader: &mut dyn Reader, wants: bool) -> Result<Read, Fault> {
        let keeps = wants || rules.unique;
        let mut count = 0_usize;
        let mut is_faulty = false;
        let mut items = Vec::new();
        let is_read = self.read(reader, Kind::Array, "an array", &mut |reader| {
            reader.array(&mut |reader| {
                let item = self.at_item(count, || self.value(rules.items, reader, keeps))?;
                is_faulty |= item.is_none();
                items.extend(item.filter(|_| keeps));
                count += 1;
                self.go_on(is_faulty)
            })
        })?;
        if !is_read {
            return Ok(None);
        }
        scalar::items(rules, count as u64, |problem| self.breach(problem));
        if rules.unique && !unique::all_differ(&mut items.iter().map(|item| item as &dyn Encode)) {
            self.breach(Problem::UniqueItems);
        }
        Ok((!is_faulty).then_some(Value::Array(items)))
    }
}
