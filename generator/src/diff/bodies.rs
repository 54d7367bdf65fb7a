//! Compares the bodies of requests and responses: media types, formats, encodings.

use super::{
    compare::{Compare, Resolved, resolved},
    position::{Position, Step},
    rule::{CallRule, Flow},
    words::{self, from_to},
};
use crate::ir::{Api, Body, Content, Encoding, Encodings, Kind, Schema};

impl<'a> Compare<'a> {
    /// Compares request bodies.
    pub(super) fn bodies(&mut self, old: Option<&'a Body>, new: Option<&'a Body>, at: &Position<'_>) {
        let (from, to) = match (old, new) {
            (None, None) => return,
            (None, Some(body)) => {
                let at = at.at(Step::Named("body")).added(body.origin);
                let (rule, message) = match body.required {
                    true => (CallRule::BodyAddedRequired, "is new and required"),
                    false => (CallRule::BodyAdded, "is new, optional"),
                };
                return self.add(rule, &at, message);
            }
            (Some(body), None) => {
                let at = at.at(Step::Named("body")).removed(body.origin);
                return self.add(CallRule::BodyRemoved, &at, "is removed");
            }
            (Some(from), Some(to)) => (from, to),
        };
        // The schema is that of the contents.
        let Body { required, required_at, limit, contents, schema: _, origin } = from;
        let at = &at.at(Step::Named("body")).from(*origin, to.origin);
        let entry = &at.from(*required_at, to.required_at);
        match (required, to.required) {
            (false, true) => self.add(CallRule::BodyBecameRequired, entry, "is now required"),
            (true, false) => self.add(CallRule::BodyBecameOptional, entry, "is now optional"),
            _ => {}
        }
        if *limit != to.limit {
            let smaller = match (limit, to.limit) {
                (Some(from), Some(to)) => to < *from,
                (from, to) => from.is_none() && to.is_some(),
            };
            let rule = if smaller { CallRule::BodyLimitDecreased } else { CallRule::BodyLimitIncreased };
            let text = |limit: Option<u64>| {
                limit.map_or_else(|| "the server's".to_owned(), |limit| limit.to_string())
            };
            let (from, to) = (text(*limit), text(to.limit));
            let message = format!("limit {}", from_to(Some(&from), Some(&to)));
            self.change(rule, at, message, (Some(from), Some(to)));
        }
        self.contents(
            contents,
            &to.contents,
            (CallRule::RequestMediaAdded, CallRule::RequestMediaRemoved),
            at,
        );
    }

    /// Compares the media types of a body, with the rules of one that is new and one that was removed.
    pub(super) fn contents(
        &mut self,
        old: &'a [Content],
        new: &'a [Content],
        (added, removed): (CallRule, CallRule),
        at: &Position<'_>,
    ) {
        let types = |content: &'a Content| std::iter::once(&content.media_type).chain(&content.also);
        let mut compared: Vec<(usize, usize)> = Vec::new();
        for (from_index, from) in old.iter().enumerate() {
            for media_type in types(from) {
                let found = new.iter().position(|to| types(to).any(|other| other == media_type));
                let Some(to_index) = found else {
                    let message = format!("media type `{media_type}` is removed");
                    self.change(removed, at, message, (Some(media_type.clone()), None));
                    continue;
                };
                if let Some(to) = new.get(to_index).filter(|_| !compared.contains(&(from_index, to_index))) {
                    compared.push((from_index, to_index));
                    self.content(from, to, at);
                }
            }
        }
        for media_type in new.iter().flat_map(types) {
            if !old.iter().flat_map(types).any(|other| other == media_type) {
                let message = format!("media type `{media_type}` is new");
                self.change(added, at, message, (None, Some(media_type.clone())));
            }
        }
    }

    fn content(&mut self, old: &'a Content, new: &'a Content, at: &Position<'_>) {
        let Content { media_type: _, also: _, format, schema, encodings, xml } = old;
        let (written, encoded, root) = match at.flow {
            Flow::Request => (
                CallRule::RequestFormatChanged,
                CallRule::RequestEncodingChanged,
                CallRule::RequestXmlChanged,
            ),
            Flow::Response => (
                CallRule::ResponseFormatChanged,
                CallRule::ResponseEncodingChanged,
                CallRule::ResponseXmlChanged,
            ),
        };
        if *format != new.format {
            let message = format!(
                "`{}` is written as {}, was {}",
                new.media_type,
                words::format(new.format),
                words::format(*format)
            );
            return self.add(written, at, message);
        }
        if *xml != new.xml {
            self.add(root, at, "the root has another form in XML");
        }
        let kept = |property: &str| {
            has_property(self.old, schema, property) && has_property(self.new, &new.schema, property)
        };
        let changed = changed_encodings(encodings, &new.encodings, &kept);
        for property in changed {
            self.add(encoded, &at.at(Step::Property(&property)), "is written differently");
        }
        for (old, new) in same_parts(encodings, &new.encodings) {
            self.headers(&old.headers, &new.headers, &at.at(Step::Property(&old.property)));
        }
        self.schemas(schema, &new.schema, at);
    }
}

/// Returns the parts that are written differently in both documents, by property or position.
///
/// `kept` says whether both have a property: a part that is new is a property that is.
pub(super) fn changed_encodings(
    old: &Encodings,
    new: &Encodings,
    kept: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let Encodings { named, prefix, item } = old;
    let mut properties: Vec<&str> = named.iter().chain(&new.named).map(|it| it.property.as_str()).collect();
    properties.sort_unstable();
    properties.dedup();
    let encoding = |all: &[Encoding], property: &str| {
        all.iter().find(|it| it.property == property).cloned().unwrap_or_else(|| Encoding::new(property))
    };
    let mut changed: Vec<String> = Vec::new();
    for property in properties.into_iter().filter(|property| kept(property)) {
        if is_changed(&encoding(named, property), &encoding(&new.named, property)) {
            changed.push(property.to_owned());
        }
    }
    for (index, (old, new)) in prefix.iter().zip(&new.prefix).enumerate() {
        if is_changed(old, new) {
            changed.push(index.to_string());
        }
    }
    if let (Some(old), Some(new)) = (item, &new.item)
        && is_changed(old, new)
    {
        changed.push("*".to_owned());
    }
    changed
}

/// Returns whether a part is written differently. Its headers are compared by themselves.
fn is_changed(old: &Encoding, new: &Encoding) -> bool {
    let Encoding { property: _, content_type, style, explode, allow_reserved, headers: _, own_type, parts } =
        old;
    (content_type, style, explode, allow_reserved, own_type)
        != (&new.content_type, &new.style, &new.explode, &new.allow_reserved, &new.own_type)
        || !changed_encodings(parts, &new.parts, &|_| true).is_empty()
}

/// Returns the encodings of parts that both documents describe.
fn same_parts<'a>(old: &'a Encodings, new: &'a Encodings) -> Vec<(&'a Encoding, &'a Encoding)> {
    let named = old
        .named
        .iter()
        .filter_map(|from| Some((from, new.named.iter().find(|to| to.property == from.property)?)));
    named
        .chain(old.prefix.iter().zip(&new.prefix))
        .chain(old.item.as_deref().zip(new.item.as_deref()))
        .collect()
}

/// Returns whether an object has a property.
fn has_property(api: &Api, schema: &Schema, property: &str) -> bool {
    let Resolved { def, .. } = resolved(api, schema);
    match def.map(|def| &def.kind) {
        Some(Kind::Struct(body)) => body.fields.iter().any(|field| field.wire == property),
        _ => true,
    }
}
