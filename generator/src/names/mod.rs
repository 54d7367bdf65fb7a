//! Every identifier of the generated code is decided here, from what the document calls a thing and from nothing else.
//!
//! There are no counters: a name never depends on what stands before or after it. The rules, in order:
//!
//! 1. **Words.** Text is cut into words at case changes and at what is neither letter nor digit ([`Words`]). A symbol
//!    that leads a name, ends it or is all of it is spelled (`-1` is *minus 1*, `@id` *at id*, `c++` *c plus plus*);
//!    within a name it only separates, but `&` is *and*, and `*` between digits is *x* (`1280*720`). The empty text is
//!    *empty*. A character that Rust takes in no identifier is *u* and its code in hex. Beyond 200 bytes, the
//!    beginning and a hash of all of it.
//! 2. **Case.** `snake_case`, `PascalCase` or `SCREAMING_SNAKE_CASE`; where two digits would meet, an underscore keeps
//!    them apart (`square_1_1` is `Square1_1`). What would begin with a digit begins with `n_` or `N` (`N3dRender`).
//! 3. **Keywords** are raw (`r#type`); those that can't be raw get an underscore (`self_`).
//! 4. **Taken names** (`reserved`): a type called as something that generated code names bare (`Box`) gets
//!    `Model` (`BoxModel`), a family `-family`, a method `_operation`, a builder's setting `_credential`. A family's
//!    name is transliterated to ASCII, for it names a file.
//! 5. **Two that fold to one** ([`settle`]): the text that is its own Rust name keeps it; every other one spells its
//!    separators (`foo-bar` is `foo_dash_bar`), then tells its case (`720p` and `720P` are `N720pLower` and
//!    `N720pUpper`), and at last a hash of itself.
//! 6. **Types made in a place** ([`Claims`]): a component keeps its name; what is derived from a place and is not the
//!    only one of its name says more about the place (`PetOwner`, else `PetOwnerField`).

mod claims;
mod http;
mod reserved;
mod settle;
mod words;

pub use claims::{Claim, Claims, Strength};
pub use http::{derived_operation_id, media_type_name, status_name};
pub(crate) use reserved::is_keyword;
pub use settle::{Style, settle};
pub use words::{Words, fingerprint};

use crate::ir::Ident;

/// A field, parameter, or function: `voice_id`, `r#type`, `n_3d`.
#[must_use]
pub fn field(text: &str) -> Ident {
    Ident(reserved::escape(Words::of(text).snake()))
}

/// A variant: `StrongSwimmer`, `N3dRender`.
#[must_use]
pub fn variant(text: &str) -> Ident {
    Ident(reserved::escape(Words::of(text).pascal()))
}

/// The name of a type, without regard to what generated code names bare: `TaskStatus`. For parts of type names.
#[must_use]
pub fn pascal(text: &str) -> String {
    Words::of(text).pascal()
}

/// A type: `TaskStatus`; `BoxModel` for what is called `Box`.
#[must_use]
pub fn type_name(text: &str) -> String {
    reserved::free_type(Words::of(text).pascal())
}

/// A type of this name, already in Pascal case; `BoxModel` for `Box`.
#[must_use]
pub fn free_type(pascal: String) -> String {
    reserved::free_type(pascal)
}

/// A part of a type's name, after another part: `3d` after `Render` needs no `N` in front.
#[must_use]
pub fn joined(parent: &str, text: &str) -> String {
    Words::of(text).after(parent)
}

/// A constant or static: `TASK_STATUS`.
#[must_use]
pub fn constant(text: &str) -> String {
    Words::of(text).screaming()
}

/// A field that follows from another: the raw prefix is dropped. `type` and `_or_default` give `type_or_default`.
#[must_use]
pub fn suffixed(ident: &Ident, suffix: &str) -> Ident {
    Ident(format!("{}{suffix}", ident.0.strip_prefix("r#").unwrap_or(&ident.0)))
}

/// The first of `preferred` that `taken` has not; with an underscore after it where all are taken.
#[must_use]
pub fn free(preferred: &[&str], taken: impl Fn(&str) -> bool) -> Ident {
    let found = preferred.iter().find(|name| !taken(name));
    let fallback = || format!("{}_", preferred.last().copied().unwrap_or("other"));
    Ident(found.map_or_else(fallback, |name| (*name).to_owned()))
}

/// The names of one family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyNames {
    /// `text-to-image`
    pub feature: String,
    /// `text_to_image`
    pub module: Ident,
    /// `TextToImageApi`
    pub api_trait: Ident,
}

/// The names of the families with these tags.
#[must_use]
pub fn families(tags: &[&str]) -> Vec<FamilyNames> {
    let modules = settle(tags, Style::Family);
    modules
        .into_iter()
        .map(|module| {
            let plain = module.strip_prefix("r#").unwrap_or(&module);
            FamilyNames {
                feature: plain.replace('_', "-"),
                api_trait: Ident(format!("{}Api", Words::of(plain).pascal())),
                module: Ident(module),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
