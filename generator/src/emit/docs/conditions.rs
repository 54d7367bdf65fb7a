//! The constraints that a JSON Schema adds to a type, in words: ``If `kind` is `print`, `paper` is required.``

use super::rules::{capitalised, count, lowercased};
use super::{Text, code};
use crate::ir::{Api, JsonSchema, JsonSchemaId, Keyword, Literal};

/// The constraints that the JSON Schema of a type adds to it.
pub(super) struct Added {
    /// The conditions in it, one sentence each.
    pub sentences: Vec<String>,
    /// Whether the sentences and the type express all constraints.
    pub is_all: bool,
}

/// Appends what a schema adds to the type of a struct, or to another type.
pub(in crate::emit) fn list(api: &Api, text: Text, id: JsonSchemaId, is_struct: bool) -> Text {
    let Added { sentences, is_all } = Added::of(api, id, is_struct);
    let text = match sentences.as_slice() {
        [] => text,
        all => text.paragraph("Conditions:").block(all.iter().map(|one| format!("- {one}")).collect()),
    };
    let others = "Validation also applies constraints of the schema that this type does not show.";
    text.paragraph(if is_all { "" } else { others })
}

impl Added {
    pub(super) fn of(api: &Api, id: JsonSchemaId, is_struct: bool) -> Self {
        let mut added = Self { sentences: Vec::new(), is_all: true };
        let keywords = api.json_schemas.get(id.0).map_or(&[][..], |def| &def.schema.0);
        let is_field = |name: &String| {
            keywords.iter().any(|keyword| match keyword {
                Keyword::Properties { listed, .. } => listed.iter().any(|(listed, _)| listed == name),
                _ => false,
            })
        };
        for keyword in keywords {
            match keyword {
                Keyword::Type(_) => {}
                // The type of the value or its own sentence shows the format.
                Keyword::Format(_) if !is_struct => {}
                Keyword::Required(names) if is_struct => added.is_all &= names.iter().all(is_field),
                Keyword::Count("minProperties" | "maxProperties", _) if is_struct => {}
                Keyword::Properties { patterns, .. } if is_struct && patterns.is_empty() => {}
                Keyword::AllOf(parts) => parts.iter().flat_map(|part| &part.0).for_each(|it| added.add(it)),
                keyword => added.add(keyword),
            }
        }
        // Without conditions, the schema is more specific than the type for another reason.
        added.is_all &= !added.sentences.is_empty();
        added
    }

    fn add(&mut self, keyword: &Keyword) {
        match keyword {
            Keyword::Type(_) => {}
            // The type shows some of these, but not those of parts that it does not combine.
            Keyword::Required(_) | Keyword::Properties { .. } | Keyword::Enum(_) => self.is_all = false,
            keyword => match demand(keyword) {
                Some(demands) => {
                    self.sentences.extend(demands.iter().map(|demand| capitalised(demand) + "."));
                }
                None => self.is_all = false,
            },
        }
    }
}

/// Returns what a schema demands, one clause each: `` `a` is required ``. `None` stands for what has no words.
fn demands(schema: &JsonSchema) -> Option<Vec<String>> {
    Some(schema.0.iter().map(demand).collect::<Option<Vec<_>>>()?.concat())
}

fn demand(keyword: &Keyword) -> Option<Vec<String>> {
    Some(match keyword {
        Keyword::Type(_) => Vec::new(),
        Keyword::Bound(name, limit @ Literal::Text(_)) => {
            let words = match *name {
                "formatMinimum" => "at least",
                "formatExclusiveMinimum" => "greater than",
                "formatMaximum" => "at most",
                "formatExclusiveMaximum" => "less than",
                _ => return None,
            };
            vec![format!("must be {words} {}", code(&limit.to_string()))]
        }
        Keyword::Required(names) => vec![format!("{} {} required", all(names), are(names))],
        Keyword::AnyOf(branches) => vec![format!("{} is required", groups(branches)?.join(" or "))],
        Keyword::OneOf(branches) => {
            vec![format!("exactly one of {} is required", groups(branches)?.join(", "))]
        }
        Keyword::AllOf(parts) => parts.iter().map(demands).collect::<Option<Vec<_>>>()?.concat(),
        Keyword::Not(schema) => exclusions(schema)?,
        Keyword::DependentRequired(each) => each
            .iter()
            .map(|(name, names)| {
                format!("if {} is present, {} {} required", code(name), all(names), are(names))
            })
            .collect(),
        Keyword::DependentSchemas(each) => {
            let each = each.iter().map(|(name, schema)| {
                Some(prefixed(&format!("if {} is present", code(name)), demands(schema)?))
            });
            each.collect::<Option<Vec<_>>>()?.concat()
        }
        Keyword::If { condition, then, otherwise } => {
            let condition = statement(condition)?;
            let branch = |word: &str, schema: Option<&JsonSchema>| {
                Some(prefixed(&format!("{word} {condition}"), schema.map_or(Some(Vec::new()), demands)?))
            };
            [branch("if", then.as_deref())?, branch("unless", otherwise.as_deref())?].concat()
        }
        Keyword::Properties { listed, patterns, others: None } if patterns.is_empty() => {
            let each = listed.iter().map(|(name, schema)| property(name, schema));
            each.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        Keyword::Contains { schema, minimum, maximum } => {
            let (values, count) = (values_of(schema)?, count(Some(*minimum), *maximum, "item", "items")?);
            vec![format!("{} must be {values}", lowercased(count.trim_end_matches('.')))]
        }
        _ => return None,
    })
}

/// Returns what a schema demands of a property, unless that is nothing.
fn property(name: &str, schema: &JsonSchema) -> Option<Option<String>> {
    let name = code(name);
    Some(Some(match *but_type(schema).as_slice() {
        [] => return Some(None),
        [Keyword::False] => format!("{name} must be absent"),
        [Keyword::Enum(values)] => format!("{name} must be {}", one_of(values)),
        [Keyword::Not(excluded)] => format!("{name} must not be {}", values_of(excluded)?),
        _ => return None,
    }))
}

/// Returns what a schema that must not apply demands.
fn exclusions(schema: &JsonSchema) -> Option<Vec<String>> {
    Some(match *but_type(schema).as_slice() {
        [Keyword::Enum(values)] => vec![format!("must not be {}", one_of(values))],
        [Keyword::Required(names)] if names.len() == 1 => vec![format!("{} must be absent", all(names))],
        [Keyword::Required(names)] => vec![format!("{} must not be present together", all(names))],
        [Keyword::AnyOf(branches)] => branches.iter().map(exclusions).collect::<Option<Vec<_>>>()?.concat(),
        [Keyword::Required(names), Keyword::Properties { listed, patterns, others: None }]
            if patterns.is_empty() =>
        {
            match (names.as_slice(), listed.as_slice()) {
                ([required], [(name, schema)]) if required == name => {
                    vec![format!("{} must not be {}", code(name), values_of(schema)?)]
                }
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Returns a condition as a statement: `` `a` is `b` and `c` is present ``.
fn statement(schema: &JsonSchema) -> Option<String> {
    let (mut required, mut listed) = (&[][..], &[][..]);
    for keyword in but_type(schema) {
        match keyword {
            Keyword::Required(names) => required = names,
            Keyword::Properties { listed: properties, patterns, others: None } if patterns.is_empty() => {
                listed = properties;
            }
            _ => return None,
        }
    }
    // An absent property has any value.
    if required.is_empty() || listed.iter().any(|(name, _)| !required.contains(name)) {
        return None;
    }
    let statements = required.iter().map(|name| {
        let Some((_, schema)) = listed.iter().find(|(listed, _)| listed == name) else {
            return Some(format!("{} is present", code(name)));
        };
        Some(format!("{} is {}", code(name), values_of(schema)?))
    });
    Some(statements.collect::<Option<Vec<_>>>()?.join(" and "))
}

/// Returns the properties that each alternative requires, if no alternative has other constraints.
fn groups(branches: &[JsonSchema]) -> Option<Vec<String>> {
    let group = |branch: &JsonSchema| match *but_type(branch).as_slice() {
        [Keyword::Required(names)] if names.len() == 1 => Some(all(names)),
        [Keyword::Required(names)] => Some(format!("({})", all(names))),
        _ => None,
    };
    branches.iter().map(group).collect()
}

/// Returns the values of a schema that only lists them.
fn values_of(schema: &JsonSchema) -> Option<String> {
    match *but_type(schema).as_slice() {
        [Keyword::Enum(values)] => Some(one_of(values)),
        _ => None,
    }
}

fn but_type(schema: &JsonSchema) -> Vec<&Keyword> {
    schema.0.iter().filter(|keyword| !matches!(keyword, Keyword::Type(_))).collect()
}

fn prefixed(condition: &str, clauses: Vec<String>) -> Vec<String> {
    clauses.into_iter().map(|clause| format!("{condition}, {clause}")).collect()
}

fn all(names: &[String]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(" and ")
}

const fn are(names: &[String]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}

fn one_of(values: &[Literal]) -> String {
    let texts: Vec<String> = values.iter().map(|value| code(&value.to_string())).collect();
    match texts.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", texts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::sample;

    /// Returns the sentences on a schema, and whether they express all constraints.
    fn sentences(keywords: &str) -> (Vec<String>, bool) {
        let schema = format!(
            "A: {{type: object, properties: {{a: {{type: string}}, b: {{type: string}}, c: {{type: string}}}}, {keywords}}}"
        );
        let api = sample::lowered(&format!(
            "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths: {{}}\ncomponents: {{schemas: {{{schema}}}}}\n"
        ));
        let def = api.types.iter().find(|def| def.name.0 == "A").unwrap();
        let added = Added::of(&api, def.also.unwrap(), true);
        (added.sentences, added.is_all)
    }

    #[test]
    fn conditions_in_words() {
        for (keywords, expected) in [
            ("anyOf: [{required: [a]}, {required: [b, c]}]", &["`a` or (`b` and `c`) is required."][..]),
            ("oneOf: [{required: [a]}, {required: [b]}]", &["Exactly one of `a`, `b` is required."]),
            ("not: {required: [a]}", &["`a` must be absent."]),
            ("not: {required: [a, b]}", &["`a` and `b` must not be present together."]),
            (
                "not: {anyOf: [{required: [a]}, {required: [b]}]}",
                &["`a` must be absent.", "`b` must be absent."],
            ),
            ("not: {required: [a], properties: {a: {enum: [x, y]}}}", &["`a` must not be one of `x`, `y`."]),
            (
                "dependentRequired: {a: [b, c], b: [c]}",
                &["If `a` is present, `b` and `c` are required.", "If `b` is present, `c` is required."],
            ),
            (
                "dependentSchemas: {a: {properties: {b: false, c: {const: x}}}}",
                &["If `a` is present, `b` must be absent.", "If `a` is present, `c` must be `x`."],
            ),
            (
                "if: {required: [a, b], properties: {a: {const: x}}}, then: {required: [c]}, else: {properties: {c: {not: {const: y}}}}",
                &[
                    "If `a` is `x` and `b` is present, `c` is required.",
                    "Unless `a` is `x` and `b` is present, `c` must not be `y`.",
                ],
            ),
            ("allOf: [{not: {required: [a]}}]", &["`a` must be absent."]),
        ] {
            let expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(sentences(keywords), (expected, true), "{keywords}");
        }
    }

    #[test]
    fn conditions_without_a_sentence_are_left_out() {
        for (keywords, expected) in [
            ("not: {minProperties: 3}", &[][..]),
            (
                "not: {required: [a]}, if: {properties: {a: {const: x}}}, then: {required: [b]}",
                &["`a` must be absent."],
            ),
            ("not: {required: [a]}, unevaluatedProperties: false", &["`a` must be absent."]),
            ("allOf: [{required: [b], not: {required: [a]}}]", &["`a` must be absent."]),
            ("dependentSchemas: {a: {minProperties: 2}}", &[]),
            ("required: [d], not: {required: [a]}", &["`a` must be absent."]),
        ] {
            let expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(sentences(keywords), (expected, false), "{keywords}");
        }
    }

    #[test]
    fn limits_of_formats_in_words() {
        let api = sample::lowered(
            "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\ncomponents: {schemas: {A: {type: string, \
             format: date, formatMinimum: '2020-01-01', formatExclusiveMaximum: '2030-01-01'}}}\n",
        );
        let def = api.types.iter().find(|def| def.name.0 == "A").unwrap();
        let crate::ir::Kind::Alias(schema) = &def.kind else { panic!("{def:?}") };
        let added = Added::of(&api, schema.also.unwrap(), false);
        let expected = ["Must be at least `2020-01-01`.", "Must be less than `2030-01-01`."];
        assert_eq!((added.sentences, added.is_all), (expected.map(str::to_owned).to_vec(), true));
    }
}
