//! Finds and reads the parameters of a request.

use std::borrow::Cow;
use std::cell::OnceCell;

use http::HeaderMap;

use super::form::FormFields;
use super::layout::{Among, Extent, Layout, read_json_text};
use super::pairs::{Pair, Pairs, split_query};
use super::shape::{Form, form_of};
use super::split::Delimiter;
use super::styled::{Given, Styled};
use crate::codec::{DecodeError, Item, Reader, same};
use crate::table::{ContentFormat, Header, Location, Operation, Parameter, Requirement, SchemeKind, Style};
use crate::text::{Coding, Malformed, Raw, ReadMode, Source, refuse, source_reader};
use crate::validation::{ENCODING, ViolationKind};

/// The parameters of one request.
pub(crate) struct Located<'a> {
    operation: &'static Operation,
    path: &'a [(&'a str, &'a str)],
    query: &'a str,
    headers: &'a HeaderMap,
    /// The pairs of the query, after their first use.
    query_pairs: OnceCell<Pairs<'a>>,
    /// The pairs of the cookies, after their first use.
    cookie_pairs: OnceCell<Pairs<'a>>,
    /// The same without decoding, as in the style `cookie`.
    plain_cookie_pairs: OnceCell<Pairs<'a>>,
}

/// A function that receives the index of a parameter and a reader of its value.
pub(crate) type Visit<'a> = dyn FnMut(usize, &mut dyn Reader) -> Result<(), DecodeError> + 'a;

impl<'a> Located<'a> {
    /// Creates a reader of these parts of a request. `path` lists the names and raw texts of the path parameters.
    pub(crate) fn new(
        operation: &'static Operation,
        path: &'a [(&'a str, &'a str)],
        query: &'a str,
        headers: &'a HeaderMap,
    ) -> Self {
        Self {
            operation,
            path,
            query,
            headers,
            query_pairs: OnceCell::new(),
            cookie_pairs: OnceCell::new(),
            plain_cookie_pairs: OnceCell::new(),
        }
    }

    /// Passes each parameter that is present to `visit`.
    ///
    /// Scalars in the query come first. One that is repeated is passed several times. Fails if a closed query has a
    /// name that the document does not describe.
    pub(crate) fn read_all(&self, visit: &mut Visit<'_>) -> Result<(), DecodeError> {
        let others = self.read_scalars(visit)?;
        if self.operation.closed_query {
            self.check_known(&others)?;
        }
        for (index, parameter) in self.operation.parameters.iter().enumerate() {
            let read: &mut Item<'_> = &mut |reader| visit(index, reader);
            if parameter.location != Location::Query {
                self.read(parameter, read)?;
                continue;
            }
            match layout(parameter).extent() {
                Extent::Text => {}
                // Its fields can have the names of scalars.
                Extent::Fields(_) if !self.query.is_empty() => drop(self.read(parameter, read)?),
                Extent::Fields(_) => {}
                _ if others.is_empty() => {}
                _ => {
                    let is_taken = |name: &str| self.is_taken(parameter, name);
                    layout(parameter).read(Among { pairs: &others, is_taken: &is_taken }, read)?;
                }
            }
        }
        Ok(())
    }

    /// Passes the scalars in the query to `visit`, and returns the other pairs.
    fn read_scalars(&self, visit: &mut Visit<'_>) -> Result<Pairs<'a>, DecodeError> {
        let mut others = Pairs::default();
        let mut next = 0;
        for pair in self.split() {
            match self.scalar(&pair.name, next) {
                Some(index) => {
                    visit(index, &mut source_reader(pair.value))?;
                    next = index + 1;
                }
                None => others.push(pair),
            }
        }
        Ok(others)
    }

    /// Returns the pairs of the query, without those that mean an absent parameter.
    fn split(&self) -> impl Iterator<Item = Pair<'a>> {
        let operation = self.operation;
        let is_absent = move |pair: &Pair<'_>| {
            let is_match = |it: &Parameter| {
                it.allow_empty && it.location == Location::Query && same(it.name, &pair.name)
            };
            pair.value.bytes().is_empty() && operation.parameters.iter().any(is_match)
        };
        split_query(self.query).filter(move |pair| !is_absent(pair))
    }

    /// Returns the index of the scalar `name` in the query, which is expected at `next` or soon after it.
    #[inline]
    fn scalar(&self, name: &str, next: usize) -> Option<usize> {
        let is_match = |it: &Parameter| it.location == Location::Query && same(it.name, name);
        let parameters = self.operation.parameters;
        let (before, behind) = parameters.split_at_checked(next)?;
        let index = match behind.iter().position(is_match) {
            Some(index) => next + index,
            None => before.iter().position(is_match)?,
        };
        matches!(layout(parameters.get(index)?).extent(), Extent::Text).then_some(index)
    }

    /// Returns a problem of the wire format, such as a malformed or repeated text, if the parameter is present.
    pub(crate) fn problem(&self, parameter: &'static Parameter) -> Option<ViolationKind> {
        if let Some(pairs) = self.pairs(parameter) {
            let is_taken = |name: &str| self.is_taken(parameter, name);
            return layout(parameter).problem(Among { pairs, is_taken: &is_taken });
        }
        if let (Location::QueryString, Some(ContentFormat::Form)) = (parameter.location, parameter.content) {
            return self.form(parameter).is_malformed().then_some(ViolationKind::Malformed(ENCODING));
        }
        let given = self.given(parameter);
        if given.try_each(&mut |text| Ok(text.decode().map(drop)?)).is_err() {
            return Some(ViolationKind::Malformed(ENCODING));
        }
        let is_single = is_json(parameter) || form_of(parameter.schema) == Form::Scalar;
        (is_single && given.is_repeated()).then_some(ViolationKind::Repeated)
    }

    /// Passes a reader to `read` if this parameter is present; returns whether it is.
    #[inline]
    pub(crate) fn read(
        &self,
        parameter: &'static Parameter,
        read: &mut Item<'_>,
    ) -> Result<bool, DecodeError> {
        if let Some(pairs) = self.pairs(parameter) {
            let is_taken = |name: &str| self.is_taken(parameter, name);
            return layout(parameter).read(Among { pairs, is_taken: &is_taken }, read);
        }
        let given = self.given(parameter);
        if !given.is_present() {
            return Ok(false);
        }
        if let (Location::QueryString, Some(ContentFormat::Form)) = (parameter.location, parameter.content) {
            return read(&mut source_reader(self.form(parameter))).map(|()| true);
        }
        match parameter.style {
            _ if is_json(parameter) => read_json_text(given, read)?,
            Style::Label => read_label(given, parameter, read)?,
            Style::Matrix => read_matrix(given, parameter, read)?,
            _ => read_simple(given, parameter, Delimiter::Comma, read)?,
        }
        Ok(true)
    }

    /// Returns the pairs that contain this parameter, if its location has pairs.
    fn pairs(&self, parameter: &Parameter) -> Option<&Pairs<'a>> {
        match parameter.location {
            Location::Query => Some(self.query_pairs.get_or_init(|| Pairs::of(self.split()))),
            Location::Cookie if parameter.style == Style::Cookie => {
                let pairs = || Pairs::of_cookies(self.headers, Coding::Plain);
                Some(self.plain_cookie_pairs.get_or_init(pairs))
            }
            Location::Cookie => {
                let pairs = || Pairs::of_cookies(self.headers, Coding::Percent);
                Some(self.cookie_pairs.get_or_init(pairs))
            }
            Location::QueryString | Location::Path | Location::Header => None,
        }
    }

    /// Returns the query as the fields of a form.
    fn form(&self, parameter: &'static Parameter) -> FormFields<'_> {
        FormFields::new(self.query.as_bytes(), parameter.schema, parameter.encodings)
    }

    /// Returns the texts of a parameter that is not a pair.
    fn given(&self, parameter: &'static Parameter) -> Given<'_> {
        match parameter.location {
            Location::Header => return Given::header(self.headers, parameter.name),
            // A form without fields is an empty query.
            Location::QueryString
                if self.query.is_empty()
                    && !(parameter.required && parameter.content == Some(ContentFormat::Form)) =>
            {
                return Given::None;
            }
            // A plus is a space in forms only.
            Location::QueryString => return Given::One(Raw::of_text(self.query, Coding::Percent)),
            Location::Path | Location::Query | Location::Cookie => {}
        }
        match self.path.iter().find(|(name, _)| *name == parameter.name) {
            Some((_, text)) => Given::One(Raw::of_text(text, Coding::Percent)),
            None => Given::None,
        }
    }

    /// Returns whether `name` belongs to another parameter of the same location.
    fn is_taken(&self, parameter: &Parameter, name: &str) -> bool {
        self.operation
            .parameters
            .iter()
            .filter(|other| other.location == parameter.location && other.name != parameter.name)
            .any(|other| layout(other).owns(name))
    }

    /// Returns the names in a closed query that belong to nothing that the document describes.
    pub(crate) fn unknown_names(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let query = if self.operation.closed_query { self.query } else { "" };
        let is_known = |name: &str| self.parameter_of(name).is_some() || self.is_key(name);
        split_query(query).map(|pair| pair.name).filter(move |name| !is_known(name))
    }

    /// Fails if one of these pairs of a closed query belongs to nothing that the document describes.
    fn check_known(&self, pairs: &Pairs<'_>) -> Result<(), DecodeError> {
        let mut last = None;
        for pair in pairs.iter() {
            // Neighbouring keys mostly belong to one parameter.
            if last.is_some_and(|parameter| accepts(parameter, &pair.name)) {
                continue;
            }
            last = self.parameter_of(&pair.name);
            if last.is_none() && !self.is_key(&pair.name) {
                return Err(DecodeError::unknown(pair.name.as_ref()));
            }
        }
        Ok(())
    }

    /// Returns the parameter in the query that a pair with this name can be part of.
    fn parameter_of(&self, name: &str) -> Option<&'static Parameter> {
        self.operation.parameters.iter().find(|parameter| accepts(parameter, name))
    }

    /// Returns whether an API key in the query has this name.
    fn is_key(&self, name: &str) -> bool {
        let is_match =
            |needed: &Requirement| matches!(needed.scheme.kind, SchemeKind::ApiKeyQuery(key) if key == name);
        self.operation.security.iter().copied().flatten().any(is_match)
    }
}

/// Returns whether a pair of the query with this name can be part of a parameter.
fn accepts(parameter: &'static Parameter, name: &str) -> bool {
    match parameter.location {
        Location::Query => layout(parameter).accepts(name),
        Location::QueryString => true,
        Location::Path | Location::Header | Location::Cookie => false,
    }
}

fn is_json(parameter: &Parameter) -> bool {
    parameter.content == Some(ContentFormat::Json)
}

#[inline]
fn layout(parameter: &'static Parameter) -> Layout {
    Layout {
        name: parameter.name,
        style: parameter.style,
        explode: parameter.explode,
        is_json: is_json(parameter),
        schema: parameter.schema,
    }
}

fn read_simple(
    given: Given<'_>,
    parameter: &'static Parameter,
    delimiter: Delimiter,
    read: &mut Item<'_>,
) -> Result<(), DecodeError> {
    read(&mut Styled::simple(given, delimiter, parameter.explode, parameter.schema).reader())
}

/// Reads the style `label`: `.1,2`, or exploded `.1.2`.
///
/// OpenAPI before 3.0.4 wrote `.1.2` in both cases, so dots are delimiters of a list without commas.
fn read_label(
    given: Given<'_>,
    parameter: &'static Parameter,
    read: &mut Item<'_>,
) -> Result<(), DecodeError> {
    let text = given.single()?;
    let Some(list) = text.bytes().strip_prefix(b".") else {
        return refuse(Malformed.into(), read);
    };
    let has_comma = memchr::memchr(b',', list).is_some();
    let delimiter = if has_comma && !parameter.explode { Delimiter::Comma } else { Delimiter::Dot };
    read_simple(Given::One(text.with(list)), parameter, delimiter, read)
}

/// Reads the style `matrix`: `;a=1;a=2`.
fn read_matrix(
    given: Given<'_>,
    parameter: &'static Parameter,
    read: &mut Item<'_>,
) -> Result<(), DecodeError> {
    let text = given.single()?;
    let pairs = Pairs::of_matrix(text.bytes());
    let among = Among { pairs: &pairs, is_taken: &|_| false };
    if text.bytes().first() == Some(&b';') && layout(parameter).read(among, read)? {
        return Ok(());
    }
    refuse(Malformed.into(), read)
}

/// Passes a reader of a response header to `read` if the header is present; returns whether it is.
///
/// `assumes_utc` is whether a date-time without an offset is one in UTC. Each line of `Set-Cookie` is a value,
/// because its values may contain commas. A schema of a text gets these lines as one text.
///
/// # Errors
/// Fails if the value is not as documented, or if `read` fails.
pub fn read_header(
    header: &'static Header,
    headers: &HeaderMap,
    assumes_utc: bool,
    read: &mut Item<'_>,
) -> Result<bool, DecodeError> {
    let given = Given::header(headers, header.name);
    if !given.is_present() {
        return Ok(false);
    }
    let mode = ReadMode { is_tolerant: true, assumes_utc };
    if header.content == Some(ContentFormat::Json) || !header.has_value_per_line() {
        read_header_text(header, given, mode, read)?;
    } else if form_of(header.schema) == Form::Scalar {
        let mut lines = Vec::new();
        given.try_each(&mut |line| {
            lines.push(line.decode()?);
            Ok(())
        })?;
        read(&mut source_reader(Raw::Text(&lines.join("\n"))).in_mode(mode))?;
    } else {
        let styled = Styled::exploded(given, header.schema);
        read(&mut Styled { assigned: true, mode, ..styled }.reader())?;
    }
    Ok(true)
}

/// Passes a reader of a header, which is a list or JSON, to `read`.
pub(crate) fn read_header_text(
    header: &'static Header,
    given: Given<'_>,
    mode: ReadMode,
    read: &mut Item<'_>,
) -> Result<(), DecodeError> {
    if header.content == Some(ContentFormat::Json) {
        let text = given.single()?;
        let text = text.text()?;
        return mode.json(text.as_bytes()).read_by(read);
    }
    let styled = Styled::simple(given, Delimiter::Comma, header.explode, header.schema);
    read(&mut Styled { mode, ..styled }.reader())
}
