//! The crates that the generator makes of a mode's document.

use std::{collections::BTreeMap, path::PathBuf};

use openapi_crates::{CrateKind, Options, Runtime, diagnostics::Level, generate as generate_crates};

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
    let mut generated =
        Generated { mode, groups: BTreeMap::new(), left_out: Vec::new(), refused: Vec::new() };
    for (number, group) in groups.iter().enumerate() {
        if let Some(reason) = left_out(&group.schema) {
            generated.left_out.push((reason, group));
        } else {
            generated.groups.insert(number, group);
        }
    }
    // A group with an error is left out, because the generator writes nothing otherwise.
    while !generated.write() {}
    generated
}

impl Generated<'_> {
    /// Writes the crates. If there are errors, moves their groups to `refused` and returns `false`.
    fn write(&mut self) -> bool {
        let name = self.mode.name;
        let groups: Vec<_> = self.groups.iter().map(|(number, group)| (*number, *group)).collect();
        let document = Document::of(&groups);
        let source = format!("{name}.json");
        let generated = generate_crates(&source, &document.text, &self.options())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Some(files) = generated.files {
            files.write_to(&self.folder()).expect("the crates can be written");
            return true;
        }
        let diagnostics = &generated.report.diagnostics;
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error);
        let before = self.groups.len();
        for error in errors {
            let line = error.range.map_or(0, |range| range.start.line);
            let number =
                document.owner(line).unwrap_or_else(|| panic!("{name}: no group has this error: {error}"));
            // A group can have several errors.
            if let Some(group) = self.groups.remove(&number) {
                self.refused.push((group, error.code.to_string()));
            }
        }
        assert!(self.groups.len() < before, "{name}: nothing was generated:\n{}", generated.report);
        false
    }

    fn options(&self) -> Options {
        let name = self.mode.name;
        (self.mode.options)(Options {
            crates: [CrateKind::Server].into(),
            runtime: Runtime::Path("../../../../runtime".to_owned()),
            command: "cargo xtask suite".to_owned(),
            ..Options::new(format!("suite-{name}"), format!("{name}.json"))
        })
    }

    fn folder(&self) -> PathBuf {
        program::workspace().join(self.mode.name)
    }
}
