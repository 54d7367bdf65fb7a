//! `quality-ambiguous-path`: two templates match the same path, and neither is more specific.

use std::collections::{BTreeSet, HashMap};

use super::operations::parameters;
use crate::{
    diagnostics::Code,
    lints::{
        Linter, listed,
        parts::{parts, types_of},
    },
    patterns::matches,
    selection::{Candidate, candidates},
    tree::{Node, NodeRef},
};

/// A path of the document.
struct Template<'d> {
    path: &'d str,
    operations: Vec<Candidate<'d>>,
    segments: Vec<Segment<'d>>,
}

/// A segment as the literal text before, between and after its parameters: `["", ".json"]` for `{name}.json`.
#[derive(PartialEq)]
struct Segment<'d>(Vec<&'d str>);

/// Reports each ambiguous path with the others that match the same requests. Paths with the most conflicts come first.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let templates = templates(linter);
    let mut conflicts = conflicts(&templates, linter);
    // By the number of conflicts, then by the position in the document. The last one is reported next.
    let counts = conflicts.iter().enumerate().map(|(index, others)| (others.len(), index));
    let mut order: BTreeSet<(usize, usize)> = counts.collect();
    while let Some((_, worst)) = order.pop_last() {
        let others = conflicts.get_mut(worst).map(std::mem::take).unwrap_or_default();
        for index in &others {
            let Some(rest) = conflicts.get_mut(*index) else { continue };
            order.remove(&(rest.len(), *index));
            rest.remove(&worst);
            order.insert((rest.len(), *index));
        }
        let others: Vec<&Template<'_>> = others.iter().filter_map(|index| templates.get(*index)).collect();
        if let (Some(template), [first, others @ ..]) = (templates.get(worst), others.as_slice()) {
            report(linter, template, first, others);
        }
    }
}

/// Returns the indexes of the templates that each template conflicts with.
fn conflicts<'d>(templates: &[Template<'d>], linter: &Linter<'d, '_>) -> Vec<BTreeSet<usize>> {
    let mut conflicts = vec![BTreeSet::new(); templates.len()];
    let mut earlier = Tree::default();
    for (index, template) in templates.iter().enumerate() {
        let mut similar = Vec::new();
        earlier.find(leading(&template.segments), &mut similar);
        for other in similar {
            if templates.get(other).is_some_and(|other| template.conflicts(other, linter)) {
                for (one, two) in [(index, other), (other, index)] {
                    if let Some(others) = conflicts.get_mut(one) {
                        others.insert(two);
                    }
                }
            }
        }
        earlier.insert(leading(&template.segments), index);
    }
    conflicts
}

/// Returns the segments that are the keys of a template in the tree. More segments would only make the tree deeper.
fn leading<'t, 'd>(segments: &'t [Segment<'d>]) -> &'t [Segment<'d>] {
    segments.get(..16).unwrap_or(segments)
}

/// Templates by their leading segments, so that templates with different literal segments are not compared.
#[derive(Default)]
struct Tree<'t> {
    /// The indexes of the templates whose leading segments end here.
    indexes: Vec<usize>,
    literal: HashMap<&'t str, Tree<'t>>,
    with_parameters: Vec<(&'t Segment<'t>, Tree<'t>)>,
}

impl<'t> Tree<'t> {
    fn insert(&mut self, segments: &'t [Segment<'t>], index: usize) {
        let Some((first, rest)) = segments.split_first() else { return self.indexes.push(index) };
        let next = match first.literal() {
            Some(text) => self.literal.entry(text).or_default(),
            None => {
                let known = self.with_parameters.iter().position(|(segment, _)| *segment == first);
                let position = known.unwrap_or_else(|| {
                    self.with_parameters.push((first, Tree::default()));
                    self.with_parameters.len() - 1
                });
                let Some((_, next)) = self.with_parameters.get_mut(position) else { return };
                next
            }
        };
        next.insert(rest, index);
    }

    /// Finds the templates whose segments overlap these.
    fn find(&self, segments: &[Segment<'_>], found: &mut Vec<usize>) {
        let Some((first, rest)) = segments.split_first() else { return found.extend(&self.indexes) };
        match first.literal() {
            Some(text) => self.literal.get(text).into_iter().for_each(|next| next.find(rest, found)),
            None => {
                let matching = self.literal.iter().filter(|(text, _)| first.matches(text));
                matching.for_each(|(_, next)| next.find(rest, found));
            }
        }
        let overlapping = self.with_parameters.iter().filter(|(segment, _)| segment.overlaps(first));
        overlapping.for_each(|(_, next)| next.find(rest, found));
    }
}

fn report(
    linter: &mut Linter<'_, '_>,
    template: &Template<'_>,
    first: &Template<'_>,
    others: &[&Template<'_>],
) {
    let is_same = template.segments == first.segments;
    let message = if is_same {
        format!("`{}` is the same path as `{}`, with other parameter names", template.path, first.path)
    } else {
        let example = template.shared_path(first);
        format!("a request for `{example}` matches this path and `{}`; neither is more specific", first.path)
    };
    let (Some(own), Some(other)) = (template.operations.first(), first.operations.first()) else { return };
    let Some(warning) = linter.warn(Code::QualityAmbiguousPath, own.entry, message) else { return };
    warning.at_name().label_at_name(other.entry, "the other path");
    if !others.is_empty() {
        let paths = others.iter().map(|other| format!("`{}`", other.path));
        warning.note(format!("it is ambiguous with {}, too", listed(paths)));
    }
    warning.help(if is_same {
        "give the parameters the same names, and put the operations into one path item"
    } else {
        "add a literal segment to one of the paths"
    });
}

/// Returns the paths that are plain templates and have operations.
fn templates<'d>(linter: &Linter<'d, '_>) -> Vec<Template<'d>> {
    let mut templates: Vec<Template<'d>> = Vec::new();
    for operation in candidates(linter.document) {
        match templates.last_mut().filter(|last| last.path == operation.path) {
            Some(template) => template.operations.push(operation),
            None => templates.extend(segments(operation.path).map(|segments| Template {
                path: operation.path,
                operations: vec![operation],
                segments,
            })),
        }
    }
    templates
}

impl<'d> Template<'d> {
    /// Returns whether a request matches both templates, and neither is more specific.
    ///
    /// Two equal templates with the same method are an error, which is always reported.
    fn conflicts(&self, other: &Self, linter: &Linter<'d, '_>) -> bool {
        if self.segments.len() != other.segments.len() {
            return false;
        }
        let methods = |template: &Self| template.operations.iter().map(|one| one.method).collect::<Vec<_>>();
        let shares_method = || methods(self).iter().any(|method| methods(other).contains(method));
        let pairs = || self.segments.iter().zip(&other.segments);
        if self.segments == other.segments {
            return !shares_method();
        }
        pairs().all(|(one, two)| one.overlaps(two))
            && !pairs().all(|(one, two)| one.is_within(two))
            && !pairs().all(|(one, two)| two.is_within(one))
            && shares_method()
            && (self.accepts(other, linter) || other.accepts(self, linter))
    }

    /// Returns whether the parameters of this template accept the literal segments of the other one.
    ///
    /// If both operations refuse a request, it makes no difference which of them gets it.
    fn accepts(&self, other: &Self, linter: &Linter<'d, '_>) -> bool {
        let Some(operation) = self.operations.first() else { return false };
        let parameters = parameters(linter.document, operation);
        let texts = self.path.split('/').skip(1).zip(&other.segments);
        let values = texts.filter_map(|(written, other)| {
            let name = written.strip_prefix('{')?.strip_suffix('}')?;
            let named = |parameter: &&NodeRef<'d>| parameter.get("name").and_then(Node::as_str) == Some(name);
            Some((parameters.iter().find(named)?.get("schema")?, other.literal()?))
        });
        values.into_iter().all(|(schema, text)| accepts(linter, schema, text))
    }

    /// Returns a path that matches both templates.
    ///
    /// It has the more specific one of each pair of segments. If neither is, it has one that combines them.
    fn shared_path(&self, other: &Self) -> String {
        let segments = self.path.split('/').zip(other.path.split('/')).skip(1);
        let pairs = segments.zip(self.segments.iter().zip(&other.segments));
        pairs.fold(String::new(), |path, ((one, two), (own, others))| {
            let shared = if own.is_within(others) {
                one.to_owned()
            } else if others.is_within(own) {
                two.to_owned()
            } else {
                combined((one, own), (two, others))
            };
            path + "/" + &shared
        })
    }
}

/// Returns a text that matches two segments with parameters: `a.{y}.json` for `a.{y}` and `{x}.json`.
fn combined((one, own): (&str, &Segment<'_>), (two, others): (&str, &Segment<'_>)) -> String {
    let ((before, after), (other_before, other_after)) = (own.ends(), others.ends());
    // A single parameter of the other segment can have the text of all own ones.
    let more = if others.0.len() > 2 { parameters_of(two) } else { "" };
    [longer(before, other_before), parameters_of(one), more, longer(after, other_after)].concat()
}

fn longer<'t>(one: &'t str, two: &'t str) -> &'t str {
    if one.len() > two.len() { one } else { two }
}

/// Returns the text of a segment from its first parameter to its last one.
fn parameters_of(segment: &str) -> &str {
    let ends = segment.find('{').zip(segment.rfind('}'));
    ends.and_then(|(start, end)| segment.get(start..=end)).unwrap_or_default()
}

/// Returns whether a path parameter with this schema can be `text`, by its type, enum, format and pattern.
fn accepts(linter: &Linter<'_, '_>, schema: NodeRef<'_>, text: &str) -> bool {
    parts(linter.document, schema, &["allOf"]).into_iter().all(|part| {
        let mut types = types_of(part).peekable();
        let is_number = types.peek().is_some() && types.all(|kind| matches!(kind, "integer" | "number"));
        let values = part.get("enum").map_or(&[][..], Node::items);
        let is_listed =
            values.is_empty() || values.iter().any(|value| value.as_written().as_deref() == Some(text));
        let is_uuid = part.get("format").and_then(Node::as_str) == Some("uuid");
        let pattern = part.get("pattern").and_then(Node::as_str);
        (!is_number || text.parse::<f64>().is_ok_and(f64::is_finite))
            && (!is_uuid || text.len() == 36)
            && is_listed
            && pattern.is_none_or(|pattern| matches(pattern, text))
    })
}

impl Segment<'_> {
    /// Returns whether a text can match both segments.
    ///
    /// If both have parameters, only the text before the first and after the last parameter is compared.
    fn overlaps(&self, other: &Self) -> bool {
        match (self.literal(), other.literal()) {
            (Some(one), Some(two)) => one == two,
            (Some(text), None) => other.matches(text),
            (None, Some(text)) => self.matches(text),
            (None, None) => {
                let ((before, after), (other_before, other_after)) = (self.ends(), other.ends());
                (before.starts_with(other_before) || other_before.starts_with(before))
                    && (after.ends_with(other_after) || other_after.ends_with(after))
            }
        }
    }

    /// Returns whether every text that matches this segment matches the other one, too.
    fn is_within(&self, other: &Self) -> bool {
        if let Some(text) = self.literal() {
            return other.matches(text);
        }
        let ((before, after), (other_before, other_after)) = (self.ends(), other.ends());
        let is_looser =
            other.0.len() == 2 && before.starts_with(other_before) && after.ends_with(other_after);
        self == other || is_looser
    }

    /// Returns the text of the segment, or `None` if it has parameters.
    fn literal(&self) -> Option<&str> {
        if let [text] = self.0.as_slice() { Some(text) } else { None }
    }

    /// Returns the text before the first parameter and the text after the last one.
    fn ends(&self) -> (&str, &str) {
        (self.0.first().copied().unwrap_or_default(), self.0.last().copied().unwrap_or_default())
    }

    /// Returns whether a text matches. A parameter stands for at least one character.
    fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.0.split_first() else { return false };
        let Some(mut rest) = text.strip_prefix(first) else { return false };
        let Some((last, middle)) = others.split_last() else { return rest.is_empty() };
        for literal in middle {
            let after = rest.char_indices().nth(1).and_then(|(start, _)| rest.get(start..));
            let Some((_, behind)) = after.and_then(|after| after.split_once(literal)) else { return false };
            rest = behind;
        }
        rest.strip_suffix(last).is_some_and(|value| !value.is_empty())
    }
}

/// Returns the segments of a path, or `None` if it is not a plain template, which is reported elsewhere.
fn segments(path: &str) -> Option<Vec<Segment<'_>>> {
    if path.contains(['?', '#', '=', '+']) {
        return None;
    }
    path.strip_prefix('/')?.split('/').map(segment).collect()
}

fn segment(text: &str) -> Option<Segment<'_>> {
    let mut literals = Vec::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once('{') {
        literals.push(literal);
        rest = after.split_once('}')?.1;
    }
    literals.push(rest);
    let is_plain = literals.iter().all(|literal| !literal.contains(['{', '}']));
    is_plain.then_some(Segment(literals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_other_literal_segments_are_not_compared() {
        let paths: Vec<String> = (0..100).map(|index| format!("/a{index}/{{x}}/{}", index % 10)).collect();
        let templates: Vec<Vec<Segment<'_>>> = paths.iter().filter_map(|path| segments(path)).collect();
        let mut tree = Tree::default();
        templates.iter().enumerate().for_each(|(index, template)| tree.insert(template, index));
        for (path, expected) in
            [("/a7/{y}/7", vec![7]), ("/a7/{y}/8", vec![]), ("/{z}5/b/5", vec![5, 15, 25])]
        {
            let mut found = Vec::new();
            tree.find(&segments(path).unwrap_or_default(), &mut found);
            found.sort_unstable();
            assert_eq!(found.into_iter().take(3).collect::<Vec<_>>(), expected, "{path}");
        }
    }
}
