//! One value among pairs of names and values: a query parameter, a cookie, a matrix segment, a form's field.

use super::deep::{BadKeys, Keys, MAX_DEPTH, MAX_KEYS, has_keys, is_key};
use super::pairs::Pairs;
use super::shape::{Form, field, form_of, object_of};
use super::source::{Of, Refusal, Source};
use super::split::Delimiter;
use super::styled::{Given, Spread, Styled};
use crate::codec::{Fault, Item, JsonReader};
use crate::table::{Schema, Style};
use crate::validation::Problem;

/// How one value stands among pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// Whether it is JSON in one text.
    pub(crate) is_json: bool,
    pub(crate) schema: &'static Schema,
}

/// Pairs, and which of their names are someone else's.
#[derive(Clone, Copy)]
pub(crate) struct Among<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) is_taken: &'a dyn Fn(&str) -> bool,
}

impl Layout {
    fn given<'a>(self, pairs: &'a Pairs<'a>) -> Given<'a> {
        Given::named(pairs, self.name)
    }

    /// The value, if it is an object whose fields are pairs of their own.
    fn spread<'a>(self, among: Among<'a>) -> Option<Spread<'a>> {
        let is_spread = self.explode && !self.is_json && self.style != Style::DeepObject;
        let object = object_of(self.schema).filter(|_| is_spread)?;
        Some(Spread { pairs: among.pairs, object, is_taken: among.is_taken })
    }

    /// Whether it is there.
    pub(crate) fn is_in(self, among: Among<'_>) -> bool {
        match self.spread(among) {
            Some(spread) => spread.is_there(),
            None if self.style == Style::DeepObject && !self.is_json => has_keys(among.pairs, self.name),
            None => self.given(among.pairs).is_there(),
        }
    }

    /// Whether a pair of this name belongs to it.
    pub(crate) fn owns(self, name: &str) -> bool {
        match object_of(self.schema) {
            _ if self.is_json => name == self.name,
            _ if self.style == Style::DeepObject => is_key(name, self.name),
            Some(object) if self.explode => field(object, name).is_some(),
            _ => name == self.name,
        }
    }

    /// What is wrong with the way it stands there, whatever it says.
    pub(crate) fn problem(self, among: Among<'_>) -> Option<Problem> {
        if self.style == Style::DeepObject && !self.is_json {
            // A malformed text under a key is told with the key.
            return Keys::of(among.pairs, self.name).err().map(Problem::from);
        }
        let own = || among.pairs.iter().filter(|pair| self.owns(&pair.name));
        if own().any(|pair| pair.value.decode().is_err()) {
            return Some(Problem::Malformed);
        }
        if self.spread(among).is_some() {
            return None;
        }
        let takes_several = match form_of(self.schema) {
            Form::Array | Form::Object | Form::Open => self.explode && !self.is_json,
            Form::Scalar => false,
        };
        (!takes_several && self.given(among.pairs).is_repeated()).then_some(Problem::Repeated)
    }

    /// Hands its reader to `read`, if it is there; says whether it is.
    pub(crate) fn read(self, among: Among<'_>, read: &mut Item<'_>) -> Result<bool, Fault> {
        if let Some(spread) = self.spread(among) {
            let is_there = spread.is_there();
            return if is_there { read(&mut Of(spread)).map(|()| true) } else { Ok(false) };
        }
        if self.style == Style::DeepObject && !self.is_json {
            let keys = match Keys::of(among.pairs, self.name) {
                Ok(keys) => keys,
                Err(reason) => return read(&mut Of(Refusal(reason.into()))).map(|()| true),
            };
            let Some(root) = keys.root(self.schema) else { return Ok(false) };
            return read(&mut Of(root)).map(|()| true);
        }
        let given = self.given(among.pairs);
        if !given.is_there() {
            return Ok(false);
        }
        if self.is_json {
            return read_json_text(given, read).map(|()| true);
        }
        let delimiter = match self.style {
            Style::SpaceDelimited => Delimiter::Space,
            Style::PipeDelimited => Delimiter::Pipe,
            _ => Delimiter::Comma,
        };
        let delimiter = (!self.explode).then_some(delimiter);
        read(&mut Of(Styled { given, delimiter, assigned: false, schema: self.schema })).map(|()| true)
    }
}

impl From<BadKeys> for Problem {
    fn from(reason: BadKeys) -> Self {
        const { assert!(MAX_DEPTH == 8, "the sentence below says so") };
        match reason {
            BadKeys::TooMany => Self::TooMany(MAX_KEYS as u64),
            BadKeys::TooDeep => Self::Other("must not be nested more than 8 levels deep"),
            BadKeys::Malformed => Self::Other("must have keys in square brackets"),
        }
    }
}

/// Hands the reader of a text that is JSON to `read`.
pub(crate) fn read_json_text(given: Given<'_>, read: &mut Item<'_>) -> Result<(), Fault> {
    let text = given.single()?;
    read_json(text.text()?.as_bytes(), read)
}

/// Hands the reader of a whole JSON document to `read`.
pub(crate) fn read_json(document: &[u8], read: &mut Item<'_>) -> Result<(), Fault> {
    let mut reader = JsonReader::strict(document);
    read(&mut reader)?;
    reader.finish()
}
