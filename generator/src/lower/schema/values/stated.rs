//! `x-unchecked` and `x-media`: rules of strings that are documented but not checked.

use crate::{
    diagnostics::{Code, nearest},
    document::media,
    ir::{Inline, Media, MediaLimit, Stated},
    lower::{resolver::flat::Flat, schema::state::Schemas},
    tree::{Node, NodeRef},
};

impl<'d> Schemas<'d, '_> {
    /// Returns the rules of a string that are documented but not checked.
    pub fn stated(&mut self, flat: &Flat<'d>) -> Option<Box<Stated>> {
        let pattern = self.unchecked_pattern(flat);
        let media = flat.merged.media.and_then(|node| self.media(node));
        let stated = Stated { pattern, media };
        (stated != Stated::default()).then(|| Box::new(stated))
    }

    /// Returns the pattern of a string, if `x-unchecked` names it.
    ///
    /// The implementation of the API checks it with rules of its own.
    fn unchecked_pattern(&mut self, flat: &Flat<'d>) -> Option<String> {
        let mut is_unchecked = false;
        for list in &flat.unchecked {
            if !list.is_array() {
                let message = format!("`x-unchecked` must be a list of keywords, not {}", list.kind_name());
                self.error(Code::BadExtension, list, message);
            }
            for keyword in list.items() {
                if keyword.as_str() == Some("pattern") {
                    is_unchecked = true;
                } else {
                    let message =
                        "unsupported keyword in `x-unchecked`; only `pattern` can be left unchecked";
                    let near = nearest(keyword.as_str().unwrap_or_default(), ["pattern"]);
                    self.error(Code::BadExtension, keyword, message)
                        .near("a keyword with a similar name", near);
                }
            }
        }
        if !is_unchecked {
            return None;
        }
        let pattern = flat.pattern.first().and_then(|node| node.as_str());
        if pattern.is_none()
            && let Some(list) = flat.unchecked.first()
        {
            self.error(
                Code::BadExtension,
                list,
                "`x-unchecked` names `pattern`, but the schema has no `pattern`",
            );
        }
        pattern.map(str::to_owned)
    }

    /// Reads an `x-media`: the kind of the medium, or an object that also has its media types and limits.
    fn media(&mut self, node: NodeRef<'d>) -> Option<Media> {
        if let Some(kind) = node.as_str() {
            return Some(Media { kind: kind.to_owned(), ..Media::default() });
        }
        let message = "`x-media` must be the kind of a medium, such as `image`, or an object with a `kind`";
        let kind = self.found(node.get("kind").and_then(Node::as_str), node, message)?;
        let limits = MediaLimit::ALL.map(MediaLimit::name);
        let known: Vec<&str> = ["kind", "types", "inline"].into_iter().chain(limits).collect();
        self.check_extension(node, "`x-media`", &known);
        let mut media = Media { kind: kind.to_owned(), ..Media::default() };
        for (name, value) in node.entries() {
            match name {
                "kind" => {}
                "types" => media.types = self.media_types(value),
                "inline" => media.inline = self.inline(value),
                _ => {
                    let Some(limit) = MediaLimit::ALL.into_iter().find(|limit| limit.name() == name) else {
                        continue;
                    };
                    let number = value.as_f64().filter(|value| *value >= 0.0);
                    let number =
                        self.found(number, value, format!("`{name}` must be a number of at least 0"));
                    media.limits.extend(number.map(|number| (limit, number)));
                }
            }
        }
        let position = |limit: &MediaLimit| MediaLimit::ALL.iter().position(|other| other == limit);
        media.limits.sort_by_key(|(limit, _)| position(limit));
        Some(media)
    }

    fn inline(&mut self, node: NodeRef<'d>) -> Option<Inline> {
        let found = Inline::ALL.into_iter().find(|form| node.as_str() == Some(form.name()));
        if found.is_none() {
            let near = nearest(node.as_str().unwrap_or_default(), Inline::ALL.map(Inline::name));
            self.error(Code::BadExtension, node, "`inline` must be `base64` or `data-uri`")
                .near("a form with a similar name", near);
        }
        found
    }

    fn media_types(&mut self, node: NodeRef<'d>) -> Vec<String> {
        if !node.is_array() {
            self.error(Code::BadExtension, node, "`types` must be a list of media types");
        }
        let message = "invalid media type; use one such as `image/png`";
        let text = |item: &'d Node| {
            let text = item.as_str().filter(|text| media::is_media_type(text)).map(str::to_owned);
            self.found(text, item, message)
        };
        node.items().iter().filter_map(text).collect()
    }
}
