//! Schemas with all keywords of JSON Schema, as JSON for `rules.json`.

use serde_json::Value;

use super::json::Object;
use super::rules::{literal, pointer_to};
use crate::ir::{Api, JsonSchema, Keyword, PatternId};

/// Returns a schema with the keywords of the document.
pub(super) fn schema(api: &Api, of: &JsonSchema) -> Value {
    match of.0.as_slice() {
        [Keyword::False] => false.into(),
        keywords => keywords.iter().fold(Object::new(), |object, one| keyword(api, object, one)).into(),
    }
}

fn keyword(api: &Api, object: Object, keyword: &Keyword) -> Object {
    use Keyword::*;
    let one = |of: &JsonSchema| schema(api, of);
    let several = |all: &[JsonSchema]| all.iter().map(one).collect::<Value>();
    let named = |all: &[(String, JsonSchema)]| all.iter().map(|(name, of)| (name.clone(), one(of))).collect();
    let maybe = |of: &Option<Box<JsonSchema>>| of.as_deref().map(one);
    let name = keyword.name();
    match keyword {
        False => object.with("not", Object::new()),
        Type(kinds) => object.list(name, kinds.names()),
        Enum(values) => object.with(name, values.iter().map(literal).collect::<Value>()),
        Bound(_, bound) => object.with(name, literal(bound)),
        Count(_, limit) => object.with(name, *limit),
        Pattern(id) => object.with(name, pattern(api, *id)),
        Format(format) => object.with(name, format.name()),
        Flag(_) => object.with(name, true),
        Items { prefix, others } => {
            object.list("prefixItems", prefix.iter().map(one)).maybe(name, maybe(others))
        }
        Contains { schema, minimum, maximum } => {
            object.with(name, one(schema)).with("minContains", *minimum).maybe("maxContains", *maximum)
        }
        Required(names) => object.list(name, names.iter().cloned()),
        Properties { listed, patterns, others } => {
            let patterns = patterns.iter().map(|(id, of)| (pattern(api, *id), one(of))).collect();
            let object = object.object(name, named(listed)).object("patternProperties", patterns);
            object.maybe("additionalProperties", maybe(others))
        }
        DependentRequired(each) => {
            object.object(name, each.iter().map(|(name, names)| (name.clone(), names.clone())).collect())
        }
        DependentSchemas(each) => object.object(name, named(each)),
        Ref(id) => object.maybe(name, api.json_schemas.get(id.0).map(|def| pointer_to(api, def))),
        AllOf(all) | AnyOf(all) | OneOf(all) => object.with(name, several(all)),
        PropertyNames(of) | Not(of) | UnevaluatedItems(of) | UnevaluatedProperties(of) => {
            object.with(name, one(of))
        }
        If { condition, then, otherwise } => {
            object.with(name, one(condition)).maybe("then", maybe(then)).maybe("else", maybe(otherwise))
        }
    }
}

fn pattern(api: &Api, id: PatternId) -> String {
    api.pattern_text(id).unwrap_or_default().to_owned()
}
