//! Compares the bodies of requests and responses: media types, formats, encodings.

use std::collections::BTreeSet;

use super::{
    compare::{Compare, Resolved, resolved},
    position::{Position, Step},
    ranges::{self, Change, Matched},
    rule::CallRule,
    words,
};
use crate::ir::{Api, Body, Content, Encoding, Encodings, Kind, Schema};

impl<'a> Compare<'a> {
    /// Compares request bodies.
    pub(super) fn bodies(&mut self, old: Option<&'a Body>, new: Option<&'a Body>, at: &Position<'_>) {
        let at = at.at(Step::Named("body"));
        let (from, to) = match (old, new) {
            (None, None) => return,
            (None, Some(body)) => {
                let (rule, message) = match body.required {
                    true => (CallRule::BodyAddedRequired, "is new and required"),
                    false => (CallRule::BodyAdded, "is new, optional"),
                };
                return self.add(rule, &at.added(body.origin), message);
            }
            (Some(body), None) => {
                return self.add(CallRule::BodyRemoved, &at.removed(body.origin), "is removed");
            }
            (Some(from), Some(to)) => (from, to),
        };
        // The contents have the same schema.
        let Body { required, required_at, limit, contents, schema: _, origin } = from;
        let at = &at.located(*origin, to.origin);
        let rules = [CallRule::BodyBecameRequired, CallRule::BodyBecameOptional];
        self.required((*required, to.required), rules, &at.located(*required_at, to.required_at));
        if *limit != to.limit {
            let rule = match (*limit, to.limit) {
                (Some(from), Some(to)) if to < from => CallRule::BodyLimitDecreased,
                (Some(_), Some(_)) => CallRule::BodyLimitIncreased,
                // Without a limit in the document, that of the server applies, which is unknown here.
                _ => CallRule::BodyLimitChanged,
            };
            let text = |limit: Option<u64>| {
                Some(limit.map_or_else(|| "that of the server".to_owned(), |limit| limit.to_string()))
            };
            self.between(rule, "limit", (text(*limit), text(to.limit)), at);
        }
        self.contents(contents, &to.contents, at);
    }

    /// Compares the media types of a body.
    pub(super) fn contents(&mut self, old: &'a [Content], new: &'a [Content], at: &Position<'_>) {
        let (added, removed) = at.flow.of(
            (CallRule::RequestMediaAdded, CallRule::RequestMediaRemoved),
            (CallRule::ResponseMediaAdded, CallRule::ResponseMediaRemoved),
        );
        let types = |all: &'a [Content]| -> Vec<(&'a Content, &'a str)> {
            let names = |it: &'a Content| std::iter::once(&it.media_type).chain(&it.also);
            all.iter().flat_map(|it| names(it).map(move |name| (it, name.as_str()))).collect()
        };
        let keys = |all: &[(&'a Content, &'a str)]| all.iter().map(|(_, name)| *name).collect::<Vec<_>>();
        let (old, new) = (types(old), types(new));
        let Matched { pairs, changes } = ranges::matched(&keys(&old), &keys(&new));
        let mut compared: Vec<(*const Content, *const Content)> = Vec::new();
        for (from, to) in pairs {
            let (Some(&(from, was)), Some(&(to, is))) = (old.get(from), new.get(to)) else { continue };
            let pair: (*const Content, *const Content) = (from, to);
            // The bytes of a range can be a body of any member, so they are not compared with one in another format.
            let is_comparable = was == is || from.format == to.format;
            if is_comparable && !compared.contains(&pair) {
                compared.push(pair);
                self.content(from, to, at);
            }
        }
        let narrowed = at.flow.of(removed, CallRule::ResponseNarrowed);
        for change in changes {
            let (all, index, rule, what) = match change {
                Change::Added(index) => (&new, index, added, "is new"),
                Change::Removed(index) => (&old, index, removed, "is removed"),
                Change::Narrowed(index) => (&old, index, narrowed, "is narrowed to some of its types"),
                Change::Merged(index) => (&old, index, CallRule::RangeChanged, "has no entry of its own"),
                Change::Split(index) => (&new, index, CallRule::RangeChanged, "has an entry of its own"),
            };
            let Some((_, name)) = all.get(index) else { continue };
            let value = Some((*name).to_owned());
            let is_new = matches!(change, Change::Added(_) | Change::Split(_));
            let values = if is_new { (None, value) } else { (value, None) };
            self.change(rule, at, format!("media type `{name}` {what}"), values);
        }
    }

    fn content(&mut self, old: &'a Content, new: &'a Content, at: &Position<'_>) {
        let Content { media_type: _, also: _, format, schema, encodings, xml } = old;
        if *format != new.format {
            let message = format!(
                "`{}` is written as {}, was {}",
                new.media_type,
                words::format(new.format),
                words::format(*format)
            );
            let rule = at.flow.of(CallRule::RequestFormatChanged, CallRule::ResponseFormatChanged);
            return self.add(rule, at, message);
        }
        if *xml != new.xml {
            let rule = at.flow.of(CallRule::RequestXmlChanged, CallRule::ResponseXmlChanged);
            self.add(rule, at, "the root has another form in XML");
        }
        let kept = |property: &str| {
            has_property(self.old, schema, property) && has_property(self.new, &new.schema, property)
        };
        self.changed_parts(changed_encodings(encodings, &new.encodings, &kept), at);
        for (old, new) in same_parts(encodings, &new.encodings) {
            self.headers(&old.headers, &new.headers, &at.at(Step::Property(&old.property)));
        }
        self.schemas(schema, &new.schema, at);
    }

    pub(super) fn changed_parts(&mut self, properties: Vec<String>, at: &Position<'_>) {
        let rule = at.flow.of(CallRule::RequestEncodingChanged, CallRule::ResponseEncodingChanged);
        for property in properties {
            self.add(rule, &at.at(Step::Property(&property)), "is written differently");
        }
    }
}

/// Returns the parts that are written differently in both documents, by property or position.
///
/// `kept` returns whether both documents have the property. A part of a new or removed property is reported with it.
pub(super) fn changed_encodings(
    old: &Encodings,
    new: &Encodings,
    kept: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let Encodings { named, prefix, item } = old;
    let properties: BTreeSet<&str> = named.iter().chain(&new.named).map(|it| it.property.as_str()).collect();
    let encoding = |all: &[Encoding], property: &str| {
        all.iter().find(|it| it.property == property).cloned().unwrap_or_else(|| Encoding::new(property))
    };
    let differs = |property: &&str| is_changed(&encoding(named, property), &encoding(&new.named, property));
    let properties = properties.into_iter().filter(|property| kept(property)).filter(differs);
    let first = prefix.iter().zip(&new.prefix).enumerate().filter(|(_, (old, new))| is_changed(old, new));
    let others = item.iter().zip(&new.item).filter(|(old, new)| is_changed(old, new));
    properties
        .map(str::to_owned)
        .chain(first.map(|(index, _)| index.to_string()))
        .chain(others.map(|_| "*".to_owned()))
        .collect()
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

fn has_property(api: &Api, schema: &Schema, property: &str) -> bool {
    let Resolved { def, .. } = resolved(api, schema);
    match def.map(|def| &def.kind) {
        Some(Kind::Struct(body)) => body.fields.iter().any(|field| field.wire == property),
        _ => true,
    }
}
