//! Mutations of schemas: other keywords, nesting, references to themselves.

use super::Work;
use crate::fuzz::tree::Tree;

/// Wraps a schema in another one of this form.
fn wrapped(schema: Tree, form: usize) -> Tree {
    let one = |schema| Tree::List(vec![schema]);
    let string = || Tree::map([("type", Tree::text("string"))]);
    let object = || Tree::text("object");
    match form {
        0 => Tree::map([("allOf", one(schema))]),
        1 => Tree::map([("oneOf", one(schema))]),
        2 => Tree::map([("anyOf", Tree::List(vec![schema, string()]))]),
        3 => Tree::map([("oneOf", Tree::List(vec![schema.clone(), schema]))]),
        4 => Tree::map([("type", Tree::text("array")), ("items", schema)]),
        5 => Tree::map([("type", object()), ("properties", Tree::map([("inner", schema)]))]),
        6 => Tree::map([("type", object()), ("additionalProperties", schema)]),
        7 => Tree::map([("not", schema)]),
        8 => Tree::map([("prefixItems", one(schema)), ("items", Tree::raw("false"))]),
        9 => Tree::map([("patternProperties", Tree::map([("^x-", schema)]))]),
        10 => Tree::map([("oneOf", Tree::List(vec![schema, Tree::map([("type", Tree::text("null"))])]))]),
        11 => Tree::map([("allOf", Tree::List(vec![schema.clone(), schema, string()]))]),
        12 => Tree::map([("if", schema.clone()), ("then", schema), ("else", string())]),
        _ => Tree::map([
            ("type", object()),
            ("required", Tree::List(vec![Tree::text("type")])),
            ("properties", Tree::map([("type", string()), ("a b", schema)])),
            ("discriminator", Tree::map([("propertyName", Tree::text("type"))])),
        ]),
    }
}

const FORMS: usize = 14;

pub(super) fn wrap(work: &mut Work) -> Option<()> {
    let path = work.any_schema()?;
    let schema = work.tree.at(&path)?.clone();
    let form = work.random.below(FORMS);
    work.replace(&path, wrapped(schema, form))
}

/// Wraps a schema many times.
pub(super) fn deepen(work: &mut Work) -> Option<()> {
    // These forms contain the wrapped schema once, so the size grows linearly.
    const SLIM: [usize; 9] = [0, 1, 2, 4, 5, 6, 7, 9, 10];
    let path = work.any_schema()?;
    let mut schema = work.tree.at(&path)?.clone();
    let mixed = work.random.once_in(2);
    let mut form = *work.random.pick(&SLIM)?;
    let most = if work.random.once_in(2) { 12 } else { 90 };
    for _ in 0..work.random.below(most) {
        if mixed {
            form = *work.random.pick(&SLIM)?;
        }
        schema = wrapped(schema, form);
    }
    work.replace(&path, schema)
}

/// Keywords for schemas, parameters, responses and operations.
///
/// The last two have no meaning anywhere.
const KEYWORDS: &[(&str, &str)] = &[
    ("nullable", "true"),
    ("type", r#"["string","null"]"#),
    ("type", r#"["object","array","integer"]"#),
    ("type", r#""integer""#),
    ("type", r#""string""#),
    ("type", r#""object""#),
    ("type", r#""array""#),
    ("type", r#""boolean""#),
    ("type", r#""null""#),
    ("type", r#""number""#),
    ("type", "[]"),
    ("format", r#""date-time""#),
    ("format", r#""uuid""#),
    ("format", r#""binary""#),
    ("format", r#""byte""#),
    ("format", r#""int32""#),
    ("format", r#""uint64""#),
    ("format", r#""float""#),
    ("format", r#""duration""#),
    ("formatMinimum", r#""2020-01-01""#),
    ("formatExclusiveMaximum", r#""2020-01-01T00:00:00Z""#),
    ("const", r#""a""#),
    ("const", "null"),
    ("const", r#"{"a":[1]}"#),
    ("enum", r#"["a","A","a ","","1",1,null,true]"#),
    ("enum", "[1,2,-3]"),
    ("enum", "[]"),
    ("enum", "[null]"),
    ("enum", r#"["Unknown","self","Self","crate"]"#),
    ("enum", r#"[[],{}]"#),
    ("minimum", "10"),
    ("maximum", "-10"),
    ("minimum", "-9223372036854775808"),
    ("maximum", "18446744073709551616"),
    ("exclusiveMinimum", "true"),
    ("exclusiveMaximum", "0.1"),
    ("multipleOf", "0"),
    ("multipleOf", "0.01"),
    ("minLength", "18446744073709551615"),
    ("maxLength", "0"),
    ("minItems", "3"),
    ("maxItems", "2"),
    ("uniqueItems", "true"),
    ("minProperties", "5"),
    ("maxProperties", "1"),
    ("pattern", r#""^[a-z]+$""#),
    ("pattern", r#""(""#),
    ("pattern", r#""(?=a)(?<b>\\d{1,1000}){1,1000}""#),
    ("pattern", r##""\"#\\\\""##),
    ("pattern", r#""^(?:(a)|\\1b)*(?<!\\d+)(['])\\p{L}\\2[^\\w-.]{0,5000}$""#),
    ("pattern", r#""^.{3,262144}$""#),
    ("required", r#"["nobody","a","a"]"#),
    ("required", "true"),
    ("additionalProperties", "false"),
    ("additionalProperties", "true"),
    ("additionalProperties", r#"{"type":"integer"}"#),
    ("unevaluatedProperties", "false"),
    ("propertyNames", r#"{"pattern":"^a"}"#),
    ("patternProperties", r#"{"^x-":{"type":"string"},"(":{}}"#),
    ("dependentRequired", r#"{"a":["b"]}"#),
    ("prefixItems", r#"[{"type":"string"},{"type":"integer"}]"#),
    ("contains", r#"{"const":1}"#),
    ("items", r#"{"type":"string"}"#),
    ("items", r#"[{},{}]"#),
    ("properties", r#"{"a":{"type":"string"},"A":{},"a-":{},"type":{"type":"integer"},"_":{},"":{}}"#),
    ("discriminator", r#"{"propertyName":"type"}"#),
    ("discriminator", r##"{"propertyName":"kind","mapping":{"a":"#/components/schemas/Nobody","b":"Pet"}}"##),
    ("readOnly", "true"),
    ("writeOnly", "true"),
    ("deprecated", "true"),
    ("default", "null"),
    ("default", r#""text""#),
    ("default", "7"),
    ("default", "[]"),
    ("default", r#"{"a":1}"#),
    ("example", r#"{"a":[{}]}"#),
    ("examples", r#"[1,"b"]"#),
    ("description", r#""]*/ `{` \" \\\\ [a]: <b> [`c`](d)\n\n    code\n```\n# h""#),
    ("summary", r#""\u0000\u202e\r\n\t|a|\n-\n1. x\n   - y""#),
    ("title", r#""Self""#),
    ("contentEncoding", r#""base64""#),
    ("contentMediaType", r#""application/json""#),
    ("$ref", r##""#/components/schemas/Pet""##),
    ("$dynamicRef", r##""#a""##),
    ("$defs", r#"{"A":{"type":"string"}}"#),
    ("style", r#""deepObject""#),
    ("style", r#""spaceDelimited""#),
    ("style", r#""matrix""#),
    ("style", r#""label""#),
    ("explode", "true"),
    ("explode", "false"),
    ("in", r#""query""#),
    ("in", r#""path""#),
    ("in", r#""header""#),
    ("in", r#""cookie""#),
    ("required", "false"),
    ("allowReserved", "true"),
    ("allowEmptyValue", "true"),
    ("name", r#""a[b]""#),
    ("operationId", r#""new""#),
    ("operationId", r#""get_pets""#),
    ("tags", r#"["std","a b"]"#),
    ("tags", r#"[""]"#),
    ("security", r#"[{"nobody":[]}]"#),
    ("security", "[{}]"),
    ("servers", r#"[{"url":"https://{a}.example.com:{b}/{c}","variables":{"a":{"default":"x"}}}]"#),
    ("content", r#"{"application/json":{"schema":{"type":"object"}},"text/plain":{},"*/*":{"schema":{}}}"#),
    (
        "content",
        r#"{"multipart/form-data":{"schema":{"properties":{"f":{"type":"string","format":"binary"}}}}}"#,
    ),
    (
        "content",
        r#"{"multipart/mixed":{"itemSchema":{},"itemEncoding":{"contentType":"image/*","headers":{"X A":{},"content":{"schema":{}}}}}}"#,
    ),
    (
        "content",
        r#"{"multipart/mixed":{"schema":{"prefixItems":[{},{"items":{"type":"string"}}],"items":false},"prefixEncoding":[{"contentType":"multipart/mixed"},{"contentType":"multipart/mixed","itemEncoding":{"contentType":"a/b, c/d"}}]}}"#,
    ),
    ("contentType", r#""multipart/mixed""#),
    ("contentType", r#""text/a, b/*""#),
    ("prefixEncoding", r#"[{},1,{"contentType":"multipart/form-data","encoding":{"f":{}}}]"#),
    ("itemEncoding", r#"{"contentType":"text/a,text/b","headers":{"A":{"schema":false},"b":{}}}"#),
    ("encoding", r#"{"":{"contentType":"multipart/form-data"},"f":{"headers":{"content-disposition":{}}}}"#),
    ("content", r#"{"application/x-www-form-urlencoded":{"schema":{"type":"array","items":{}}}}"#),
    ("content", r#"{"text/event-stream":{"schema":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}"#),
    (
        "content",
        r#"{"application/xml":{"schema":{"type":"object"}},"a/b;c=d":{"schema":{"type":"integer"}}}"#,
    ),
    (
        "headers",
        r#"{"Content-Type":{"schema":{"type":"string"}},"X A":{},"x-a":{"schema":{"type":"object"}}}"#,
    ),
    ("requestBody", r#"{"content":{"application/json":{"schema":{"nullable":true}}}}"#),
    ("parameters", r#"[{"name":"a","in":"query","schema":{"type":"object","properties":{"b":{}}}}]"#),
    ("parameters", r#"[{"name":"","in":"header","schema":{}},{"name":"body","in":"query","content":{}}]"#),
    ("responses", r#"{"default":{"description":""},"2XX":{"description":""},"99":{},"200":{}}"#),
    ("x-rules", r#"[{"exactly_one":["a","nobody"]}]"#),
    ("x-family", r#""self""#),
    ("0", "0"),
    ("", "null"),
];

/// Adds or replaces a keyword of a node.
pub(super) fn keyword(work: &mut Work) -> Option<()> {
    let path = if work.random.once_in(3) {
        work.any(&|node| matches!(node, Tree::Map(_)))?
    } else {
        work.any_schema()?
    };
    let (name, value) = work.random.pick(KEYWORDS)?;
    work.tree.at_mut(&path)?.set(name, Tree::raw(value));
    Some(())
}

/// Adds many values to an enum, some of them similar to others.
pub(super) fn multiply_enum(work: &mut Work) -> Option<()> {
    let path = work.any(&|node| node.field("enum").is_some())?;
    let count = if work.random.once_in(8) { 2000 } else { 20 };
    let twist = work.random.below(5);
    let schema = work.tree.at_mut(&path)?;
    let Some(Tree::List(values)) = schema.field("enum").cloned() else { return None };
    let mut more = values.clone();
    for at in 0..count {
        let old = match values.get(at % values.len().max(1)) {
            Some(Tree::Text(text) | Tree::Raw(text)) => text.clone(),
            _ => String::new(),
        };
        more.push(match twist {
            0 => Tree::Raw(at.to_string()),
            1 => Tree::Text(format!("{old}{}", "_".repeat(at % 40))),
            2 => Tree::Text(old.chars().rev().cycle().take(at).collect()),
            3 => Tree::Text(char::from_u32(u32::try_from(at * 97).unwrap_or_default()).into_iter().collect()),
            _ => Tree::Text(format!("{old}{at}")),
        });
    }
    schema.set("enum", Tree::List(more));
    Some(())
}

/// Adds many members to an array or object.
pub(super) fn multiply_members(work: &mut Work) -> Option<()> {
    let path = work.any(&|node| node.children().next().is_some() && node.size() < 60)?;
    let count = if work.random.once_in(8) { 200 } else { 10 };
    match work.tree.at_mut(&path)? {
        Tree::List(items) => {
            let all = items.clone();
            items.extend(all.into_iter().cycle().take(count));
        }
        Tree::Map(entries) => {
            let all = entries.clone();
            let more = all.into_iter().cycle().take(count).enumerate();
            entries.extend(more.map(|(at, (name, value))| (format!("{name}{at}"), value)));
        }
        _ => {}
    }
    Some(())
}

/// Replaces a schema by a reference to a schema that contains it: a cycle.
pub(super) fn tie(work: &mut Work) -> Option<()> {
    let path = work.any_schema()?;
    let above: Vec<usize> = (1..path.len())
        .filter(|length| {
            path.get(..*length).and_then(|above| work.tree.at(above)).is_some_and(super::is_schema)
        })
        .collect();
    let target = work.tree.pointer(path.get(..*work.random.pick(&above)?)?);
    let form = work.random.below(FORMS + 6);
    let reference = Tree::reference(&target);
    work.replace(&path, if form < FORMS { wrapped(reference, form) } else { reference })
}

/// Replaces a schema by the first of many components.
///
/// Each of them refers to the next one, in most forms several times.
pub(super) fn fan_out(work: &mut Work) -> Option<()> {
    let path = work.any_schema()?;
    let (levels, form) = (2 + work.random.below(40), work.random.below(6));
    let pointer = |level: usize| Tree::reference(&format!("#/components/schemas/Fan{level}"));
    work.replace(&path, pointer(0))?;
    let schema = |next: Tree| {
        let twice = Tree::List(vec![next.clone(), next.clone()]);
        let fields = |next: Tree| Tree::map([("a", next.clone()), ("b", next)]);
        match form {
            0 => Tree::map([("required", Tree::raw("[\"a\",\"b\"]")), ("properties", fields(next))]),
            1 => Tree::map([("type", Tree::text("array")), ("minItems", Tree::raw("3")), ("items", next)]),
            2 => Tree::map([("allOf", twice)]),
            3 => Tree::map([("oneOf", twice)]),
            4 => Tree::map([("allOf", twice), ("properties", fields(next))]),
            _ => Tree::map([("anyOf", twice), ("not", next)]),
        }
    };
    let mut schemas: Vec<(String, Tree)> =
        (0..levels).map(|level| (format!("Fan{level}"), schema(pointer(level + 1)))).collect();
    schemas.push((format!("Fan{levels}"), Tree::map([("type", Tree::text("string"))])));
    let mut components = work.tree.field("components").cloned().unwrap_or(Tree::Map(Vec::new()));
    match components.field("schemas").cloned() {
        Some(Tree::Map(mut known)) => {
            known.extend(schemas);
            components.set("schemas", Tree::Map(known));
        }
        _ => components.set("schemas", Tree::Map(schemas)),
    }
    work.tree.set("components", components);
    Some(())
}
