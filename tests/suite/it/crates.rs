//! The crates that the generator writes for a mode's document.

use std::collections::BTreeMap;

use openapi_crates::{CrateKind, FileTree, Level, Options, Runtime, generate as generate_crates};

use crate::{
    document::Document,
    files::Group,
    keywords::{LeftOut, left_out},
    modes::Mode,
    program,
};

/// A mode whose crates are written.
pub struct Generated<'g> {
    /// The mode.
    pub mode: &'static Mode,
    /// The groups with an operation, by their number in the mode.
    pub groups: BTreeMap<usize, &'g Group>,
    /// The groups that the generator does not read yet.
    pub left_out: Vec<(LeftOut, &'g Group)>,
    /// The groups that the generator refuses, with the code of the error.
    pub refused: Vec<(&'g Group, String)>,
}

/// Generates the crates of a mode and writes them.
///
/// Files that don't change keep their modification time, so that cargo compiles only what changed.
pub fn generate<'g>(mode: &'static Mode, groups: &'g [Group]) -> Generated<'g> {
    let (generated, files) = Generated::of(mode, groups);
    files.write_to(&program::workspace().join(mode.name)).expect("the crates can be written");
    generated
}

impl<'g> Generated<'g> {
    /// Generates the crates of a mode.
    fn of(mode: &'static Mode, groups: &'g [Group]) -> (Self, FileTree) {
        let mut generated = Self { mode, groups: BTreeMap::new(), left_out: Vec::new(), refused: Vec::new() };
        for (number, group) in groups.iter().enumerate() {
            if let Some(reason) = left_out(&group.schema) {
                generated.left_out.push((reason, group));
            } else {
                generated.groups.insert(number, group);
            }
        }
        loop {
            if let Some(files) = generated.files() {
                return (generated, files);
            }
        }
    }

    /// Returns the files. If there are errors, moves their groups to `refused` and returns `None`.
    fn files(&mut self) -> Option<FileTree> {
        let name = self.mode.name;
        let groups: Vec<_> = self.groups.iter().map(|(number, group)| (*number, *group)).collect();
        let document = Document::of(&groups);
        let generated = generate_crates(&source(name), &document.text, &options(self.mode))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if generated.files.is_some() {
            return generated.files;
        }
        let diagnostics = &generated.report.diagnostics;
        for error in diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error) {
            let line = error.range.map_or(0, |range| range.start.line);
            let number =
                document.owner(line).unwrap_or_else(|| panic!("{name}: no group has this error: {error}"));
            // A group can have several errors.
            if let Some(group) = self.groups.remove(&number) {
                self.refused.push((group, error.code.to_string()));
            }
        }
        assert!(self.groups.len() < groups.len(), "{name}: nothing was generated:\n{}", generated.report);
        None
    }
}

fn options(mode: &Mode) -> Options {
    let options = Options::new(format!("suite-{}", mode.name), source(mode.name))
        .crates([CrateKind::Server])
        .runtime(Runtime::Path("../../../../runtime".to_owned()))
        .command("cargo xtask suite");
    (mode.options)(options)
}

fn source(name: &str) -> String {
    format!("{name}.json")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::modes::MODES;

    #[test]
    fn groups_with_errors_are_refused_and_the_others_are_generated() {
        let group = |index, schema| Group { file: "ref".to_owned(), index, schema, ..Group::default() };
        let groups = [
            group(0, json!({ "type": "string" })),
            group(
                1,
                json!({ "properties": { "a": { "$ref": "#/$defs/gone" }, "b": { "$ref": "#/$defs/gone" } } }),
            ),
            group(2, json!({ "$ref": "other.json" })),
            group(3, json!(true)),
        ];
        let (generated, files) = Generated::of(&MODES[0], &groups);
        assert_eq!(generated.groups.keys().collect::<Vec<_>>(), [&0, &3]);
        let refused: Vec<_> =
            generated.refused.iter().map(|(group, code)| (group.index, code.as_str())).collect();
        assert_eq!(refused, [(1, "unknown-ref")]);
        let left_out: Vec<_> =
            generated.left_out.iter().map(|(reason, group)| (*reason, group.index)).collect();
        assert_eq!(left_out, [(LeftOut::Remote, 2)]);
        let server = files.iter().find(|(path, _)| *path == "server/src/groups.rs").map(|(_, text)| text);
        let server = server.expect("the operations have a module");
        assert!(server.contains("fn group0(") && server.contains("fn group3("), "{server}");
        assert!(!server.contains("fn group1(") && !server.contains("fn group2("), "{server}");
    }
}
