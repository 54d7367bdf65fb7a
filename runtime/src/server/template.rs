//! Path templates: text with parameters, split into segments.
//!
//! A segment is a literal (`voiceover`), a parameter (`{id}`), or a mix of both (`{model}-pro`, `{id}.{ext}`,
//! `{a}-{b}`). A parameter is never empty, and contains a `/` only as `%2F`.

use std::cmp::{Ordering, Reverse};

use memchr::memmem;

use super::routing::Captures;

/// The reason why a path template can't be routed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The template does not begin with `/`.
    #[error("it does not begin with `/`")]
    NotAbsolute,
    /// The template contains a query or a fragment.
    #[error("it contains a query or a fragment")]
    NotAPath,
    /// A brace has no counterpart.
    #[error("its braces do not match")]
    Braces,
    /// A parameter has no name: `{}`.
    #[error("it has a parameter without a name")]
    NoName,
    /// No text separates two parameters (`{a}{b}`), so their boundary is unknown.
    #[error("it has two parameters without text between them")]
    Adjacent,
    /// Two parameters have the same name.
    #[error("it names the parameter `{0}` twice")]
    Repeated(&'static str),
}

/// A parsed template.
#[derive(Debug)]
pub(super) struct Template {
    /// The segments after the leading `/`.
    ///
    /// There is at least one: the only segment of `/` is empty.
    pub(super) segments: Vec<Segment>,
    /// The names of the parameters, from left to right.
    pub(super) names: Vec<&'static str>,
}

/// A segment of a template, without the names of its parameters.
///
/// Literal text is percent-decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// Literal text only.
    Literal(Box<[u8]>),
    /// Literal text and parameters.
    Mixed(Mixed),
    /// A parameter only.
    Parameter,
}

/// Literal text and parameters in one segment: `prefix {} separator {} … suffix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mixed {
    prefix: Box<[u8]>,
    separators: Vec<Box<[u8]>>,
    suffix: Box<[u8]>,
}

impl Template {
    pub(super) fn parse(template: &'static str) -> Result<Self, TemplateError> {
        let path = template.strip_prefix('/').ok_or(TemplateError::NotAbsolute)?;
        let mut names = Vec::new();
        let segments =
            path.split('/').map(|text| Segment::parse(text, &mut names)).collect::<Result<Vec<_>, _>>()?;
        let mut all = names.iter().enumerate();
        match all.find(|(at, name)| names.iter().take(*at).any(|other| other == *name)) {
            Some((_, name)) => Err(TemplateError::Repeated(name)),
            None => Ok(Self { segments, names }),
        }
    }
}

impl Segment {
    fn parse(text: &'static str, names: &mut Vec<&'static str>) -> Result<Self, TemplateError> {
        let mut literals = Vec::new();
        let mut rest = text;
        while let Some((literal, parameter)) = rest.split_once('{') {
            let (name, after) = parameter.split_once('}').ok_or(TemplateError::Braces)?;
            if name.is_empty() {
                return Err(TemplateError::NoName);
            }
            if name.contains('{') {
                return Err(TemplateError::Braces);
            }
            if literal.is_empty() && !literals.is_empty() {
                return Err(TemplateError::Adjacent);
            }
            literals.push(parse_literal(literal)?);
            names.push(name);
            rest = after;
        }
        let suffix = parse_literal(rest)?;
        let mut literals = literals.into_iter();
        Ok(match literals.next() {
            None => Self::Literal(suffix),
            Some(prefix) if prefix.is_empty() && suffix.is_empty() && literals.len() == 0 => Self::Parameter,
            Some(prefix) => Self::Mixed(Mixed { prefix, separators: literals.collect(), suffix }),
        })
    }
}

fn parse_literal(text: &str) -> Result<Box<[u8]>, TemplateError> {
    match text.find(['?', '#', '}']).and_then(|at| text.as_bytes().get(at)) {
        Some(b'}') => Err(TemplateError::Braces),
        Some(_) => Err(TemplateError::NotAPath),
        None => Ok(percent_encoding::percent_decode_str(text).collect()),
    }
}

impl Mixed {
    /// Orders segments by precedence, the preferred one first.
    ///
    /// More literal text is preferred, then more of it at the front, then fewer parameters. Ties are broken
    /// by the text itself, so the order of the templates never matters.
    pub(super) fn precedence(&self, other: &Self) -> Ordering {
        let key = |mixed: &Self| {
            let separators: usize = mixed.separators.iter().map(|text| text.len()).sum();
            let total = mixed.prefix.len() + separators + mixed.suffix.len();
            (Reverse(total), Reverse(mixed.prefix.len()), mixed.separators.len())
        };
        key(self).cmp(&key(other)).then_with(|| {
            (&self.prefix, &self.separators, &self.suffix).cmp(&(
                &other.prefix,
                &other.separators,
                &other.suffix,
            ))
        })
    }

    /// Matches a percent-decoded segment and adds its parameters to `captures`.
    ///
    /// `position` maps positions in `segment` to positions in the path. Between two literals, a parameter is
    /// as short as possible. If the segment does not match, `captures` stays unchanged.
    pub(super) fn capture(
        &self,
        segment: &[u8],
        captures: &mut Captures,
        position: &dyn Fn(usize) -> usize,
    ) -> bool {
        let Some(middle) =
            segment.strip_prefix(&*self.prefix).and_then(|rest| rest.strip_suffix(&*self.suffix))
        else {
            return false;
        };
        let mark = captures.len();
        let end = self.prefix.len() + middle.len();
        let mut start = self.prefix.len();
        for separator in &self.separators {
            // A parameter has at least one byte, so the search for the separator begins after that.
            let found = segment.get(start + 1..end).and_then(|rest| memmem::find(rest, separator));
            let Some(found) = found else {
                captures.truncate(mark);
                return false;
            };
            let stop = start + 1 + found;
            captures.push(position(start), position(stop));
            start = stop + separator.len();
        }
        if start >= end {
            captures.truncate(mark);
            return false;
        }
        captures.push(position(start), position(end));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Segment {
        Segment::Literal(text.as_bytes().into())
    }

    fn mixed(prefix: &str, separators: &[&str], suffix: &str) -> Segment {
        Segment::Mixed(Mixed {
            prefix: prefix.as_bytes().into(),
            separators: separators.iter().map(|text| text.as_bytes().into()).collect(),
            suffix: suffix.as_bytes().into(),
        })
    }

    #[test]
    fn templates_are_split_into_segments() {
        let cases: &[(&'static str, Vec<Segment>, &[&str])] = &[
            ("/", vec![literal("")], &[]),
            ("/v1/icons", vec![literal("v1"), literal("icons")], &[]),
            ("/icons/", vec![literal("icons"), literal("")], &[]),
            ("/a%20b", vec![literal("a b")], &[]),
            ("/icons/{id}", vec![literal("icons"), Segment::Parameter], &["id"]),
            ("/{model}-pro", vec![mixed("", &[], "-pro")], &["model"]),
            ("/{id}.{ext}", vec![mixed("", &["."], "")], &["id", "ext"]),
            ("/{id}:cancel/{x}", vec![mixed("", &[], ":cancel"), Segment::Parameter], &["id", "x"]),
            ("/v{major}.{minor}-x", vec![mixed("v", &["."], "-x")], &["major", "minor"]),
        ];
        for (text, segments, names) in cases {
            let template = Template::parse(text).unwrap();
            assert_eq!(&template.segments, segments, "{text}");
            assert_eq!(&template.names, names, "{text}");
        }
    }

    #[test]
    fn templates_that_cannot_be_routed_are_refused() {
        let cases = [
            ("", TemplateError::NotAbsolute),
            ("v1", TemplateError::NotAbsolute),
            ("/a?b=c", TemplateError::NotAPath),
            ("/{a}#b", TemplateError::NotAPath),
            ("/{a", TemplateError::Braces),
            ("/a}", TemplateError::Braces),
            ("/{a{b}}", TemplateError::Braces),
            ("/{a/b}", TemplateError::Braces),
            ("/{}", TemplateError::NoName),
            ("/{a}{b}", TemplateError::Adjacent),
            ("/{a}/{b}/x-{a}", TemplateError::Repeated("a")),
        ];
        for (text, error) in cases {
            assert_eq!(Template::parse(text).unwrap_err(), error, "{text}");
        }
    }

    #[test]
    fn more_literal_text_comes_first() {
        let order =
            ["x-{a}-motion-pro", "{a}-motion-pro", "{a}-pro", "abc{a}", "{a}abc", "ab{a}c{b}", "{a}.{b}"];
        let parse = |text: &'static str| match Segment::parse(text, &mut Vec::new()).unwrap() {
            Segment::Mixed(mixed) => mixed,
            other => panic!("{other:?}"),
        };
        let expected =
            ["x-{a}-motion-pro", "{a}-motion-pro", "{a}-pro", "abc{a}", "ab{a}c{b}", "{a}abc", "{a}.{b}"];
        let mut sorted = order;
        sorted.sort_by(|left, right| parse(left).precedence(&parse(right)));
        assert_eq!(sorted, expected);
    }
}
