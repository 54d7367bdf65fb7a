//! The paths and JSON pointers of references.

pub use super::super::reference::percent_decode as decode;
use crate::tree::Node;

/// Resolves the path of a reference against the name of the file that it is in.
///
/// Does not access the disk.
pub fn join(base: &str, path: &str) -> String {
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (folder, is_absolute) =
        if path.starts_with('/') { ("", true) } else { (folder, base.starts_with('/')) };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if is_absolute { "/" } else { "" }, parts.join("/"))
}

/// Resolves a reference against a URI or the name of a file, for comparison: the `//` of a URI becomes `/`.
pub fn resolve(base: &str, reference: &str) -> String {
    let host = base.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    let origin = host.filter(|_| is_remote(base)).and_then(|host| base.find(host).map(|at| at + host.len()));
    match origin.and_then(|end| base.get(..end)) {
        _ if is_remote(reference) => join("", reference),
        Some(origin) if reference.starts_with('/') => join("", &format!("{origin}{reference}")),
        _ => join(base, reference),
    }
}

/// Returns `path` relative to the file `base`. The inverse of [`join`].
pub fn relative(base: &str, path: &str) -> String {
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let from: Vec<&str> = folder.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(common).map(|_| "..");
    up.chain(to.iter().skip(common).copied()).collect::<Vec<_>>().join("/")
}

/// Returns whether a reference has a URL scheme (`https:`).
///
/// A single letter is a Windows drive, not a scheme.
pub fn is_remote(index: &str) -> bool {
    let scheme = index.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// Encodes a JSON pointer for the fragment of a URI.
pub fn escape(pointer: &str) -> String {
    pointer.replace('%', "%25")
}

/// Encodes a name as a step of a JSON pointer.
pub fn pointer_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Encodes a name as a step of a JSON pointer in the fragment of a URI.
pub fn escape_step(name: &str) -> String {
    escape(&pointer_step(name))
}

/// Visits a node and those below it, each with its JSON pointer. `pointer` is that of the node.
pub fn walk(node: &Node, pointer: &mut String, visit: &mut dyn FnMut(&Node, &str)) {
    visit(node, pointer);
    let length = pointer.len();
    let items = node.items().iter().enumerate().map(|(index, item)| (index.to_string(), item));
    for (step, inner) in node.entries().map(|(name, inner)| (pointer_step(name), inner)).chain(items) {
        pointer.push('/');
        pointer.push_str(&step);
        walk(inner, pointer, visit);
        pointer.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_in_urls() {
        for (base, path, expected) in [
            ("api.yaml", "./pet.yaml", "pet.yaml"),
            ("spec/api.yaml", "schemas/pet.yaml", "spec/schemas/pet.yaml"),
            ("spec/schemas/pet.yaml", "../api.yaml", "spec/api.yaml"),
            ("api.yaml", "../other/x.yaml", "../other/x.yaml"),
            ("../a/api.yaml", "../x.yaml", "../x.yaml"),
            ("/a/api.yaml", "../../../x.yaml", "/x.yaml"),
            ("spec/api.yaml", "/x.yaml", "/x.yaml"),
            ("<stdin>", "a//b.yaml", "a/b.yaml"),
        ] {
            assert_eq!(join(base, path), expected, "{base} {path}");
        }
    }

    #[test]
    fn references_are_resolved_against_uris() {
        for (base, reference, expected) in [
            ("https://a.example/b/c.yaml", "d.yaml", "https:/a.example/b/d.yaml"),
            ("https://a.example/b/c.yaml", "/d.yaml", "https:/a.example/d.yaml"),
            ("https://a.example/b/c.yaml", "https://x.example/d", "https:/x.example/d"),
            ("spec/c.yaml", "../d.yaml", "d.yaml"),
            ("spec/c.yaml", "urn:d", "urn:d"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{base} {reference}");
        }
    }

    #[test]
    fn relative_paths_do_not_depend_on_the_base() {
        for (base, path) in
            [("a/api.yaml", "x.yaml"), ("/r/a/api.yaml", "/r/x.yaml"), ("./a/api.yaml", "x.yaml")]
        {
            assert_eq!(relative(base, path), "../x.yaml");
        }
        assert_eq!(relative("a/api.yaml", "a/b/x.yaml"), "b/x.yaml");
    }

    #[test]
    fn schemes() {
        assert!(is_remote("https://example.com/x") && is_remote("urn:x"));
        assert!(!is_remote("C:/x.yaml") && !is_remote("./x.yaml") && !is_remote("x/y:z.yaml"));
    }
}
