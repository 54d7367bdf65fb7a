//! Reserved names: keywords, and names that generated code uses itself.

/// The keywords of all editions up to 2024 that can be raw identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The keywords that can't be raw identifiers.
const NEVER_RAW: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Returns whether a word is a keyword of any edition, or `_`.
pub(crate) fn is_keyword(word: &str) -> bool {
    // All keywords are short and, except `Self`, in lower case.
    word.len() <= 8
        && (word == "Self" || word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        && (KEYWORDS.contains(&word) || NEVER_RAW.contains(&word))
}

/// The types, traits and variants that generated code uses without a path.
const BARE: &[&str] = &[
    "Arc",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "Deserialize",
    "Display",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromStr",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "Iterator",
    "IntoIterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Send",
    "Serialize",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// The modules, features and builder methods that generated crates define themselves.
const MODULES: &[&str] = &[
    "all",
    "blocking",
    "build",
    "builder",
    "client",
    "common",
    "core",
    "crate",
    "decode_body",
    "default",
    "default_body_limit",
    "dynamic",
    "lib",
    "main",
    "mock",
    "models",
    "mount",
    "receiver",
    "reject",
    "responses",
    "runtime",
    "rustls",
    "security",
    "self",
    "server",
    "std",
    "super",
    "test",
    "tests",
    "tracing",
    "types",
];

/// The names that the methods of a generated client can't have.
///
/// These are its own methods, and the methods of the prelude that take `self` by value: a call would resolve
/// to these.
pub(super) const METHODS: &[&str] = &["builder", "call", "clone", "into", "new", "runtime", "try_into"];

/// The names that the setters of a client's builder can't have.
///
/// These are its own methods, and the methods of the prelude that take `self` by value.
pub(super) const SETTINGS: &[&str] = &[
    "after_attempt",
    "assume_utc",
    "base_url",
    "bearer_credential",
    "before_attempt",
    "build",
    "clone",
    "credential",
    "deadline",
    "default",
    "header",
    "http",
    "into",
    "operation_servers",
    "preflight",
    "require_credentials",
    "response_limit",
    "retry",
    "retry_budget",
    "strict_status",
    "timeout",
    "transport",
    "try_into",
    "user_agent",
];

/// Escapes a keyword: `r#type`, `self_`. Returns any other name as it is.
pub(super) fn escape(name: String) -> String {
    if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name.as_str()) {
        format!("r#{name}")
    } else {
        name
    }
}

/// Returns a name: with the suffix if generated code uses the name itself, and escaped if it is a keyword.
pub(super) fn free(name: String, used: &[&str], suffix: &str) -> String {
    if used.contains(&name.as_str()) { name + suffix } else { escape(name) }
}

/// Returns the name of a type, given in Pascal case: `BoxModel` for `Box`.
pub fn free_type(pascal: String) -> String {
    free(pascal, BARE, "Model")
}

/// Returns the name of a module, changed if the crates define it or if it is a keyword.
pub(super) fn free_module(name: String) -> String {
    let is_keyword = KEYWORDS.contains(&name.as_str());
    if is_keyword { name + "_tag" } else { free(name, MODULES, "_tag") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setter_of_a_client_is_reserved() {
        let source = include_str!("../../../runtime/src/client/wrap.rs");
        let (_, methods) = source.split_once("$crate::client_builder_methods! {").unwrap();
        let (methods, _) = methods.split_once("\n        }\n").unwrap();
        let lines = methods.lines().filter_map(|line| line.strip_prefix("            "));
        let names = lines
            .filter(|line| line.starts_with(char::is_alphabetic))
            .filter_map(|line| line.split('(').next());
        let names: Vec<&str> = names.collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(SETTINGS.contains(&name), "`{name}` is not in the list");
        }
    }
}
