//! The workspace of the generated crates.

use openapi_crates::{CrateKind, FileTree, Options};

use super::runtime;

/// Returns the manifest of a workspace with the generated crates.
///
/// If `with_runtime`, the copy of the runtime is also a member.
pub fn manifest(options: &Options, with_runtime: bool) -> FileTree {
    let mut members: Vec<&str> = options.all_crates().into_iter().map(CrateKind::folder).collect();
    members.extend(with_runtime.then_some(runtime::FOLDER));
    let members: Vec<String> = members.iter().map(|member| format!("\"{member}\"")).collect();
    let text = format!(
        "# {}\n\n[workspace]\nresolver = \"3\"\nmembers = [{}]\n",
        options.header(),
        members.join(", ")
    );
    [("Cargo.toml".to_owned(), text)].into_iter().collect()
}
