//! Schemas as JSON Schema means them, as JSON for `rules.json`.

use super::json::{Json, Object};
use super::rules::{literal, pointer_to};
use crate::ir::{Api, JsonSchema, Keyword, PatternId};

/// Returns a schema with the keywords of the document.
pub(super) fn schema(api: &Api, of: &JsonSchema) -> Json {
    match of.0.as_slice() {
        [Keyword::False] => false.into(),
        keywords => keywords.iter().fold(Object::new(), |object, one| keyword(api, object, one)).into(),
    }
}

fn keyword(api: &Api, object: Object, keyword: &Keyword) -> Object {
    let one = |of: &JsonSchema| schema(api, of);
    let several = |all: &[JsonSchema]| Json::from(all.iter().map(one).collect::<Vec<Json>>());
    let named = |all: &[(String, JsonSchema)]| {
        all.iter().fold(Object::new(), |object, (name, of)| object.with(name.clone(), one(of)))
    };
    let maybe = |of: &Option<Box<JsonSchema>>| of.as_deref().map(one);
    match keyword {
        Keyword::False => object.with("not", Object::new()),
        Keyword::Type(kinds) => object.list("type", kinds.names().map(Json::from).collect()),
        Keyword::Enum(values) => {
            object.with("enum", Json::from(values.iter().map(literal).collect::<Vec<Json>>()))
        }
        Keyword::Bound(name, bound) => object.with(*name, literal(bound)),
        Keyword::Count(name, limit) => object.with(*name, *limit),
        Keyword::Pattern(id) => object.with("pattern", pattern(api, *id)),
        Keyword::Format(format) => object.with("format", format.name()),
        Keyword::UniqueItems => object.with("uniqueItems", true),
        Keyword::Items { prefix, others } => {
            let prefix = prefix.iter().map(one).collect();
            object.list("prefixItems", prefix).maybe("items", maybe(others))
        }
        Keyword::Contains { schema, minimum, maximum } => {
            let object = object.with("contains", one(schema)).with("minContains", *minimum);
            object.maybe("maxContains", *maximum)
        }
        Keyword::Required(names) => object.list("required", texts(names)),
        Keyword::Properties { listed, patterns, others } => {
            let patterns = patterns
                .iter()
                .fold(Object::new(), |object, (id, of)| object.with(pattern(api, *id), one(of)));
            let object = object.object("properties", named(listed)).object("patternProperties", patterns);
            object.maybe("additionalProperties", maybe(others))
        }
        Keyword::PropertyNames(of) => object.with("propertyNames", one(of)),
        Keyword::DependentRequired(each) => {
            let each = each.iter().fold(Object::new(), |object, (name, names)| {
                object.with(name.clone(), Json::from(texts(names)))
            });
            object.object("dependentRequired", each)
        }
        Keyword::DependentSchemas(each) => object.object("dependentSchemas", named(each)),
        Keyword::Ref(id) => match api.json_schemas.get(id.0) {
            Some(def) => object.with("$ref", pointer_to(api, def)),
            None => object,
        },
        Keyword::AllOf(all) => object.with("allOf", several(all)),
        Keyword::AnyOf(all) => object.with("anyOf", several(all)),
        Keyword::OneOf(all) => object.with("oneOf", several(all)),
        Keyword::Not(of) => object.with("not", one(of)),
        Keyword::If { condition, then, otherwise } => {
            let object = object.with("if", one(condition)).maybe("then", maybe(then));
            object.maybe("else", maybe(otherwise))
        }
        Keyword::UnevaluatedItems(of) => object.with("unevaluatedItems", one(of)),
        Keyword::UnevaluatedProperties(of) => object.with("unevaluatedProperties", one(of)),
    }
}

fn texts(names: &[String]) -> Vec<Json> {
    names.iter().map(|name| name.as_str().into()).collect()
}

fn pattern(api: &Api, id: PatternId) -> String {
    api.patterns.get(id.0).map(|pattern| pattern.written.clone()).unwrap_or_default()
}
