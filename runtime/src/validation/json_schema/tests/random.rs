//! Random schemas and values.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;

const DEFINITIONS: &[&str] = &["x", "y"];
const KINDS: &[&str] = &["null", "boolean", "integer", "number", "string", "array", "object"];

/// A keyword with its value, and keywords that belong to it.
type Keywords = Vec<(&'static str, Value)>;

/// The names and scalars that schemas and values share.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    pub names: &'static [&'static str],
    pub scalars: fn() -> Vec<Value>,
}

impl Words {
    fn name(self) -> impl Strategy<Value = String> {
        select(self.names).prop_map(str::to_owned)
    }

    fn names(self) -> impl Strategy<Value = Value> {
        subsequence(self.names, 0..3.min(self.names.len())).prop_map(|names| json!(names))
    }

    fn scalar(self) -> BoxedStrategy<Value> {
        select((self.scalars)()).boxed()
    }

    /// A value of any kind.
    pub fn value(self) -> BoxedStrategy<Value> {
        self.scalar()
            .prop_recursive(3, 24, 4, move |inner| {
                prop_oneof![
                    2 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                    3 => prop::collection::btree_map(self.name(), inner, 0..4).prop_map(|map| json!(map)),
                ]
            })
            .boxed()
    }

    /// A schema of any keywords.
    pub fn schema(self) -> BoxedStrategy<Value> {
        // The definitions have no references.
        let plain = self.subschema(1).prop_map(without_references);
        let root = (self.subschema(3), plain.clone(), plain).prop_map(|(schema, x, y)| {
            let mut root = json!({"allOf": [schema]});
            if schema.is_object() {
                root = schema;
            }
            root["$defs"] = json!({"x": x, "y": y});
            root
        });
        root.boxed()
    }

    fn subschema(self, depth: u32) -> BoxedStrategy<Value> {
        if depth == 0 {
            return of_keywords(self.leaf(), 3);
        }
        of_keywords(prop_oneof![1 => self.leaf(), 2 => self.applicator(&self.subschema(depth - 1))], 4)
    }

    /// A keyword without subschemas.
    fn leaf(self) -> BoxedStrategy<Keywords> {
        let kinds = subsequence(KINDS, 1..4).prop_map(|kinds| json!(kinds));
        let dependent = prop::collection::btree_map(self.name(), self.names(), 1..3);
        prop_oneof![
            2 => keyword("type", select(KINDS)),
            2 => keyword("type", kinds),
            2 => keyword("const", self.value()),
            1 => keyword("enum", prop::collection::vec(self.value(), 1..4)),
            1 => keyword("minimum", number()),
            1 => keyword("exclusiveMinimum", number()),
            1 => keyword("maximum", number()),
            1 => keyword("exclusiveMaximum", number()),
            1 => keyword("multipleOf", step()),
            1 => keyword("minLength", 0_u64..4),
            1 => keyword("maxLength", 0_u64..4),
            1 => keyword("pattern", select(vec!["^a", "b", "[0-9]", "^$"])),
            1 => keyword("minItems", 0_u64..4),
            1 => keyword("maxItems", 0_u64..4),
            1 => keyword("uniqueItems", any::<bool>()),
            1 => keyword("minProperties", 0_u64..4),
            1 => keyword("maxProperties", 0_u64..4),
            2 => keyword("required", self.names()),
            1 => keyword("dependentRequired", dependent),
            2 => keyword("$ref", select(DEFINITIONS).prop_map(|name| format!("#/$defs/{name}"))),
            1 => keyword("unevaluatedProperties", Just(false)),
            1 => keyword("unevaluatedItems", Just(false)),
        ]
        .boxed()
    }

    /// A keyword with subschemas.
    fn applicator(self, inner: &BoxedStrategy<Value>) -> BoxedStrategy<Keywords> {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let named = || prop::collection::btree_map(self.name(), inner.clone(), 1..4);
        let patterns = prop::collection::btree_map(select(vec!["^a", "b$", "c"]), inner.clone(), 1..3);
        prop_oneof![
            3 => keyword("properties", named()),
            1 => keyword("patternProperties", patterns),
            1 => keyword("additionalProperties", inner.clone()),
            1 => keyword("propertyNames", inner.clone()),
            1 => keyword("dependentSchemas", named()),
            1 => keyword("prefixItems", list()),
            1 => keyword("items", inner.clone()),
            2 => contains(inner),
            2 => keyword("allOf", list()),
            2 => keyword("anyOf", list()),
            2 => keyword("oneOf", list()),
            1 => keyword("not", inner.clone()),
            2 => condition(inner),
            1 => keyword("unevaluatedProperties", inner.clone()),
            1 => keyword("unevaluatedItems", inner.clone()),
        ]
        .boxed()
    }

    /// A schema about the names of an object or the items of an array that its parts evaluate.
    pub fn evaluating(self, of_objects: bool) -> BoxedStrategy<Value> {
        let any =
            || select(vec![json!(true), json!({"type": "integer"}), json!({"minimum": 2}), json!(false)]);
        let named = || prop::collection::btree_map(self.name(), any(), 1..3);
        let leaf = if of_objects {
            prop_oneof![
                4 => keyword("properties", named()),
                1 => keyword("patternProperties", prop::collection::btree_map(select(vec!["^a", "b$"]), any(), 1..2)),
                1 => keyword("additionalProperties", any()),
                2 => keyword("required", self.names()),
                1 => keyword("unevaluatedProperties", any()),
            ]
            .boxed()
        } else {
            prop_oneof![
                3 => keyword("prefixItems", prop::collection::vec(any(), 1..3)),
                3 => contains(&any().boxed()),
                1 => keyword("items", any()),
                2 => keyword("minItems", 0_u64..4),
                1 => keyword("unevaluatedItems", any()),
            ]
            .boxed()
        };
        let nested = of_keywords(leaf.clone(), 3).prop_recursive(3, 24, 3, move |inner| {
            let list = || prop::collection::vec(inner.clone(), 1..4);
            let dependent = prop::collection::btree_map(self.name(), inner.clone(), 1..3);
            let applicator = prop_oneof![
                3 => leaf.clone(),
                2 => keyword("allOf", list()),
                2 => keyword("anyOf", list()),
                1 => keyword("oneOf", list()),
                1 => keyword("not", inner.clone()),
                2 => condition(&inner),
                1 => keyword("dependentSchemas", dependent),
            ];
            of_keywords(applicator, 3)
        });
        let last = if of_objects { "unevaluatedProperties" } else { "unevaluatedItems" };
        (nested, any()).prop_map(move |(schema, others)| json!({"allOf": [schema], last: others})).boxed()
    }
}

fn keyword<V: serde::Serialize + std::fmt::Debug>(
    name: &'static str,
    value: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Keywords> {
    value.prop_map(move |value| vec![(name, json!(value))]).boxed()
}

fn contains(inner: &BoxedStrategy<Value>) -> BoxedStrategy<Keywords> {
    let limit = || prop::option::of(0_u64..4);
    (inner.clone(), limit(), limit())
        .prop_map(|(schema, least, most)| {
            let limits = [("minContains", least), ("maxContains", most)];
            let limits = limits.into_iter().filter_map(|(name, limit)| Some((name, json!(limit?))));
            [("contains", schema)].into_iter().chain(limits).collect()
        })
        .boxed()
}

fn condition(inner: &BoxedStrategy<Value>) -> BoxedStrategy<Keywords> {
    let branch = || prop::option::of(inner.clone());
    (inner.clone(), branch(), branch())
        .prop_map(|(schema, then, otherwise)| {
            let branches = [("then", then), ("else", otherwise)];
            let branches = branches.into_iter().filter_map(|(name, schema)| Some((name, schema?)));
            [("if", schema)].into_iter().chain(branches).collect()
        })
        .boxed()
}

fn of_keywords(
    keyword: impl Strategy<Value = Keywords> + Clone + 'static,
    most: usize,
) -> BoxedStrategy<Value> {
    let schema = prop::collection::vec(keyword, 0..=most).prop_map(|keywords| {
        keywords.into_iter().flatten().map(|(name, it)| (name.to_owned(), it)).collect()
    });
    prop_oneof![1 => any::<bool>().prop_map(Value::from), 12 => schema.prop_map(Value::Object)].boxed()
}

fn number() -> impl Strategy<Value = Value> {
    select(vec![
        json!(0),
        json!(1),
        json!(2),
        json!(1.5),
        json!(-1),
        json!(2.0),
        json!(9_007_199_254_740_992_i64),
    ])
}

/// Steps for which `jsonschema`, which rounds large integers, is exact.
fn step() -> impl Strategy<Value = Value> {
    select(vec![json!(1), json!(2), json!(3), json!(0.5), json!(0.1), json!(2.0)])
}

fn without_references(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "$ref")
            .map(|(name, value)| (name, without_references(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_references).collect(),
        other => other,
    }
}
