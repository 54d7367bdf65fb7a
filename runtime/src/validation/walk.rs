//! The slow path: reads a raw input and reports every violation in it.
//!
//! A walk mirrors decoding step by step. Decoding stops at the first error; the walk records it and
//! continues. The walk distinguishes *faults*, which decoding would have stopped at, from *breaches*, which
//! only the checker finds. Decoding takes the first variant of a union that has no faults, with or without
//! breaches, and so does the walk.
//!
//! A walk ends early when it has enough violations. The trial of a variant ends at its first fault. This
//! bounds the memory of a walk for any input. The rest of the value is skipped, but still checked for syntax.

use std::cell::{Cell, RefCell};

use super::check::Scope;
use super::json_schema::{Context, violations};
use super::resolve::{is_limited, is_nullable, not_in, type_of};
use super::{Place, Problem, Violation, Violations, formats, literal, probe, scalar, unique};
use crate::codec::{Encode, Fault, FaultKind, Kind, Reader, ValueReader, to_value};
use crate::table::{Array, Integer, JsonSchema, Number, Schema, Text, Type};
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
    place: &Place,
    out: &mut Violations,
) -> Result<(), Fault> {
    walk_in(Scope::new(&Context::new()), schema, reader, place, out)
}

fn walk_in(
    scope: Scope<'_>,
    schema: &'static Schema,
    reader: &mut dyn Reader,
    place: &Place,
    out: &mut Violations,
) -> Result<(), Fault> {
    let walker = Walker::new(place.clone(), scope, out);
    let read = walker.value(schema, reader, false);
    if walker.settle_doubts(0) {
        scope.context.set_doubtful();
    }
    match read {
        // Every attempt that was interrupted restored the reader, so it is before the value again.
        Err(_) if walker.is_ended.get() => reader.skip(),
        other => other.map(drop),
    }
}

/// Walks a value in memory, like [`walk`].
pub(super) fn walk_value(
    scope: Scope<'_>,
    schema: &'static Schema,
    value: &Value,
    place: &Place,
    out: &mut Violations,
) {
    if walk_in(scope, schema, &mut ValueReader::strict(value), place, out).is_err() {
        // Only text can be malformed, but the unions of a value can be too ambiguous.
        out.push(place.violation(Problem::TOO_DEEP));
    }
}

/// Returns the violations in a value, at most [`Violations::CAP`] of them.
#[must_use]
pub fn violations_of(schema: &'static Schema, value: &Value) -> Violations {
    violations_in(schema, value, Scope::new(&Context::new()))
}

pub(super) fn violations_in(schema: &'static Schema, value: &Value, scope: Scope<'_>) -> Violations {
    let mut out = Violations::new();
    walk_value(scope, schema, value, &Place::body(), &mut out);
    out
}

/// A value that was read, or `None` if it has faults.
///
/// If the caller wants the value, it is as its model would write it. Otherwise it is a placeholder.
pub type Read = Option<Value>;

/// A walk in progress. Readers call back into it at every level, hence the cells.
pub struct Walker<'a> {
    pub(super) place: RefCell<Place>,
    pub(super) out: RefCell<&'a mut Violations>,
    /// The number of violations taken out, to be put back in the table's order.
    held: Cell<usize>,
    /// The number of union variants that are being tried, one inside the other.
    trials: Cell<u32>,
    /// Whether the walk ends early, or its innermost trial if there is one.
    is_ended: Cell<bool>,
    context: &'a Context,
    /// Whether the JSON Schema of an enclosing value covers the next one.
    pub(super) is_covered: Cell<bool>,
    /// The breaches that the JSON Schema of an enclosing value may allow.
    pub(super) doubts: RefCell<Violations>,
}

impl<'a> Walker<'a> {
    fn new(place: Place, scope: Scope<'a>, out: &'a mut Violations) -> Self {
        Self {
            place: RefCell::new(place),
            out: RefCell::new(out),
            held: Cell::new(0),
            trials: Cell::new(0),
            is_ended: Cell::new(false),
            context: scope.context,
            is_covered: Cell::new(scope.is_covered),
            doubts: RefCell::default(),
        }
    }

    /// Records a violation at the current location.
    pub fn breach(&self, problem: Problem) {
        let violation = self.place.borrow().violation(problem);
        self.out.borrow_mut().push(violation);
    }

    /// Records the violations in a value.
    ///
    /// They are not faults: the model can hold the value.
    pub fn breaches_of(&self, schema: &'static Schema, value: &Value) {
        let mut found = Violations::new();
        walk_value(self.scope(), schema, value, &self.place.borrow(), &mut found);
        self.out.borrow_mut().extend(found);
    }

    /// Records the violations of a JSON Schema in a value.
    ///
    /// They are not faults.
    pub fn evaluate(&self, schema: &'static JsonSchema, value: &Value) {
        let found = violations(schema, value, &self.place.borrow(), self.context);
        self.out.borrow_mut().extend(found);
    }

    /// Records the violations of a JSON Schema in the name of the current field.
    pub fn evaluate_name(&self, schema: &'static JsonSchema, name: &str) {
        let place = self.place.borrow();
        for violation in violations(schema, &name.into(), &place, self.context) {
            self.out.borrow_mut().push(place.violation(Problem::Name(Box::new(violation.problem))));
        }
    }

    pub fn scope(&self) -> Scope<'a> {
        Scope { context: self.context, is_covered: self.is_covered.get() }
    }

    /// Records a violation at the current location, at which decoding stops.
    pub fn fault(&self, problem: Problem) -> Read {
        self.breach(problem);
        None
    }

    /// Enters a field, calls `go`, and leaves the field.
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

    /// Returns the number of violations in `out`.
    pub fn mark(&self) -> usize {
        self.out.borrow().len()
    }

    /// Takes out the violations found since `mark`.
    pub fn since(&self, mark: usize) -> Vec<Violation> {
        self.out.borrow_mut().split_off(mark)
    }

    /// Moves the violations that `go` finds to `found`, until they are put back.
    pub fn hold<T>(&self, found: &mut Violations, go: impl FnOnce() -> T) -> T {
        let (mark, before) = (self.mark(), found.len());
        let result = go();
        found.extend(self.since(mark));
        self.held.set(self.held.get() + found.len() - before);
        result
    }

    /// Puts back the violations that [`hold`](Self::hold) took out.
    pub fn put_back(&self, found: Violations) {
        self.held.set(self.held.get().saturating_sub(found.len()));
        self.out.borrow_mut().extend(found);
    }

    /// Tries to read the next value as a variant of a union.
    ///
    /// If it fails, no violation is recorded and the reader is back before the value.
    pub fn try_variant(
        &self,
        reader: &mut dyn Reader,
        read: &mut dyn FnMut(&mut dyn Reader) -> Result<Read, Fault>,
    ) -> Result<Read, Fault> {
        let (mark, doubts) = (self.mark(), self.doubts.borrow().len());
        let mut value = None;
        self.trials.set(self.trials.get() + 1);
        let result = reader.attempt(&mut |reader| {
            value = read(reader)?;
            if value.is_some() { Ok(()) } else { Err(Fault::custom("the value is not of this variant")) }
        });
        self.trials.set(self.trials.get() - 1);
        self.is_ended.set(false);
        match result {
            Ok(()) => Ok(value),
            Err(fault) if fault.is_final() => Err(fault),
            Err(_) => {
                drop(self.since(mark));
                drop(self.doubts.borrow_mut().split_off(doubts));
                Ok(None)
            }
        }
    }

    /// Ends the walk if it has enough violations.
    ///
    /// It is called after each part of an array or object. While a variant is being tried, the number of
    /// violations does not matter, because a later fault may rule out the variant and all its violations. The
    /// first fault ends the trial.
    pub fn go_on(&self, is_faulty: bool) -> Result<(), Fault> {
        let is_enough = match self.trials.get() {
            0 => self.mark() + self.held.get() >= Violations::CAP,
            _ => is_faulty,
        };
        if !is_enough {
            return Ok(());
        }
        self.is_ended.set(true);
        Err(Fault::custom("the walk has enough violations"))
    }

    /// Reads a value of one kind by `read`.
    ///
    /// If the value is of another kind, or `read` fails for this value alone, this records a violation, skips
    /// the value and returns `false`.
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
                    // Not a string format, which the walk checks itself, but the text's own encoding.
                    FaultKind::Malformed { .. } => Problem::Malformed,
                    _ => Problem::WrongType(noun),
                });
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
    ) -> Result<Read, Fault> {
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
    /// The JSON Schema is evaluated on the raw value, and only if its type found nothing that is certain. In an input of untyped text,
    /// it is evaluated on the value as the model would write it.
    fn covered(
        &self,
        schema: &'static Schema,
        also: &'static JsonSchema,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, Fault> {
        let (mark, doubts) = (self.mark(), self.doubts.borrow().len());
        let is_clean = |read: &Read| read.is_some() && self.mark() == mark;
        let read = if reader.is_text() {
            let read = self.typed(schema, reader, true)?;
            if let Some(value) = read.as_ref().filter(|_| is_clean(&read)) {
                self.evaluate_after(doubts, also, value);
            }
            read
        } else {
            let mut read = None;
            reader.ahead(&mut |reader| {
                read = self.typed(schema, reader, wants)?;
                Ok(())
            })?;
            if !is_clean(&read) {
                reader.skip()?;
            } else if let Some(raw) = self.any(reader)? {
                self.evaluate_after(doubts, also, &raw);
            }
            read
        };
        self.settle_doubts(doubts);
        Ok(read)
    }

    /// Walks one value by its type.
    fn typed(&self, schema: &'static Schema, reader: &mut dyn Reader, wants: bool) -> Result<Read, Fault> {
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

    /// Walks a value that can contain others.
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
            // Integers beyond 64 bits are also here.
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
