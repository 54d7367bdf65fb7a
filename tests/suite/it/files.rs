//! The files of the suite.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// A schema and the instances to validate with it.
#[derive(Default)]
pub struct Group {
    /// The name of the file without its extension: `allOf`.
    pub file: String,
    /// The position in the file.
    pub index: usize,
    /// The suite's words for it.
    pub description: String,
    /// The schema.
    pub schema: Value,
    /// The instances.
    pub tests: Vec<Test>,
}

/// An instance and the verdict on it.
pub struct Test {
    /// The suite's words for it.
    pub description: String,
    /// The instance.
    pub data: Value,
    /// Whether the instance is valid.
    pub valid: bool,
}

impl Group {
    /// Returns the path of the group's operation.
    pub fn path(&self) -> String {
        format!("/{}/{}", self.file, self.index)
    }

    /// Returns the name of the group's component.
    pub fn component(&self) -> String {
        format!("{}_{}", self.file, self.index)
    }
}

/// Reads the groups of files in a folder, sorted by the names of the files. Without names, reads all files.
pub fn groups(folder: &Path, names: &[&str]) -> Vec<Group> {
    let mut paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name).with_extension("json")).collect();
    if names.is_empty() {
        let entries = fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{} is not a folder of the suite: {error}", folder.display()));
        paths.extend(entries.map(|entry| entry.expect("the folder can be listed").path()));
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    }
    paths.sort();
    let groups: Vec<Group> = paths.iter().flat_map(|path| of_file(path)).collect();
    assert!(!groups.is_empty(), "{} has no files", folder.display());
    groups
}

fn of_file(path: &Path) -> Vec<Group> {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{} can't be read: {error}", path.display()));
    let json: Value =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = path.file_stem().expect("it is a file").to_string_lossy();
    let groups = json.as_array().expect("a file is an array of groups");
    groups.iter().enumerate().map(|(index, group)| of_json(&file, index, group)).collect()
}

fn of_json(file: &str, index: usize, group: &Value) -> Group {
    let tests = group["tests"].as_array().expect("a group has tests");
    let test = |test: &Value| Test {
        description: words(&test["description"]),
        data: test["data"].clone(),
        valid: test["valid"].as_bool().expect("a test has a verdict"),
    };
    Group {
        file: file.to_owned(),
        index,
        description: words(&group["description"]),
        schema: group["schema"].clone(),
        tests: tests.iter().map(test).collect(),
    }
}

fn words(value: &Value) -> String {
    value.as_str().expect("a group and a test have a description").to_owned()
}
