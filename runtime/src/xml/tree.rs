//! The elements of a document.
//!
//! An element refers to others by their index, so that a document of many small elements takes little memory, and no
//! function recurses over them.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use crate::codec::{DecodeError, DecodeErrorKind};

/// The index of no element, text or namespace.
pub(super) const NONE: u32 = u32::MAX;

/// The number of elements and attributes that may be visited in addition to [`MAX_VISITS`] per each of them.
const FREE_VISITS: usize = 256 * 1024;

/// The number of visits per element and attribute.
///
/// A union reads a value again for each variant that it tries. Nested unions multiply this.
const MAX_VISITS: usize = 16;

/// The elements of a document, in its order.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) elements: Vec<Element<'a>>,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) texts: Vec<Cow<'a, str>>,
    /// The content of CDATA sections, by the index of their element.
    pub(super) cdata: HashMap<u32, Cow<'a, str>>,
    /// The namespaces, first those of the prefixes `xml` and `xsi`.
    pub(super) namespaces: Vec<Cow<'a, str>>,
    /// The number of visits so far.
    pub(super) visits: Cell<usize>,
}

/// One element.
#[derive(Debug)]
pub(super) struct Element<'a> {
    /// The name without a prefix.
    pub(super) name: &'a str,
    pub(super) namespace: u32,
    /// All text directly in it.
    pub(super) text: u32,
    pub(super) first_attribute: u32,
    pub(super) attributes: u16,
    /// Whether it has `xsi:nil="true"`.
    pub(super) is_nil: bool,
    pub(super) first_child: u32,
    /// The next sibling element.
    pub(super) next: u32,
}

/// One attribute, except declarations of namespaces.
#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) namespace: u32,
    pub(super) value: Cow<'a, str>,
}

impl<'a> Tree<'a> {
    pub(super) fn namespace(&self, index: u32) -> Option<&str> {
        self.namespaces.get(index as usize).map(AsRef::as_ref)
    }

    pub(super) fn element(&self, index: u32) -> Option<&Element<'a>> {
        self.elements.get(index as usize)
    }

    /// Returns the elements directly in an element, or the root if the index is [`NONE`].
    pub(super) fn children(&self, index: u32) -> impl Iterator<Item = (u32, &Element<'a>)> + Clone {
        let first = self.element(index).map_or(0, |element| element.first_child);
        let at = |index: u32| Some((index, self.element(index)?));
        std::iter::successors(at(first), move |(_, element)| at(element.next))
    }

    pub(super) fn attributes(&self, index: u32) -> &[Attribute<'a>] {
        let Some(element) = self.element(index) else { return &[] };
        let first = element.first_attribute as usize;
        self.attributes.get(first..first + usize::from(element.attributes)).unwrap_or_default()
    }

    /// Returns all text directly in an element.
    pub(super) fn text(&self, index: u32) -> &str {
        let text = self.element(index).map_or(NONE, |element| element.text);
        self.texts.get(text as usize).map_or("", AsRef::as_ref)
    }

    /// Counts visits of elements and attributes.
    ///
    /// Fails if there were too many, because unions are nested too ambiguously.
    pub(super) fn visit(&self, count: usize) -> Result<(), DecodeError> {
        let visits = self.visits.get() + count;
        self.visits.set(visits);
        let size = self.elements.len() + self.attributes.len();
        if visits.saturating_sub(FREE_VISITS) / MAX_VISITS > size {
            return Err(DecodeError::new(DecodeErrorKind::TooDeep));
        }
        Ok(())
    }
}
