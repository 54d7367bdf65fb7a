//! Outlines: a line for each declaration, field and rule of generated crates.

mod block;
pub mod index;
mod items;
mod json_schemas;
mod operations;
mod rows;
mod schemas;
mod shapes;
mod stated;
mod tokens;
mod values;

use std::collections::BTreeMap;

use syn::ItemStatic;

use self::{block::Block, index::Index};
pub use self::{rows::expanded, shapes::Union};
use crate::documents::Files;

/// The crates in the order of their dependencies.
const CRATES: [&str; 4] = ["models", "validation", "server", "client"];

/// Files that do not belong to a tag, in the order in which they are shown.
const LAST: [&str; 4] = ["security", "builder", "dynamic", "lib"];

/// The module whose outline shows the files that do not belong to a tag.
pub const INDEX: &str = "lib";

/// The outline of one document's crates.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The files, ordered by module.
    pub sections: Vec<Section>,
}

/// The outline of one file.
#[derive(Debug, Clone)]
pub struct Section {
    /// The module: `pets`, `common`, `responses`, or `lib` for all other files.
    pub module: String,
    /// The path of the file, or of several files with the same declarations.
    pub path: String,
    /// The declarations.
    blocks: Vec<Block>,
}

/// Makes the outline of one document's crates. The outline leaves out `prefix`, with which the crates' names begin.
///
/// # Errors
/// Returns an error if a file is not valid Rust.
pub fn outline(files: &Files, prefix: &str) -> Result<Outline, syn::Error> {
    let mut outline = outline_of(&Index::new(files)?, prefix);
    outline.sections.extend(stated::sections(files));
    outline.sections.extend(needs(files));
    Ok(outline)
}

/// Makes the outline of parsed files.
#[must_use]
pub fn outline_of(index: &Index, prefix: &str) -> Outline {
    let place = |path: &str| {
        let krate = path.split('/').next().unwrap_or_default();
        let module = index::module_of(path);
        (
            LAST.iter().position(|last| *last == module).map_or(0, |at| at + 1),
            module.to_owned(),
            CRATES.iter().position(|name| *name == krate),
        )
    };
    let mut paths: Vec<&String> = index.files.keys().collect();
    paths.sort_by_key(|path| place(path));
    let prefix = if prefix.is_empty() { String::new() } else { format!("{}_", prefix.replace('-', "_")) };
    let sections = paths.into_iter().filter_map(|path| {
        let module = index::module_of(path);
        let here = index.here(module);
        let blocks = items::blocks(&here, index.files.get(path)?);
        let module = if LAST.contains(&module) { INDEX } else { module };
        let blocks = blocks.into_iter().map(|block| block.without(&prefix)).collect();
        Some(Section { module: module.to_owned(), path: path.clone(), blocks })
    });
    Outline { sections: sections.collect() }
}

/// Returns the outline of one row. Patterns have none: rows that refer to them show them.
#[must_use]
pub fn row(index: &Index, module: &str, item: &ItemStatic) -> Option<String> {
    items::row(&index.here(module), item).map(|block| block.text())
}

/// Returns the outline of a union's shape.
#[must_use]
pub fn shape(union: &str, row: &syn::Expr) -> String {
    shapes::shape(union, row).iter().map(Block::text).collect()
}

/// Lists the features that need the feature of another module.
fn needs(files: &Files) -> Option<Section> {
    let manifest = files.get("models/Cargo.toml")?;
    let features = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let features = features.take_while(|line| !line.starts_with('['));
    let lines = features.filter_map(|line| line.split_once(" = "));
    let lines = lines.filter(|(feature, needs)| !["default", "all"].contains(feature) && *needs != "[]");
    let blocks: Vec<Block> =
        lines.map(|(feature, needs)| Block::line(format!("{feature} needs {needs}"))).collect();
    (!blocks.is_empty()).then(|| Section {
        module: INDEX.to_owned(),
        path: "models/Cargo.toml".to_owned(),
        blocks,
    })
}

impl Outline {
    /// Returns the text of each module.
    #[must_use]
    pub fn modules(&self) -> BTreeMap<&str, String> {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for section in self.sections.iter().filter(|section| !section.blocks.is_empty()) {
            let text = texts.entry(&section.module).or_default();
            if !text.is_empty() {
                text.push('\n');
            }
            section.write(text);
        }
        texts
    }

    /// Returns the text of all modules.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for section in self.sections.iter().filter(|section| !section.blocks.is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            section.write(&mut text);
        }
        text
    }

    /// Removes what another outline has in the same files, and names what only the other has.
    #[must_use]
    pub fn without(self, other: &Self) -> Self {
        let sections = self.sections.into_iter().map(|section| {
            match other.sections.iter().find(|other| other.path == section.path) {
                Some(other) => section.without(other),
                None => section,
            }
        });
        Self { sections: sections.collect() }
    }

    /// Joins declarations that the `lib.rs` of several crates share.
    #[must_use]
    pub fn grouped(self) -> Self {
        let (libs, mut sections): (Vec<Section>, _) =
            self.sections.into_iter().partition(|section| section.path.ends_with("src/lib.rs"));
        let mut groups: Vec<(Vec<String>, Vec<Block>)> = Vec::new();
        let mut seen: Vec<Block> = Vec::new();
        for section in &libs {
            for block in &section.blocks {
                if seen.contains(block) {
                    continue;
                }
                seen.push(block.clone());
                let holders = libs.iter().filter(|section| section.blocks.contains(block));
                let crates: Vec<String> = holders.map(|section| section.krate().to_owned()).collect();
                match groups.iter_mut().find(|(group, _)| *group == crates) {
                    Some((_, blocks)) => blocks.push(block.clone()),
                    None => groups.push((crates, vec![block.clone()])),
                }
            }
        }
        groups.sort_by_key(|(crates, _)| std::cmp::Reverse(crates.len()));
        sections.extend(groups.into_iter().map(|(crates, blocks)| Section {
            module: INDEX.to_owned(),
            path: match crates.as_slice() {
                [only] => format!("{only}/src/lib.rs"),
                several => format!("{{{}}}/src/lib.rs", several.join(",")),
            },
            blocks,
        }));
        Self { sections }
    }
}

impl Section {
    fn krate(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    fn without(self, other: &Self) -> Self {
        let missing = other.blocks.iter().filter(|block| !self.blocks.contains(block));
        // A declaration with the same name is a different form of it.
        let missing = missing.filter(|block| !self.blocks.iter().any(|own| own.name() == block.name()));
        let missing: Vec<Block> =
            missing.map(|block| Block::line(format!("(no {})", block.head()))).collect();
        let own = self.blocks.into_iter().filter(|block| !other.blocks.contains(block));
        Self { blocks: own.chain(missing).collect(), ..self }
    }

    /// Appends the text, with blank lines around blocks of several lines.
    fn write(&self, text: &mut String) {
        text.push_str(&format!("== {}\n", self.path));
        let mut is_line = false;
        for block in &self.blocks {
            if !(is_line && block.is_line()) {
                text.push('\n');
            }
            is_line = block.is_line();
            text.push_str(&block.text());
        }
    }
}
