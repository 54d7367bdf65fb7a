//! Reads one value from pairs of names and values.
//!
//! The value is a query parameter, a cookie, a matrix segment or a form field.

use super::deep::{BRACKETS, BadKeys, Keys, MAX_KEYS, SHALLOW, is_key};
use super::pairs::Pairs;
use super::split::Delimiter;
use super::styled::{Given, Spread, Styled};
use crate::codec::{DecodeError, Item, JsonReader, same};
use crate::table::{Additional, Object, Schema, Style, Type};
use crate::text::{Source, refuse, source_reader};
use crate::validation::resolve::field_of;
use crate::validation::{ENCODING, ViolationKind, resolve::type_of};

/// The serialization of one value as pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    /// Whether the value is JSON in one text.
    pub(crate) is_json: bool,
    pub(crate) schema: &'static Schema,
}

/// The pairs that belong to a value, and their meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extent {
    /// One pair with its name, whose text is the value.
    Text,
    /// One pair with its name, whose text is JSON.
    Json,
    /// One pair with its name, whose text has the items or fields between delimiters.
    List(Delimiter),
    /// All pairs with its name; each text is an item.
    Texts,
    /// All pairs with its keys in style `deepObject`.
    Keys,
    /// All pairs with the names of this object's fields.
    Fields(&'static Object),
}

/// Pairs, with a function that returns whether a name belongs to another value.
#[derive(Clone, Copy)]
pub(crate) struct Among<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) is_taken: &'a dyn Fn(&str) -> bool,
}

impl Layout {
    /// Returns the pairs that belong to the value.
    #[inline]
    pub(crate) fn extent(self) -> Extent {
        if self.is_json {
            return Extent::Json;
        }
        match (self.style, type_of(self.schema)) {
            (Style::DeepObject, _) => Extent::Keys,
            (_, Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) | Type::Bytes) => {
                Extent::Text
            }
            (_, Type::Object(object)) if self.explode => Extent::Fields(object),
            _ if self.explode => Extent::Texts,
            (Style::SpaceDelimited, _) => Extent::List(Delimiter::Space),
            (Style::PipeDelimited, _) => Extent::List(Delimiter::Pipe),
            _ => Extent::List(Delimiter::Comma),
        }
    }

    /// Returns whether a pair with this name belongs to the value.
    pub(crate) fn owns(self, name: &str) -> bool {
        match self.extent() {
            Extent::Keys => is_key(name, self.name),
            Extent::Fields(object) => field_of(object, name).is_some(),
            Extent::Text | Extent::Json | Extent::List(_) | Extent::Texts => same(name, self.name),
        }
    }

    /// Returns whether a pair with this name, which belongs to no other value, is part of the value.
    pub(crate) fn accepts(self, name: &str) -> bool {
        let keeps_others = |object: &Object| matches!(object.additional, Additional::Kept(_));
        matches!(self.extent(), Extent::Fields(object) if keeps_others(object)) || self.owns(name)
    }

    /// Returns a problem of the wire format, such as a malformed or repeated text.
    pub(crate) fn problem(self, among: Among<'_>) -> Option<ViolationKind> {
        let extent = self.extent();
        if let Extent::Keys = extent {
            // A malformed text under a key is reported with that key.
            return Keys::of(among.pairs, self.name).err().map(ViolationKind::from);
        }
        let mut own = among.pairs.iter().filter(|pair| self.owns(&pair.name));
        if own.any(|pair| pair.value.decode().is_err()) {
            return Some(ViolationKind::Malformed(ENCODING));
        }
        let is_one_text = matches!(extent, Extent::Text | Extent::Json | Extent::List(_));
        (is_one_text && Given::named(among.pairs, self.name).is_repeated()).then_some(ViolationKind::Repeated)
    }

    /// Passes a reader to `read` if the value is present; returns whether it is.
    #[inline]
    pub(crate) fn read(self, among: Among<'_>, read: &mut Item<'_>) -> Result<bool, DecodeError> {
        match self.extent() {
            Extent::Keys => return self.read_keys(among.pairs, read),
            Extent::Fields(object) => {
                let spread = Spread { pairs: among.pairs, object, is_taken: among.is_taken };
                let is_present = spread.is_present();
                return if is_present { read(&mut source_reader(spread)).map(|()| true) } else { Ok(false) };
            }
            extent => match (Given::named(among.pairs, self.name), extent) {
                (Given::None, _) => return Ok(false),
                (Given::One(text), Extent::Text) => read(&mut source_reader(text))?,
                (given, Extent::Json) => read_json_text(given, read)?,
                (given, Extent::List(delimiter)) => {
                    read(&mut Styled::simple(given, delimiter, false, self.schema).reader())?;
                }
                (given, _) => read(&mut Styled::exploded(given, self.schema).reader())?,
            },
        }
        Ok(true)
    }

    fn read_keys(self, pairs: &Pairs<'_>, read: &mut Item<'_>) -> Result<bool, DecodeError> {
        let keys = match Keys::of(pairs, self.name) {
            Ok(keys) => keys,
            Err(reason) => return refuse(reason.into(), read).map(|()| true),
        };
        let Some(root) = keys.root(self.schema) else { return Ok(false) };
        root.read(read).map(|()| true)
    }
}

impl From<BadKeys> for ViolationKind {
    fn from(reason: BadKeys) -> Self {
        match reason {
            BadKeys::TooMany => Self::TooMany(MAX_KEYS as u64),
            BadKeys::TooDeep => Self::Malformed(SHALLOW),
            BadKeys::Malformed => Self::Malformed(BRACKETS),
        }
    }
}

/// Passes a reader of a text that is JSON to `read`.
pub(crate) fn read_json_text(given: Given<'_>, read: &mut Item<'_>) -> Result<(), DecodeError> {
    let text = given.single()?;
    JsonReader::strict(text.text()?.as_bytes()).read_by(read)
}
