//! Reads the result of a program.

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
        None => {
            let failed = |why: &str| Failure::Internal(format!("the program's output {why}"));
            let length = tokio::fs::symlink_metadata(&path).await.map_or(0, |metadata| metadata.len());
            if length > MAX_TEXT_BYTES {
                return Err(failed("is longer than 1 MiB"));
            }
            let text =
                tokio::fs::read_to_string(&path).await.map_err(|_| failed("can't be read as UTF-8 text"))?;
            match text.trim() {
                "" => Err(failed("is empty")),
                text => Ok(Output::Text(text.to_owned())),
            }
        }
    }
}
