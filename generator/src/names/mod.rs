//! Decides every identifier of the generated code.
//!
//! A name depends only on names in the document. There are no counters: a name does not depend on what comes
//! before or after it. The rules, in order:
//!
//! 1. **Words.** The text is split into words at case changes and at characters that are neither letters nor
//!    digits ([`Words`]). A symbol at the start or end of a name is spelled out if it may have a meaning:
//!    `-1` is *minus 1*, `@id` is *at id*, `c++` is *c plus plus*, but `_links` is *links* and `.tag` is *tag*. A symbol inside a
//!    name only separates words, with two exceptions: `&` is *and*, and `*` between digits is *x*
//!    (`1280*720`). A name of symbols alone spells out all of them, and the empty text is *empty*. A
//!    character that Rust does not allow in identifiers is *u* and its code in hex. A name longer than 200
//!    bytes is cut and gets a hash of the whole name.
//!    `OAuth` is one word in snake case: `oauth2_token`.
//! 2. **Case.** `snake_case`, `PascalCase` or `SCREAMING_SNAKE_CASE`. An underscore separates two digits of
//!    different words: `square_1_1` is `Square1_1`. A name that would start with a digit starts with `n_` or
//!    `N`: `N3dRender`.
//! 3. **Keywords** become raw identifiers (`r#type`). Keywords that can't be raw get an underscore (`self_`).
//! 4. **Reserved names** get a suffix. A type with a name that generated code uses without a path (`Box`)
//!    gets `Model` (`BoxModel`), a module `_tag`, a method `_operation`, a builder's setter `_credential`.
//!    Module names are transliterated to ASCII, because they are also file names.
//! 5. **Collisions** ([`settle()`]): if several texts give the same name, the text that equals the name keeps
//!    it. Every other text spells out its separators (`foo-bar` is `foo_dash_bar`), then adds its case
//!    (`720p` and `720P` are `N720pLower` and `N720pUpper`), and at last a hash of itself.
//! 6. **Inline types** ([`decide`]): a component keeps its name. A name that is derived from the location of
//!    an inline schema and is not unique gets longer: `PetOwnerField` instead of `PetOwner`.

mod claims;
mod fastapi;
mod http;
mod reserved;
mod settle;
mod words;
mod xml;

pub use claims::{Claim, Strength, decide};
pub use fastapi::{is_fastapi, shortened};
pub use http::{derived_operation_id, media_type_name, media_type_names, status_name};
pub use reserved::free_type;
pub(crate) use reserved::is_keyword;
pub use settle::{Style, by_rules, settle};
pub use words::{Words, fingerprint, hash};
pub(crate) use xml::is_name as is_xml_name;

use crate::ir::Ident;

/// Returns the name of a field, parameter or function: `voice_id`, `r#type`, `n_3d`.
pub fn field(text: &str) -> Ident {
    Ident(reserved::escape(Words::of(text).snake()))
}

/// Returns a part of a type's name in Pascal case: `TaskStatus`.
///
/// Ignores reserved names.
pub fn pascal(text: &str) -> String {
    Words::of(text).pascal()
}

/// Appends a part to a type's name: `3d` after `Render` needs no leading `N`.
pub fn joined(parent: &str, text: &str) -> String {
    Words::of(text).after(parent)
}

/// Returns the name of a constant or static: `TASK_STATUS`.
pub fn constant(text: &str) -> String {
    Words::of(text).screaming()
}

/// Appends a suffix to a field name, without its raw prefix.
///
/// `r#type` and `_or_default` give `type_or_default`.
pub fn suffixed(ident: &Ident, suffix: &str) -> Ident {
    Ident(format!("{}{suffix}", ident.0.strip_prefix("r#").unwrap_or(&ident.0)))
}

/// Returns the name of a field's setter: `with_type` for `r#type`.
pub fn setter(field: &Ident) -> String {
    format!("with_{}", field.0.strip_prefix("r#").unwrap_or(&field.0))
}

/// Returns the first of `preferred` that is not taken.
///
/// If all are taken, the last one with an underscore.
pub fn free(preferred: &[&str], taken: impl Fn(&str) -> bool) -> Ident {
    let found = preferred.iter().find(|name| !taken(name));
    let fallback = || format!("{}_", preferred.last().copied().unwrap_or("other"));
    Ident(found.map_or_else(fallback, |name| (*name).to_owned()))
}

/// The names of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagNames {
    /// The module, which is also the cargo feature: `text_to_image`.
    pub module: Ident,
    /// The server trait: `TextToImageApi`.
    pub api_trait: Ident,
}

/// Returns the names of the modules for these tags.
pub fn tags(tags: &[&str]) -> Vec<TagNames> {
    let modules = settle(tags, Style::Tag);
    modules
        .into_iter()
        .map(|module| {
            let plain = module.strip_prefix("r#").unwrap_or(&module);
            TagNames { api_trait: Ident(format!("{}Api", Words::of(plain).pascal())), module: Ident(module) }
        })
        .collect()
}

#[cfg(test)]
mod tests;
