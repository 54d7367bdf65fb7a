//! Reads the result of a program.

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
    let path = folder.output(&command.output);
    match family.makes {
        Some(kind) => {
            let most = context.most_bytes;
            checked(on_blocking_thread(move || written(&path, most)).await?, kind, context).await
        }
        None => text(&path).await.map(Output::Text),
    }
}

/// Reads the text that a program has written.
async fn text(path: &Path) -> Result<String, Failure> {
    let failed = |why: &str| Failure::Internal(format!("the program's output {why}"));
    let metadata = tokio::fs::symlink_metadata(path).await.ok();
    // A link may lead to a file that only the service may read.
    if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(failed("is not a file"));
    }
    if metadata.is_some_and(|metadata| metadata.len() > MAX_TEXT_BYTES) {
        return Err(failed("is longer than 1 MiB"));
    }
    let text = tokio::fs::read_to_string(path).await.map_err(|_| failed("can't be read as UTF-8 text"))?;
    match text.trim() {
        "" => Err(failed("is empty")),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_link_is_no_output() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, " secret\n").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(text(&file).await, Ok("secret".to_owned()));
        assert_eq!(text(&link).await.unwrap_err().to_string(), "the program's output is not a file");
    }
}
