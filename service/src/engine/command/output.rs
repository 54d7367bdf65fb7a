//! Reads the result of a program.

use std::io::Read as _;
use std::path::Path;

use super::folder::Folder;
use super::settings::Command;
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::result::{checked, on_blocking_thread, written};
use crate::engine::{Failure, Output};

/// The maximum size of a text that a program writes.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// Reads the result of a program that has ended with exit code 0.
pub(super) async fn read(
    command: &Command,
    folder: &Folder,
    family: &Family,
    context: &Context,
) -> Result<Output, Failure> {
    let path = folder.path().join(command.output.name());
    match family.makes {
        Some(kind) => {
            let most = context.most_bytes;
            checked(on_blocking_thread(move || written(&path, most)).await?, kind, context).await
        }
        None => on_blocking_thread(move || text(&path)).await.map(Output::Text),
    }
}

/// Reads the text that a program has written.
fn text(path: &Path) -> Result<String, Failure> {
    let failed = |why: &str| Failure::Internal(format!("the program's output {why}"));
    let mut text = String::new();
    let read = written(path, MAX_TEXT_BYTES)?.read_to_string(&mut text);
    read.map_err(|_| failed("can't be read as UTF-8 text"))?;
    match text.trim() {
        "" => Err(failed("is empty")),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_an_output() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, " secret\n").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(text(&file), Ok("secret".to_owned()));
        assert_eq!(text(&link).unwrap_err().to_string(), "the program's output is not a file");
    }
}
