//! Builds `data/lucide/icons.tsv.deflate` from the npm package `lucide-static`.
//!
//! ```sh
//! npm pack lucide-static && tar xzf lucide-static-*.tgz
//! cargo run --example pack_icons -- package engines/data/lucide
//! ```
//!
//! The file has one line per icon, ordered by name: the name, its tags separated by commas, and its SVG
//! elements. Tabs separate the three fields.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// An SVG element's name and attributes.
type Element = (String, Map<String, Value>);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (Some(package), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack_icons <folder of the npm package> <output folder>".into());
    };
    let nodes: BTreeMap<String, Vec<Element>> =
        serde_json::from_str(&std::fs::read_to_string(package.join("icon-nodes.json"))?)?;
    let tags: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&std::fs::read_to_string(package.join("tags.json"))?)?;
    let mut lines = String::new();
    for (name, elements) in &nodes {
        let tags = tags.get(name).map_or(String::new(), |tags| tags.join(","));
        let body: String =
            elements.iter().map(|(element, attributes)| written(element, attributes)).collect();
        lines.push_str(&format!("{name}\t{tags}\t{body}\n"));
    }
    std::fs::create_dir_all(&target)?;
    let packed = miniz_oxide::deflate::compress_to_vec(lines.as_bytes(), 10);
    println!("{} icons, {} bytes", nodes.len(), packed.len());
    std::fs::write(target.join("icons.tsv.deflate"), packed)?;
    std::fs::copy(package.join("LICENSE"), target.join("LICENSE"))?;
    Ok(())
}

fn written(element: &str, attributes: &Map<String, Value>) -> String {
    let attributes: String = attributes
        .iter()
        .map(|(name, value)| match value {
            Value::String(text) => format!(" {name}=\"{text}\""),
            other => format!(" {name}=\"{other}\""),
        })
        .collect();
    format!("<{element}{attributes}/>")
}
