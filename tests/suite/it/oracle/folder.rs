//! Pairs of real documents in a folder, outside CI: `OPENAPI_PAIRS=<folder> cargo test … folder -- --ignored`.
//!
//! The folder has two files for each pair: `petstore.old.yaml` and `petstore.new.yaml`.

use std::{collections::BTreeMap, env, fs, path::Path};

use openapi_crates::{Options, Strictness};
use openapi_crates_outlines::pairs::Pair;

/// Returns the pairs of the folder.
pub(crate) fn pairs() -> Vec<Pair> {
    let folder = env::var("OPENAPI_PAIRS").expect("OPENAPI_PAIRS names a folder");
    let mut texts: BTreeMap<String, [String; 2]> = BTreeMap::new();
    for file in fs::read_dir(Path::new(&folder)).expect("the folder can be listed") {
        let path = file.expect("the folder can be listed").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let mut parts = name.split('.');
        if let (Some(name), Some(side @ ("old" | "new"))) = (parts.next(), parts.next()) {
            let text = fs::read_to_string(&path).expect("a document can be read");
            let pair = texts.entry(name.to_owned()).or_default();
            pair[usize::from(side == "new")] = text;
        }
    }
    let options = || Options::new("things", "things.json").strictness(Strictness::Lenient);
    let pair = |(rule, [old, new]): (String, [String; 2])| Pair {
        rule,
        old,
        new,
        old_options: options(),
        new_options: options(),
        exact: None,
    };
    texts.into_iter().map(pair).collect()
}

#[test]
#[ignore = "needs a folder of documents"]
fn verdicts_agree_with_the_compiler() {
    super::rules::check("folder", &pairs());
}
