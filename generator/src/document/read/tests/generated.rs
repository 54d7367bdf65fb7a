//! Generated texts.

use proptest::{collection::vec, prelude::*, sample::select};

use super::{ReadError, oracle, read_as};
use crate::tree::Node;

/// Parts of YAML, whose combinations are rarely valid.
const PIECES: &[&str] = &[
    "a: ", "b: ", "\n", "\na: ", "\nb: ", "\n  c: ", "\n- ", "\n  - ", "\n  ", "\n    ", "- ", ": ", " ",
    "a", "{", "}", "[", "]", ",", ", ", "'", "\"", "''", "&x ", "*x", "&y ", "*y ", "!t ", "!!int ",
    "!!str ", "|", ">", "|-", ">+", "|2", " # c", "? ", "~", "true", "1", "0x1F", "1.5", "<<", "\n---\n",
    "\n...\n", "é", "\\n", "\\u00e4",
];

/// Parts of JSON.
const JSON_PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\":",
    "\"b\"",
    "\"\\u00e4\\n\"",
    "\"é\"",
    "\"\\ud800\"",
    "\"",
    "\\",
    "1",
    "-0",
    "1.5e3",
    "1e999",
    "01",
    "18446744073709551616",
    "-9223372036854775808",
    "true",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
];

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+]?(0[xob])?[0-9a-fA-F_]{1,40}",
        "[-+]{0,2}[0-9]{0,45}[.]?[0-9]{0,5}([eE][-+]?[0-9]{1,3})?",
        select(vec![
            "", "~", "null", "Null", "nULL", "true", "TRUE", "tRue", "yes", ".inf", "-.INF", "+.Inf", ".nan",
            "-.nan", "inf", "nan"
        ])
        .prop_map(str::to_owned),
    ]
}

fn tag() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        "",
        "!t ",
        "! ",
        "!!str ",
        "!!int ",
        "!!float ",
        "!!bool ",
        "!!binary ",
        "!<tag:yaml.org,2002:int> ",
    ])
}

/// A value and how it is written.
#[derive(Debug, Clone)]
enum Written {
    /// In one line.
    Scalar(String),
    /// Lines of a block scalar, with its indicator.
    Block(&'static str, Vec<String>),
    List(Vec<Written>),
    Map(Vec<(String, Written)>),
    /// In brackets.
    Flow(Box<Written>),
    /// With an anchor, and an alias to it in a second item.
    Twice(Box<Written>),
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        (tag(), number()).prop_map(|(tag, text)| format!("{tag}{text}")),
        "[a-z][a-z:#]{0,3}( [a-z#:]?[a-z]){0,2}".prop_map(|text| text.replace(" #", " ")),
        "'[ -&(-~éß]{0,6}'",
        "\"([ !#-\\[\\]-~é]|\\\\[nt\"/\\\\]|\\\\u00e[0-9]){0,6}\"",
    ]
}

fn written() -> impl Strategy<Value = Written> {
    let line = "([a-z#:'\"\\[]{1,5}( [a-z]{0,2})?)?";
    let leaf = prop_oneof![
        3 => scalar().prop_map(Written::Scalar),
        1 => (select(vec!["|", ">", "|-", ">-", "|+", ">+"]), vec(line, 0..4)).prop_map(|(sign, lines)| Written::Block(sign, lines)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let field = (
            prop_oneof!["[a-z]{1,2}", "[0-9]{1,2}", "\"[a-z :]{0,3}\"", Just("true".to_owned())],
            inner.clone(),
        );
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Written::List),
            vec(field, 0..4).prop_map(Written::Map),
            inner.clone().prop_map(|inner| Written::Flow(Box::new(inner))),
            inner.prop_map(|inner| Written::Twice(Box::new(inner))),
        ]
    })
}

/// Writes values as YAML.
struct Writer {
    text: String,
    anchors: usize,
}

impl Writer {
    /// Writes a value after `- ` or `name:`; its lines are indented by `indent`.
    fn value(&mut self, value: &Written, indent: usize) {
        let start = format!("\n{:indent$}", "");
        match value {
            Written::Scalar(text) => self.text += &format!(" {text}"),
            Written::Block(sign, lines) => {
                self.text += &format!(" {sign}");
                lines.iter().for_each(|line| self.text += &format!("{start}{line}"));
            }
            Written::List(items) if !items.is_empty() => {
                for item in items {
                    self.text += &format!("{start}-");
                    self.value(item, indent + 2);
                }
            }
            Written::Map(fields) if !fields.is_empty() => {
                for (name, value) in fields {
                    self.text += &format!("{start}{name}:");
                    self.value(value, indent + 1);
                }
            }
            Written::Twice(inner) => {
                self.anchors += 1;
                let anchor = self.anchors;
                self.text += &format!("{start}- &x{anchor}");
                self.value(inner, indent + 2);
                self.text += &format!("{start}- *x{anchor}");
            }
            Written::List(_) | Written::Map(_) | Written::Flow(_) => {
                self.text.push(' ');
                self.flow(value);
            }
        }
    }

    fn flow(&mut self, value: &Written) {
        match value {
            Written::Scalar(text) => {
                self.text += &format!("{} ", text.replace([',', '[', ']', '{', '}', '?'], "_"))
            }
            Written::Block(_, lines) => self.text += &format!("'{}'", lines.join("\n ").replace('\'', "''")),
            Written::List(items) => {
                self.text.push('[');
                for item in items {
                    self.flow(item);
                    self.text += ",\n ";
                }
                self.text.push(']');
            }
            Written::Map(fields) => {
                self.text.push('{');
                for (name, value) in fields {
                    self.text += &format!("{name}: ");
                    self.flow(value);
                    self.text.push(',');
                }
                self.text.push('}');
            }
            Written::Flow(inner) | Written::Twice(inner) => self.flow(inner),
        }
    }
}

fn yaml(text: &str) -> Result<Node, ReadError> {
    read_as("a.yaml", text)
}

/// Checks that a text that the oracle accepts has the same values here.
fn is_read_alike(text: &str) -> Result<(), TestCaseError> {
    match oracle::yaml(text) {
        Ok(expected) => agree(yaml(text).ok(), Some(expected), text),
        Err(_) => Ok(()),
    }
}

/// Checks that two readers have the same result, unless the oracle has rounded a number.
///
/// The oracle also merges `<<` with quotes or a tag.
fn agree(found: Option<Node>, expected: Option<Node>, text: &str) -> Result<(), TestCaseError> {
    if found.is_some() && expected.as_ref().is_some_and(oracle::has_rounded) {
        return Ok(());
    }
    if found.as_ref().is_some_and(oracle::has_merge_key) {
        return Ok(());
    }
    let [found, expected] = [found, expected].map(|node| node.map(oracle::with_usual_names));
    prop_assert_eq!(found, expected, "{}", text);
    Ok(())
}

proptest! {
    #[test]
    fn scalars_resolve_alike(text in (tag(), number()).prop_map(|(tag, text)| format!("{tag}{text}"))) {
        for text in [format!("a: {text}"), format!("- '{text}'")] {
            agree(yaml(&text).ok(), oracle::yaml(&text).ok(), &text)?;
        }
        is_read_alike(&format!("{text} : a"))?;
    }

    #[test]
    fn documents_have_the_same_values(value in written()) {
        let mut writer = Writer { text: "a:".to_owned(), anchors: 0 };
        writer.value(&value, 1);
        is_read_alike(&writer.text)?;
        is_read_alike(&format!("{}\n", writer.text))?;
    }

    /// The readers differ in which invalid texts they accept.
    #[test]
    fn texts_that_both_accept_have_the_same_values(pieces in vec(select(PIECES), 1..14)) {
        let text = format!("a:{}", pieces.concat());
        if yaml(&text).is_ok() {
            is_read_alike(&text)?;
        }
    }

    #[test]
    fn json_is_accepted_alike(pieces in vec(select(JSON_PIECES), 1..10), number in number()) {
        let text = pieces.concat();
        for text in [text.clone(), format!("[{text}]"), format!("{{\"a\": {number}, {text}}}")] {
            agree(read_as("a.json", &text).ok(), oracle::json(&text).ok(), &text)?;
        }
    }
}
