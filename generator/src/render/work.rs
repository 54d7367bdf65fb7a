//! Distributes rendering among threads. Each thread takes the next item. The thread that finishes the last
//! item of a file assembles the file.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::mentions::Mentions;
use super::{RenderError, format_items, join, list_text};
use crate::direction;
use crate::emit::{Contents, File, Item, RustFile};
use crate::options::Options;

/// The path and the text of a file.
type Rendered = (String, Result<String, RenderError>);

/// All files to render.
pub(super) struct Work<'a> {
    /// The first line of every file.
    header: String,
    files: Vec<(File<'a>, Mutex<Progress>)>,
    /// The jobs: the index of a file and the index of an item in that file.
    pub(super) jobs: Vec<(usize, usize)>,
    /// The index of the next job.
    next: AtomicUsize,
}

/// The progress of one file.
#[derive(Default)]
struct Progress {
    pieces: Vec<Option<Piece>>,
    /// The number of items that are not rendered yet.
    left: usize,
}

/// The text of an item.
#[derive(Default)]
struct Piece {
    blocks: Vec<String>,
    mentions: Mentions,
    error: Option<syn::Error>,
}

impl<'a> Work<'a> {
    pub(super) fn new(files: Vec<File<'a>>, options: &Options) -> Self {
        let items = |file: &File<'_>| match &file.contents {
            Contents::Rust(rust) => rust.items.len().max(1),
            Contents::Toml(_) | Contents::Json(_) => 1,
        };
        let counts = files.iter().map(items).enumerate();
        let jobs = counts.flat_map(|(index, count)| (0..count).map(move |item| (index, item))).collect();
        let files = files.into_iter().map(|file| {
            let left = items(&file);
            let pieces = std::iter::repeat_with(|| None).take(left).collect();
            (file, Mutex::new(Progress { pieces, left }))
        });
        Self { header: options.header(), files: files.collect(), jobs, next: AtomicUsize::new(0) }
    }

    /// Runs jobs until none is left. Returns the files that this thread completed.
    pub(super) fn run(&self) -> Vec<Rendered> {
        let mut ended = Vec::new();
        while let Some((file, item)) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let Some((file, progress)) = self.files.get(*file) else { continue };
            let piece = piece(file, *item);
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(slot) = progress.pieces.get_mut(*item) {
                *slot = Some(piece);
            }
            progress.left -= 1;
            if progress.left == 0 {
                let pieces = std::mem::take(&mut progress.pieces).into_iter().flatten().collect();
                ended.push((file.path.clone(), self.text(file, pieces)));
            }
        }
        ended
    }

    /// Returns the text of a file.
    fn text(&self, file: &File<'_>, pieces: Vec<Piece>) -> Result<String, RenderError> {
        let header = &self.header;
        match &file.contents {
            Contents::Rust(rust) => rust_text(rust, pieces, header)
                .map_err(|error| RenderError { path: file.path.clone(), message: error.to_string() }),
            Contents::Toml(text) => Ok(format!("# {header}\n\n{text}")),
            Contents::Json(_) => Ok(pieces.into_iter().flat_map(|piece| piece.blocks).collect()),
        }
    }
}

/// Renders one item of the file.
fn piece(file: &File<'_>, item: usize) -> Piece {
    match &file.contents {
        Contents::Rust(rust) => match rust.items.get(item) {
            Some(Item::Tokens(later)) => {
                let tokens = later();
                let mentions = Mentions::of(tokens.clone(), rust.imports.names);
                let mut blocks = Vec::new();
                let error = format_items(tokens, &mut blocks).err();
                Piece { blocks, mentions, error }
            }
            Some(Item::List(list)) => Piece { blocks: vec![list_text(list)], ..Piece::default() },
            None => Piece::default(),
        },
        Contents::Json(later) => Piece { blocks: vec![later()], ..Piece::default() },
        Contents::Toml(_) => Piece::default(),
    }
}

fn rust_text(rust: &RustFile<'_>, pieces: Vec<Piece>, header: &str) -> syn::Result<String> {
    let docs: Vec<_> = rust.docs.iter().map(|line| format!("//! {line}").trim_end().to_owned()).collect();
    let mut blocks = vec![format!("// {header}"), docs.join("\n")];
    let mentions = pieces.iter().fold(Mentions::default(), |all, piece| all.and(piece.mentions));
    for import in (rust.imports.of)(&mentions.among(rust.imports.names)) {
        format_items(import, &mut blocks)?;
    }
    for piece in pieces {
        if let Some(error) = piece.error {
            return Err(error);
        }
        blocks.extend(piece.blocks);
    }
    blocks.retain(|block| !block.is_empty());
    Ok(direction::escape(&join(blocks)).into_owned())
}
