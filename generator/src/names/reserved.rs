//! Names that a document can't have for itself: keywords, and what generated code names bare.

/// Keywords that may be raw identifiers (editions up to 2024, reserved ones included).
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that may not.
const NEVER_RAW: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Whether a word is no name: a keyword of any edition, or `_`.
pub(crate) fn is_keyword(word: &str) -> bool {
    // Keywords are short, and all but `Self` in lower case.
    word.len() <= 8
        && (word == "Self" || word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        && (KEYWORDS.contains(&word) || NEVER_RAW.contains(&word))
}

/// Types and traits that generated code names without a path.
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

/// Modules, features and methods that generated crates have of their own.
const MODULES: &[&str] = &[
    "all",
    "build",
    "builder",
    "client",
    "common",
    "core",
    "crate",
    "default",
    "default_body_limit",
    "dynamic",
    "lib",
    "main",
    "models",
    "mount",
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
    "types",
];

/// Methods that a generated client has of its own, and those of the prelude that would be called in their stead because
/// they take `self` by value.
const METHODS: &[&str] = &["builder", "call", "clone", "into", "new", "runtime", "try_into"];

/// Methods that a generated client's builder has of its own, and those of the prelude that take `self` by value.
const SETTINGS: &[&str] = &[
    "base_url",
    "build",
    "clone",
    "credential",
    "deadline",
    "default",
    "header",
    "http",
    "into",
    "preflight",
    "retry",
    "timeout",
    "try_into",
    "user_agent",
];

/// The identifier, raw or changed if it is a keyword.
pub(super) fn escape(name: String) -> String {
    if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name.as_str()) {
        format!("r#{name}")
    } else {
        name
    }
}

/// The type's name, or another if generated code needs it bare.
pub(super) fn free_type(name: String) -> String {
    if BARE.contains(&name.as_str()) { format!("{name}Model") } else { name }
}

/// The module's name, or another if the crates have it or it is a keyword.
pub(super) fn free_module(name: String) -> String {
    if MODULES.contains(&name.as_str()) || KEYWORDS.contains(&name.as_str()) {
        format!("{name}_family")
    } else {
        name
    }
}

/// The setting's name, or another if the client's builder has it.
pub(super) fn free_setting(name: String) -> String {
    if SETTINGS.contains(&name.as_str()) { format!("{name}_credential") } else { escape(name) }
}

/// The method's name, or another if the client has it.
pub(super) fn free_method(name: String) -> String {
    if METHODS.contains(&name.as_str()) { format!("{name}_operation") } else { escape(name) }
}
