//! Turns tokens into text: formats items and adds blank lines and a header.

mod blank_lines;
mod list_macro;
mod mentions;
mod only_lists;
mod work;

use proc_macro2::{LexError, TokenStream};

use crate::emit::{Contents, File, Item, imports_of};
use crate::escape;
use crate::file_tree::FileTree;
use crate::options::Options;
use mentions::Mentions;
use work::on_all_cores;

/// An error for generated code that does not parse. It is a bug in the generator, never an error in the
/// document.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
#[error("the code generated for `{path}` is not valid Rust: {message}; this is a bug in the generator")]
pub struct RenderError {
    /// The path of the file.
    pub path: String,
    /// The parser's message.
    pub message: String,
}

/// Renders the files on as many threads as the machine has cores. The result does not depend on the number of
/// threads.
///
/// # Errors
/// Returns the first error, by path, if the code of a file does not parse.
pub fn render(files: Vec<File<'_>>, options: &Options) -> Result<FileTree, RenderError> {
    let header = options.header();
    let items = |file: &File<'_>| match &file.contents {
        Contents::Rust(rust) => rust.items.len(),
        Contents::Json(_) => 1,
        Contents::Toml(_) => 0,
    };
    let jobs: Vec<_> = files.iter().flat_map(|file| (0..items(file)).map(move |item| (file, item))).collect();
    let mut pieces = on_all_cores(&jobs, |(file, item)| piece(file, *item)).into_iter();
    let whole = files.iter().map(|file| (file, pieces.by_ref().take(items(file)).collect()));
    let whole: Vec<(&File<'_>, Vec<_>)> = whole.collect();
    let texts = on_all_cores(&whole, |(file, pieces)| text(file, pieces, &header));
    let mut results: Vec<_> = files.iter().map(|file| file.path.clone()).zip(texts).collect();
    // `collect` stops at the first error, which has to be the same in each run.
    results.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let error = |path: &String, message| RenderError { path: path.clone(), message };
    let result =
        |(path, text): (_, Result<_, _>)| text.map_err(|message| error(&path, message)).map(|it| (path, it));
    results.into_iter().map(result).collect()
}

/// The text of an item.
#[derive(Default)]
struct Piece {
    blocks: Vec<String>,
    mentions: Mentions,
}

/// Renders one item of a file, or returns the message of the parser.
fn piece(file: &File<'_>, item: usize) -> Result<Piece, String> {
    let text = |text| Piece { blocks: vec![text], ..Piece::default() };
    Ok(match &file.contents {
        Contents::Rust(rust) => match rust.items.get(item) {
            Some(Item::Tokens(later)) => {
                let tokens = later();
                let mentions = Mentions::of(tokens.clone(), &rust.imports.names);
                let mut blocks = Vec::new();
                format_items(tokens, &mut blocks)?;
                Piece { blocks, mentions }
            }
            Some(Item::Text(item)) => text(item.clone()),
            None => Piece::default(),
        },
        Contents::Json(later) => text(later()),
        Contents::Toml(_) => Piece::default(),
    })
}

/// Returns the text of a file, or the message of the parser.
fn text(file: &File<'_>, pieces: &[Result<Piece, String>], header: &str) -> Result<String, String> {
    let pieces = pieces.iter().map(|piece| piece.as_ref().map_err(String::clone));
    let pieces: Vec<&Piece> = pieces.collect::<Result<_, _>>()?;
    let blocks = pieces.iter().flat_map(|piece| &piece.blocks).map(String::as_str);
    let rust = match &file.contents {
        Contents::Rust(rust) => rust,
        Contents::Toml(text) => return Ok(format!("# {header}\n\n{text}")),
        Contents::Json(_) => return Ok(blocks.collect()),
    };
    let docs: Vec<_> = rust.docs.iter().map(|line| format!("//! {line}").trim_end().to_owned()).collect();
    let mut start = vec![format!("// {header}"), docs.join("\n")];
    let mentions = pieces.iter().fold(Mentions::default(), |all, piece| all.and(piece.mentions));
    let imports = imports_of(mentions.among(&rust.imports.paths));
    format_items(imports.parse().map_err(|error: LexError| error.to_string())?, &mut start)?;
    let blocks = start.iter().map(String::as_str).chain(blocks).filter(|block| !block.is_empty());
    Ok(escape::code(&join(blocks.collect())).into_owned())
}

/// Appends the text of the inner attributes and of each item to `blocks`.
fn format_items(tokens: TokenStream, blocks: &mut Vec<String>) -> Result<(), String> {
    let syn::File { attrs, items, .. } = syn::parse2(tokens).map_err(|error| error.to_string())?;
    let file = |attrs, items| syn::File { shebang: None, frontmatter: None, attrs, items };
    if !attrs.is_empty() {
        blocks.push(prettyplease::unparse(&file(attrs, Vec::new())).trim_end().to_owned());
    }
    for item in items {
        blocks.push(match item {
            syn::Item::Macro(call) if call.ident.is_none() => {
                list_macro::text(call).map_err(|error| error.to_string())?
            }
            item => {
                let text = prettyplease::unparse(&file(Vec::new(), vec![item]));
                blank_lines::between_members(&only_lists::join_with_calls(text.trim_end()))
            }
        });
    }
    Ok(())
}

/// Joins the blocks with blank lines. Consecutive imports are sorted and have no blank lines between them.
fn join(mut blocks: Vec<&str>) -> String {
    let is_import = |block: &&str| block.starts_with("use ") || block.starts_with("pub use ");
    for imports in blocks.chunk_by_mut(|a, b| is_import(a) && is_import(b)) {
        imports.sort_unstable();
    }
    let mut text = String::new();
    let mut was_import = false;
    for block in blocks {
        let is_import = is_import(&block);
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
    use quote::quote;

    use super::*;
    use crate::emit::{Imports, RustFile};

    fn rust(path: &str, tokens: fn() -> TokenStream) -> File<'static> {
        let docs = vec!["What it is for.".to_owned(), String::new(), "More.".to_owned()];
        let list = "m! {\n    head;\n    a,\n}".to_owned();
        let items = vec![Item::Tokens(Box::new(tokens)), Item::Text(list)];
        let path_of = |name| (String::new(), format!("e::{name}"));
        let imports =
            Imports { names: vec!["i64", "f", "i32"], paths: ["i64", "f", "i32"].map(path_of).into() };
        File { path: path.to_owned(), contents: Contents::Rust(RustFile { docs, imports, items }) }
    }

    fn options() -> Options {
        Options { command: "make it".to_owned(), ..Options::new("x", "api.yaml") }
    }

    #[test]
    fn a_whole_file() {
        let file = rust("a.rs", || {
            quote! {
                use c::d;
                use a::b;
                #[doc = " Docs."]
                #[derive(Debug)]
                pub struct A { #[doc = " Field."] pub b: i64 }
                impl A { pub fn x(&self) -> i64 { 1 } pub fn y(&self) -> i64 { f::g() } }
            }
        });
        let tree = render(vec![file], &options()).unwrap();
        let expected = "\
// @generated by `make it` from api.yaml. Do not edit by hand.

//! What it is for.
//!
//! More.

use a::b;
use c::d;
use e::f;

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
        f::g()
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
        let files = || {
            (0..50).map(|n| {
                rust(&format!("{n}.rs"), || {
                    quote!(
                        pub const A: usize = 1;
                    )
                })
            })
        };
        let reversed = files().rev().collect();
        assert_eq!(render(files().collect(), &options()).unwrap(), render(reversed, &options()).unwrap());
    }

    #[test]
    fn deep_items_need_no_stack_of_the_caller() {
        let nested = || {
            let value = (0..400).fold(quote!(1), |inner, _| quote!(f(&[#inner])));
            quote!(pub static A: B = #value;)
        };
        let caller = std::thread::Builder::new().stack_size(256 * 1024);
        let rendered = caller.spawn(move || render(vec![rust("a.rs", nested)], &options()).is_ok());
        assert!(rendered.unwrap().join().unwrap());
    }

    #[test]
    fn invalid_rust_is_an_error() {
        let error = render(vec![rust("broken.rs", || quote!(struct struct))], &options()).unwrap_err();
        assert_eq!(error.path, "broken.rs");
    }
}
