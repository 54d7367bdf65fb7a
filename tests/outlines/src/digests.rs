//! Digests of all generated files of the fixtures: any changed byte changes a digest.
//!
//! To show what differs, the target folder keeps the full texts: the current ones in [`CURRENT`], those with accepted
//! digests in [`ACCEPTED`].

use std::{collections::BTreeSet, fs, io, path::Path};

use openapi_crates::CrateKind;

use crate::{
    documents::{Files, root},
    snapshots::Generated,
};

/// The snapshot's name.
pub const NAME: &str = "fixtures";

/// The folder of texts with accepted digests, relative to the project's root.
pub const ACCEPTED: &str = "target/outlines/accepted";

/// The folder of the current texts, relative to the project's root.
pub const CURRENT: &str = "target/outlines/current";

/// Returns a line per fixture with a digest per crate.
pub fn text(fixtures: &[Generated]) -> String {
    let lines = fixtures.iter().map(|Generated { name, files, .. }| {
        let digests = CrateKind::ALL.iter().map(|&kind| shown(kind, &full_text(files, kind)));
        let digests: Vec<String> = digests.collect();
        format!("{name} {}\n", digests.join(" "))
    });
    lines.collect()
}

/// Writes the full texts to the target folder. `accepted` is the text of the snapshot.
///
/// # Errors
/// Returns an error if a file can't be written.
pub fn keep(fixtures: &[Generated], accepted: &str) -> io::Result<()> {
    // The folder may not exist.
    let _ = fs::remove_dir_all(root().join(CURRENT));
    let lines = accepted.lines().filter_map(|line| line.split_once(' '));
    let accepted: BTreeSet<(&str, &str)> =
        lines.flat_map(|(name, digests)| digests.split(' ').map(move |digest| (name, digest))).collect();
    for Generated { name, files, .. } in fixtures {
        for &kind in CrateKind::ALL {
            let is_accepted = |text: &str| accepted.contains(&(name.as_str(), shown(kind, text).as_str()));
            let file = format!("{name}.{}.txt", kind.folder());
            let text = full_text(files, kind);
            write(&root().join(CURRENT).join(&file), &text)?;
            let kept = root().join(ACCEPTED).join(&file);
            let old = fs::read_to_string(&kept).ok();
            if is_accepted(&text) {
                if old.as_deref() != Some(&text) {
                    write(&kept, &text)?;
                }
            } else if old.is_some_and(|old| !is_accepted(&old)) {
                // The text was accepted in another revision.
                let _ = fs::remove_file(&kept);
            }
        }
    }
    Ok(())
}

/// Formats a digest: `models=0123456789abcdef`.
fn shown(kind: CrateKind, text: &str) -> String {
    format!("{}={:016x}", kind.folder(), digest(text))
}

/// Returns all files of a crate as one text.
fn full_text(files: &Files, kind: CrateKind) -> String {
    let folder = format!("{}/", kind.folder());
    let files = files.iter().filter(|(path, _)| path.starts_with(&folder));
    files.map(|(path, content)| format!("// file: {path}\n{content}\n")).collect()
}

/// Computes FNV-1a, which does not depend on the machine or the version of Rust.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Writes a file and creates its folder.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
