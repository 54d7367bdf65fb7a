//! Paths and pointers in references.

/// Where a reference's path leads, seen from the file of this name. No disk is asked.
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

/// How one file is found from another, which is the same wherever both are: the inverse of [`join`].
pub fn way(base: &str, path: &str) -> String {
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let from: Vec<&str> = folder.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let to: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(common).map(|_| "..");
    up.chain(to.iter().skip(common).copied()).collect::<Vec<_>>().join("/")
}

/// Whether a reference has a scheme (`https:`), so that it names no file. A single letter is a drive of Windows.
pub fn is_remote(place: &str) -> bool {
    let scheme = place.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// Undoes `%xx`.
pub fn decode(text: &str) -> String {
    if text.contains('%') { super::super::reference::percent_decode(text) } else { text.to_owned() }
}

/// A JSON pointer as a URI's fragment.
pub fn escape(pointer: &str) -> String {
    pointer.replace('%', "%25")
}

/// A name as a step of a JSON pointer.
pub fn pointer_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A name as a step of a JSON pointer in a URI's fragment.
pub fn escape_step(name: &str) -> String {
    escape(&pointer_step(name))
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
    fn ways_are_the_same_from_anywhere() {
        for (base, path) in
            [("a/api.yaml", "x.yaml"), ("/r/a/api.yaml", "/r/x.yaml"), ("./a/api.yaml", "x.yaml")]
        {
            assert_eq!(way(base, path), "../x.yaml");
        }
        assert_eq!(way("a/api.yaml", "a/b/x.yaml"), "b/x.yaml");
    }

    #[test]
    fn schemes() {
        assert!(is_remote("https://example.com/x") && is_remote("urn:x"));
        assert!(!is_remote("C:/x.yaml") && !is_remote("./x.yaml") && !is_remote("x/y:z.yaml"));
    }
}
