//! Tests of `deepObject`: nesting, other forms of keys, limits.

use std::collections::BTreeMap;

use super::*;

#[test]
fn nests_deep_objects() {
    static PEOPLE: Schema =
        Schema::new(Type::Object(Object::new(&[field("age", &INTEGER), field("tags", &STRINGS)])));
    static FILTERS: Schema =
        Schema::new(Type::Object(Object::new(&[field("people", &PEOPLE), field("list", &LIST)])));
    static LIST: Schema = array(&PEOPLE);
    let deep = operation(Location::Query, Style::DeepObject, true, &FILTERS);
    let read = |query: &str| read::<BTreeMap<String, Value>>(deep, query.as_bytes());
    let json = |text: &str| Some(Ok(serde_json::from_str::<BTreeMap<String, Value>>(text).unwrap()));
    for (query, expected) in [
        ("color[people][age]=1", r#"{"people":{"age":"1"}}"#),
        ("color%5Bpeople%5D%5Bage%5D=1&other[x]=2&colors[x]=3", r#"{"people":{"age":"1"}}"#),
        ("color[people][tags]=a", r#"{"people":{"tags":["a"]}}"#),
        ("color[people][tags]=a&color[people][tags]=b", r#"{"people":{"tags":["a","b"]}}"#),
        ("color[people][tags][]=a&color[people][tags][]=b", r#"{"people":{"tags":["a","b"]}}"#),
        ("color[people][tags][0]=a&color[people][tags][1]=b", r#"{"people":{"tags":["a","b"]}}"#),
        (
            "color[list][0][age]=1&color[x]=y&color[list][1][age]=2",
            r#"{"list":[{"age":"1"},{"age":"2"}],"x":"y"}"#,
        ),
        ("color[unknown][deeper]=1", r#"{"unknown":{"deeper":"1"}}"#),
        ("color[a[b]=1&color%5Ba%5B%5D=2", r#"{"a[b":"1","a[":"2"}"#),
        ("color[a[b][[c]=1", r#"{"a[b":{"[c":"1"}}"#),
    ] {
        assert_eq!(read(query), json(expected), "{query}");
    }
    assert_eq!(read("colors[x]=1"), None);
    for query in ["color=1", "color[a", "color[a]b=1", "color]=1&color[=2", "color[x]=%FF", "color[%FF]=1"] {
        assert!(read(query).unwrap().is_err(), "{query}");
    }
    assert!(read("color[people]=1").unwrap().is_ok(), "the reader does not check the type, the schema does");
}

#[test]
fn reads_objects_in_json() {
    static PEOPLE: Schema =
        Schema::new(Type::Object(Object::new(&[field("age", &INTEGER), field("tags", &STRINGS)])));
    static FILTERS: Schema = Schema::new(Type::Object(Object::new(&[
        field("people", &PEOPLE),
        field("list", &LIST),
        field("tags", &STRINGS),
        field("text", &STRING),
        field("any", &ANY),
    ])));
    static LIST: Schema = array(&PEOPLE);
    let deep = operation(Location::Query, Style::DeepObject, true, &FILTERS);
    let read = |query: &str| read::<BTreeMap<String, Value>>(deep, query.as_bytes());
    for (query, expected) in [
        (r#"color={"people":{"age":1}}"#, r#"{"people":{"age":1}}"#),
        ("color=%7B%22people%22%3A%7B%22age%22%3A1%7D%7D", r#"{"people":{"age":1}}"#),
        (r#"color=%7b"people":+{}}"#, r#"{"people":{}}"#),
        (r#"color[people]={"tags":["a","b"]}&color[text]=x"#, r#"{"people":{"tags":["a","b"]},"text":"x"}"#),
        (
            r#"color[list]={"age":1}&color[list]={"age":2}&color[list][]={"age":3}&color[list][5]={"age":4}"#,
            r#"{"list":[{"age":1},{"age":2},{"age":3},{"age":4}]}"#,
        ),
        // A value whose schema allows texts is read as a text.
        (
            r#"color[tags]={"a":1}&color[text]={"a":1}&color[any]={"a":1}&color[x]={"a":1}"#,
            r#"{"tags":["{\"a\":1}"],"text":"{\"a\":1}","any":"{\"a\":1}","x":"{\"a\":1}"}"#,
        ),
    ] {
        let expected = serde_json::from_str::<BTreeMap<String, Value>>(expected).unwrap();
        assert_eq!(read(query), Some(Ok(expected)), "{query}");
    }
    for query in [
        "color=[object Object]",
        "color=people,age,1",
        "color=",
        "color={}x",
        r#"color={"people":"#,
        "color={'people': 1}",
        "color={}&color={}",
        "color={}&color[people][age]=1",
        r#"color={"people":1,"people":1}"#,
        r#"color=["people"]"#,
        "color=null",
    ] {
        let reported = read(query).unwrap();
        assert!(reported.is_err(), "{query}: {reported:?}");
    }
}

#[test]
fn caps_deep_objects() {
    let deep = operation(Location::Query, Style::DeepObject, true, &ANY);
    let read = |query: &str| read::<Value>(deep, query.as_bytes()).unwrap();
    let nested = |depth: usize| format!("color{}=1", "[a]".repeat(depth));
    assert!(read(&nested(8)).is_ok());
    assert!(read(&nested(9)).is_err());
    let wide = |keys: usize| (0..keys).map(|key| format!("color[{key}a]=1")).collect::<Vec<_>>().join("&");
    assert!(read(&wide(256)).is_ok());
    assert!(read(&wide(257)).is_err());
}

/// A key ends at the first `]`, so a client does not send a key that contains one.
#[test]
fn brackets_in_keys() {
    let deep = operation(Location::Query, Style::DeepObject, true, &ANY);
    let encode = |json: &str| encode_input(deep, &Input(&serde_json::from_str::<Value>(json).unwrap()));
    for json in [r#"{"a[b":"1"}"#, r#"{"[":{"[c[":"1"},"b":["x"]}"#] {
        let encoded = encode(json);
        assert_eq!(encoded.unwritable, None, "{json}");
        let found = read::<Value>(deep, encoded.query.as_bytes());
        assert_eq!(found, Some(Ok(serde_json::from_str(json).unwrap())), "{}", encoded.query);
    }
    for json in [r#"{"a]b":"1"}"#, r#"{"a":{"]":"1"}}"#, r#"{"a":[{"]":"1"}]}"#] {
        assert_eq!(encode(json).unwritable, Some("color"), "{json}");
    }
}
