//! Compares random overlays with a simple implementation on JSON values.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use serde_json_path::JsonPath;

use super::overlaid;
use crate::tree::{Node, NodeId};

/// Returns random JSON values whose fields have few names, so that paths often match.
fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        (0..3).prop_map(Json::from),
        "[ab]".prop_map(Json::from)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec(("[a-d]", inner), 0..4)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

fn paths() -> impl Strategy<Value = String> {
    let segment = prop::sample::select(vec![
        ".a",
        ".b",
        "['c', 'a']",
        ".*",
        "[0]",
        "[-1]",
        "[::2]",
        "..a",
        "..*",
        "[?@.a]",
        "[?@ == 1]",
        "[?@.b != @.a]",
        "..[?@.c]",
    ]);
    prop::collection::vec(segment, 0..4).prop_map(|segments| format!("$.x{}", segments.concat()))
}

fn actions() -> impl Strategy<Value = Json> {
    prop_oneof![
        (paths(), values()).prop_map(|(target, update)| json!({"target": target, "update": update})),
        (paths(), paths()).prop_map(|(target, copy)| json!({"target": target, "copy": copy})),
        paths().prop_map(|target| json!({"target": target, "remove": true})),
    ]
}

/// Applies an action, or returns `None` if the specification forbids it.
fn model(document: &Json, action: &Json) -> Option<Json> {
    let text = |name: &str| action.get(name).and_then(Json::as_str);
    let select = |path: &str| {
        let path = JsonPath::parse(path).unwrap();
        let found = path.query_located(document);
        let mut found: Vec<String> = found.iter().map(|node| node.location().to_json_pointer()).collect();
        found.sort_by_key(|pointer| order(document, pointer));
        found.dedup();
        found
    };
    let targets = select(text("target").unwrap());
    let mut result = document.clone();
    if action.get("remove").is_some() {
        for pointer in targets.iter().rev() {
            let (parent, step) = pointer.rsplit_once('/')?;
            match result.pointer_mut(parent)? {
                Json::Array(items) => _ = items.remove(step.parse().unwrap()),
                Json::Object(fields) => _ = fields.shift_remove(step),
                _ => {}
            }
        }
        return Some(result);
    }
    let value = match text("copy") {
        Some(path) => match select(path).as_slice() {
            [one] => document.pointer(one)?.clone(),
            _ => return None,
        },
        None => action.get("update")?.clone(),
    };
    let kinds = targets.iter().map(|pointer| kind(document.pointer(pointer).unwrap()));
    let kinds: std::collections::BTreeSet<u8> = kinds.collect();
    if kinds.len() > 1 {
        return None;
    }
    for pointer in &targets {
        match result.pointer_mut(pointer)? {
            Json::Array(items) if !value.is_array() => items.push(value.clone()),
            target => merge(target, &value)?,
        }
    }
    Some(result)
}

/// Returns the positions on the way to a node.
fn order(document: &Json, pointer: &str) -> Vec<usize> {
    let mut node = document;
    let steps = pointer.split('/').skip(1);
    let positions = steps.map(|step| {
        let index = match node {
            Json::Object(fields) => fields.keys().position(|name| name == step).unwrap(),
            _ => step.parse().unwrap(),
        };
        node = node.get(step).or_else(|| node.get(index)).unwrap();
        index
    });
    positions.collect()
}

fn kind(value: &Json) -> u8 {
    match value {
        Json::Object(_) => 0,
        Json::Array(_) => 1,
        _ => 2,
    }
}

fn merge(target: &mut Json, value: &Json) -> Option<()> {
    match (target, value) {
        (Json::Object(fields), Json::Object(values)) => values.iter().try_for_each(|(name, value)| {
            match fields.get_mut(name) {
                Some(field) => merge(field, value)?,
                None => _ = fields.insert(name.clone(), value.clone()),
            }
            Some(())
        }),
        (Json::Array(items), Json::Array(values)) => {
            items.extend(values.iter().cloned());
            Some(())
        }
        (target, value) if kind(target) == 2 && kind(value) == 2 => {
            *target = value.clone();
            Some(())
        }
        _ => None,
    }
}

/// Returns whether the nodes of a tree are numbered in order.
fn is_numbered(root: &Node) -> bool {
    let mut next = NodeId::default();
    let mut is_numbered = true;
    root.walk(&mut |node| {
        is_numbered &= node.id() == next;
        next = next.next();
    });
    is_numbered
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn overlays_follow_the_specification(x in values(), actions in prop::collection::vec(actions(), 1..4)) {
        let mut expected = Json::Object(Map::from_iter([("openapi".to_owned(), json!("3.1.0")), ("x".to_owned(), x)]));
        let document = expected.to_string();
        let overlay = json!({"overlay": "1.1.0", "info": {"title": "T", "version": "1"}, "actions": actions});
        let mut impossible = 0;
        for action in &actions {
            match model(&expected, action) {
                Some(result) => expected = result,
                None => impossible += 1,
            }
        }
        let parsed = overlaid(&document, &[&overlay.to_string()]);
        let report = parsed.report();
        let conflicts = report.diagnostics.iter().filter(|found| found.code.name() == "overlay-conflict");
        prop_assert_eq!(conflicts.count(), impossible, "{}", report);
        let root = parsed.document.as_ref().unwrap().root();
        prop_assert_eq!(root.to_json().to_string(), expected.to_string());
        prop_assert!(is_numbered(root));
        // Every node is in the text of its file, or came from the overlay.
        let document = parsed.document.as_ref().unwrap();
        root.walk(&mut |node| {
            let file = node.location().unwrap().file.get();
            match document.origins().of(node.id()).map(|insertion| insertion.verb) {
                None => assert_eq!(file, 0, "{node:?}"),
                Some("added") => assert_eq!(file, 1, "{node:?}"),
                Some(verb) => assert_eq!(verb, "copied", "{node:?}"),
            }
        });
    }
}
