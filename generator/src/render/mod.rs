//! Turns tokens into text: formats items and adds blank lines and a header.

mod blank_lines;
mod list_macro;
mod mentions;
mod only_lists;
mod work;

use std::num::NonZero;
use std::thread;

use proc_macro2::TokenStream;

use crate::emit::{File, List};
use crate::file_tree::FileTree;
use crate::options::Options;
use work::Work;

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

/// The stack of a thread. Parsing and printing recurse, and a document may be nested in 127 levels.
const STACK: usize = 32 * 1024 * 1024;

/// Renders the files on as many threads as the machine has cores. The result does not depend on the number of
/// threads.
///
/// # Errors
/// Returns the first error, by path, if the code of a file does not parse.
pub fn render(files: Vec<File<'_>>, options: &Options) -> Result<FileTree, RenderError> {
    let work = Work::new(files, options);
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(work.jobs.len());
    let mut results = thread::scope(|scope| {
        let spawn = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || work.run());
        let workers: Vec<_> = (0..threads).map(|_| spawn()).collect();
        let mut results = Vec::new();
        for worker in workers {
            match worker.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(others)) => results.extend(others),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // Without another thread, this one does the rest.
                Err(_) => results.extend(work.run()),
            }
        }
        results
    });
    // `collect` stops at the first error, which has to be the same in each run.
    results.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    results.into_iter().map(|(path, text)| Ok((path, text?))).collect()
}

/// Appends the text of the inner attributes and of each item to `blocks`.
fn format_items(tokens: TokenStream, blocks: &mut Vec<String>) -> syn::Result<()> {
    let syn::File { attrs, items, .. } = syn::parse2(tokens)?;
    let file = |attrs, items| syn::File { shebang: None, frontmatter: None, attrs, items };
    if !attrs.is_empty() {
        blocks.push(prettyplease::unparse(&file(attrs, Vec::new())).trim_end().to_owned());
    }
    for item in items {
        blocks.push(match item {
            syn::Item::Macro(call) if call.ident.is_none() => list_macro::text(call)?,
            item => {
                let text = prettyplease::unparse(&file(Vec::new(), vec![item]));
                blank_lines::between_members(&only_lists::join_with_calls(text.trim_end()))
            }
        });
    }
    Ok(())
}

/// ```text
/// openapi_crates_runtime::tags! {
///     "toys" => toys,
/// }
/// ```
fn list_text(list: &List) -> String {
    let head = list.head.iter().map(|line| format!("    {line}\n"));
    let entries = list.entries.iter().map(|entry| format!("    {entry},\n"));
    format!("{}! {{\n{}}}", list.path, head.chain(entries).collect::<String>())
}

/// Joins the blocks with blank lines. Consecutive imports are sorted and have no blank lines between them.
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
    use crate::emit::{Contents, Imports, Item, RustFile};

    fn rust(path: &str, tokens: fn() -> TokenStream) -> File<'static> {
        let docs = vec!["What it is for.".to_owned(), String::new(), "More.".to_owned()];
        let list =
            List { path: "m".to_owned(), head: vec!["head;".to_owned()], entries: vec!["a".to_owned()] };
        let items = vec![Item::Tokens(Box::new(tokens)), Item::List(list)];
        let of = Box::new(|names: &[&str]| {
            names
                .iter()
                .map(|_| {
                    quote!(
                        use e::f;
                    )
                })
                .collect()
        });
        let imports = Imports { names: &["i64", "f", "i32"], of };
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
        let caller = thread::Builder::new().stack_size(256 * 1024);
        let rendered = caller.spawn(move || render(vec![rust("a.rs", nested)], &options()).is_ok());
        assert!(rendered.unwrap().join().unwrap());
    }

    #[test]
    fn invalid_rust_is_an_error() {
        let error = render(vec![rust("broken.rs", || quote!(struct struct))], &options()).unwrap_err();
        assert_eq!(error.path, "broken.rs");
    }
}
