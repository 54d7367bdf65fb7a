//! Shows what `rules.json` states beside the tables: the media of strings, and patterns that are not checked.

use serde_json::Value;

use super::{Section, block::Block};
use crate::documents::Files;

/// The file of all rules.
const RULES: &str = "validation/rules.json";

/// Returns a section for each module whose schemas state something.
pub fn sections(files: &Files) -> Vec<Section> {
    let rules: Option<Value> = files.get(RULES).and_then(|text| serde_json::from_str(text).ok());
    let modules = rules.iter().filter_map(Value::as_object).flatten();
    let sections = modules.map(|(module, rules)| {
        let mut blocks = Vec::new();
        let schemas = rules.get("schemas").and_then(Value::as_object);
        schemas.into_iter().flatten().for_each(|(name, schema)| add(name, schema, &mut blocks));
        Section { module: module.clone(), path: format!("{RULES}#/{module}"), blocks }
    });
    sections.filter(|section| !section.blocks.is_empty()).collect()
}

/// Adds a line for a schema that states something, and for each such schema in it.
fn add(path: &str, schema: &Value, blocks: &mut Vec<Block>) {
    let media = schema.get("x-media").map(|media| format!("{path}: media {media}"));
    let unchecked = schema.get("x-unchecked").and(schema.get("pattern"));
    let unchecked = unchecked.map(|pattern| format!("{path}: unchecked pattern {pattern}"));
    blocks.extend(media.into_iter().chain(unchecked).map(Block::line));
    match schema {
        Value::Object(keywords) => {
            let below = keywords.iter().filter(|(keyword, _)| *keyword != "x-media");
            below.for_each(|(keyword, value)| add(&format!("{path}/{keyword}"), value, blocks));
        }
        Value::Array(items) => {
            let below = items.iter().enumerate();
            below.for_each(|(index, item)| add(&format!("{path}/{index}"), item, blocks));
        }
        _ => {}
    }
}
