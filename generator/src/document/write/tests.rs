//! Tests that texts are read as what they were written from.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::DocumentFormat;
use crate::{
    document::{Source, read::read},
    tree::NodeId,
};

fn back(name: &str, text: &str) -> Json {
    let node = read(&Source::new(name, text), 0, NodeId::default());
    node.unwrap_or_else(|error| panic!("{error:?} in\n{text}")).to_json()
}

fn check(value: &Json) {
    for (name, format) in [("a.yaml", DocumentFormat::Yaml), ("a.json", DocumentFormat::Json)] {
        let text = format.write(value);
        assert_eq!(&back(name, &text), value, "{text}");
    }
    let text = DocumentFormat::Yaml.write(value);
    let other: Json = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(&other, value, "{text}");
}

#[test]
fn yaml_is_indented_by_two() {
    let value = json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"tags": ["x", "y z"], "responses": {"200": {"description": "One\n\ntwo\n"}}}}},
        "list": [[1, 2], {"a": true, "b": {}}, [], "a: b", "yes"],
    });
    check(&value);
    let expected = "\
openapi: '3.1.0'
paths:
  /a:
    get:
      tags:
      - x
      - y z
      responses:
        '200':
          description: |
            One

            two
list:
- - 1
  - 2
- a: true
  b: {}
- []
- 'a: b'
- 'yes'
";
    assert_eq!(DocumentFormat::Yaml.write(&value), expected);
}

#[test]
fn texts_that_look_like_other_values() {
    let texts = [
        "",
        " ",
        "a ",
        " a",
        "1",
        "1.5",
        "0x1",
        "1e3",
        "true",
        "True",
        "null",
        "~",
        "-",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "a:",
        "'a'",
        "\"a\"",
        "a'b",
        "[a",
        "{a",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "|",
        ">",
        "?",
        "? a",
        "2020-01-01",
        "12:30",
        "\n",
        "a\n",
        "a\n\n",
        "\na",
        "a\n b",
        " a\nb",
        "a\n\tb",
        "a\r\nb",
        "a\u{85}b",
        "\u{feff}a",
        "a\u{2028}b",
        "\u{1f600}",
        "---\na",
        "...\na",
        "a\n---\nb",
        "a\n  \nb",
        "<<",
        "=",
        "a\\b",
        "é: ü",
        "\u{0}",
    ];
    for text in texts {
        check(&json!({"a": text, text: [text, {"x": text}]}));
    }
}

#[test]
fn numbers_are_numbers_in_all_versions_of_yaml() {
    for (number, expected) in [
        (1e30, "1.0e+30"),
        (-2e300, "-2.0e+300"),
        (1.5e-9, "1.5e-9"),
        (1e-7, "1.0e-7"),
        (2.5e40, "2.5e+40"),
        (0.5, "0.5"),
        (3.0, "3.0"),
    ] {
        let value = json!({"a": number, "b": [number]});
        check(&value);
        assert_eq!(DocumentFormat::Yaml.write(&value), format!("a: {expected}\nb:\n- {expected}\n"));
    }
}

#[test]
fn long_names() {
    for length in [999, 1001, 3000] {
        let name = "n/:".repeat(length);
        check(&json!({"a": {&name: {"b": [1]}, "c": [{&name: 1}]}}));
    }
}

proptest! {
    #[test]
    fn any_text(texts in proptest::collection::vec("[ -~\n\té\u{85}]{0,12}", 1..4)) {
        check(&json!({"a": texts, "b": [{"c": texts.first()}]}));
    }
}
