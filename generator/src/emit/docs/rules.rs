//! Constraints of values in words: `1 to 40000 characters.`

use std::fmt::Display;

use crate::ir::{
    Api, ArrayRules, Inline, MapRules, Media, MediaLimit, NameRules, Schema, TextRules, TextType, Type,
};

use super::code;
use super::conditions::Added;

/// Returns the constraints of a value, one sentence each.
pub(super) fn sentences(api: &Api, schema: &Schema) -> Vec<String> {
    let mut sentences = match &schema.ty {
        Type::Integer(rules) => bounded(
            [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum],
            rules.multiple_of,
        ),
        Type::Number(rules) => bounded(
            [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum],
            rules.multiple_of,
        ),
        Type::Text(rules) => text(api, rules),
        Type::Array(rules) => array(api, rules),
        Type::Map(rules) => map(api, rules),
        Type::Tuple(items) => {
            let each = |(index, item)| each(api, &format!("Item {index}"), item);
            (1..).zip(items).filter_map(each).collect()
        }
        Type::Any | Type::Unit | Type::Boolean | Type::Bytes | Type::File | Type::Stream(_) => Vec::new(),
        Type::Named { .. } => Vec::new(),
    };
    let allowed: Vec<_> = schema.allowed.iter().map(|literal| code(&literal.to_string())).collect();
    match allowed.as_slice() {
        [] => {}
        [only] => sentences.push(format!("Always {only}.")),
        _ => sentences.push(format!("One of {}.", allowed.join(", "))),
    }
    if let Some(also) = schema.also {
        let added = Added::of(api, also, false);
        sentences.extend(added.sentences);
        if !added.is_all {
            sentences.push("Validation applies further constraints.".to_owned());
        }
    }
    sentences
}

/// Returns the constraints of a number: its minimum, exclusive minimum, maximum and exclusive maximum, and its step.
fn bounded<T: Display>(bounds: [Option<T>; 4], step: Option<T>) -> Vec<String> {
    let bounds = match bounds {
        [Some(low), None, Some(high), None] => format!("From {low} to {high}"),
        bounds => {
            let words = ["at least", "greater than", "at most", "less than"].into_iter().zip(bounds);
            let words = words.filter_map(|(word, bound)| Some(format!("{word} {}", bound?)));
            capitalised(&words.collect::<Vec<_>>().join(" and "))
        }
    };
    let bounds = (!bounds.is_empty()).then(|| bounds + ".");
    bounds.into_iter().chain(step.map(|step| format!("A multiple of {step}."))).collect()
}

fn text(api: &Api, rules: &TextRules) -> Vec<String> {
    let length = count(rules.min_length, rules.max_length, "character", "characters");
    let form = match (rules.ty, rules.format) {
        (TextType::String, Some(format)) => Some(format.sentence().to_owned()),
        _ => None,
    };
    let checked = rules.pattern.and_then(|id| api.pattern_text(id));
    let stated = rules.stated.as_deref();
    let pattern = checked.or_else(|| stated?.pattern.as_deref());
    let pattern = pattern.map(|pattern| format!("Matches {}.", code(pattern)));
    let media = stated.and_then(|stated| stated.media.as_ref()).map_or_else(Vec::new, media);
    length.into_iter().chain(form).chain(pattern).chain(media).collect()
}

/// Returns the limits of a medium that a string holds or refers to.
fn media(media: &Media) -> Vec<String> {
    let types: Vec<_> = media.types.iter().map(|media_type| code(media_type)).collect();
    let types = any_of(&types).map(|types| format!("Media type: {types}."));
    let limit = |limit| media.limit(limit);
    let range = |words: &str, low: Option<f64>, high: Option<f64>, noun: &str| match (low, high) {
        (Some(low), Some(high)) => Some(format!("{words}{low} to {high} {noun}.")),
        (Some(low), None) => Some(format!("{words}at least {low} {noun}.")),
        (None, Some(high)) => Some(format!("{words}at most {high} {noun}.")),
        (None, None) => None,
    };
    let inline = media.inline.map(|form| match form {
        Inline::Base64 => "A URL, or the medium as base64.".to_owned(),
        Inline::DataUri => "A URL, or the medium as `data:` URI.".to_owned(),
    });
    let sentences = [
        types,
        inline,
        range("", None, limit(MediaLimit::MaxBytes), "bytes"),
        range("", None, limit(MediaLimit::MaxInlineBytes), "decoded bytes in the string itself"),
        range("Each side: ", limit(MediaLimit::MinSide), limit(MediaLimit::MaxSide), "pixels"),
        range("", None, limit(MediaLimit::MaxPixels), "pixels in total"),
        range("Length: ", limit(MediaLimit::MinSeconds), limit(MediaLimit::MaxSeconds), "seconds"),
    ];
    sentences.into_iter().flatten().map(|sentence| capitalised(&sentence)).collect()
}

/// Joins alternatives: `a, b or c`.
pub(in crate::emit) fn any_of(words: &[String]) -> Option<String> {
    match words.split_last()? {
        (only, []) => Some(only.clone()),
        (last, others) => Some(format!("{} or {last}", others.join(", "))),
    }
}

fn array(api: &Api, rules: &ArrayRules) -> Vec<String> {
    let items = count(rules.min_items, rules.max_items, "item", "items");
    let unique = rules.unique.then(|| "Items are unique.".to_owned());
    items.into_iter().chain(unique).chain(each(api, "Each item", &rules.items)).collect()
}

fn map(api: &Api, rules: &MapRules) -> Vec<String> {
    let entries = count(rules.min_properties, rules.max_properties, "entry", "entries");
    let names = rules.names.as_deref().map_or_else(Vec::new, |rules| names(api, rules));
    entries.into_iter().chain(names).chain(each(api, "Each value", &rules.values)).collect()
}

/// Returns the constraints on the names of a map's entries.
pub(in crate::emit) fn names(api: &Api, rules: &NameRules) -> Vec<String> {
    let each = rules.each.as_ref().and_then(|schema| each(api, "Property names", schema));
    let patterns = rules.patterns.iter().filter_map(|(id, _)| Some(code(api.pattern_text(*id)?)));
    let patterns = patterns.collect::<Vec<_>>().join(" or ");
    let patterns =
        (rules.closed && !patterns.is_empty()).then(|| format!("Property names match {patterns}."));
    each.into_iter().chain(patterns).collect()
}

/// Returns the constraints of the items of an array or the values of a map.
fn each(api: &Api, subject: &str, schema: &Schema) -> Option<String> {
    let rules = sentences(api, schema).join(" ");
    (!rules.is_empty()).then(|| format!("{subject}: {}", lowercased(&rules)))
}

pub(super) fn count(minimum: Option<u64>, maximum: Option<u64>, one: &str, many: &str) -> Option<String> {
    let noun = |count: u64| if count == 1 { one } else { many };
    Some(match (minimum.filter(|minimum| *minimum > 0), maximum) {
        (Some(low), Some(high)) if low == high => format!("Exactly {low} {}.", noun(low)),
        (Some(low), Some(high)) => format!("{low} to {high} {}.", noun(high)),
        (Some(low), None) => format!("At least {low} {}.", noun(low)),
        (None, Some(high)) => format!("At most {high} {}.", noun(high)),
        (None, None) => return None,
    })
}

pub(in crate::emit) fn capitalised(text: &str) -> String {
    with_first(text, str::make_ascii_uppercase)
}

pub(super) fn lowercased(text: &str) -> String {
    let is_word = text.chars().nth(1).is_some_and(char::is_lowercase) || text.starts_with("A ");
    if is_word { with_first(text, str::make_ascii_lowercase) } else { text.to_owned() }
}

fn with_first(text: &str, change: fn(&mut str)) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        change(first);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (minimum, maximum, expected) in [
            (None, None, None),
            (Some(0), None, None),
            (Some(1), Some(40000), Some("1 to 40000 characters.")),
            (Some(1), Some(1), Some("Exactly 1 character.")),
            (Some(1), None, Some("At least 1 character.")),
            (Some(0), Some(2), Some("At most 2 characters.")),
        ] {
            assert_eq!(count(minimum, maximum, "character", "characters").as_deref(), expected);
        }
    }

    #[test]
    fn bounds() {
        let bounds =
            |low: Option<f64>, above, high, below| bounded([low, above, high, below], None).join(" ");
        assert_eq!(bounds(Some(0.0), None, Some(1.5), None), "From 0 to 1.5.");
        assert_eq!(bounds(None, Some(0.0), Some(1.0), None), "Greater than 0 and at most 1.");
        assert_eq!(bounds(None, None, None, Some(9.0)), "Less than 9.");
        assert_eq!(bounds(None, None, None, None), "");
    }

    #[test]
    fn media_of_strings() {
        let limits = vec![
            (MediaLimit::MaxBytes, 10.0),
            (MediaLimit::MaxInlineBytes, 5.0),
            (MediaLimit::MinSide, 64.0),
            (MediaLimit::MaxSide, 8000.0),
            (MediaLimit::MaxPixels, 25e6),
            (MediaLimit::MaxSeconds, 1.5),
        ];
        let types = vec!["image/png".to_owned(), "image/jpeg".to_owned()];
        let image = Media { kind: "image".to_owned(), types, inline: Some(Inline::Base64), limits };
        assert_eq!(
            media(&image).join(" "),
            "Media type: `image/png` or `image/jpeg`. A URL, or the medium as base64. At most 10 bytes. At most 5 decoded bytes in the string itself. \
             Each side: 64 to 8000 pixels. At most 25000000 pixels in total. Length: at most 1.5 seconds."
        );
        assert_eq!(media(&Media { kind: "audio".to_owned(), ..Media::default() }), Vec::<String>::new());
    }

    #[test]
    fn items() {
        let api = crate::emit::sample::empty_api();
        let items = Schema::new(Type::Text(TextRules { max_length: Some(5), ..TextRules::default() }));
        let rules = ArrayRules { items, min_items: Some(1), max_items: Some(3), unique: true };
        let schema = Schema::new(Type::Array(Box::new(rules)));
        assert_eq!(
            sentences(&api, &schema).join(" "),
            "1 to 3 items. Items are unique. Each item: at most 5 characters."
        );
    }
}
