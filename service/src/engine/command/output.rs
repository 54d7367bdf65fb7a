//! Reads the result of a program.

use super::folder::Folder;
use super::settings::Command;
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::result::{checked, on_blocking_thread, written};
use crate::engine::{Failure, Output};

/// The longest text that a program may write, in bytes.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// Reads the result of a program that has ended with success.
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
            let failed = |why: &str| Failure::Internal(format!("the program's output is {why}"));
            let length = tokio::fs::symlink_metadata(&path).await.map_or(0, |metadata| metadata.len());
            if length > MAX_TEXT_BYTES {
                return Err(failed("too long a text"));
            }
            let text = tokio::fs::read_to_string(&path).await.map_err(|_| failed("no text"))?;
            match text.trim() {
                "" => Err(failed("an empty text")),
                text => Ok(Output::Text(text.to_owned())),
            }
        }
    }
}
