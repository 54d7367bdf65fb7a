//! The rules of schemas, on one line.
//!
//! A line has the Rust type first. The rules are the constraints that the type does not express.

use super::words::{Here, flag, joined, labelled, literals, number};
use crate::ir::{
    ArrayRules, IntegerRules, MapRules, Media, NameRules, NumberRules, Schema, Stated, Stream, TextFormat,
    TextRules, Type,
};

impl Here<'_> {
    /// Returns the Rust type and the rules of a schema.
    pub(super) fn schema(self, schema: &Schema) -> String {
        joined([self.ty(schema), self.rules(schema)])
    }

    /// Returns the rules of a schema in the words of JSON Schema.
    pub(super) fn rules(self, schema: &Schema) -> String {
        let Schema { ty, nullable, allowed, also } = schema;
        let allowed = (!allowed.is_empty()).then(|| literals(allowed));
        joined([
            flag("nullable", *nullable).to_owned(),
            self.rules_of(ty),
            labelled("enum", allowed),
            labelled("also", also.map(|id| self.json_schema(id))),
        ])
    }

    fn rules_of(self, ty: &Type) -> String {
        match ty {
            Type::Any | Type::Unit | Type::Boolean | Type::Bytes | Type::File => String::new(),
            Type::Integer(rules) => integer(rules),
            Type::Number(rules) => self::number_rules(rules),
            Type::Text(rules) => self.text(rules),
            Type::Stream(stream) => match &**stream {
                Stream::Bytes => String::new(),
                Stream::Items(item) | Stream::Events(item) => self.inner("items", item),
            },
            Type::Array(rules) => {
                let ArrayRules { items, min_items, max_items, unique } = &**rules;
                joined([
                    labelled("minItems", *min_items),
                    labelled("maxItems", *max_items),
                    flag("uniqueItems", *unique).to_owned(),
                    self.inner("items", items),
                ])
            }
            Type::Tuple(items) => {
                joined((1..).zip(items).map(|(index, item)| self.inner(&format!("item {index}"), item)))
            }
            Type::Map(rules) => {
                let MapRules { values, min_properties, max_properties, names } = &**rules;
                joined([properties(*min_properties, *max_properties), self.values(values, names.as_deref())])
            }
            // The Rust type says both.
            Type::Named { id: _, boxed: _ } => String::new(),
        }
    }

    /// Returns the rules of a map: `values (maxLength 10) names /^x-/ (String)`.
    pub(super) fn values(self, values: &Schema, names: Option<&NameRules>) -> String {
        joined([self.inner("values", values), names.map_or_else(String::new, |names| self.names(names))])
    }

    /// Returns the rules of a schema within another one: `items (maxLength 10)`.
    fn inner(self, word: &str, schema: &Schema) -> String {
        let rules = self.rules(schema);
        if rules.is_empty() { rules } else { format!("{word} ({rules})") }
    }

    fn names(self, names: &NameRules) -> String {
        let NameRules { each, patterns, others, closed } = names;
        let of = |word: &str, schema: Option<&Schema>| {
            schema.map_or_else(|| word.to_owned(), |schema| format!("{word} ({})", self.schema(schema)))
        };
        let patterns = patterns
            .iter()
            .map(|(pattern, schema)| of(&format!("names {}", self.pattern(*pattern)), schema.as_ref()));
        let text = joined(
            each.iter()
                .map(|each| of("each name", Some(each)))
                .chain(patterns)
                .chain(others.iter().map(|others| of("other names", Some(others))))
                .chain([flag("other names forbidden", *closed).to_owned()]),
        );
        if text.is_empty() { "any name".to_owned() } else { text }
    }

    fn text(self, rules: &TextRules) -> String {
        let TextRules { ty, min_length, max_length, pattern, format: _, stated } = rules;
        let format = rules.checked_format().filter(|format| format.ty() != *ty || *ty == Default::default());
        joined([
            labelled("minLength", *min_length),
            labelled("maxLength", *max_length),
            labelled("pattern", pattern.map(|id| self.pattern(id))),
            labelled("format", format.map(format_name)),
            stated.as_deref().map_or_else(String::new, self::stated),
        ])
    }
}

pub(super) fn properties(minimum: Option<u64>, maximum: Option<u64>) -> String {
    joined([labelled("minProperties", minimum), labelled("maxProperties", maximum)])
}

/// Returns the name of a format. Two formats of documents have a strict form.
pub(super) fn format_name(format: TextFormat) -> String {
    let strict = matches!(format, TextFormat::StrictUri | TextFormat::StrictEmail);
    format!("{}{}", flag("strict ", strict), format.name())
}

fn integer(rules: &IntegerRules) -> String {
    // The Rust type says the width.
    let IntegerRules { width: _, minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } =
        rules;
    limits([*minimum, *exclusive_minimum, *maximum, *exclusive_maximum, *multiple_of])
}

fn number_rules(rules: &NumberRules) -> String {
    let NumberRules { minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of } = rules;
    let all = [minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of];
    limits(all.map(|limit| limit.map(number)))
}

fn limits<T: ToString>(values: [Option<T>; 5]) -> String {
    let words = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
    joined(words.into_iter().zip(values).map(|(word, value)| labelled(word, value)))
}

/// Returns what is documented and not checked.
fn stated(stated: &Stated) -> String {
    let Stated { pattern, media } = stated;
    let pattern = pattern.as_ref().map(|pattern| format!("/{pattern}/"));
    joined([labelled("unchecked pattern", pattern), labelled("x-media", media.as_ref().map(self::media))])
}

/// Returns a medium: `image (image/png, image/jpeg, max-bytes 10485760)`.
pub(crate) fn media(media: &Media) -> String {
    let Media { kind, types, inline, limits } = media;
    let limits = limits.iter().map(|(limit, value)| format!("{} {value}", limit.name()));
    let inline = inline.map(|form| format!("inline {}", form.name()));
    let facts: Vec<String> = types.iter().cloned().chain(inline).chain(limits).collect();
    joined([kind.clone(), super::words::noted(&facts)])
}
