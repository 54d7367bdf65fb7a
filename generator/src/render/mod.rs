//! From tokens to text: `prettyplease`, a header that names command and source, blank lines between items.

mod blank_lines;
mod layout;

use std::num::NonZero;
use std::thread;

use crate::emit::{Contents, File, Item, List};
use crate::file_tree::FileTree;
use crate::options::Options;
use layout::Layout;
use layout::tokens::{Kind, Token, tokens};

/// An emitter made what is no Rust: a mistake of the generator, never of the document.
#[derive(Debug, Clone, thiserror::Error)]
#[error("The code generated for `{path}` is no Rust: {message}. This is a mistake of the generator.")]
pub struct RenderError {
    /// The file.
    pub path: String,
    /// What the parser says.
    pub message: String,
}

/// Renders the files, on as many threads as the machine has cores. The result does not depend on their number.
///
/// # Errors
/// The tokens of a file are no Rust.
pub fn render(files: Vec<File>, options: &Options) -> Result<FileTree, RenderError> {
    let header = Header::new(options);
    let sources: Vec<Source> = files.into_iter().map(Source::from).collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = sources.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let header = &header;
        let start = |share| scope.spawn(move || render_share(share, header));
        let workers: Vec<_> = sources.chunks(share).map(start).collect();
        let results = workers.into_iter().flat_map(|worker| match worker.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect()
    })
}

fn render_share(sources: &[Source], header: &Header) -> Vec<Result<(String, String), RenderError>> {
    sources.iter().map(|source| Ok((source.path.clone(), source.render(header)?))).collect()
}

/// A file on its way to another thread, which tokens can't travel to: they go as text, to be parsed there anyway.
struct Source {
    path: String,
    contents: Text,
}

enum Text {
    Rust { docs: Vec<String>, items: Vec<Block> },
    Toml(String),
    Done(String),
}

/// One or several items.
enum Block {
    /// Rust that is to be formatted.
    Rust(String),
    /// Text as it is to be.
    Done(String),
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        let contents = match file.contents {
            Contents::Rust(rust) => {
                let block = |item| match item {
                    Item::Tokens(tokens) => Block::Rust(tokens.to_string()),
                    Item::List(list) => Block::Done(list_text(&list)),
                };
                Text::Rust { docs: rust.docs, items: rust.items.into_iter().map(block).collect() }
            }
            Contents::Toml(text) => Text::Toml(text),
            Contents::Json(text) => Text::Done(text),
        };
        Self { path: file.path, contents }
    }
}

impl Source {
    fn render(&self, header: &Header) -> Result<String, RenderError> {
        match &self.contents {
            Text::Rust { docs, items } => rust_text(docs, items, header)
                .map_err(|error| RenderError { path: self.path.clone(), message: error.to_string() }),
            Text::Toml(text) => Ok(format!("# {}\n\n{text}", header.0)),
            Text::Done(text) => Ok(text.clone()),
        }
    }
}

/// What every file begins with.
struct Header(String);

impl Header {
    fn new(options: &Options) -> Self {
        Self(options.header())
    }
}

fn rust_text(docs: &[String], items: &[Block], header: &Header) -> syn::Result<String> {
    let docs: Vec<_> = docs.iter().map(|line| format!("//! {line}").trim_end().to_owned()).collect();
    let mut blocks = vec![format!("// {}", header.0), docs.join("\n")];
    for item in items {
        match item {
            Block::Rust(text) => format_items(text, &mut blocks)?,
            Block::Done(text) => blocks.push(text.clone()),
        }
    }
    blocks.retain(|block| !block.is_empty());
    Ok(join(blocks))
}

/// Adds the text of each item.
fn format_items(text: &str, blocks: &mut Vec<String>) -> syn::Result<()> {
    let tokens = tokens(text);
    let mut layout = Layout::new(&tokens);
    let mut rest = 0..tokens.len();
    while !rest.is_empty() {
        let item = rest.start..item_end(&tokens, rest.start);
        rest.start = item.end;
        let mut laid_out = String::new();
        if layout.item(item.clone(), &mut laid_out) {
            blocks.push(blank_lines::between_members(laid_out.trim_end()));
        } else {
            let start = tokens.get(item.start).map_or(0, |token| token.start);
            let end = tokens.get(item.end - 1).map_or(text.len(), Token::end);
            format_any(text.get(start..end).unwrap_or_default(), blocks)?;
        }
    }
    Ok(())
}

/// Adds the text of each item, whatever it is.
fn format_any(text: &str, blocks: &mut Vec<String>) -> syn::Result<()> {
    let file: syn::File = syn::parse_str(text)?;
    for item in file.items {
        let alone = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] };
        blocks.push(blank_lines::between_members(prettyplease::unparse(&alone).trim_end()));
    }
    Ok(())
}

/// Where the item that begins here ends: behind its `;` or its braces; at the end of all where that is not clear.
fn item_end(tokens: &[Token<'_>], start: usize) -> usize {
    let closing = |at: usize| match tokens.get(at).map(|token| token.kind) {
        Some(Kind::Open(closing)) => closing,
        _ => at,
    };
    let mut ends_with_brace = true;
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "use" | "static" | "const" | "type" => ends_with_brace = false,
            "!" => break,
            ";" => return at + 1,
            "{" if ends_with_brace => return closing(at) + 1,
            _ => {}
        }
        at = closing(at) + 1;
    }
    tokens.len()
}

/// ```text
/// openapi_crates_runtime::families! {
///     "toys" => toys,
/// }
/// ```
fn list_text(list: &List) -> String {
    let head = list.head.iter().map(|line| format!("    {line}\n"));
    let entries = list.entries.iter().map(|entry| format!("    {entry},\n"));
    format!("{}! {{\n{}}}", list.path, head.chain(entries).collect::<String>())
}

/// The blocks with blank lines between them; imports stand together, sorted.
fn join(mut blocks: Vec<String>) -> String {
    let is_import = |block: &String| block.starts_with("use ") || block.starts_with("pub use ");
    for imports in blocks.chunk_by_mut(|a, b| is_import(a) && is_import(b)) {
        imports.sort_unstable();
    }
    let mut text = String::new();
    let mut was_import = false;
    for block in &blocks {
        let is_import = is_import(block);
        if !text.is_empty() {
            text.push_str(if was_import && is_import { "\n" } else { "\n\n" });
        }
        text.push_str(block);
        was_import = is_import;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::*;
    use crate::emit::RustFile;

    fn rust(path: &str, tokens: TokenStream) -> File {
        let docs = vec!["What it is for.".to_owned(), String::new(), "More.".to_owned()];
        let list =
            List { path: "m".to_owned(), head: vec!["head;".to_owned()], entries: vec!["a".to_owned()] };
        let items = vec![Item::Tokens(tokens), Item::List(list)];
        File { path: path.to_owned(), contents: Contents::Rust(RustFile { docs, items }) }
    }

    fn options() -> Options {
        Options { command: "make it".to_owned(), ..Options::new("x", "api.yaml") }
    }

    #[test]
    fn a_whole_file() {
        let file = rust(
            "a.rs",
            quote! {
                use c::d;
                use a::b;
                #[doc = " Docs."]
                #[derive(Debug)]
                pub struct A { #[doc = " Field."] pub b: i64 }
                impl A { pub fn x(&self) -> i64 { 1 } pub fn y(&self) -> i64 { 2 } }
            },
        );
        let tree = render(vec![file], &options()).unwrap();
        let expected = "\
// @generated by `make it` from api.yaml. Do not edit by hand.

//! What it is for.
//!
//! More.

use a::b;
use c::d;

/// Docs.
#[derive(Debug)]
pub struct A {
    /// Field.
    pub b: i64,
}

impl A {
    pub fn x(&self) -> i64 {
        1
    }

    pub fn y(&self) -> i64 {
        2
    }
}

m! {
    head;
    a,
}
";
        assert_eq!(tree.text("a.rs"), Some(expected));
    }

    #[test]
    fn order_and_threads_make_no_difference() {
        let files: Vec<_> =
            (0..50).map(|n| rust(&format!("{n}.rs"), quote!(pub const A: usize = #n;))).collect();
        let reversed: Vec<_> = files.iter().rev().cloned().collect();
        assert_eq!(render(files, &options()).unwrap(), render(reversed, &options()).unwrap());
    }

    #[test]
    fn what_is_no_rust_is_told() {
        let error = render(vec![rust("broken.rs", quote!(struct struct))], &options()).unwrap_err();
        assert_eq!(error.path, "broken.rs");
    }
}
